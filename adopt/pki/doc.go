// Package pki makes the Secrets in which Cluster API expects the certificate authorities of a cluster that it takes over,
// out of a copy of /etc/kubernetes/pki. It works on bytes in memory: it reads and writes no file, and prints no key.
//
// What the controllers read is from sigs.k8s.io/cluster-api v1.14.2 (util/secret, util/kubeconfig,
// controlplane/kubeadm). They make a new authority for a Secret that is not there and report it as available, so that a
// wrong or missing one is not seen until the first new machine cannot join. Hence everything is checked before, and
// nothing comes out that was not compared with the certificate of the API server that runs.
package pki
