package adopt

import (
	"fmt"
	"regexp"
	"slices"

	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
)

// hidden is what the collection puts in the place of a credential: a keyed hash as the whole value, or as the user information
// of a URL (inventory/kube: sanitizer).
var hidden = regexp.MustCompile(`^sha256:[0-9a-f]{64}$|://sha256-[0-9a-f]{64}@|sha256-[0-9a-f]{64}$`)

// dropHidden takes out of the configuration what nobody was shown, so that no hash is ever written in the place of the value that
// it stands for. It becomes one of the settings that a later machine would lack.
func (k *kubeadmConfig) dropHidden() {
	c := &k.config
	lose := func(path, name string) {
		k.lost = append(k.lost, fmt.Sprintf("%s: %s (its value is a credential, which proxaudit does not read)", path, name))
	}
	args := func(path string, list []bootstrapv1.Arg) []bootstrapv1.Arg {
		return slices.DeleteFunc(list, func(a bootstrapv1.Arg) bool {
			if a.Value == nil || !hidden.MatchString(*a.Value) {
				return false
			}
			lose(path+".extraArgs", a.Name)
			return true
		})
	}
	envs := func(path string, list *[]bootstrapv1.EnvVar) *[]bootstrapv1.EnvVar {
		if list == nil {
			return nil
		}
		kept := slices.DeleteFunc(slices.Clone(*list), func(e bootstrapv1.EnvVar) bool {
			if !hidden.MatchString(e.Value) {
				return false
			}
			lose(path+".extraEnvs", e.Name)
			return true
		})
		if len(kept) == 0 {
			return nil
		}
		return &kept
	}
	c.APIServer.ExtraArgs, c.APIServer.ExtraEnvs = args("apiServer", c.APIServer.ExtraArgs), envs("apiServer", c.APIServer.ExtraEnvs)
	c.ControllerManager.ExtraArgs, c.ControllerManager.ExtraEnvs = args("controllerManager", c.ControllerManager.ExtraArgs), envs("controllerManager", c.ControllerManager.ExtraEnvs)
	c.Scheduler.ExtraArgs, c.Scheduler.ExtraEnvs = args("scheduler", c.Scheduler.ExtraArgs), envs("scheduler", c.Scheduler.ExtraEnvs)
	c.Etcd.Local.ExtraArgs, c.Etcd.Local.ExtraEnvs = args("etcd.local", c.Etcd.Local.ExtraArgs), envs("etcd.local", c.Etcd.Local.ExtraEnvs)
	for _, text := range append([]string{c.ImageRepository, c.DNS.ImageRepository, c.Etcd.Local.ImageRepository}, c.Etcd.External.Endpoints...) {
		if hidden.MatchString(text) && k.err == nil {
			k.err = fmt.Errorf("kubeadm-config has a credential in a URL (%q), which proxaudit does not read: take it out of there", text)
		}
	}
}
