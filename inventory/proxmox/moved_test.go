package proxmox

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func missing(node string, vmid int) reply {
	return reply{500, "Configuration file 'nodes/" + node + "/qemu-server/" + itoa(vmid) + ".conf' does not exist", `{"data":null}`, ""}
}

// later answers the guest list with another one from the second time on.
func (f *fake) later(list string) {
	first := f.routes[pathResources](1)
	f.setFunc(pathResources, func(n int) reply {
		if n == 1 {
			return first
		}
		return data(list)
	})
}

const rest = `{"id":"qemu/200","vmid":200,"node":"pve2","type":"qemu","status":"stopped"},{"id":"lxc/110","vmid":110,"node":"pve1","type":"lxc"}`

// A guest that moved while the run went on is read where it is now.
func TestGuestThatMoved(t *testing.T) {
	f := newFake(t)
	f.set(config(1, 100), missing("pve1", 100))
	f.set(config(2, 100), data(`{"name":"web01","digest":"m"}`))
	f.later(`[{"id":"qemu/100","vmid":100,"node":"pve2","type":"qemu","status":"running"},` + rest + `]`)
	s := f.collect(nil)
	if vm := guest(t, s, 100); vm.Node != "pve2" || vm.Config == nil || vm.Config.Digest != "m" || vm.ConfigError != "" {
		t.Errorf("%+v", vm)
	}
	want(t, s, inventory.ConfigScope("pve2"), inventory.Complete)
	if s.Requests[0].Retries != 2 || s.Requests[0].Count != 7 {
		t.Errorf("requests %+v", s.Requests)
	}
	if s.CoverageOf("site/lab", inventory.ConfigScope("pve1")) != nil {
		t.Error("pve1 hosts no guest any more, and has coverage of one")
	}
}

// A guest that was deleted while the run went on is no guest; the others keep their own coverage.
func TestGuestThatWasDeleted(t *testing.T) {
	f := newFake(t)
	f.set(config(1, 100), missing("pve1", 100))
	f.set(config(2, 201), reply{500, "got timeout", `{"data":null}`, ""})
	f.later(`[{"id":"qemu/201","vmid":201,"node":"pve2","type":"qemu"},` + rest + `]`)
	s := f.collect(nil)
	for _, vm := range s.VMs {
		if vm.VMID == 100 {
			t.Errorf("it is still there: %+v", vm)
		}
	}
	want(t, s, inventory.ConfigScope("pve2"), inventory.Partial, "201: 500 got timeout")
	want(t, s, inventory.ScopeGuests, inventory.Complete)
}

// Gone is said only if a list that is whole says so too.
func TestGuestThatIsOnlyPerhapsGone(t *testing.T) {
	for name, change := range map[string]func(f *fake){
		"list with a bad row":    func(f *fake) { f.later(`[7,` + rest + `]`) },
		"list that is malformed": func(f *fake) { f.later(`7`) },
		"list that is refused": func(f *fake) {
			first := f.routes[pathResources](1)
			f.setFunc(pathResources, func(n int) reply {
				if n == 1 {
					return first
				}
				return refused("x")
			})
		},
		"token that sees a part": func(f *fake) {
			f.set(pathPermissions, data(`{"/vms/100":{"VM.Audit":1}}`))
			f.later(`[` + rest + `]`)
		},
		"refused, not missing": func(f *fake) {
			f.set(config(1, 100), refused("Permission check failed (/vms/100, VM.Audit)"))
			f.later(`[` + rest + `]`)
		},
		"still listed there": func(f *fake) {
			f.later(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu"},` + rest + `]`)
		},
		"a container now": func(f *fake) {
			f.later(`[{"id":"lxc/100","vmid":100,"node":"pve2","type":"lxc"},` + rest + `]`)
		},
		"moved to a dead node": func(f *fake) {
			f.later(`[{"id":"qemu/100","vmid":100,"node":"pve3","type":"qemu"},` + rest + `]`)
		},
		"moved, and not there": func(f *fake) {
			f.set(config(2, 100), missing("pve2", 100))
			f.later(`[{"id":"qemu/100","vmid":100,"node":"pve2","type":"qemu"},` + rest + `]`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.set(config(1, 100), missing("pve1", 100))
			change(f)
			s := f.collect(nil)
			vm := guest(t, s, 100)
			if vm.Config != nil || vm.ConfigError == "" {
				t.Errorf("%+v", vm)
			}
			c := cover(t, s, inventory.ConfigScope(vm.Node))
			if !c.Missing() || !strings.Contains(c.Reason, "100") && !strings.Contains(c.Reason, "pve3 is offline") {
				t.Errorf("%+v", c)
			}
			if n := f.askedFor(pathResources); n != 2 {
				t.Errorf("the list was read %d times", n)
			}
		})
	}
}
