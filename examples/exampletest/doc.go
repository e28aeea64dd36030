// Package exampletest runs proxaudit against the recorded fleets beside it: over the network against simulators, as their
// demos do, and from their recorded Snapshots. What it prints is compared with the files that the examples show.
//
// Simulators listen on ports that are free, so that their addresses are others in each run. An example therefore gives each
// of them an address from the ranges for documentation, and what is printed or recorded names that one.
package exampletest
