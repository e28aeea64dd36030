package render

import (
	"slices"
	"strings"
)

// gap stands between two columns.
const gap = 2

// leastWidth is where a column that has no Min stops to shrink, on terminals that are too narrow even for the columns
// that stay.
const leastWidth = 8

// layout is how a table is fitted into a width.
type layout struct {
	// cols are the indexes of the columns that stay columns, with their widths; 0 means no limit.
	cols   []int
	widths []int
	// folded are the indexes of the columns that go below their row.
	folded []int
}

// fit decides which columns stay columns. First wide texts are wrapped, as far as their columns allow; then columns go
// below the row, the most talkative first; and if not even the rest fits, everything is wrapped harder.
func fit(t Table, cells [][]string, o Options, wide bool) layout {
	var l layout
	for i, c := range t.Columns {
		if wide || !c.Wide {
			l.cols = append(l.cols, i)
		}
	}
	natural := naturalWidths(t, cells, o)
	for {
		l.widths = l.widths[:0]
		for _, i := range l.cols {
			l.widths = append(l.widths, natural[i])
		}
		if o.Width <= 0 || l.shrink(t, o.Width, false) {
			return l
		}
		k := l.nextFold(t)
		if k < 0 {
			l.shrink(t, o.Width, true)
			return l
		}
		l.folded = append(l.folded, l.cols[k])
		slices.Sort(l.folded)
		l.cols = slices.Delete(l.cols, k, k+1)
	}
}

func naturalWidths(t Table, cells [][]string, o Options) []int {
	natural := make([]int, len(t.Columns))
	if !o.NoHeaders {
		for i, c := range t.Columns {
			natural[i] = width(c.Title)
		}
	}
	for _, row := range cells {
		for i, text := range row {
			natural[i] = max(natural[i], width(text))
		}
	}
	return natural
}

// shrink takes from the widest column that may shrink until all fit, and says whether they do.
func (l *layout) shrink(t Table, limit int, force bool) bool {
	total := gap * (len(l.cols) - 1)
	for _, w := range l.widths {
		total += w
	}
	for total > limit {
		best, floor := -1, 0
		for k, i := range l.cols {
			least := t.Columns[i].Min
			if force {
				least = min(leastWidth, max(least, 1))
				if t.Columns[i].Min == 0 {
					least = leastWidth
				}
			}
			if least == 0 || l.widths[k] <= least {
				continue
			}
			if best < 0 || l.widths[k] > l.widths[best] {
				best, floor = k, least
			}
		}
		if best < 0 {
			return false
		}
		step := min(total-limit, max(1, (l.widths[best]-floor)/2))
		l.widths[best] -= step
		total -= step
	}
	return true
}

// nextFold returns the place in cols of the column that goes next, or -1.
func (l *layout) nextFold(t Table) int {
	for _, f := range []Fit{FoldFirst, Fold} {
		for k := len(l.cols) - 1; k >= 0; k-- {
			if t.Columns[l.cols[k]].Fit == f {
				return k
			}
		}
	}
	return -1
}

// detail is what stands below a row: the folded columns that have something to say, first the facts with their
// titles, then the texts that need none.
func (l *layout) detail(t Table, row []string, limit int) []string {
	const margin = "  "
	var facts, texts []string
	for _, i := range l.folded {
		switch {
		case row[i] == "" || row[i] == none:
		case t.Columns[i].Fit == Fold:
			facts = append(facts, strings.ToLower(t.Columns[i].Title)+" "+row[i])
		default:
			texts = append(texts, row[i])
		}
	}
	if len(facts) > 0 {
		texts = slices.Insert(texts, 0, strings.Join(facts, ", "))
	}
	if len(texts) == 0 {
		return nil
	}
	lines := wrap(strings.Join(texts, "; "), limit-len(margin))
	for k := range lines {
		lines[k] = margin + lines[k]
	}
	return lines
}
