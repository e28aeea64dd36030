// Package why brings clusters to a halt, each at another place, before the real controllers: Cluster API, its kubeadm providers, CAPMOX and
// the in-cluster IPAM provider. What `proxaudit why` says of each is held against what was done to it, and every command that it prints is
// run.
//
// All clusters are on one management cluster, each in a namespace of its own name. As in adoption, nothing runs in parallel with it: CAPMOX
// has no flag for the port of its webhooks.
package why
