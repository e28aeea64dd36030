package render

// Figures are the numbers that a person looks for first.
type Figures struct{ Items []Figure }

// Figure is one number with what it counts.
type Figure struct {
	Value, Label string
	Style        Style
	// Link is the ID of the section that has more of it; empty for none.
	Link string
}

// Chart is numbers over the same points, drawn and as a table.
type Chart struct {
	Caption string
	// Points are the names of the points, in order.
	Points []string
	Lines  []Line
	// Marks are remarks about single points, by their number.
	Marks map[int]string
}

// Line is one series of a Chart, with a value for each point.
type Line struct {
	Name   string
	Style  Style
	Values []int
}

// Map is chains of boxes: each row is one thing with several sides, and what ties them together.
type Map struct {
	Caption string
	// Sides are the titles of the columns.
	Sides []string
	Rows  []Chain
}

// Chain is one row of a Map.
type Chain struct {
	Label string
	Style Style
	// Boxes has one for each side. One without Text is a side that is missing.
	Boxes []Box
	// Links are what ties each box to the next: one less than there are boxes. An empty one ties nothing.
	Links []string
}

// Box is one side.
type Box struct{ Text, Detail string }

func (Figures) block() {}
func (Chart) block()   {}
func (Map) block()     {}
