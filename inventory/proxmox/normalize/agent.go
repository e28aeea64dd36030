package normalize

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// Agent reads the answer to agent/network-get-interfaces. With status 200 the agent may still have refused: QEMU's
// error then stands where the list would.
func Agent(data any) *inventory.Agent {
	m, ok := data.(map[string]any)
	if !ok {
		return &inventory.Agent{Error: "the agent's answer is " + kind(data) + ", not an object"}
	}
	switch result := m["result"].(type) {
	case []any:
		a := &inventory.Agent{}
		for _, row := range result {
			if i, ok := agentInterface(row); ok {
				a.Interfaces = append(a.Interfaces, i)
			}
		}
		return a
	case map[string]any:
		if e, ok := result["error"].(map[string]any); ok {
			class, _ := Text(e["class"])
			desc, _ := Text(e["desc"])
			return &inventory.Agent{Error: strings.TrimSpace(fmt.Sprintf("the agent refused: %s %s", class, desc))}
		}
	}
	return &inventory.Agent{Error: "the agent's answer holds no list of interfaces"}
}

// agentInterface reads one interface. Everything but the name is optional in QEMU's schema; addresses may be absent,
// a Windows guest reports prefix -1 and IPv6 addresses with a zone (%3).
func agentInterface(row any) (inventory.AgentInterface, bool) {
	m, ok := row.(map[string]any)
	if !ok {
		return inventory.AgentInterface{}, false
	}
	var i inventory.AgentInterface
	i.Name, _ = Text(m["name"])
	if hw, _ := m["hardware-address"].(string); hw != "" {
		i.MAC = mac(hw)
	}
	list, _ := m["ip-addresses"].([]any)
	for _, v := range list {
		entry, _ := v.(map[string]any)
		addr, _ := entry["ip-address"].(string)
		addr, _, _ = strings.Cut(addr, "%")
		if addr == "" {
			continue
		}
		if prefix, ok := Integer(entry["prefix"]); ok && prefix >= 0 && prefix <= 128 {
			addr = fmt.Sprintf("%s/%d", addr, prefix)
		}
		i.Addresses = append(i.Addresses, addr)
	}
	return i, true
}
