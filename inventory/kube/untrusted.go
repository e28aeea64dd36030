package kube

import (
	"fmt"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// loadUntrusted uses a kubeconfig that came from a cluster. Whoever may write that Secret may write anything in it.
func loadUntrusted(t Target) (found, error) {
	from := t.Origin
	if from == "" {
		from = "kubeconfig data"
	}
	raw, err := clientcmd.Load([]byte(t.Data.Reveal()))
	if err != nil {
		// The parser's message can quote the document, which holds a private key.
		return found{}, fmt.Errorf("%s holds no kubeconfig that can be parsed", from)
	}
	name := t.Context
	if name == "" {
		name = raw.CurrentContext
	}
	if raw.Contexts[name] == nil {
		return found{}, fmt.Errorf("%s has no context %q: it has %s", from, name, contextList(raw))
	}
	if err := checkUntrusted(raw); err != nil {
		return found{}, fmt.Errorf("%s is refused: %w: take a kubeconfig file that you trust instead", from, err)
	}
	secrets := secretsOf(raw)
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, name, &clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		return found{}, fmt.Errorf("context %q of %s cannot be used: %s", name, from, secrets.scrub(err.Error()))
	}
	return found{config: cfg, context: name, access: from, known: secrets}, nil
}

// checkUntrusted refuses what would run a program, read a file of this machine and send it away, or talk to a server
// that nothing vouches for, or through somebody who reads along. All entries are looked at and not just those of the context: none has a good reason.
func checkUntrusted(raw *clientcmdapi.Config) error {
	for name, u := range raw.AuthInfos {
		switch {
		case u.Exec != nil:
			return fmt.Errorf("its user %q runs a program (exec)", name)
		case u.AuthProvider != nil:
			return fmt.Errorf("its user %q uses an auth-provider plugin", name)
		case u.ClientCertificate != "" || u.ClientKey != "" || u.TokenFile != "":
			return fmt.Errorf("its user %q names a file of this machine", name)
		}
	}
	for name, cl := range raw.Clusters {
		switch {
		case !strings.HasPrefix(strings.ToLower(cl.Server), "https://"):
			return fmt.Errorf("its cluster %q has a server without https", name)
		case userinfoOf(cl.Server) != "":
			return fmt.Errorf("its cluster %q has a server with user information", name)
		case cl.ProxyURL != "":
			return fmt.Errorf("its cluster %q goes through a proxy (proxy-url)", name)
		case cl.CertificateAuthority != "":
			return fmt.Errorf("its cluster %q names a file of this machine", name)
		case cl.InsecureSkipTLSVerify:
			return fmt.Errorf("its cluster %q skips the verification of the server's certificate", name)
		}
	}
	return nil
}
