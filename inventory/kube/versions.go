package kube

import "k8s.io/apimachinery/pkg/version"

// compareVersions orders API versions as Kubernetes does: v2 before v1 before v1beta2 before v1alpha1.
func compareVersions(a, b string) int { return version.CompareKubeAwareVersionStrings(a, b) }
