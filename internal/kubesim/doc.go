// Package kubesim is a read-only Kubernetes API on loopback that serves a folder of manifests: for the demo, for
// tests of faults that no real API server produces on demand, and for looking at a recorded cluster with kubectl.
//
// It answers discovery (aggregated and the old form), LIST with limit, continue, labelSelector and fieldSelector,
// GET, /version and the health endpoints, and refuses everything else with 405. A kind is served in the versions in
// which manifests have it; a CustomResourceDefinition among the manifests, or the file kubesim.yaml, adds versions and
// kinds without objects. There is no conversion: an object asked for in another version is an error, never a guess.
//
// It is a stand-in. That it tells the collector the same as a real API server is tested in the module test/.
package kubesim
