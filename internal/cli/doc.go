// Package cli is the command line of proxaudit: flags and configuration in, calls to the collectors and the analysis,
// rendered results out. One file holds one command.
//
// What a run found becomes an error value (a Verdict), like any failure; main turns it into the exit code. Standard
// output carries the result and nothing else; progress, warnings and errors go to standard error.
package cli
