package identity

// Reason says why a class was given, finer than the class: titles and remedies go by it.
type Reason string

// The reasons.
const (
	ReasonLinked      Reason = "linked"
	ReasonNoMachine   Reason = "no-machine"
	ReasonTemplate    Reason = "template"
	ReasonContainer   Reason = "container"
	ReasonNothingTies Reason = "nothing-ties-it-to-a-cluster"
	// ReasonServes: a load balancer, or a member of an external etcd.
	ReasonServes           Reason = "serves-a-cluster"
	ReasonOtherProvider    Reason = "other-infrastructure-provider"
	ReasonBelongs          Reason = "belongs-to-a-cluster"
	ReasonYoung            Reason = "within-grace-period"
	ReasonDeleting         Reason = "being-deleted"
	ReasonNoNode           Reason = "no-node"
	ReasonNodeRefBroken    Reason = "node-ref-names-no-node"
	ReasonNeverProvided    Reason = "never-provisioned"
	ReasonVMGone           Reason = "vm-gone"
	ReasonStuckDeleting    Reason = "stuck-deleting-vm-gone"
	ReasonNoOwner          Reason = "no-machine-owns-it"
	ReasonNoOwnerOfNode    Reason = "no-machine-owns-a-live-node"
	ReasonSharedUUID       Reason = "shared-uuid"
	ReasonRecycledVMID     Reason = "recycled-vmid"
	ReasonDuplicateClaim   Reason = "duplicate-claim"
	ReasonTwoNodes         Reason = "two-nodes-one-vm"
	ReasonTwoMachines      Reason = "two-machines-one-vm"
	ReasonIdentitiesDiffer Reason = "identities-disagree"
	ReasonWrongCluster     Reason = "node-of-another-cluster"
	ReasonProviderIDs      Reason = "provider-ids-differ"
	ReasonNoProviderID     Reason = "node-without-provider-id"
	ReasonPointsNowhere    Reason = "points-at-no-vm"
	// Why a verdict is unknown.
	ReasonNotSeen        Reason = "not-seen"
	ReasonHidden         Reason = "exists-but-hidden"
	ReasonUnverifiable   Reason = "unverifiable"
	ReasonAmbiguous      Reason = "ambiguous"
	ReasonAlive          Reason = "node-alive-without-vm"
	ReasonUnmappedRegion Reason = "region-not-mapped"
	ReasonLooksLike      Reason = "looks-like-a-cluster-member"
	ReasonNoMember       Reason = "no-node-of-the-cluster-is-here"
	ReasonSiteUnknown    Reason = "site-may-not-be-scanned"
)
