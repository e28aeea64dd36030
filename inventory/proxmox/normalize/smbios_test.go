package normalize

import (
	"reflect"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

const (
	uuidA = "3f6a1c52-8e0b-4c7d-9a21-5b0e7f4d1c90"
	uuidB = "99999999-aaaa-4bbb-8ccc-000000000206"
)

func TestSetUUID(t *testing.T) {
	for name, c := range map[string]struct {
		smbios1, args     string
		uuid, raw, source string
	}{
		"plain":                   {"uuid=" + uuidA, "", uuidA, uuidA, "smbios1"},
		"among encoded values":    {"base64=1,manufacturer=UUVNVQ==,uuid=3F6A1C52-8E0B-4C7D-9A21-5B0E7F4D1C90,serial=ZHM9", "", uuidA, "3F6A1C52-8E0B-4C7D-9A21-5B0E7F4D1C90", "smbios1"},
		"last":                    {"manufacturer=abc,uuid=" + uuidA, "", uuidA, uuidA, "smbios1"},
		"first of several keys":   {"uuid=" + uuidA + ",manufacturer=Foo", "", uuidA, uuidA, "smbios1"},
		"no uuid in smbios1":      {"base64=1,serial=YWJj", "", "", "", ""},
		"no smbios1":              {"", "", "", "", ""},
		"a key that ends in uuid": {"myuuid=" + uuidA, "", "", "", ""},
		"nil UUID":                {"uuid=00000000-0000-0000-0000-000000000000", "", "", "00000000-0000-0000-0000-000000000000", "smbios1"},
		"all F":                   {"uuid=FFFFFFFF-ffff-ffff-ffff-ffffffffffff", "", "", "FFFFFFFF-ffff-ffff-ffff-ffffffffffff", "smbios1"},
		"vendor's placeholder":    {"uuid=03000200-0400-0500-0006-000700080009", "", "", "03000200-0400-0500-0006-000700080009", "smbios1"},
		"not a UUID":              {"uuid=not-a-uuid", "", "", "not-a-uuid", "smbios1"},
		"args override":           {"uuid=" + uuidA, "-uuid " + uuidB, uuidB, uuidB, "args"},
		"args with two dashes":    {"", "--uuid '" + uuidB + "'", uuidB, uuidB, "args"},
		"args by smbios":          {"uuid=" + uuidA, "-cpu host -smbios type=1,serial=x,uuid=" + uuidB, uuidB, uuidB, "args"},
		"args of another table":   {"uuid=" + uuidA, "-smbios type=2,uuid=" + uuidB, uuidA, uuidA, "smbios1"},
		"args without a uuid":     {"uuid=" + uuidA, "-smbios type=1,serial=x -no-reboot", uuidA, uuidA, "smbios1"},
		"the last in args counts": {"", "-uuid " + uuidA + " -uuid " + uuidB, uuidB, uuidB, "args"},
		"args that say junk":      {"uuid=" + uuidA, "-uuid x", "", "x", "args"},
		"-uuid as a value":        {"uuid=" + uuidA, "-name \"a -uuid " + uuidB + "\"", uuidA, uuidA, "smbios1"},
		"-uuid at the end":        {"uuid=" + uuidA, "-uuid", uuidA, uuidA, "smbios1"},
	} {
		got := inventory.VMConfig{}
		setUUID(&got, c.smbios1, c.args)
		want := inventory.VMConfig{UUID: c.uuid, RawUUID: c.raw, UUIDSource: c.source}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q from %q (raw %q), want %q from %q (raw %q)", name, got.UUID, got.UUIDSource, got.RawUUID, c.uuid, c.source, c.raw)
		}
	}
}

func TestShellWords(t *testing.T) {
	for in, want := range map[string][]string{
		"":                    nil,
		"  a  b ":             {"a", "b"},
		`'a b' "c d" e\ f`:    {"a b", "c d", "e f"},
		`a'b'c`:               {"abc"},
		`""`:                  {""},
		`"open quote runs on`: {"open quote runs on"},
		`'\'`:                 {`\`},
		"a\tb\nc\rd":          {"a", "b", "c", "d"},
	} {
		if got := shellWords(in); !equal(got, want) {
			t.Errorf("shellWords(%q) = %q, want %q", in, got, want)
		}
	}
}
