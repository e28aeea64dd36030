package render

import (
	"fmt"
	"slices"
	"strings"
)

// The chart's plane, in the units of its drawing.
const (
	chartWidth, chartHeight = 720, 220
	chartLeft, chartBottom  = 44, 28
	chartTop, chartRight    = 12, 12
)

// pageChart is a Chart as lines over a plane, and as a table with the same numbers.
type pageChart struct {
	Caption string
	Width   int
	Height  int
	Left    int
	Right   int
	Ticks   []pageTick
	Days    []pageTick
	Lines   []pageLine
	Table   pageTable
}

// pageTick is a place on an axis.
type pageTick struct {
	At   string
	Text string
}

type pageLine struct {
	Name, Class, Points string
	// X and Y are where the last point is, which is drawn as a dot: a line of one point is none.
	X, Y string
}

func newPageChart(c Chart) pageChart {
	p := pageChart{Caption: c.Caption, Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartWidth - chartRight}
	top := 1
	for _, l := range c.Lines {
		for _, v := range l.Values {
			top = max(top, v)
		}
	}
	step := niceStep(top)
	top = (top + step - 1) / step * step
	y := func(v int) string {
		return fmt.Sprintf("%.1f", float64(chartTop)+float64(chartHeight-chartTop-chartBottom)*(1-float64(v)/float64(top)))
	}
	x := func(i int) string {
		room := float64(chartWidth - chartLeft - chartRight)
		if len(c.Points) < 2 {
			return fmt.Sprintf("%.1f", float64(chartLeft)+room/2)
		}
		return fmt.Sprintf("%.1f", float64(chartLeft)+room*float64(i)/float64(len(c.Points)-1))
	}
	for v := 0; v <= top; v += step {
		p.Ticks = append(p.Ticks, pageTick{At: y(v), Text: fmt.Sprint(v)})
	}
	if n := len(c.Points); n > 0 {
		days := []int{0, n / 2, n - 1}
		for _, i := range slices.Compact(days) {
			p.Days = append(p.Days, pageTick{At: x(i), Text: c.Points[i]})
		}
	}
	for _, l := range c.Lines {
		var points []string
		for i, v := range l.Values {
			points = append(points, x(i)+","+y(v))
		}
		line := pageLine{Name: l.Name, Class: classes[l.Style], Points: strings.Join(points, " ")}
		if n := len(l.Values); n > 0 {
			line.X, line.Y = x(n-1), y(l.Values[n-1])
		}
		p.Lines = append(p.Lines, line)
	}
	p.Table = chartTable(c)
	return p
}

// niceStep is 1, 2 or 5 times a power of ten: five lines at most.
func niceStep(top int) int {
	for unit := 1; ; unit *= 10 {
		for _, n := range []int{1, 2, 5} {
			if step := n * unit; top <= 5*step {
				return step
			}
		}
	}
}

func chartTable(c Chart) pageTable {
	t := pageTable{Caption: c.Caption, Columns: []pageColumn{{Title: "Run"}}}
	for _, l := range c.Lines {
		t.Columns = append(t.Columns, pageColumn{Title: l.Name, Right: true})
	}
	if len(c.Marks) > 0 {
		t.Columns = append(t.Columns, pageColumn{Title: "Note"})
	}
	for i, point := range slices.Backward(c.Points) {
		row := []pageCellOf{textCell(point)}
		for _, l := range c.Lines {
			row = append(row, textCell(fmt.Sprint(l.Values[i])))
		}
		if len(c.Marks) > 0 {
			row = append(row, textCell(c.Marks[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func textCell(text string) pageCellOf { return pageCellOf{pageText: pageText{Text: text}} }
