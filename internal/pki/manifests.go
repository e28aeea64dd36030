package pki

import (
	"fmt"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/internal/newfolder"
)

// Manifests are the files of Secrets: numbered in their order, so that `kubectl apply -f FOLDER` takes them in it.
func Manifests(secrets []pki.Secret) ([]newfolder.File, error) {
	width := max(2, len(fmt.Sprint(len(secrets))))
	files := make([]newfolder.File, 0, len(secrets))
	for i, s := range secrets {
		data, err := s.Manifest()
		if err != nil {
			return nil, fmt.Errorf("%s: its manifest cannot be written: %w", s, err)
		}
		files = append(files, newfolder.File{Name: fmt.Sprintf("%0*d-%s.yaml", width, i+1, s.Name), Data: data})
	}
	return files, nil
}
