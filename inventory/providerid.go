package inventory

import "strings"

// ProviderIDKind is who writes a providerID of such a form.
type ProviderIDKind string

const (
	// ProviderNone means that the field is empty.
	ProviderNone ProviderIDKind = ""
	// ProviderCAPMOX is proxmox://<SMBIOS UUID>, as CAPMOX writes it (and the Proxmox cloud controller manager with
	// provider=capmox).
	ProviderCAPMOX ProviderIDKind = "capmox"
	// ProviderCCM is proxmox://<region>/<vmid>, the default of the Proxmox cloud controller manager.
	ProviderCCM ProviderIDKind = "proxmox-ccm"
	// ProviderForeign is any other scheme: k3s://, rke2://, talos://, …
	ProviderForeign ProviderIDKind = "foreign"
	// ProviderMalformed has the scheme proxmox:// and neither of its forms (a bare "proxmox://", say).
	ProviderMalformed ProviderIDKind = "malformed"
)

// ProviderID is a providerID taken apart.
type ProviderID struct {
	Raw  string
	Kind ProviderIDKind
	// Scheme is the part before "://"; empty if there is none.
	Scheme string
	// UUID is canonical; set for ProviderCAPMOX only, and only if it can identify a machine.
	UUID string
	// Region and VMID are set for ProviderCCM only.
	Region string
	VMID   int
}

// ParseProviderID never fails: what it cannot place is foreign or malformed.
func ParseProviderID(raw string) ProviderID {
	p := ProviderID{Raw: raw}
	if raw == "" {
		return p
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		p.Kind = ProviderForeign
		return p
	}
	p.Scheme = scheme
	if scheme != "proxmox" {
		p.Kind = ProviderForeign
		return p
	}
	p.Kind = ProviderMalformed
	// The cloud controller manager also knows proxmox:///<vmid>, with the region left out.
	if region, id, found := strings.Cut(rest, "/"); found {
		if n, ok := parseVMID(id); ok {
			p.Kind, p.Region, p.VMID = ProviderCCM, region, n
		}
		return p
	}
	if u, usable := NormalizeUUID(rest); usable {
		p.Kind, p.UUID = ProviderCAPMOX, u
	}
	return p
}

// ValidVMID is Proxmox's own range (pve-common PVE/JSONSchema.pm: pve-vmid).
func ValidVMID(n int) bool { return n >= 100 && n <= 999999999 }
