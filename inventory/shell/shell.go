// Package shell writes command lines for people.
package shell

import "strings"

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,"

// Quote makes a word for a POSIX shell out of any text: as it is if no shell reads anything into it, else in single quotes.
func Quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Line is a command line of several words.
func Line(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = Quote(w)
	}
	return strings.Join(out, " ")
}

// Access are the words by which kubectl gets to a cluster: a file that somebody named, and a context. Either may be empty.
func Access(file, context string) []string {
	var out []string
	if file != "" {
		out = append(out, "--kubeconfig="+file)
	}
	if context != "" {
		out = append(out, "--context="+context)
	}
	return out
}
