package kube

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/proxaudit/proxaudit/inventory"
)

// inventory.InCluster is the context's name where there is none.

// found is a way to a server.
type found struct {
	config  *rest.Config
	context string
	access  string
	// known are the secrets of the kubeconfig.
	known *credentials
}

func loadConfig(t Target, inCluster func() (*rest.Config, error)) (found, error) {
	if t.Data.IsSet() {
		return loadUntrusted(t)
	}
	rules, where := loadingRules(t.Kubeconfig)
	raw, err := rules.Load()
	if err != nil {
		return found{}, loadError(rules)
	}
	if t.Kubeconfig == "" {
		if err := checkEnv(rules); err != nil {
			return found{}, err
		}
	}
	if t.Kubeconfig == "" && len(raw.Contexts) == 0 && len(raw.Clusters) == 0 {
		if t.Context == "" {
			cfg, err := inCluster()
			if err == nil {
				return found{config: cfg, context: inventory.InCluster, access: inventory.InCluster, known: &credentials{}}, nil
			}
			if !errors.Is(err, rest.ErrNotInCluster) {
				return found{}, fmt.Errorf("no kubeconfig at %s, and the Pod's service account cannot be used: %w", where, err)
			}
		}
		return found{}, fmt.Errorf("no kubeconfig at %s, and this does not run in a Pod", where)
	}
	name := t.Context
	if name == "" {
		name = raw.CurrentContext
	}
	if name == "" {
		return found{}, fmt.Errorf("kubeconfig %s has no current context: choose one with --context (%s)", where, contextList(raw))
	}
	if raw.Contexts[name] == nil {
		return found{}, fmt.Errorf("kubeconfig %s has no context %q: it has %s", where, name, contextList(raw))
	}
	if err := checkContext(raw, name); err != nil {
		return found{}, fmt.Errorf("context %q of kubeconfig %s cannot be used: %w", name, where, err)
	}
	secrets := secretsOf(raw)
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, name, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
	if err != nil {
		return found{}, fmt.Errorf("context %q of kubeconfig %s cannot be used: %s", name, where, secrets.scrub(err.Error()))
	}
	return found{config: cfg, context: name, access: "kubeconfig " + name, known: secrets}, nil
}

// loadingRules are kubectl's, and where they look, for messages.
func loadingRules(kubeconfig string) (*clientcmd.ClientConfigLoadingRules, string) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	// client-go would print a line to stderr for a file of the list that is not there.
	rules.WarnIfAllMissing = false
	if kubeconfig != "" {
		rules.ExplicitPath = kubeconfig
		return rules, kubeconfig
	}
	where := strings.Join(rules.Precedence, string(filepath.ListSeparator))
	if os.Getenv(clientcmd.RecommendedConfigPathEnvVar) != "" {
		where += " (from KUBECONFIG)"
	}
	return rules, where
}

// checkEnv refuses a KUBECONFIG none of whose files is there. kubectl goes on without a word, in a Pod to the cluster that
// the Pod is in: what is read then is not what somebody named. As in kubectl, one file of several is enough.
func checkEnv(rules *clientcmd.ClientConfigLoadingRules) error {
	if os.Getenv(clientcmd.RecommendedConfigPathEnvVar) == "" {
		return nil
	}
	for _, file := range rules.Precedence {
		// One that cannot be read has been an error before.
		if _, err := os.Stat(file); err == nil {
			return nil
		}
	}
	return fmt.Errorf("KUBECONFIG is set, and none of the files that it names exists: %s", strings.Join(rules.Precedence, ", "))
}

func contextNames(raw *clientcmdapi.Config) []string {
	names := make([]string, 0, len(raw.Contexts))
	for name := range raw.Contexts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// contextList quotes the names: they come from a file, and a message may list many.
func contextList(raw *clientcmdapi.Config) string {
	names := contextNames(raw)
	if len(names) == 0 {
		return "no contexts at all"
	}
	const most = 20
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(", and %d more", len(names)-most)
		names = names[:most]
	}
	for i := range names {
		names[i] = fmt.Sprintf("%q", names[i])
	}
	return strings.Join(names, ", ") + more
}
