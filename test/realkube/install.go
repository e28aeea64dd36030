package realkube

import (
	"context"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// installProvider applies what a provider's manifest has beside its code: the namespace, the CRDs with their
// conversion, the webhooks, and the Deployment. Services, certificates and RBAC are left out: the webhooks are reached
// at the loopback port of the manager.
func (s *Server) installProvider(ctx context.Context, m *manager) error {
	if err := s.applyProvider(ctx, m); err != nil {
		return fmt.Errorf("install %s: %w", m.provider, err)
	}
	return nil
}

func (s *Server) applyProvider(ctx context.Context, m *manager) error {
	objects, err := s.bench.manifest(m.provider)
	if err != nil {
		return err
	}
	a, err := newApplier(s)
	if err != nil {
		return err
	}
	// Webhooks last: from then on, every write of their kinds goes through the manager.
	for _, kinds := range [][]string{{"Namespace"}, {"Deployment"}, {"CustomResourceDefinition"}, {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}} {
		found := 0
		for _, object := range objects {
			if object.GetKind() != kinds[0] && object.GetKind() != kinds[len(kinds)-1] {
				continue
			}
			found++
			if err := m.adapt(object); err != nil {
				return fmt.Errorf("%s: %w", describe(object), err)
			}
			if _, err := a.apply(ctx, object); err != nil {
				return fmt.Errorf("apply %s: %w", describe(object), err)
			}
		}
		if found == 0 {
			return fmt.Errorf("the manifest has no %s", strings.Join(kinds, " and no "))
		}
	}
	return nil
}

// manifest reads the rendered manifest of a provider.
func (b *Bench) manifest(provider string) ([]*unstructured.Unstructured, error) {
	for _, p := range Providers() {
		if p.Name == provider {
			return loadFile(filepath.Join(b.binaries.dir, p.FileName()))
		}
	}
	return nil, fmt.Errorf("no provider %q", provider)
}

// adapt turns an object of the manifest into one for this bench.
func (m *manager) adapt(object *unstructured.Unstructured) error {
	switch object.GetKind() {
	case "Deployment":
		return m.adaptDeployment(object)
	case "CustomResourceDefinition":
		config, found, err := nested(object.Object, "spec", "conversion", "webhook", "clientConfig")
		if err != nil || !found {
			return err
		}
		return m.redirect(config)
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		webhooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
		if err != nil {
			return err
		}
		for _, entry := range webhooks {
			webhook, ok := entry.(map[string]any)
			if !ok {
				return fmt.Errorf("a webhook is no object: %v", entry)
			}
			config, found, err := nested(webhook, "clientConfig")
			if err != nil {
				return err
			}
			if !found {
				return fmt.Errorf("webhook %v has no clientConfig", webhook["name"])
			}
			if err := m.redirect(config); err != nil {
				return err
			}
		}
		return unstructured.SetNestedSlice(object.Object, webhooks, "webhooks")
	}
	return nil
}

// nested returns an object inside an object, itself and no copy of it.
func nested(object map[string]any, fields ...string) (map[string]any, bool, error) {
	value, found, err := unstructured.NestedFieldNoCopy(object, fields...)
	if err != nil || !found {
		return nil, false, err
	}
	inner, ok := value.(map[string]any)
	if !ok {
		return nil, false, fmt.Errorf("%s is no object", strings.Join(fields, "."))
	}
	return inner, true, nil
}

// redirect points a webhook that the manifest has behind a Service at the manager's own port.
func (m *manager) redirect(config map[string]any) error {
	path, found, err := unstructured.NestedString(config, "service", "path")
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("the webhook names no service with a path: %v", config)
	}
	delete(config, "service")
	config["url"] = "https://" + loopback(m.webhookPort) + path
	config["caBundle"] = base64.StdEncoding.EncodeToString(m.bench.ca.pem)
	return nil
}

// variable is a default in a manifest, as clusterctl fills it in: ${NAME:=value}.
var variable = regexp.MustCompile(`\$\{\w+:=([^}]*)\}`)

// adaptDeployment makes the Deployment what an installed release looks like: the image carries the version, which the
// providers' release process puts there, and it is available. Nothing runs it; the manager is a process of the bench.
func (m *manager) adaptDeployment(object *unstructured.Unstructured) error {
	containers, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	if err != nil {
		return err
	}
	for _, entry := range containers {
		container, ok := entry.(map[string]any)
		if !ok {
			return fmt.Errorf("a container is no object: %v", entry)
		}
		image, _, err := unstructured.NestedString(container, "image")
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(image, ":")
		container["image"] = name + ":" + m.version()
		args, _, err := unstructured.NestedStringSlice(container, "args")
		if err != nil {
			return err
		}
		for i := range args {
			args[i] = variable.ReplaceAllString(args[i], "$1")
		}
		if err := unstructured.SetNestedStringSlice(container, args, "args"); err != nil {
			return err
		}
	}
	if err := unstructured.SetNestedSlice(object.Object, containers, "spec", "template", "spec", "containers"); err != nil {
		return err
	}
	now := time.Now().UTC().Format(time.RFC3339)
	object.Object["status"] = map[string]any{
		"observedGeneration": int64(1), "replicas": int64(1), "updatedReplicas": int64(1),
		"readyReplicas": int64(1), "availableReplicas": int64(1),
		"conditions": []any{map[string]any{
			"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable",
			"message": "Deployment has minimum availability.", "lastUpdateTime": now, "lastTransitionTime": now,
		}},
	}
	return nil
}

// version is that of the manager's provider.
func (m *manager) version() string {
	for _, p := range Providers() {
		if p.Name == m.provider {
			return p.Version
		}
	}
	return ""
}
