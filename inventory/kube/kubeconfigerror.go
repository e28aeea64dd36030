package kube

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// The libraries' own messages quote what they could not read: a token that is no string, a key that stands where a path
// belongs, a proxy's password. So what is wrong with a kubeconfig is said in words of our own.

var yamlLine = regexp.MustCompile(`\bline (\d+)\b`)

// loadError says which of the files cannot be used. Its texts quote nothing of a file.
func loadError(rules *clientcmd.ClientConfigLoadingRules) error {
	files := rules.Precedence
	if rules.ExplicitPath != "" {
		files = []string{rules.ExplicitPath}
	}
	for _, file := range files {
		data, err := os.ReadFile(file) //nolint:gosec // the user's own choice of file
		switch {
		case errors.Is(err, fs.ErrNotExist) && rules.ExplicitPath == "":
			continue
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("kubeconfig %s cannot be read: %w%s", file, withoutPath(err), elsewhere())
		case err != nil:
			return fmt.Errorf("kubeconfig %s cannot be read: %w", file, withoutPath(err))
		}
		if _, err := clientcmd.Load(data); err != nil {
			where := ""
			if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
				where = ", line " + m[1]
			}
			return fmt.Errorf("kubeconfig %s cannot be read: it is no valid kubeconfig%s: kubectl config view --kubeconfig shows what is wrong", file, where)
		}
	}
	return fmt.Errorf("the kubeconfigs %s cannot be read together", strings.Join(files, ", "))
}

// elsewhere says what there is where kubectl would look, to somebody who named a file that is not there.
func elsewhere() string {
	rules, where := loadingRules("")
	raw, err := rules.Load()
	if err != nil || len(raw.Contexts) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s has the contexts %s)", where, contextList(raw))
}

// withoutPath is the system's reason alone: what stands where a path belongs may be a secret.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return errors.New("it cannot be read")
}

// checkContext finds what clientcmd would complain about by quoting a secret. A nil error says only that much.
func checkContext(raw *clientcmdapi.Config, name string) error {
	at := raw.Contexts[name]
	if cl := raw.Clusters[at.Cluster]; cl != nil {
		if _, err := url.Parse(cl.Server); err != nil {
			return fmt.Errorf("the server of cluster %q is no valid URL", at.Cluster)
		}
		if _, err := url.Parse(cl.ProxyURL); err != nil {
			return fmt.Errorf("the proxy-url of cluster %q is no valid URL", at.Cluster)
		}
	}
	u := raw.AuthInfos[at.AuthInfo]
	if u == nil {
		return nil
	}
	for _, f := range []struct{ field, path string }{
		{"client-certificate", u.ClientCertificate}, {"client-key", u.ClientKey}, {"tokenFile", u.TokenFile},
	} {
		if f.path == "" {
			continue
		}
		if _, err := os.ReadFile(f.path); err != nil {
			return fmt.Errorf("the %s of user %q, which has to be the path of a file, cannot be read: %w", f.field, at.AuthInfo, withoutPath(err))
		}
	}
	return nil
}

// secretsOf are the values of a kubeconfig that no message may hold.
func secretsOf(raw *clientcmdapi.Config) *credentials {
	k := &credentials{}
	for _, u := range raw.AuthInfos {
		k.add(u.Token, u.Password, string(u.ClientKeyData), string(u.ClientCertificateData))
		k.addWhole(u.TokenFile, u.ClientKey, u.ClientCertificate)
		if u.Exec != nil {
			for _, e := range u.Exec.Env {
				k.add(e.Value)
			}
		}
	}
	for _, cl := range raw.Clusters {
		k.addWhole(cl.ProxyURL)
		k.add(userinfoOf(cl.ProxyURL), userinfoOf(cl.Server))
	}
	return k
}

// userinfoOf is what stands before the last "@" of an address, however badly it is escaped.
func userinfoOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	i := strings.LastIndex(rest, "@")
	if i < 0 {
		return ""
	}
	return rest[:i]
}
