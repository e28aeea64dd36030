// Package world has what the tests against the real controllers share: the program itself, the tools that a person has beside it, and
// waiting for what controllers do in their own time.
package world
