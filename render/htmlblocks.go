package render

import (
	"fmt"
	"slices"
	"strings"
)

// classes are the styles as the style sheet knows them.
var classes = map[Style]string{Good: "good", Info: "info", Warn: "warn", Bad: "bad", Faint: "faint"}

// pageBlockOf is a block as the template takes it.
func pageBlockOf(block Block, ids *anchors) (pageBlock, error) {
	switch v := block.(type) {
	case Table:
		return pageBlock{"table", newPageTable(v, ids)}, nil
	case KeyValues:
		items := make([]pageText, 0, len(v.Items))
		for _, i := range v.Items {
			items = append(items, pageText{Text: i.Value, Detail: i.Key, Class: classes[i.Style]})
		}
		return pageBlock{"facts", items}, nil
	case Notes:
		var items []pageText
		for _, n := range v.Items {
			if !n.Wide {
				items = append(items, pageText{Text: n.Text, Detail: n.Detail, Class: classes[n.Style]})
			}
		}
		return pageBlock{"notes", items}, nil
	case Label:
		return pageBlock{"label", v.Text}, nil
	case Tree:
		return pageBlock{"tree", pageBranches(v.Roots)}, nil
	case Code:
		lines := make([]string, 0, len(v.Lines))
		for _, l := range v.Lines {
			lines = append(lines, Visible(l))
		}
		return pageBlock{"code", strings.Join(lines, "\n")}, nil
	case Figures:
		items := make([]pageText, 0, len(v.Items))
		for _, i := range v.Items {
			t := pageText{Text: i.Value, Detail: i.Label, Class: classes[i.Style]}
			if i.Link != "" {
				t.Link = "#" + ids.of(i.Link)
			}
			items = append(items, t)
		}
		return pageBlock{"figures", items}, nil
	case Chart:
		return pageBlock{"chart", newPageChart(v)}, nil
	case Map:
		return pageBlock{"map", newPageMap(v)}, nil
	default:
		return pageBlock{}, fmt.Errorf("the format html does not know the block %T", block)
	}
}

// pageText is a text with what belongs to it.
type pageText struct{ Text, Detail, Class, Link, ID string }

type pageBranch struct {
	Text, Class string
	Branches    []pageBranch
}

func pageBranches(branches []Branch) []pageBranch {
	out := make([]pageBranch, 0, len(branches))
	for _, b := range branches {
		out = append(out, pageBranch{Text: b.Text, Class: classes[b.Style], Branches: pageBranches(b.Branches)})
	}
	return out
}

// pageTable is a table with rows of cells. Its facets are the columns by which the page's script filters.
type pageTable struct {
	ID, Caption, Empty string
	One, Many          string
	Filter             bool
	Columns            []pageColumn
	Rows               [][]pageCellOf
}

// pageColumn is a column with those that are drawn under it.
type pageColumn struct {
	Title string
	Right bool
	// Wide is a column of prose.
	Wide   bool
	Facets []pageFacet
}

// pageFacet is one by which rows are filtered: the value is that of the element of its place in the cell.
type pageFacet struct {
	Name, Title string
	Place       int
}

// newPageTable leaves out the columns that are empty in every row: a page has no narrow terminal to think of, and shows the wide ones.
func newPageTable(t Table, ids *anchors) pageTable {
	p := pageTable{Caption: t.Caption, Empty: t.Empty, One: t.Nouns[0], Many: t.Nouns[1]}
	if t.ID != "" {
		p.ID = ids.of(t.ID)
	}
	// Each of places are the columns of one place in a row, the second and later ones under the first.
	var places [][]int
	for i, c := range t.Columns {
		if !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Text != "" }) {
			continue
		}
		if !c.Under || len(places) == 0 {
			places = append(places, nil)
			p.Columns = append(p.Columns, pageColumn{Title: c.Title, Right: c.Align == Right, Wide: c.Fit == FoldFirst})
		}
		at := len(places) - 1
		if c.Facet != "" {
			p.Columns[at].Facets = append(p.Columns[at].Facets, pageFacet{Name: c.Facet, Title: c.Title, Place: len(places[at])})
			p.Filter = true
		}
		places[at] = append(places[at], i)
	}
	for _, row := range t.Rows {
		cells := make([]pageCellOf, 0, len(places))
		for _, columns := range places {
			cell := pageCellOf{pageText: pageTextOf(row[columns[0]], ids)}
			for _, i := range columns[1:] {
				cell.Under = append(cell.Under, pageTextOf(row[i], ids))
			}
			cells = append(cells, cell)
		}
		p.Rows = append(p.Rows, cells)
	}
	return p
}

// pageCellOf is a cell with what is drawn under it.
type pageCellOf struct {
	pageText
	Under []pageText
}

func pageTextOf(c Cell, ids *anchors) pageText {
	t := pageText{Text: c.Text, Class: classes[c.Style]}
	if c.Link != "" {
		t.Link = "#" + ids.of(c.Link)
	}
	if c.ID != "" {
		t.ID = ids.of(c.ID)
	}
	return t
}

// pageMap is a Map as a table: each box a cell, and each link a cell between two.
type pageMap struct {
	Caption string
	Sides   []string
	Rows    []pageChain
}

type pageChain struct {
	Label, Class string
	Cells        []pageCell
}

// pageCell is a box, or a link if Link is true. One that is Missing is drawn as a gap.
type pageCell struct {
	Link, Missing bool
	Side          string
	Text, Detail  string
}

func newPageMap(m Map) pageMap {
	p := pageMap{Caption: m.Caption, Sides: m.Sides}
	for _, row := range m.Rows {
		c := pageChain{Label: row.Label, Class: classes[row.Style]}
		for i, box := range row.Boxes {
			c.Cells = append(c.Cells, pageCell{Missing: box.Text == "", Side: m.Sides[i], Text: box.Text, Detail: box.Detail})
			if i < len(row.Links) {
				c.Cells = append(c.Cells, pageCell{Link: true, Missing: row.Links[i] == "", Text: row.Links[i]})
			}
		}
		p.Rows = append(p.Rows, c)
	}
	return p
}
