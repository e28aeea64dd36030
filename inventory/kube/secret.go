package kube

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/proxaudit/proxaudit/inventory"
)

// WorkloadKubeconfig reads the kubeconfig that Cluster API keeps for a Cluster, in the Secret NAME-kubeconfig of its
// namespace, with one GET by name. Only for users who opted in to reading Secrets.
//
// What the Secret holds is not trusted: a kubeconfig that runs a program, names a file of this machine, skips the
// verification of the server's certificate, has no https or goes through a proxy is refused. It may name any server, though, and its own credentials will be
// sent there.
func (c *Client) WorkloadKubeconfig(ctx context.Context, namespace, cluster string) (inventory.Secret, error) {
	var none inventory.Secret
	ctx = withTally(ctx, &c.secrets)
	name := cluster + "-kubeconfig"
	origin := "secret " + namespace + "/" + name
	path := "/api/v1/namespaces/" + url.PathEscape(namespace) + "/secrets/" + url.PathEscape(name)
	body, _, err := c.get(ctx, path, nil, "")
	switch {
	case apierrors.IsNotFound(err):
		return none, fmt.Errorf("%s does not exist: name a kubeconfig for the cluster in the configuration file", origin)
	case apierrors.IsForbidden(err):
		return none, fmt.Errorf("%s: %s: %s, in namespace %s, resourceNames [%q]", origin, c.reason(err), rbacRule("", "secrets", "get"), namespace, name)
	case err != nil:
		return none, fmt.Errorf("%s: %s", origin, c.explain(err).reason)
	}
	var s struct {
		Data map[string]string `json:"data"`
	}
	if err := kjson.Unmarshal(body, &s); err != nil {
		return none, fmt.Errorf("%s: the answer is no Secret", origin)
	}
	data, err := base64.StdEncoding.DecodeString(s.Data["value"])
	if err != nil || len(data) == 0 {
		return none, fmt.Errorf("%s has no usable key \"value\"", origin)
	}
	raw, err := clientcmd.Load(data)
	if err != nil {
		return none, fmt.Errorf("%s holds no kubeconfig that can be parsed", origin)
	}
	if err := checkUntrusted(raw); err != nil {
		return none, fmt.Errorf("%s is refused: %w: take a kubeconfig file that you trust instead", origin, err)
	}
	return inventory.NewSecret(string(data)), nil
}
