// Package adoption runs an adoption against the real controllers: Cluster API, its kubeadm providers, CAPMOX and the
// in-cluster IPAM provider, with their webhooks, on a real API server; a simulated Proxmox VE that logs every request;
// and a stand-in for a cluster that kubeadm built, with a real etcd.
//
// A World has all of it. It takes the machine for itself: CAPMOX has no flag for the port of its webhooks, so that no two
// Worlds can run at once. Nothing here runs in parallel, and no other package starts managers.
package adoption
