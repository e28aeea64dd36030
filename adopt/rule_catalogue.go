package adopt

import (
	"cmp"
	"slices"
)

// Rules lists the rules by ID.
func Rules() []Rule {
	all := []Rule{
		ruleNotRunning, ruleVMName, ruleNoUUID, ruleProviderID, ruleEvenEtcd, ruleUncovered, ruleSkew, ruleProviders,
		ruleHealthCheck, rulePool, ruleSites, ruleCredentials, ruleIdentity, ruleDeclared, ruleNoKubeadm, ruleInputs,
		ruleNetwork, ruleObjectName, ruleProvenPair, ruleFiles, ruleArguments, ruleOtherStaticPods, ruleLost, ruleNotReady,
		ruleNotReproduced, ruleLeftOver, ruleServingCA, ruleInaccurateTemplate, ruleLeftOut, ruleBootstrapMark,
	}
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
