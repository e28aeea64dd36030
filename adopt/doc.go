// Package adopt turns a Snapshot into what Cluster API and CAPMOX need to take over machines that already run. It is
// pure, as audit is; its part that foresees the controllers' decisions is package predict.
package adopt
