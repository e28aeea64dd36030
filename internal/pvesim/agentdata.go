package pvesim

import (
	"net/netip"
)

// parseAgentIP reads an address with or without a prefix, with or without a
// zone (Windows writes fe80::1%3).
func parseAgentIP(s string) (map[string]any, error) {
	prefix := -1
	addr, err := netip.ParseAddr(s)
	if err != nil {
		p, perr := netip.ParsePrefix(s)
		if perr != nil {
			return nil, perr
		}
		addr, prefix = p.Addr(), p.Bits()
	}
	kind := "ipv4"
	if addr.Is6() {
		kind = "ipv6"
	}
	return map[string]any{"ip-address": addr.String(), "ip-address-type": kind, "prefix": prefix}, nil
}

// result answers a guest agent command, as the agent itself puts it.
func (a *Agent) result(command string) any {
	if e, ok := a.Errors[command]; ok {
		return agentFailure(e)
	}
	if r, ok := a.Results[command]; ok {
		return r
	}
	switch {
	case command == "network-get-interfaces" && a.Interfaces != nil:
		return a.interfaces()
	case command == "get-host-name" && a.Hostname != "":
		return map[string]any{"host-name": a.Hostname}
	case command == "get-osinfo" && len(a.OS) > 0:
		return a.OS
	case command == "info":
		return map[string]any{"version": "9.0.2", "supported_commands": []any{}}
	}
	return agentFailure(AgentError{
		Class: "CommandNotFound", Desc: "The command guest-" + command + " has not been found",
	})
}

func agentFailure(e AgentError) any {
	return map[string]any{"error": map[string]any{"class": e.Class, "desc": e.Desc}}
}

func (a *Agent) interfaces() []any {
	res := []any{}
	for _, i := range a.Interfaces {
		row := map[string]any{"name": i.Name}
		if i.MAC != "" {
			row["hardware-address"] = i.MAC
		}
		var ips []any
		for _, ip := range i.IPs {
			if entry, err := parseAgentIP(ip); err == nil { // checked when the fleet was read
				ips = append(ips, entry)
			}
		}
		if ips != nil {
			row["ip-addresses"] = ips
		}
		if i.Statistics {
			row["statistics"] = map[string]any{
				"rx-bytes": 1, "rx-packets": 1, "rx-errs": 0, "rx-dropped": 0,
				"tx-bytes": 1, "tx-packets": 1, "tx-errs": 0, "tx-dropped": 0,
			}
		}
		res = append(res, row)
	}
	return res
}
