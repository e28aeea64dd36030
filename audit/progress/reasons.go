package progress

import (
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// meaning is what a condition's reason stands for.
type meaning struct {
	cause Cause
	// says is what the holder waits for, or what is wrong.
	says string
	// holder is who has to act, if it is not the controller that writes the condition.
	holder Holder
	// next is what changes it by itself; remedy is what a person does if nothing does.
	next, remedy string
	// passes is true for a reason that stands for another object's turn: whoever that is holds the baton.
	passes bool
}

// meanings are those of the reasons that are known, by kind and reason. What is not here is printed with its owner, and not interpreted.
// Sources: cluster-api-provider-proxmox v0.9.0 api/v1alpha1 and api/v1alpha2 (conditions_consts.go) and internal/service/vmservice (its
// conditions' reasons are the steps of its state machine); cluster-api v1.14.2 api/core/v1beta1 and v1beta2,
// api/bootstrap/kubeadm and api/controlplane/kubeadm (conditions); cluster-api-bootstrap-provider-talos and
// cluster-api-control-plane-provider-talos (api/v1alpha3).
var meanings = map[string]meaning{
	"ProxmoxCluster/ProxmoxUnreachable": {cause: CauseUnreachable, says: "CAPMOX does not reach Proxmox, or is not let in",
		remedy: "See the message. Check the address, the API token and its privileges in CAPMOX's credentials, and that Proxmox can be reached from the management cluster."},
	"ProxmoxCluster/CredentialsNotFound": {cause: CauseCredentials, says: "CAPMOX has no credentials for Proxmox", holder: Person,
		remedy: "Name a Secret in spec.credentialsRef that has the keys url, token and secret, and make it; or give CAPMOX credentials of its own."},
	"ProxmoxCluster/MissingControlPlaneEndpoint": {cause: CauseEndpointMissing, says: "the control plane is managed from outside, and nobody has set its endpoint", holder: Person,
		remedy: "Set spec.controlPlaneEndpoint of the ProxmoxCluster, or let the controller of the control plane do it."},

	"ProxmoxMachine/WaitingForClusterInfrastructure":      {passes: true, cause: CauseProvisioning, says: "it waits for the cluster's shared infrastructure"},
	"ProxmoxMachine/WaitingForClusterInfrastructureReady": {passes: true, cause: CauseProvisioning, says: "it waits for the cluster's shared infrastructure"},
	"ProxmoxMachine/WaitingForBootstrapData":              {passes: true, cause: CauseBootstrapData, says: "it waits for the Machine's bootstrap data"},
	"ProxmoxMachine/VMProvisionStarted":                   {cause: CauseProvisioning, says: "CAPMOX has begun to make the VM", next: "CAPMOX clones the template"},
	"ProxmoxMachine/Cloning":                              {cause: CauseProvisioning, says: "CAPMOX clones the template, or looks for the VM that spec.virtualMachineID names", next: "Proxmox ends the clone"},
	"ProxmoxMachine/CloningFailed": {cause: CauseCloneFailed, says: "the template could not be cloned", next: "CAPMOX tries again",
		remedy: "See the message: the template, the storage, the target host, the token's privileges."},
	"ProxmoxMachine/WaitingForDiskReconciliation": {cause: CauseProvisioning, says: "CAPMOX configures the VM and resizes its disks", next: "Proxmox ends the task"},
	"ProxmoxMachine/WaitingForStaticIPAllocation": {cause: CauseAddressWait, says: "it waits for its addresses", holder: IPAM, next: "the IPAM provider gives each claim an address"},
	"ProxmoxMachine/WaitingForBootstrapDataReconciliation": {cause: CauseProvisioning, says: "CAPMOX writes the bootstrap data into an ISO and puts that into the VM", next: "Proxmox takes the ISO",
		remedy: "See CAPMOX's log: the host needs a storage that holds ISO images, and the token Datastore.AllocateTemplate on it."},
	"ProxmoxMachine/WaitingForVMPowerUp": {cause: CauseProvisioning, says: "CAPMOX starts the VM", next: "Proxmox starts it"},
	"ProxmoxMachine/PoweringOn":          {cause: CauseProvisioning, says: "CAPMOX starts the VM", next: "Proxmox starts it"},
	"ProxmoxMachine/PoweringOnFailed": {cause: CauseTaskFailed, says: "the VM could not be started", next: "CAPMOX tries again",
		remedy: "See the message and the task in Proxmox: memory of the host, the storage, a lock."},
	"ProxmoxMachine/WaitingForClusterAPIMachineAddresses": {cause: CauseProvisioning, says: "CAPMOX notes the VM's addresses", next: "CAPMOX itself, at its next pass"},
	"ProxmoxMachine/WaitingForNetworkAddresses":           {cause: CauseAgentSilent, says: "CAPMOX waits for the guest agent to tell the VM's addresses", next: "the guest's agent answers"},
	"ProxmoxMachine/WaitingForCloudInit": {cause: CauseCloudInit, says: "the VM runs, and CAPMOX asks its guest agent whether cloud-init is done", holder: Kubelet, next: "cloud-init in the VM ends",
		remedy: "Look into the VM (qm terminal, or its console): qemu-guest-agent has to run, and /var/log/cloud-init-output.log says where it stands. A template without the agent wants spec.checks.skipQemuGuestAgent."},
	"ProxmoxMachine/WaitingForBootstrapReady": {cause: CauseProvisioning, says: "the VM is up, and CAPMOX ends its work on it", next: "CAPMOX itself, at its next pass"},
	"ProxmoxMachine/VMProvisionFailed": {cause: CauseFailed, says: "CAPMOX gave this machine up: it does not look at it again", holder: Person,
		remedy: "See the message. Once that is mended, delete the Machine: its owner makes another one."},
	// Since 0.9 CAPMOX does not go on after it (vmservice: proxmoxMachineHasVMProvisionFailedReason); before, it tried again.
	"ProxmoxMachine/TaskFailed": {cause: CauseTaskFailed, says: "a task in Proxmox failed, and CAPMOX does not go on with this machine", holder: Person,
		remedy: "See the task's own error in Proxmox. Once that is mended, delete the Machine: its owner makes another one."},
	"ProxmoxMachine/TaskFailure":  {cause: CauseTaskFailed, says: "a task in Proxmox failed", next: "CAPMOX tries again", remedy: "See the task's own error in Proxmox."},
	"ProxmoxMachine/NotFound":     {cause: CauseVMGone, says: "Proxmox has no such VM"},
	"ProxmoxMachine/VMTerminated": {cause: CauseVMGone, says: "the VM was terminated"},
	"ProxmoxMachine/Deleting":     {cause: CauseFinalizer, says: "CAPMOX deletes the VM", next: "Proxmox ends the deletion"},
	"ProxmoxMachine/DeletionFailed": {cause: CauseFinalizer, says: "CAPMOX could not delete the VM", next: "CAPMOX tries again",
		remedy: "See the message: a lock, a protected VM, the token's privileges."},

	"KubeadmConfig/WaitingForClusterInfrastructure":           {passes: true, cause: CauseBootstrapData, says: "it waits for the cluster's shared infrastructure"},
	"KubeadmConfig/WaitingForClusterInfrastructureReady":      {passes: true, cause: CauseBootstrapData, says: "it waits for the cluster's shared infrastructure"},
	"KubeadmConfig/WaitingForControlPlaneAvailable":           {passes: true, cause: CauseBootstrapData, says: "it waits for the control plane to be initialised"},
	"KubeadmConfig/WaitingForControlPlaneInitialized":         {passes: true, cause: CauseBootstrapData, says: "it waits for the control plane to be initialised"},
	"KubeadmConfig/DataSecretGenerationFailed":                {cause: CauseBootstrapData, says: "the bootstrap data could not be made", next: "the controller tries again", remedy: "See the message and the controller's log."},
	"KubeadmConfig/DataSecretAvailable/NotAvailable":          {cause: CauseBootstrapData, says: "the bootstrap data is not made", next: "the controller tries again", remedy: "See the message and the controller's log."},
	"KubeadmConfig/CertificatesAvailable/InternalError":       {cause: CauseCertificates, says: "the cluster's certificates could not be made, or not be read", next: "the controller tries again", remedy: "See the controller's log, and which of the Secrets NAME-ca, NAME-etcd, NAME-proxy and NAME-sa lacks tls.crt or tls.key."},
	"KubeadmControlPlane/CertificatesAvailable/InternalError": {cause: CauseCertificates, says: "the cluster's certificates could not be made, or not be read", next: "the controller tries again", remedy: "See the controller's log, and which of the Secrets NAME-ca, NAME-etcd, NAME-proxy and NAME-sa lacks tls.crt or tls.key."},
	"KubeadmControlPlane/CertificatesAvailable/NotAvailable": {cause: CauseCertificates, says: "one of the cluster's certificates is gone, and none is made anew once the cluster has used it", holder: Person,
		remedy: "Put the Secret back that the message names (NAME-ca, NAME-etcd, NAME-proxy, NAME-sa)."},
	"KubeadmConfig/CertificatesGenerationFailed":              {cause: CauseCertificates, says: "the cluster's certificates could not be made", remedy: "See the message."},
	"KubeadmConfig/CertificatesCorrupted":                     {cause: CauseCertificates, says: "a Secret with the cluster's certificates cannot be read", holder: Person, remedy: "See which of the Secrets NAME-ca, NAME-etcd, NAME-proxy and NAME-sa lacks tls.crt or tls.key."},
	"KubeadmControlPlane/CertificatesGenerationFailed":        {cause: CauseCertificates, says: "the cluster's certificates could not be made", remedy: "See the message."},
	"KubeadmControlPlane/CertificatesCorrupted":               {cause: CauseCertificates, says: "a Secret with the cluster's certificates cannot be read", holder: Person, remedy: "See which of the Secrets NAME-ca, NAME-etcd, NAME-proxy and NAME-sa lacks tls.crt or tls.key."},
	"KubeadmControlPlane/InfrastructureTemplateCloningFailed": {cause: CauseObjectMissing, says: "the template of its machines cannot be cloned", holder: Person, remedy: "Make the ProxmoxMachineTemplate that spec.machineTemplate names, or correct the name."},
	"KubeadmControlPlane/BootstrapTemplateCloningFailed":      {cause: CauseObjectMissing, says: "the KubeadmConfig of a machine cannot be made", remedy: "See the message."},
	"KubeadmControlPlane/MachineGenerationFailed":             {cause: CauseFailed, says: "a Machine cannot be made", next: "the controller tries again", remedy: "See the message."},
	"KubeadmControlPlane/WaitingForKubeadmInit":               {passes: true, cause: CauseNotInitialized, says: "it waits for kubeadm on the first machine"},
	"KubeadmControlPlane/WaitingForAvailableMachines":         {passes: true, cause: CauseNotAvailable, says: "it waits for its machines"},
	"MachineSet/BootstrapTemplateCloningFailed":               {cause: CauseObjectMissing, says: "the template of its bootstrap data cannot be cloned", holder: Person, remedy: "Make the template that spec.template.spec.bootstrap.configRef names, or correct the name."},
	"MachineSet/InfrastructureTemplateCloningFailed":          {cause: CauseObjectMissing, says: "the template of its machines cannot be cloned", holder: Person, remedy: "Make the ProxmoxMachineTemplate that spec.template.spec.infrastructureRef names, or correct the name."},
	"MachineSet/MachineCreationFailed":                        {cause: CauseFailed, says: "a Machine cannot be made", next: "the controller tries again", remedy: "See the message."},
	"MachineSet/PreflightCheckFailed":                         {cause: CausePreflight, says: "it makes no Machine before its preflight checks pass", remedy: "See the message: the control plane is not stable, or the versions are too far apart."},

	"TalosConfig/WaitingForClusterInfrastructure": {passes: true, cause: CauseBootstrapData, says: "it waits for the cluster's shared infrastructure"},
	"TalosConfig/WaitingForControlPlaneAvailable": {passes: true, cause: CauseBootstrapData, says: "it waits for the control plane to be initialised"},
	"TalosConfig/DataSecretGenerationFailed":      {cause: CauseBootstrapData, says: "the bootstrap data could not be made", next: "the controller tries again", remedy: "See the message."},

	"TalosControlPlane/WaitingForTalosBoot":                 {passes: true, cause: CauseNotInitialized, says: "it waits for Talos on the first machine"},
	"TalosControlPlane/WaitingForMachines":                  {passes: true, cause: CauseNotInitialized, says: "it waits for its machines"},
	"TalosControlPlane/InvalidControlPlaneConfig":           {cause: CauseBootstrapData, says: "the configuration of its machines is not valid, and it does not go on with them", holder: Person, remedy: "See the message, and correct spec.controlPlaneConfig."},
	"TalosControlPlane/InfrastructureTemplateCloningFailed": {cause: CauseObjectMissing, says: "the template of its machines cannot be cloned", holder: Person, remedy: "Make the ProxmoxMachineTemplate that spec.infrastructureTemplate names, or correct the name."},
	"TalosControlPlane/BootstrapTemplateCloningFailed":      {cause: CauseObjectMissing, says: "the TalosConfig of a machine cannot be made", remedy: "See the message."},
	"TalosControlPlane/MachineGenerationFailed":             {cause: CauseFailed, says: "a Machine cannot be made", next: "the controller tries again", remedy: "See the message."},

	"Cluster/WaitingForBeforeDeleteHook": {cause: CauseHook, says: "its deletion waits for the BeforeClusterDelete hook of a runtime extension", holder: Other, next: "the extension lets it go on",
		remedy: "See the extension's own log (ExtensionConfig)."},
	"Machine/WaitingExternalHook":              {cause: CauseHook, says: "its deletion waits for a hook", holder: Person, remedy: "Whoever set the annotation (pre-drain or pre-terminate.delete.hook.machine.cluster.x-k8s.io/…) has to take it off."},
	"Machine/DrainingFailed":                   {cause: CauseDrain, says: "the drain of its Node fails", next: "the controller tries again", remedy: "See the message: which Pods cannot be evicted, or whether the cluster's API server can be reached."},
	"Machine/WaitingForPreDrainHook":           {cause: CauseHook, says: "its deletion waits for a pre-drain hook", holder: Person, remedy: "Whoever set the annotation pre-drain.delete.hook.machine.cluster.x-k8s.io/… has to take it off."},
	"Machine/WaitingForPreTerminateHook":       {cause: CauseHook, says: "its deletion waits for a pre-terminate hook", holder: Person, remedy: "Whoever set the annotation pre-terminate.delete.hook.machine.cluster.x-k8s.io/… has to take it off."},
	"Machine/DrainingNode":                     {cause: CauseDrain, says: "its Node is drained", next: "the Pods leave the Node", remedy: "See which Pods stay: a PodDisruptionBudget, or a Pod that does not end."},
	"Machine/Draining":                         {cause: CauseDrain, says: "its Node is drained", next: "the Pods leave the Node", remedy: "See which Pods stay: a PodDisruptionBudget, or a Pod that does not end."},
	"Machine/WaitingForVolumeDetach":           {cause: CauseDrain, says: "its volumes are detached", next: "the CSI driver detaches them", remedy: "See which VolumeAttachments of the Node are left."},
	"Machine/WaitingForInfrastructureDeletion": {passes: true, cause: CauseFinalizer, says: "it waits for its ProxmoxMachine to go"},
	"Machine/WaitingForBootstrapDeletion":      {passes: true, cause: CauseFinalizer, says: "it waits for its bootstrap configuration to go"},
	"Machine/DeletingNode":                     {cause: CauseFinalizer, says: "its Node is deleted from the cluster", next: "the cluster's API server takes the Node out", remedy: "See whether the cluster's API server can be reached."},
	// Other IPAM providers than the in-cluster one write them (cluster-api api/ipam/v1beta2).
	"IPAddressClaim/PoolExhausted":    {cause: CausePoolExhausted, says: "its pool has no address left", holder: Person, remedy: "Put more addresses into the pool, or delete machines that hold some."},
	"IPAddressClaim/PoolNotReady":     {cause: CauseAddressWait, says: "its pool is not ready", next: "the pool becomes ready", remedy: "See the pool that the claim names."},
	"IPAddressClaim/AllocationFailed": {cause: CauseAddressWait, says: "no address could be given", remedy: "See the message."},
}

// meaningOf is that of a condition of a kind; known is false if nothing is known about its reason. The newer family has few reasons, which
// say something together with the condition's type alone.
func meaningOf(kind string, c *inventory.Condition) (m meaning, known bool) {
	if m, known = meanings[kind+"/"+c.Type+"/"+c.Reason]; known {
		return m, true
	}
	m, known = meanings[kind+"/"+c.Reason]
	return m, known
}

// waitsForCluster is true for what waits for another object in the newer family, where the older one has reasons of their own: "Waiting for
// Cluster status.infrastructureReady to be true", "Waiting for Cluster control plane to be initialized".
func waitsForCluster(c *inventory.Condition) bool {
	return strings.HasPrefix(c.Message, "Waiting for Cluster ")
}

// told are causes that the text of an error says, where the controller has one reason for many errors. The texts are those of the sources:
// cluster-api-provider-proxmox v0.9.0 pkg/proxmox/goproxmox and internal/service, cluster-api v1.14.2 core/reconcilers/machineset and
// controlplane/kubeadm/reconcilers (templates, preflight checks), go-proxmox and pve-http-server (401, 403),
// cluster-api-ipam-provider-in-cluster v1.1.0 internal/poolutil, Go's net and crypto/x509.
var told = []struct {
	text   string
	cause  Cause
	says   string
	holder Holder
	remedy string
	// proxmox is true for what an error of CAPMOX alone can mean: others reach other servers.
	proxmox bool
}{
	{"failed calling webhook", CauseWebhook, "a webhook does not answer, and the API server takes no write without it", Person, "Get the webhook's controller to run: its Service is in the message.", false},
	{"unable to find vm template", CauseTemplateMissing, "the template is not there", Person, "Put the template back on the host that spec.sourceNode names, or correct spec.templateID of the ProxmoxMachineTemplate.", true},
	{"VM templates with tags", CauseTemplateMissing, "no template has the tags, or several have", Person, "Give exactly one template the tags that spec.templateSelector names.", true},
	{"of memory on node", CauseNoRoom, "no host has room for the VM", Person, "Free memory on the hosts that spec.allowedNodes names, or allow more hosts.", true},
	{"No free vmid found in vmIDRange", CauseFailed, "the range of VMIDs has none left", Person, "Widen spec.vmIDRange, or delete machines in it.", true},
	{"cloud-init failed execution", CauseCloudInitFailed, "cloud-init failed in the VM", Person, "Look into the VM (its console, /var/log/cloud-init-output.log). Once that is mended, delete the Machine: its owner makes another one.", true},
	{"Static IP claim", CauseAddressWait, "its claim of an address is in the way", Person, "See the message: look at the IPAddressClaim that it names, and delete it if it is stale.", true},
	{"Template does not exist", CauseObjectMissing, "a template that it names does not exist", Person, "Make the template that the message names, or correct the reference to it.", false},
	{"Template do not exist", CauseObjectMissing, "templates that it names do not exist", Person, "Make the templates that the message names, or correct the references to them.", false},
	{"version skew policy", CauseSkew, "its version and the control plane's are too far apart", Person, "Bring spec.template.spec.version to the control plane's version, or upgrade the control plane first.", false},
	{"preflight check failed", CausePreflight, "it makes no Machine before its preflight checks pass", "", "See the message: the control plane is not stable, or the versions are too far apart.", false},
	// go-proxmox has one text for 401 and 403. What comes after the login is 403: CAPMOX logs in with a request that every token may make.
	{"unable to create new vm: not authorized", CauseCredentials, "CAPMOX's API token lacks a privilege", Person, "Grant it what cloning takes: VM.Clone on the template, VM.Allocate, Datastore.AllocateSpace on the storage, SDN.Use on the bridge (pveum acl modify).", true},
	{"unable to configure vm: not authorized", CauseCredentials, "CAPMOX's API token lacks a privilege", Person, "Grant it VM.Config.* on the VM (pveum acl modify).", true},
	{"not authorized", CauseCredentials, "Proxmox does not let CAPMOX in", Person, "Correct the API token and its secret in CAPMOX's credentials.", true},
	{"no such token", CauseCredentials, "Proxmox does not know CAPMOX's API token", Person, "Correct the API token and its secret in CAPMOX's credentials.", true},
	{"invalid token value", CauseCredentials, "the secret of CAPMOX's API token is wrong", Person, "Correct the API token and its secret in CAPMOX's credentials.", true},
	{"401 ", CauseCredentials, "Proxmox does not let CAPMOX in", Person, "Correct the API token and its secret in CAPMOX's credentials.", true},
	{"Permission check failed", CauseCredentials, "CAPMOX's API token lacks a privilege", Person, "Grant the privilege that the message names (pveum acl modify).", true},
	{"connection refused", CauseUnreachable, "nothing listens at the address", "", "See that what the address names runs, and that the management cluster reaches it.", true},
	{"no such host", CauseUnreachable, "the name of the address is not known", Person, "Correct the address, or the DNS of the management cluster.", true},
	{"i/o timeout", CauseUnreachable, "nobody answers at the address", "", "See that what the address names runs, and that the management cluster reaches it (firewall, route).", true},
	{"certificate signed by unknown authority", CauseUnreachable, "the certificate at the address is not trusted", Person, "Give CAPMOX the CA of Proxmox.", true},
	{"connection refused", CauseEndpointUnreachable, "nothing listens at the address", "", "See that what the address names runs, and that the management cluster reaches it.", false},
	{"no such host", CauseEndpointUnreachable, "the name of the address is not known", Person, "Correct the address, or the DNS of the management cluster.", false},
	{"i/o timeout", CauseEndpointUnreachable, "nobody answers at the address", "", "See that what the address names runs, and that the management cluster reaches it (firewall, route).", false},
}

// tell looks for a cause in the text of an error.
func tell(b *Baton, texts ...string) {
	for _, t := range told {
		for _, text := range texts {
			if !strings.Contains(text, t.text) || t.proxmox && holderOf(b.Object.Kind) != Infrastructure {
				continue
			}
			if b.Cause = t.cause; !strings.Contains(b.Detail, t.says) {
				b.Detail += ": " + t.says
			}
			if t.holder != "" {
				b.Holder, b.Next = t.holder, ""
			}
			b.Remedy = t.remedy
			return
		}
	}
}
