package kubesim

import (
	"fmt"
	"os"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig is a kubeconfig with one context of the given name for this server.
func (s *Server) Kubeconfig(context string) ([]byte, error) {
	c := clientcmdapi.NewConfig()
	c.Clusters[context] = &clientcmdapi.Cluster{Server: s.URL(), CertificateAuthorityData: s.ca}
	c.AuthInfos[context] = &clientcmdapi.AuthInfo{Token: s.token}
	c.Contexts[context] = &clientcmdapi.Context{Cluster: context, AuthInfo: context}
	c.CurrentContext = context
	out, err := clientcmd.Write(*c)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig of %s: %w", s.URL(), err)
	}
	return out, nil
}

// WriteKubeconfig writes it to a file that only its owner can read.
func (s *Server) WriteKubeconfig(path, context string) error {
	data, err := s.Kubeconfig(context)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
