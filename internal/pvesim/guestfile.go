package pvesim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// text writes the configuration file of a VM that is described by fields, in the
// order in which Proxmox VE writes it: the note first, then the keys sorted.
func (v *VM) text(vmid int, started time.Time) (string, error) {
	if v.Config != "" {
		if f := v.fieldInUse(); f != "" {
			return "", fmt.Errorf("give config or %s, not both", f)
		}
		return v.Config, nil
	}
	o := map[string]string{}
	set := func(key, value string, when bool) {
		if when {
			o[key] = value
		}
	}
	set("name", v.Name, v.Name != "")
	set("cores", strconv.Itoa(v.Cores), v.Cores != 0)
	set("sockets", strconv.Itoa(v.Sockets), v.Sockets != 0)
	set("memory", strconv.Itoa(v.Memory), v.Memory != 0)
	set("tags", strings.Join(v.Tags, ";"), len(v.Tags) > 0)
	set("smbios1", "uuid="+v.UUID, v.UUID != "")
	set("net0", "virtio="+v.MAC+",bridge=vmbr0", v.MAC != "")
	set("ipconfig0", "ip="+v.IP, v.IP != "")
	set("scsi0", fmt.Sprintf("local-lvm:vm-%d-disk-0,size=%dG", vmid, v.Disk), v.Disk != 0)
	set("boot", "order=scsi0", v.Disk != 0)
	set("template", "1", v.Template)
	set("protection", "1", v.Protection)
	set("onboot", "1", v.OnBoot)
	set("lock", v.Lock, v.Lock != "")
	set("agent", "1", v.Agent != nil)
	if v.Created != "" {
		t, err := creationTime(v.Created, started)
		if err != nil {
			return "", err
		}
		o["meta"] = fmt.Sprintf("creation-qemu=9.0.2,ctime=%d", t.Unix())
	}
	maps.Copy(o, v.Options)
	return fileText(v.Description, o)
}

// fieldInUse names a field that would be ignored beside a raw file.
func (v *VM) fieldInUse() string {
	for name, used := range map[string]bool{
		"name": v.Name != "", "cores": v.Cores != 0, "sockets": v.Sockets != 0, "memory": v.Memory != 0,
		"tags": len(v.Tags) > 0, "description": v.Description != "", "uuid": v.UUID != "", "mac": v.MAC != "",
		"ip": v.IP != "", "disk": v.Disk != 0, "created": v.Created != "", "template": v.Template,
		"protection": v.Protection, "onboot": v.OnBoot, "lock": v.Lock != "", "options": len(v.Options) > 0,
	} {
		if used {
			return name
		}
	}
	return ""
}

func creationTime(s string, started time.Time) (time.Time, error) {
	if age, err := time.ParseDuration(s); err == nil {
		return started.Add(-age), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("created %q: want an age such as 72h or a time such as 2024-04-05T19:34:38Z", s)
	}
	return t, nil
}

// text is the same for a container.
func (c *Container) text(vmid int) (string, error) {
	if c.Config != "" {
		if c.Name != "" || c.Cores != 0 || c.Memory != 0 || len(c.Tags) > 0 || c.Template || len(c.Options) > 0 {
			return "", fmt.Errorf("give config or the single options, not both")
		}
		return c.Config, nil
	}
	o := map[string]string{
		"arch": "amd64", "ostype": "debian", "memory": strconv.Itoa(max(c.Memory, 0)),
		"rootfs": fmt.Sprintf("local-lvm:vm-%d-disk-0,size=8G", vmid),
	}
	if c.Memory == 0 {
		o["memory"] = "512"
	}
	if c.Name != "" {
		o["hostname"] = c.Name
	}
	if c.Cores != 0 {
		o["cores"] = strconv.Itoa(c.Cores)
	}
	if len(c.Tags) > 0 {
		o["tags"] = strings.Join(c.Tags, ";")
	}
	if c.Template {
		o["template"] = "1"
	}
	maps.Copy(o, c.Options)
	return fileText("", o)
}

// fileText writes note and options as the lines of a configuration file.
func fileText(note string, options map[string]string) (string, error) {
	var b strings.Builder
	if note != "" {
		for _, line := range strings.Split(note, "\n") {
			b.WriteString("#" + encodeText(line) + "\n")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(options)) {
		if strings.ContainsAny(key+options[key], "\r\n") || key == "" {
			return "", fmt.Errorf("option %q must be a single line", key)
		}
		fmt.Fprintf(&b, "%s: %s\n", key, options[key])
	}
	return b.String(), nil
}

// encodeText encodes a note for the file as Proxmox VE does: control characters,
// anything that is not ASCII, the percent sign and the colon.
func encodeText(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '%' || c == ':' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
