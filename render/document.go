package render

// Document is what a result looks like to a person, before any format: what is said and what belongs together, not
// where it stands on the screen. All text in it is untrusted; formats make it safe.
type Document struct {
	// Value is the result itself, for the formats that marshal it.
	Value any
	// Names are the subjects in the result, for the format name. Nil means that the result has none to name.
	Names []string
	// Findings is the result for the formats that other programs read; nil if it is no list of findings.
	Findings *FindingList
	// Sections in the order in which they are read.
	Sections []Section
	// Title is the heading of a page of its own; empty for the program's name.
	Title string
	// Page are the sections of a format that has room for pictures and lets people search, in place of Sections; nil if
	// these are the same. It is called by such a format only.
	Page func() []Section
}

// Section is a part of a Document.
type Section struct {
	// Title may be empty.
	Title  string
	Blocks []Block
	// ID is the section's name in a page, by which a link leads to it; empty for none.
	ID string
	// Level is how deep below another section it stands: 0 for one of its own.
	Level int
	// Wide sections are shown by the wide format only.
	Wide bool
	// Footer sections say something about the result rather than being it; --no-headers leaves them out.
	Footer bool
}

// Block is one of Table, KeyValues, Notes, Label, Tree and Code; in a Page also of Figures, Chart and Map.
type Block interface{ block() }

// Style says what a text means. A format that cannot show it leaves it out: no meaning rests on a style alone.
type Style int

// The styles.
const (
	Plain Style = iota
	Good
	Info
	Warn
	Bad
	Faint
)

// Cell is one text of a Table.
type Cell struct {
	Text  string
	Style Style
	// Link is the ID of a section of the same page that has more of it; empty for none.
	Link string
	// ID is the cell's own name in a page; empty for none.
	ID string
}

// Align is the side to which a column's cells are aligned.
type Align int

// The alignments.
const (
	Left Align = iota
	Right
)

// Fit says what becomes of a column that does not fit: where the output is narrow, nothing is cut off or dropped.
type Fit int

const (
	// Keep columns stay columns; their text is wrapped if it has to be.
	Keep Fit = iota
	// Fold columns move to a line of their own below the row, as "title: text".
	Fold
	// FoldFirst columns move before the Fold columns do, and without their title: text that speaks for itself.
	FoldFirst
)

// Column describes one column of a Table.
type Column struct {
	Title string
	Align Align
	Fit   Fit
	// Min is the least width to which the column may shrink before others go below the row; 0 means that it does not
	// shrink. It is small for prose. For identifiers it is wider than the usual one, so that a single long name is
	// broken and the names that people have are not.
	Min int
	// Wide columns are shown by the wide format only.
	Wide bool
	// Facet is the name under which a page filters rows by this column; empty for a column that has no few values.
	Facet string
	// Under columns are drawn by a page in small letters below the one before them; others draw every column side by side.
	Under bool
}

// Table is rows under titles. Every row has one Cell per Column.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	// Empty is said instead of a table without rows.
	Empty string
	// Caption says what the table is, and ID is its name in a page; both may be empty.
	Caption, ID string
	// Nouns are what one and several rows are called, for a page that counts them.
	Nouns [2]string
}

// KeyValues is a list of facts, each with its name.
type KeyValues struct{ Items []KeyValue }

// KeyValue is one fact.
type KeyValue struct {
	Key   string
	Value string
	Style Style
}

// Notes are sentences, one a line.
type Notes struct{ Items []Note }

// Note is one sentence. Detail, if there is one, belongs to it and is indented below.
type Note struct {
	Text   string
	Detail string
	Style  Style
	// Wide notes are shown by the wide format only.
	Wide bool
	// About is what the note is about, for another to refer to it. It is not shown by itself.
	About string
}

// Tree is a hierarchy of texts.
type Tree struct{ Roots []Branch }

// Branch is one text of a Tree with what hangs below it.
type Branch struct {
	Text     string
	Style    Style
	Branches []Branch
}

// Label says what the block below it is for.
type Label struct{ Text string }

// Code is lines for a shell, or in another Language. They are never wrapped or folded: a command that is broken is another
// command.
type Code struct {
	Lines []string
	// Language is the shell's if it is empty.
	Language string
}

func (Table) block()     {}
func (Code) block()      {}
func (Label) block()     {}
func (KeyValues) block() {}
func (Notes) block()     {}
func (Tree) block()      {}
