package kube

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

func (d *dryRunSender) rejection(m manifest, cause inventory.RejectionCause, field, message, remedy string) inventory.Rejection {
	return inventory.Rejection{Object: m.ref, APIVersion: m.gv.String(), Cause: cause, Field: d.c.oneLine(field), Message: d.c.oneLine(message), Remedy: remedy}
}

func (d *dryRunSender) notServed(m manifest) inventory.Rejection {
	return d.rejection(m, inventory.RejectedNotServed, "", fmt.Sprintf("%s does not serve %s in %s", d.c.Server(), m.ref.Kind, m.gv),
		"install the provider that brings it (clusterctl init), or one of a version that serves it")
}

func (d *dryRunSender) unsent(m manifest, gone error) inventory.Rejection {
	return d.rejection(m, inventory.RejectedUnreachable, "", "not sent: "+d.c.explain(gone).reason, d.c.explain(gone).remedy)
}

// The texts by which an answer is told apart (k8s.io/apiserver v0.36: pkg/admission/plugin/webhook/errors,
// pkg/admission/plugin/policy/validating, endpoints/handlers/responsewriters). A 403 is a webhook's denial as often as
// a role that lacks a rule.
var (
	deniedBy     = regexp.MustCompile(`admission webhook "[^"]*" denied the request|ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request`)
	webhookFails = regexp.MustCompile(`failed calling webhook "[^"]*"|admission webhook "[^"]*" does not support dry run|failed to call webhook`)
	lacksRule    = regexp.MustCompile(`User "[^"]*" cannot (\w+) (?:resource|path)`)
	// undeclared is structured-merge-diff's (typed/validate.go), unknown that of strict field validation.
	undeclared = regexp.MustCompile(`(\.[^\s:,]+): field not declared in schema`)
	unknown    = regexp.MustCompile(`(?:unknown|duplicate) field "([^"]+)"`)
)

func isMissingNamespace(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsNotFound(err) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Kind == "namespaces"
}

// rejections turns an error into what is wrong, one for each field that the server names.
func (d *dryRunSender) rejections(m manifest, err error) []inventory.Rejection {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		f := d.c.explain(err)
		cause := inventory.RejectedOther
		if f.whole {
			cause = inventory.RejectedUnreachable
		}
		return []inventory.Rejection{d.rejection(m, cause, "", f.reason, f.remedy)}
	}
	s := status.Status()
	cause, remedy := d.cause(m, s, err)
	if byField := d.byField(m, s, cause, remedy); len(byField) > 0 {
		return byField
	}
	message := s.Message
	if cause == inventory.RejectedOther {
		message = d.c.reason(err)
	}
	return []inventory.Rejection{d.rejection(m, cause, "", message, remedy)}
}

func (d *dryRunSender) cause(m manifest, s metav1.Status, err error) (inventory.RejectionCause, string) {
	message := s.Message
	switch {
	case webhookFails.MatchString(message):
		return inventory.RejectedWebhook, "check that the provider's controller runs and that its webhook Service has endpoints, and run again"
	case apierrors.IsInvalid(err), undeclared.MatchString(message), unknown.MatchString(message):
		return inventory.RejectedInvalid, ""
	case deniedBy.MatchString(message):
		return inventory.RejectedDenied, ""
	case apierrors.IsConflict(err):
		return inventory.RejectedConflict, "the object exists and somebody else set this field: look at it (kubectl get " + shell.Quote(m.resource+"."+m.gv.Group) + " " + shell.Quote(m.ref.Name) +
			" -n " + shell.Quote(m.ref.Namespace) + " -o yaml --show-managed-fields) before anything is applied"
	case apierrors.IsForbidden(err) && lacksRule.MatchString(message):
		// A server-side apply of what does not exist needs both (endpoints/handlers/patch.go).
		return inventory.RejectedForbidden, fmt.Sprintf(`add to the role of whoever runs the dry run: {apiGroups: [%q], resources: [%q], verbs: ["patch", "create"]}`, m.gv.Group, m.resource)
	case apierrors.IsForbidden(err):
		// A quota, the Pod security of a namespace, one that is being deleted.
		return inventory.RejectedDenied, ""
	case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
		return inventory.RejectedNotServed, "install the provider that brings it (clusterctl init), or one of a version that serves it"
	case apierrors.IsUnauthorized(err):
		return inventory.RejectedUnreachable, d.c.explain(err).remedy
	}
	return inventory.RejectedOther, d.c.explain(err).remedy
}

// byField is one Rejection for each field that the details or the message name.
func (d *dryRunSender) byField(m manifest, s metav1.Status, cause inventory.RejectionCause, remedy string) []inventory.Rejection {
	var all []inventory.Rejection
	seen := map[string]bool{}
	add := func(field, message string) {
		field = strings.TrimPrefix(field, ".")
		if field == "<nil>" {
			field = ""
		}
		if message == "" {
			message = s.Message
		}
		if key := field + "\n" + message; !seen[key] {
			seen[key] = true
			all = append(all, d.rejection(m, cause, field, message, remedy))
		}
	}
	if (cause == inventory.RejectedInvalid || cause == inventory.RejectedDenied || cause == inventory.RejectedConflict) && s.Details != nil {
		by := deniedBy.FindString(s.Message)
		for _, c := range s.Details.Causes {
			message := c.Message
			if by != "" && message != "" {
				message = by + ": " + message
			}
			add(c.Field, message)
		}
	}
	if len(all) > 0 || cause != inventory.RejectedInvalid {
		return all
	}
	for _, match := range undeclared.FindAllStringSubmatch(s.Message, -1) {
		add(match[1], "the kind has no such field")
	}
	for _, match := range unknown.FindAllStringSubmatch(s.Message, -1) {
		add(match[1], match[0])
	}
	return all
}
