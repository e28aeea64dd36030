package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// none stands in a cell that has no value.
const none = "-"

// writeTable lays a Table out without borders, as kubectl does, and puts folded columns below their rows.
func writeTable(b *bytes.Buffer, t Table, o Options, wide bool) error {
	if len(t.Rows) == 0 {
		if t.Empty != "" && !o.NoHeaders {
			b.WriteString(indent(wrap(Visible(t.Empty), o.Width), ""))
		}
		return nil
	}
	cells := make([][]string, len(t.Rows))
	for r, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("a row has %d cells and the table %d columns", len(row), len(t.Columns))
		}
		cells[r] = make([]string, len(row))
		for i, c := range row {
			cells[r][i] = Visible(c.Text)
			if c.Text == "" && t.Columns[i].Fit != FoldFirst {
				cells[r][i] = none
			}
		}
	}
	l := fit(t, cells, o, wide)
	var out bytes.Buffer
	heights, err := l.grid(&out, t, cells, o)
	if err != nil {
		return err
	}
	return interleave(b, &out, heights, func(r int) []string { return l.detail(t, cells[r], o.Width) }, o)
}

// grid writes the columns and returns how many lines each row took; the titles, if there are any, are the first line.
func (l *layout) grid(out *bytes.Buffer, t Table, cells [][]string, o Options) ([]int, error) {
	aligns := make([]tw.Align, len(l.cols))
	titles := make([]string, len(l.cols))
	for k, i := range l.cols {
		aligns[k] = tw.AlignLeft
		if t.Columns[i].Align == Right {
			aligns[k] = tw.AlignRight
		}
		titles[k] = strings.Join(wrap(t.Columns[i].Title, l.widths[k]), "\n")
	}
	alignment := tw.CellAlignment{Global: tw.AlignLeft, PerColumn: aligns}
	grid := tablewriter.NewTable(out,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithRowAutoFormat(tw.Off),
		tablewriter.WithTrimSpace(tw.Off), tablewriter.WithTrimLine(tw.Off),
		// Cells come wrapped: the library would cut words that are too long.
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithPadding(tw.Padding{Right: strings.Repeat(" ", gap), Overwrite: true}),
		tablewriter.WithHeaderAlignmentConfig(alignment), tablewriter.WithRowAlignmentConfig(alignment),
	)
	var heights []int
	if !o.NoHeaders {
		grid.Header(titles)
		heights = append(heights, tallest(titles))
	}
	for r := range cells {
		row := make([]string, len(l.cols))
		for k, i := range l.cols {
			lines := wrap(cells[r][i], l.widths[k])
			for n := range lines {
				lines[n] = paint(lines[n], t.Rows[r][i].Style, o)
			}
			row[k] = strings.Join(lines, "\n")
		}
		heights = append(heights, tallest(row))
		if err := grid.Append(row); err != nil {
			return nil, fmt.Errorf("laying out a table: %w", err)
		}
	}
	if err := grid.Render(); err != nil {
		return nil, fmt.Errorf("laying out a table: %w", err)
	}
	return heights, nil
}

func tallest(cells []string) int {
	h := 1
	for _, c := range cells {
		h = max(h, 1+strings.Count(c, "\n"))
	}
	return h
}

// interleave copies the grid's lines and puts the details of each row behind its last line.
func interleave(b, grid *bytes.Buffer, heights []int, detail func(row int) []string, o Options) error {
	lines := strings.Split(strings.TrimSuffix(grid.String(), "\n"), "\n")
	total := 0
	for _, h := range heights {
		total += h
	}
	if total != len(lines) {
		return fmt.Errorf("laying out a table: %d lines where %d were expected", len(lines), total)
	}
	titles := 1
	if o.NoHeaders {
		titles = 0
	}
	for k, h := range heights {
		for _, line := range lines[:h] {
			b.WriteString(trimRight(line))
			b.WriteByte('\n')
		}
		lines = lines[h:]
		if k < titles {
			continue
		}
		for _, line := range detail(k - titles) {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return nil
}

// trimRight takes the padding off a line's end. The layout library repeats a colour's reset behind the padding of an
// empty cell; that goes too.
func trimRight(line string) string {
	for {
		short := strings.TrimRight(line, " ")
		if rest, ok := strings.CutSuffix(short, sgrReset); ok && strings.HasSuffix(rest, " ") {
			line = rest
			continue
		}
		return short
	}
}
