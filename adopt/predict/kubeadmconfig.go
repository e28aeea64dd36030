package predict

import (
	"fmt"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

func (w *world) bootstrapConfigs() {
	for _, c := range w.configs {
		if owner := w.ownerOf(c); owner != nil || c.clusterOf() == w.name {
			w.say(adopt.ControllerKubeadmConfig, c.ref, w.judgeConfig(c, owner))
		}
	}
}

// ownerOf is the Machine of the cluster whose bootstrap refers to a KubeadmConfig, or nil.
func (w *world) ownerOf(c *configObject) *machineObject {
	for _, m := range w.members() {
		if text(m.raw, "spec", "bootstrap", "configRef", "kind") == kindConfig.kind && text(m.raw, "spec", "bootstrap", "configRef", "name") == c.ref.Name {
			return m
		}
	}
	return nil
}

// judgeConfig is the bootstrap controller (cluster-api bootstrap/kubeadm/reconcilers/kubeadmconfig/kubeadmconfig_controller.go:
// reconcile): a Machine that names its bootstrap data ends it, whatever is in that Secret.
func (w *world) judgeConfig(c *configObject, owner *machineObject) verdict {
	if c.problem != "" {
		return c.unreadable()
	}
	if owner == nil {
		if needs := w.lacksKind(kindMachine); len(needs) > 0 {
			return unseen(needs, "no Machine that refers to it was seen")
		}
		return is(adopt.WaitsForever, "no Machine refers to it: the controller waits for its owner")
	}
	created := c.value.Status.Initialization.DataSecretCreated
	switch {
	case !c.value.DeletionTimestamp.IsZero():
		return is(adopt.WaitsForever, "it is being deleted")
	case text(owner.raw, "spec", "bootstrap", "dataSecretName") != "" && created != nil && *created:
		return is(adopt.NothingToDo, "its bootstrap data counts as made")
	case text(owner.raw, "spec", "bootstrap", "dataSecretName") != "":
		return isf(adopt.Adopts, "the Machine %s names its bootstrap data: it counts as made, and nothing is generated", owner.ref.Name)
	case created != nil && *created:
		return is(adopt.NothingToDo, "its status says that its bootstrap data was made")
	}
	return is(adopt.Bootstraps, fmt.Sprintf("the Machine %s has no spec.bootstrap.dataSecretName: join data is generated, with a bootstrap token in the workload cluster, that CAPMOX would put into a VM",
		owner.ref.Name))
}

// config is the KubeadmConfig of a Machine: nil if it names none or there is none. needs is set if that is not known.
func (w *world) config(m *machineObject) (*configObject, []inventory.Need) {
	name := text(m.raw, "spec", "bootstrap", "configRef", "name")
	if name == "" {
		return nil, nil
	}
	if c := find(w.configs, name); c != nil {
		return c, nil
	}
	return nil, w.lacksKind(kindConfig)
}
