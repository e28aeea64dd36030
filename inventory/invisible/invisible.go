// Package invisible knows the runes of other people's text that a person does not see: controls that a terminal obeys,
// marks that turn the reading direction, characters without width. Names, notes and messages can hold any of them.
//
// Everything that writes such text has the same list from here, whatever its way to spell them.
package invisible

import "unicode"

// Is is true for a rune that shows nothing of itself, a line break included. It goes beyond what unicode.IsPrint
// excludes (controls, format characters such as bidi overrides and zero-width joiners, surrogates, private use and all
// blanks but the ASCII one): some letters are blank, too.
func Is(r rune) bool {
	return !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || r == blankBraille
}

// blankBraille is a symbol without dots: it looks like a space and is none.
const blankBraille = '\u2800'
