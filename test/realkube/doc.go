// Package realkube starts real Kubernetes API servers for the end-to-end tests: one etcd, and kube-apiservers
// that share it under prefixes of their own, on loopback ports, with a certificate authority of their own and
// RBAC on. It installs Cluster API's CRDs and applies manifests, so that a folder of YAML becomes a management
// cluster and its workload clusters, as far as a read-only client can tell.
//
// No controller, scheduler or kubelet runs: an object stays what its manifest says. That changes for one server with
// StartManagers, which brings the real managers of Cluster API and its providers with their webhooks, and BuildKubeadm
// makes a server the API of a cluster that kubeadm built, as far as those managers look at one.
package realkube
