package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/proxaudit/proxaudit/inventory"
)

// eventObject has the fields of both APIs that write Events (k8s.io/api core/v1 and events/v1): the older one counts and has two times,
// the newer one has a series and one time.
type eventObject struct {
	objectMeta
	InvolvedObject struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Namespace  string `json:"namespace"`
		Name       string `json:"name"`
		UID        string `json:"uid"`
	} `json:"involvedObject"`
	Type               string       `json:"type"`
	Reason             string       `json:"reason"`
	Message            string       `json:"message"`
	Count              int32        `json:"count"`
	FirstTimestamp     *metav1.Time `json:"firstTimestamp"`
	LastTimestamp      *metav1.Time `json:"lastTimestamp"`
	EventTime          string       `json:"eventTime"`
	ReportingComponent string       `json:"reportingComponent"`
	Source             struct {
		Component string `json:"component"`
	} `json:"source"`
	Series *struct {
		Count            int32  `json:"count"`
		LastObservedTime string `json:"lastObservedTime"`
	} `json:"series"`
}

// scopeGlobalPools are the only objects of interest without a namespace.
const scopeGlobalPools = "globalinclusterippools." + groupIPAM

// events lists those of the namespaces that declare clusters, and keeps the ones about objects of the groups of interest.
func (m *managementReader) events(ctx context.Context) {
	var namespaces []string
	for i := range m.snap.Clusters {
		if d := m.snap.Clusters[i].Declared; d != nil {
			namespaces = append(namespaces, d.Namespace)
		}
	}
	for i := range m.snap.Machines {
		namespaces = append(namespaces, m.snap.Machines[i].Namespace)
	}
	if got := m.got[scopeGlobalPools]; got != nil && len(got.objects) > 0 && len(namespaces) > 0 {
		// Events about what has no namespace are in this one (k8s.io/client-go tools/record).
		namespaces = append(namespaces, metav1.NamespaceDefault)
	}
	slices.Sort(namespaces)
	namespaces = slices.Compact(namespaces)
	if len(namespaces) == 0 {
		cov := inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeEvents, State: inventory.Complete, Optional: true}
		if !m.snap.Known(inventory.ManagementSource, inventory.ScopeClusters) || !m.snap.Known(inventory.ManagementSource, inventory.ScopeMachines) {
			cov.State, cov.Reason = inventory.NotAsked, "neither Clusters nor Machines were seen, and so none of the namespaces that the Events are in"
		}
		m.snap.Coverage = append(m.snap.Coverage, cov)
		return
	}
	m.ask(ctx, inventory.ScopeEvents, "", kindEvent, namespaces, func(raw json.RawMessage) (bool, error) {
		var o eventObject
		if err := kjson.Unmarshal(raw, &o); err != nil {
			return false, errors.New(cmp.Or(o.Metadata.Name, "an Event") + ": " + decodeReason(err))
		}
		i := o.InvolvedObject
		// One without a reason says nothing.
		if o.Reason == "" || !slices.Contains(groupsOfInterest, groupOf(i.APIVersion)) {
			return false, nil
		}
		e := inventory.Event{Object: inventory.Ref{Group: groupOf(i.APIVersion), Kind: i.Kind, Namespace: i.Namespace, Name: i.Name, UID: i.UID},
			Type: o.Type, Reason: o.Reason, Message: m.c.clean.text(o.Message), Count: max(o.Count, 1),
			Reporter: first(o.ReportingComponent, o.Source.Component), First: utc(o.FirstTimestamp), Last: utc(o.LastTimestamp)}
		if s := o.Series; s != nil {
			e.Count, e.Last = max(e.Count, s.Count), microTime(s.LastObservedTime)
		}
		if at := microTime(o.EventTime); at != nil {
			e.First = cmp.Or(e.First, at)
			e.Last = cmp.Or(e.Last, at)
		}
		m.snap.Events = append(m.snap.Events, e)
		return true, nil
	})
}
