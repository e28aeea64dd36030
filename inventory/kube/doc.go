// Package kube reads a Cluster API management cluster and workload clusters through their Kubernetes APIs, and turns
// what they serve into fragments of an inventory.Snapshot.
//
// It is read-only by construction: the transport lets GET out and nothing else. Every list is paged, no object is
// fetched one by one, and what was not readable becomes an inventory.Coverage entry that says why. Both API
// generations (Cluster API v1beta1 and v1beta2, CAPMOX v1alpha1 and v1alpha2) end in the same structs.
//
// Requests per server: one /version and one /apis (aggregated discovery, Kubernetes 1.26 and later), then the pages of
// each kind. A server without aggregated discovery is asked no more than that: the lists themselves tell by a 404 that a
// kind is not in a version, so that an absent kind costs one small request for each version that its group is served
// in, at most maxCandidates. A workload cluster costs /version, the pages of Nodes and one ConfigMap.
package kube
