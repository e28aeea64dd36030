// Package render turns results into bytes.
//
// It is N + M and not N × M: every result has one view (a function from the result to a Document), and every format
// for people renders any Document. The machine formats marshal the result itself, which a Document carries along.
//
// Names, notes and messages in a result come from others. This package is where they are made safe, per format; see
// untrusted.go. Nothing before it escapes, and nothing behind it has to.
package render
