// Package proxmox collects the guests of one Proxmox VE site (a cluster or a standalone host) over its API, with a
// token that may only read.
//
// A Collector never fails as a whole: what could not be read is an entry in the coverage of the Snapshot fragment it
// returns. It asks at most N + 6 questions for N QEMU guests (version, permissions, cluster status, the list of nodes
// where the status is refused, the guest list, and one configuration per guest on a node that is not offline), and
// one or two per VMID that is probed later; repetitions are counted apart.
//
// The sub-packages do the rest: transport is the way out (what may be asked, how often, how many at a time),
// normalize reads the answers.
package proxmox
