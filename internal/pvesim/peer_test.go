//go:build peer

package pvesim

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// debianPython is the interpreter that sees Debian's packages, whatever else is
// installed.
const debianPython = "/usr/bin/python3"

// TestPeerProxmoxer lets Debian's python3-proxmoxer list the recorded fleet: a
// client that nobody here wrote must understand the simulator.
func TestPeerProxmoxer(t *testing.T) {
	if out, err := exec.Command(debianPython, "-c", "import proxmoxer, requests").CombinedOutput(); err != nil {
		t.Fatalf("this test needs python3-proxmoxer: apt-get install -y python3-proxmoxer\n%v\n%s", err, out)
	}
	for version, want := range map[string]string{"pve8": "8.4.21", "pve9": "9.2.11"} {
		t.Run(version, func(t *testing.T) {
			s := startServer(t, recordedFleet(t, version), Options{AuthDelay: NoDelay, AgentTimeout: NoDelay})
			got := runPeer(t, s)
			if got.Version != want || got.NextID != "114" {
				t.Errorf("version %s, next ID %s", got.Version, got.NextID)
			}
			if text(got.Nodes) != `{"pve1":"online","pve2":"online","pve3":"offline"}` {
				t.Errorf("nodes: %s", text(got.Nodes))
			}
			if text(got.Pools) != `{"hidden":"","team-a":"Pool für Köln: x","team-a/sub":""}` {
				t.Errorf("pools: %s", text(got.Pools))
			}
			st := s.current()
			if len(got.Resources) != len(st.guests) {
				t.Errorf("%d guests, want %d", len(got.Resources), len(st.guests))
			}
			if got.Resources["qemu/207"] != "paused" || got.Resources["qemu/301"] != "unknown" || got.Resources["lxc/110"] != "running" {
				t.Errorf("resources: %s", text(got.Resources))
			}
			for _, g := range st.guests {
				id := "qemu/" + itoa(g.id)
				if g.lxc {
					id = "lxc/" + itoa(g.id)
				}
				if !g.node.online() {
					if !strings.HasPrefix(got.Refused[id], "595 ") {
						t.Errorf("%s on a node that is off: %q", id, got.Refused[id])
					}
					continue
				}
				if want := text(g.conf.view(true)); text(got.Configs[id]) != want {
					t.Errorf("%s: got %s, want %s", id, text(got.Configs[id]), want)
				}
			}
			if len(got.Agent.Result) != 2 || got.Agent.Result[1]["hardware-address"] != "bc:24:11:aa:bb:07" {
				t.Errorf("agent: %v", got.Agent)
			}
			if !strings.Contains(got.Missing, "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist") {
				t.Errorf("a VM that does not exist: %q", got.Missing)
			}
			if n := len(s.Writes()); n != 0 {
				t.Errorf("the peer made %d writes", n)
			}
		})
	}
}

type peerFindings struct {
	Version   string                    `json:"version"`
	Nodes     map[string]string         `json:"nodes"`
	Resources map[string]string         `json:"resources"`
	Configs   map[string]map[string]any `json:"configs"`
	Refused   map[string]string         `json:"refused"`
	Pools     map[string]string         `json:"pools"`
	NextID    string                    `json:"nextid"`
	Missing   string                    `json:"missing"`
	Agent     struct {
		Result []map[string]any `json:"result"`
	} `json:"agent"`
}

func runPeer(t *testing.T, s *Server) peerFindings {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, s.CAPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(strings.TrimPrefix(s.URL, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(debianPython, filepath.Join("testdata", "peer", "list_fleet.py"), host, port, ca, "root@pam", "full")
	cmd.Env = append(os.Environ(), "PEER_SECRET="+s.Secret("root@pam!full"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the peer failed: %v\n%s", err, stderr.String())
	}
	var res peerFindings
	if err := json.Unmarshal(stdout.Bytes(), &res); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	return res
}
