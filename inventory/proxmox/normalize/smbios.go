package normalize

import (
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// The values of VMConfig.UUIDSource.
const (
	SourceSMBIOS = "smbios1"
	SourceArgs   = "args"
)

// smbiosUUID finds the uuid of an smbios1 value. It may stand anywhere: a clone puts it last. It is not encoded, also
// where base64=1 says that the other values are (qemu-server PVE/QemuServer.pm, smbios1 format).
func smbiosUUID(smbios1 string) (string, bool) {
	return property(Properties(smbios1), "uuid", false)
}

// argsUUID finds the UUID that a VM's args give QEMU. They stand last on QEMU's command line, and of several -uuid
// and -smbios type=1,uuid= QEMU takes the last (system/vl.c and hw/smbios/smbios.c set the same variable), so that it
// overrides smbios1.
func argsUUID(args string) (raw string, ok bool) {
	words := shellWords(args)
	for i := 0; i+1 < len(words); i++ {
		switch words[i] {
		case "-uuid", "--uuid":
			raw, ok = words[i+1], true
		case "-smbios", "--smbios":
			props := Properties(words[i+1])
			if t, found := property(props, "type", false); !found || t != "1" {
				continue
			}
			if u, found := property(props, "uuid", false); found {
				raw, ok = u, true
			}
		}
	}
	return raw, ok
}

// shellWords splits as a shell does, without any expansion (pve-common PVE/Tools.pm, split_args). An open quote runs
// to the end.
func shellWords(s string) []string {
	var words []string
	var word strings.Builder
	inWord := false
	quote := rune(0)
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// setUUID fills the identity of a configuration.
func setUUID(c *inventory.VMConfig, smbios1, args string) {
	raw, ok := argsUUID(args)
	c.UUIDSource = SourceArgs
	if !ok {
		if raw, ok = smbiosUUID(smbios1); !ok {
			c.UUIDSource = ""
			return
		}
		c.UUIDSource = SourceSMBIOS
	}
	c.RawUUID = raw
	if canonical, usable := inventory.NormalizeUUID(raw); usable {
		c.UUID = canonical
	}
}
