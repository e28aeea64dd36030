// Package inventorytest makes Snapshots for tests: from compact YAML fixtures that hold the expected verdicts beside the
// input, and from generators of realistic and of random fleets.
package inventorytest
