package proxmox

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// user is the token's owner.
func (c *Collector) user() string {
	user, _, _ := strings.Cut(c.cfg.TokenID, "!")
	return user
}

// tokenName is the token's name without its owner.
func (c *Collector) tokenName() string {
	_, name, _ := strings.Cut(c.cfg.TokenID, "!")
	return name
}

// grant is the commands that give a role on a path. With privilege separation a token has what both its user and the
// token itself are granted (pve-access-control PVE/RPCEnvironment.pm), so that both are.
func (c *Collector) grant(path, role string) string {
	return fmt.Sprintf("pveum acl modify %s --users '%s' --roles %s && pveum acl modify %s --tokens '%s' --roles %s",
		path, c.user(), role, path, c.cfg.TokenID, role)
}

// remedy says what to do about a question that was not answered.
func (c *Collector) remedy(e *transport.Error) string {
	switch {
	case e.Kind == transport.Refused && e.Status == 401:
		return c.tokenRemedy()
	case e.Kind == transport.Refused:
		return c.privilegeRemedy(e.Reason)
	case e.Kind == transport.Unreachable:
		return c.reachRemedy(e)
	case e.Kind == transport.Malformed:
		return "check that this is the API itself, without a login page or another server in front of it: curl -k " + c.base.String() + "/version"
	case e.Kind == transport.NodeDown || e.Kind == transport.Skipped:
		return fmt.Sprintf("on node %s: systemctl status pveproxy pvestatd; on another node: pvecm status", e.Node)
	case e.Status == 404 || strings.HasPrefix(e.Reason, "no such file"):
		// pveproxy's word for a path that is none of its API's.
		return c.urlRemedy()
	}
	return ""
}

func (c *Collector) urlRemedy() string {
	return "check that the URL is that of a Proxmox VE API: " + c.base.String() + "/version"
}

func (c *Collector) tokenRemedy() string {
	return fmt.Sprintf("compare with `pveum user token list '%s'` and `pveum user list`: the token may be missing, expired or its user disabled; a secret that is lost can only be replaced: pveum user token remove '%s' %s && pveum user token add '%s' %s --privsep 0",
		c.user(), c.user(), c.tokenName(), c.user(), c.tokenName())
}

// privilegeRemedy reads which privilege was missing out of Proxmox's own text, like "Permission check failed
// (/vms/100, VM.Audit)".
func (c *Collector) privilegeRemedy(reason string) string {
	switch {
	case strings.Contains(reason, "VM.GuestAgent") || strings.Contains(reason, normalize.PrivVMMonitor):
		return c.agentRemedy()
	case strings.Contains(reason, normalize.PrivVMAudit), strings.Contains(reason, normalize.PrivSysAudit):
		return c.grant("/", "PVEAuditor")
	}
	return ""
}

// agentRemedy differs by version: Proxmox VE 9 has no VM.Monitor any more (naming it in a role is an error), and its
// PVEAuditor holds VM.GuestAgent.Audit; before, reading from the agent takes VM.Monitor, which no auditor's role has.
func (c *Collector) agentRemedy() string {
	nine := c.grant("/vms", "PVEAuditor")
	eight := "pveum role add ProxauditAgent --privs 'VM.Audit VM.Monitor' && " + c.grant("/vms", "ProxauditAgent")
	switch {
	case c.majorVersion() >= 9:
		return nine
	case c.majorVersion() > 0:
		return eight
	}
	return "Proxmox VE 9: " + nine + "; before 9: " + eight
}

func (c *Collector) reachRemedy(e *transport.Error) string {
	if fingerprint, ok := servedFingerprint(e); ok {
		return pinRemedy(fingerprint)
	}
	hint := "check the address, and that this machine may reach it: curl -k " + c.base.String() + "/version"
	if c.base.Port() == "" {
		hint += " (Proxmox itself listens on port 8006, and the URL has no port)"
	}
	return hint
}

// pinRemedy says how to trust a certificate that was served.
func pinRemedy(fingerprint string) string {
	return "if this is your server, either give the authority's certificate (a node's /etc/pve/pve-root-ca.pem) as CA file, or pin this certificate: fingerprint " +
		fingerprint + "; compare it first on the node: openssl x509 -noout -fingerprint -sha256 -in /etc/pve/local/pve-ssl.pem (or pveproxy-ssl.pem there, if it exists)"
}

// servedFingerprint is the SHA-256 of the certificate that was not accepted.
func servedFingerprint(err error) (string, bool) {
	var pinned *transport.FingerprintError
	if errors.As(err, &pinned) {
		return pinned.Got, true
	}
	var verify *tls.CertificateVerificationError
	if errors.As(err, &verify) && len(verify.UnverifiedCertificates) > 0 {
		return transport.Fingerprint(verify.UnverifiedCertificates[0].Raw), true
	}
	var authority x509.UnknownAuthorityError
	if errors.As(err, &authority) && authority.Cert != nil {
		return transport.Fingerprint(authority.Cert.Raw), true
	}
	return "", false
}

func (c *Collector) majorVersion() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.major
}
