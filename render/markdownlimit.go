package render

import (
	"bytes"
	"fmt"
	"sort"
)

// ErrNoRoom says that not even the summary of a result fits into Options.Limit.
type ErrNoRoom struct{ Want, Limit int }

func (e *ErrNoRoom) Error() string {
	return fmt.Sprintf("the result has %d bytes without a single row, and there is room for %d", e.Want, e.Limit)
}

// renderMarkdownWithin leaves out as few rows as it can. What is not a table is all there: the summary, and what was not seen.
func renderMarkdownWithin(b *bytes.Buffer, d Document, o Options) error {
	var err error
	with := func(rows int) []byte {
		var out bytes.Buffer
		if e := markdownDocument(&out, firstRows(d, rows), o); e != nil {
			err = e
		}
		return out.Bytes()
	}
	total := countRows(d)
	best := with(total)
	if err == nil && len(best) > o.Limit {
		// The first number of rows that is too many, less one.
		rows := sort.Search(total, func(n int) bool { return len(with(n)) > o.Limit }) - 1
		if rows < 0 {
			return &ErrNoRoom{Want: len(with(0)), Limit: o.Limit}
		}
		best = with(rows)
	}
	if err != nil {
		return err
	}
	b.Write(best)
	return nil
}

func countRows(d Document) int {
	n := 0
	for _, s := range d.Sections {
		for _, block := range s.Blocks {
			if t, ok := block.(Table); ok {
				n += len(t.Rows)
			}
		}
	}
	return n
}

// firstRows is the document with so many rows in its tables. A table that misses some says so below it.
func firstRows(d Document, rows int) Document {
	out := d
	out.Sections = make([]Section, len(d.Sections))
	for i, s := range d.Sections {
		blocks := make([]Block, 0, len(s.Blocks))
		for _, block := range s.Blocks {
			t, ok := block.(Table)
			if !ok || len(t.Rows) <= rows {
				if ok {
					rows -= len(t.Rows)
				}
				blocks = append(blocks, block)
				continue
			}
			left := len(t.Rows) - rows
			t.Rows, rows = t.Rows[:rows], 0
			if len(t.Rows) > 0 {
				blocks = append(blocks, t)
			}
			blocks = append(blocks, Notes{Items: []Note{{Text: count(left, "row is", "rows are") + " left out here, for the page takes no more", Style: Warn}}})
		}
		s.Blocks = blocks
		out.Sections[i] = s
	}
	return out
}
