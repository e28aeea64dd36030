// Package inventory is the domain model of proxaudit: what was seen of Proxmox VE sites, of a Cluster API
// management cluster and of workload clusters, as one value, the Snapshot.
//
// The collectors below this package turn every API version and spelling into these structs ("normalise at the
// door"); everything past them is pure and computes from the Snapshot alone. The package does no I/O and imports
// nothing else of proxaudit.
//
// Two rules hold for every type here. A field that was not read is distinguishable from one that was read and is
// empty (a nil pointer, an empty status with a coverage entry): "not seen" must never look like "not there". And
// no field ever holds a secret: a Snapshot is meant to be attached to a bug report.
package inventory
