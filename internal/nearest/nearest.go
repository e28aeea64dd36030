// Package nearest finds the word that somebody meant who made a typing error.
package nearest

import (
	"slices"
	"strings"
)

// Of is the known word that differs least from a word, without regard to case; the first in the alphabet where several
// do. It is empty if none is near: a wrong guess is worse than none.
func Of(word string, known []string) string {
	best, score := "", limit(word)+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < score {
			best, score = k, d
		}
	}
	return best
}

// limit is how many typing errors a word may have: one letter in three, and never more than two. Words of one and two
// letters are too easy to turn into others.
func limit(word string) int { return min(len(word)/3, 2) }

// distance is the number of letters that have to be added, taken away, changed, or swapped with their neighbour
// (Damerau and Levenshtein, each place once).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
