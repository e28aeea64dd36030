package config

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// tagName is Proxmox's own form of a tag (pve-common PVE/JSONSchema.pm, pve-tag).
var tagName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_+.\-]*$`)

func validateSelector(p *problems, key string, s *inventory.Selector) {
	for i, t := range s.Tags {
		if !tagName.MatchString(t) {
			p.at(fmt.Sprintf("%s.tags[%d]", key, i), "is no Proxmox tag: letters, digits, '_', '-', '+' and '.', one tag an entry")
		}
	}
	if s.Names != "" {
		// Compiled the way it is applied: anchored. "a)|(b" compiles only by accident of the anchors' brackets.
		_, bare := regexp.Compile(s.Names)
		if _, err := regexp.Compile("^(?:" + s.Names + ")$"); err != nil || bare != nil {
			p.at(key+".names", "is no regular expression (RE2): %v", syntaxOf(errors.Join(bare, err)))
		}
	}
	for i, pool := range s.Pools {
		if strings.TrimSpace(pool) == "" {
			p.at(fmt.Sprintf("%s.pools[%d]", key, i), "is empty")
		}
	}
	for i, r := range s.VMIDs {
		if err := checkVMIDRange(r); err != nil {
			p.at(fmt.Sprintf("%s.vmids[%d]", key, i), "%v", err)
		}
	}
	for i, n := range s.Subnets {
		if err := checkSubnet(n); err != nil {
			p.at(fmt.Sprintf("%s.subnets[%d]", key, i), "%v", err)
		}
	}
}

// syntaxOf takes the expression itself out of regexp's message.
func syntaxOf(err error) string {
	if i := strings.Index(err.Error(), "error parsing regexp: "); i >= 0 {
		msg := err.Error()[i+len("error parsing regexp: "):]
		msg, _, _ = strings.Cut(msg, ":")
		return msg
	}
	return "it does not compile"
}

func checkVMIDRange(s string) error {
	lo, hi, isRange := strings.Cut(s, "-")
	a, err := strconv.Atoi(strings.TrimSpace(lo))
	if err != nil || !inventory.ValidVMID(a) {
		return errors.New("want a VMID or a range of them, from 100 to 999999999, like 100-199")
	}
	if !isRange {
		return nil
	}
	b, err := strconv.Atoi(strings.TrimSpace(hi))
	if err != nil || !inventory.ValidVMID(b) {
		return errors.New("want a VMID or a range of them, from 100 to 999999999, like 100-199")
	}
	if b < a {
		return fmt.Errorf("the range ends before it begins: did you mean %d-%d?", b, a)
	}
	return nil
}

func checkSubnet(s string) error {
	n, err := netip.ParsePrefix(s)
	if err != nil {
		if a, addrErr := netip.ParseAddr(s); addrErr == nil {
			return fmt.Errorf("is an address: for this address alone write %s/%d", a, a.BitLen())
		}
		return errors.New("is no subnet: want a CIDR, like 10.0.10.0/24 or fd00:10::/64")
	}
	if n != n.Masked() {
		return fmt.Errorf("has bits set behind its mask: did you mean %s?", n.Masked())
	}
	return nil
}
