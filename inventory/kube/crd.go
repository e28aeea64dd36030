package kube

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/proxaudit/proxaudit/inventory"
)

var kindCRD = kind{group: "apiextensions.k8s.io", resource: "customresourcedefinitions", kind: "CustomResourceDefinition",
	versions: []string{"v1"}, clusterScoped: true}

// A contract label is cluster.x-k8s.io/VERSION (cluster-api internal/contract/version.go: GetContractVersion).
const (
	contractDomain = "cluster.x-k8s.io/"
	contractPrefix = contractDomain + "v1"
)

// crds lists the metadata of the definitions: the schemas would be tens of megabytes.
func (m *managementReader) crds(ctx context.Context) {
	cov := inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeCRDs, Optional: true}
	if err := m.gone.Load(); err != nil {
		m.snap.Coverage = append(m.snap.Coverage, withFailure(cov, m.c.explain(*err)))
		return
	}
	l := m.c.listQuery(ctx, listQuery{kind: kindCRD, version: "v1", metadataOnly: true, keep: mayBeOfInterest})
	l.remaining = 0
	if l.err != nil && m.c.explain(l.err).whole {
		m.gone.CompareAndSwap(nil, &l.err)
	}
	var broken []string
	kept := l.items[:0]
	for _, raw := range l.items {
		d, ours, err := crd(raw)
		switch {
		case err != nil:
			broken = append(broken, err.Error())
		case !ours:
			continue
		default:
			m.snap.Management.CRDs = append(m.snap.Management.CRDs, d)
		}
		kept = append(kept, raw)
	}
	l.items = kept
	slices.SortFunc(m.snap.Management.CRDs, func(a, b inventory.CRD) int { return strings.Compare(a.Name, b.Name) })
	cov = m.c.listCoverage(cov, kindCRD, []string{""}, []listing{l})
	addBroken(&cov, broken)
	m.snap.Coverage = append(m.snap.Coverage, cov)
}

// mayBeOfInterest lets a definition go whose text has none of the groups: all of them are subdomains of one.
func mayBeOfInterest(raw json.RawMessage) bool {
	return strings.Contains(string(raw), inventory.GroupCluster)
}

// crd reads a definition or its metadata alone; ours is false for one of another group. A definition's name is always
// PLURAL.GROUP (apiextensions pkg/apis/apiextensions/validation: validateCustomResourceDefinitionSpec).
func crd(raw json.RawMessage) (d inventory.CRD, ours bool, err error) {
	var o struct {
		Metadata struct {
			Name   string            `json:"name"`
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}
	if err := kjson.Unmarshal(raw, &o); err != nil {
		return d, false, errors.New(first(o.Metadata.Name, "a CustomResourceDefinition") + ": " + decodeReason(err))
	}
	_, group, _ := strings.Cut(o.Metadata.Name, ".")
	if !slices.Contains(groupsOfInterest, group) {
		return d, false, nil
	}
	d.Name = o.Metadata.Name
	for label, value := range o.Metadata.Labels {
		if strings.HasPrefix(label, contractPrefix) {
			if d.Contracts == nil {
				d.Contracts = map[string]string{}
			}
			d.Contracts[strings.TrimPrefix(label, contractDomain)] = value
		}
	}
	return d, true, nil
}
