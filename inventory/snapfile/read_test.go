package snapfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/invisible"
)

func TestRoundTrip(t *testing.T) {
	want := home()
	plain := encoded(t, want)
	for name, data := range map[string][]byte{
		"plain":                   plain,
		"zstd":                    compressed(t, plain),
		"zstd, best":              compressed(t, plain, zstd.WithEncoderLevel(zstd.SpeedBestCompression)),
		"zstd, several frames":    append(compressed(t, plain[:100]), compressed(t, plain[100:])...),
		"blanks around":           []byte("\n\t " + string(plain) + "\n\n"),
		"zstd with --long=27":     compressed(t, plain, zstd.WithWindowSize(128<<20)),
		"zstd, checksum left out": compressed(t, plain, zstd.WithEncoderCRC(false)),
	} {
		t.Run(name, func(t *testing.T) {
			// One byte at a time: nothing may depend on how the bytes arrive.
			got, err := Read(iotest.OneByteReader(bytes.NewReader(data)))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v", got)
			}
			if again := encoded(t, got); !bytes.Equal(again, plain) {
				t.Errorf("written again it is\n%s", again)
			}
		})
	}
}

// HTML escapes would make names unreadable in a file that people look into.
func TestWriteKeepsText(t *testing.T) {
	if out := string(encoded(t, home())); !strings.Contains(out, `"a<b>&`) {
		t.Error(out)
	}
}

// A person who looks into the file sees what is there: no terminal obeys a name, and no name hides a part of itself.
// The values stay the same.
func TestWriteEscapesTheInvisible(t *testing.T) {
	const name = "csi\u009b31m rlo\u202e zw\u200b bom\ufeff del\x7f tag\U000e0041 é日🚀"
	s := home()
	s.VMs[0].Name, s.Nodes[0].Labels = name, map[string]string{name: name}
	s.Coverage[0].Reason = name
	s.Objects[0].Content["spec"] = map[string]any{name: name}
	data := encoded(t, s)
	if i := bytes.IndexFunc(data, func(r rune) bool { return r != '\n' && invisible.Is(r) }); i >= 0 {
		t.Errorf("there is an invisible rune in %q", data[i:min(i+20, len(data))])
	}
	if !bytes.Contains(data, []byte(`"csi\u009b31m rlo\u202e zw\u200b bom\ufeff del\u007f tag\udb40\udc41 é日🚀"`)) {
		t.Errorf("the name is not there as it should be: %s", data)
	}
	got, err := Read(bytes.NewReader(data))
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("read again it is %+v, %v", got, err)
	}
}

func TestUnknownFieldsAreAccepted(t *testing.T) {
	data := strings.Replace(string(encoded(t, home())), `"vms": [`, `"fromTheFuture": {"deep": [1, {"x": null}]}, "vms": [`, 1)
	data = strings.Replace(data, `"vmid": 101`, `"vmid": 101, "later": true`, 1)
	got, err := Read(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, home()) {
		t.Errorf("got %+v", got)
	}
}

func TestReadRefuses(t *testing.T) {
	plain := encoded(t, home())
	packed := compressed(t, plain)
	result := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	orphans := audit.Orphans(home(), audit.Options{})
	changed := func(old, replacement string) string {
		s := strings.Replace(string(plain), old, replacement, 1)
		if s == string(plain) {
			t.Fatalf("%q is not there", old)
		}
		return s
	}
	broken := bytes.Clone(packed)
	broken[len(broken)-1] ^= 0xff
	for name, c := range map[string]struct {
		data  string
		words []string
	}{
		"empty":                        {"", []string{"empty", "proxaudit scan"}},
		"blank":                        {" \n\t", []string{"empty"}},
		"zstd of nothing":              {string(compressed(t, nil)), []string{"empty"}},
		"three bytes":                  {"{\"f", []string{"ends in the middle, after 3 bytes"}},
		"truncated":                    {string(plain[:400]), []string{"ends in the middle, after 400 bytes (", "interrupted"}},
		"zstd, truncated":              {string(packed[:len(packed)/2]), []string{fmt.Sprintf("ends in the middle, after %d bytes (", len(packed)/2), " unpacked)"}},
		"zstd, magic only":             {string(packed[:4]), []string{"ends in the middle, after 4 bytes (0 unpacked)"}},
		"zstd, without its end":        {string(packed[:len(packed)-2]), []string{"ends in the middle"}},
		"zstd, wrong checksum":         {string(broken), []string{"cannot be read", "CRC"}},
		"zstd, garbage behind":         {string(packed) + "garbage", []string{"cannot be read", "magic"}},
		"zstd, another document":       {string(packed) + string(packed), []string{"more behind the Snapshot", "one JSON document"}},
		"another document":             {string(plain) + string(plain), []string{"more behind the Snapshot at byte"}},
		"garbage behind":               {string(plain) + "done", []string{"more behind the Snapshot"}},
		"a brace too many":             {string(plain) + "}", []string{"more behind the Snapshot"}},
		"HTML":                         {"<!DOCTYPE html><html>", []string{"no Snapshot: it is no JSON and no zstd", "proxaudit scan"}},
		"gzip":                         {"\x1f\x8b\x08\x00\x00\x00\x00\x00", []string{"no Snapshot: it is no JSON and no zstd"}},
		"YAML":                         {"formatVersion: proxaudit/snapshot/v1\n", []string{"it is no JSON and no zstd"}},
		"broken in the middle":         {changed(`"vms":`, `"vms"`), []string{"no Snapshot (vms, from byte "}},
		"a list":                       {"[]", []string{"no Snapshot", "array"}},
		"null":                         {"null", []string{"no Snapshot: it is null", "proxaudit scan"}},
		"a text":                       {`"null"`, []string{"no Snapshot: it is a string"}},
		"a number":                     {"17", []string{"no Snapshot: it is a number"}},
		"a boolean":                    {"false", []string{"no Snapshot: it is a boolean"}},
		"an empty object":              {"{}", []string{"formatVersion is missing", "proxaudit scan"}},
		"an OrphanReport":              {result(orphans), []string{`"proxaudit/v1"`, "this is no Snapshot", "proxaudit scan"}},
		"an Inventory":                 {result(audit.Inventory(home(), audit.Options{})), []string{`"proxaudit/v1"`, "this is no Snapshot"}},
		"a newer version":              {changed("snapshot/v1", "snapshot/v2"), []string{`"proxaudit/snapshot/v2"`, `reads "proxaudit/snapshot/v1"`, "a newer proxaudit wrote it", "upgrade", "or a newer one"}},
		"a version before the first":   {changed("snapshot/v1", "snapshot/v0"), []string{`"proxaudit/snapshot/v0"`, "use the version that wrote it"}},
		"a version that is none":       {changed("snapshot/v1", "snapshot/next"), []string{`"proxaudit/snapshot/next"`, "use the version that wrote it"}},
		"a newer version's types":      {`{"formatVersion": "proxaudit/snapshot/v9", "collectedAt": 17, "sites": {"home": {}}}`, []string{`"proxaudit/snapshot/v9"`, "or a newer one"}},
		"a number for a name":          {changed(`"name": "home"`, `"name": 7`), []string{"no Snapshot (sites[0], from byte ", "Site.name"}},
		"without collectedAt":          {changed(`"collectedAt"`, `"collected"`), []string{"collectedAt is missing"}},
		"collectedAt is no time":       {changed(`"2026-05-04T12:00:00Z"`, `"yesterday"`), []string{"no Snapshot (collectedAt, from byte ", "yesterday"}},
		"without formatVersion":        {changed(`"formatVersion"`, `"format"`), []string{"formatVersion is missing"}},
		"nested deeper than any parse": {`{"x": ` + strings.Repeat("[", 20000), []string{"no Snapshot (a field that is not known here", "depth"}},
		"a list nested too deep":       {`{"vms": ` + strings.Repeat("[", 20000), []string{"no Snapshot (vms[0], from byte 9 on)", "depth"}},
		"a list that is none":          {changed(`"vms": [`, `"vms": "none", "guests": [`), []string{"no Snapshot (vms, from byte ", "it is no list"}},
		"a list twice":                 {changed(`"sites": [`, `"vms": [], "sites": [`), []string{"no Snapshot: vms stands in it a second time"}},
		"cut off behind a field":       {`{"formatVersion": "proxaudit/snapshot/v1"`, []string{"ends in the middle, after 41 bytes"}},
		"cut off behind an element":    {`{"probes": [{"site": "a", "vmid": 100, "existence": "free"}`, []string{"ends in the middle"}},
		"cut off in what is not known": {`{"x": [1, {"y": `, []string{"ends in the middle"}},
		"broken where it is not known": {`{"x": [1, }`, []string{"no Snapshot (a field that is not known here, from byte 4 on)"}},
		"broken behind a list":         {changed(`"machines": [`, `"machines": [] [`), []string{"no Snapshot (at byte "}},
		"no key":                       {`{17: 18}`, []string{"no Snapshot (at byte 1)"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Read(strings.NewReader(c.data))
			if s != nil {
				t.Error("a Snapshot came with the error")
			}
			refused(t, err, c.words...)
		})
	}
}

// An error of the disk is not called a file that is no Snapshot.
func TestReadError(t *testing.T) {
	down := errors.New("input/output error")
	for name, r := range map[string]io.Reader{
		"at once":     iotest.ErrReader(down),
		"in between":  io.MultiReader(bytes.NewReader(encoded(t, home())[:200]), iotest.ErrReader(down)),
		"at the end":  io.MultiReader(bytes.NewReader(encoded(t, home())), iotest.ErrReader(down)),
		"inside zstd": io.MultiReader(bytes.NewReader(compressed(t, encoded(t, home()))[:50]), iotest.ErrReader(down)),
	} {
		_, err := Read(r)
		refused(t, err, "cannot be read (after ", "input/output error")
		if !errors.Is(err, down) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLimits(t *testing.T) {
	plain := encoded(t, home())
	lim := defaultLimits
	lim.size = int64(len(plain))
	if _, err := read(bytes.NewReader(plain), lim); err != nil {
		t.Errorf("a file of just that size: %v", err)
	}
	lim.size--
	for _, data := range [][]byte{plain, compressed(t, plain)} {
		_, err := read(bytes.NewReader(data), lim)
		refused(t, err, "larger than", "unpacked")
	}
	lim = defaultLimits
	lim.free, lim.ratio = 0, 1
	_, err := read(bytes.NewReader(compressed(t, plain)), lim)
	refused(t, err, "unpacks to more than 1 times")
	if _, err := read(bytes.NewReader(plain), lim); err != nil {
		t.Errorf("a plain file has no ratio: %v", err)
	}
}

// A window is what a file's first bytes make the decoder reserve.
func TestHugeWindow(t *testing.T) {
	// RFC 8878 3.1.1.1.2: exponent 31-10, mantissa 0 is a window of 2 GiB; the rest is an empty last raw block.
	frame := append(bytes.Clone(zstdMagic), 0x00, 21<<3, 0x01, 0x00, 0x00)
	_, err := Read(bytes.NewReader(frame))
	refused(t, err, "cannot be read", "window size")
	frame[5] = 0
	_, err = Read(bytes.NewReader(frame))
	refused(t, err, "empty")
}

func TestCollectedAtKeepsTheMoment(t *testing.T) {
	s := home()
	s.CollectedAt = noon.In(time.FixedZone("there", 7200))
	got, err := Read(bytes.NewReader(encoded(t, s)))
	if err != nil || !got.CollectedAt.Equal(noon) {
		t.Errorf("%v, %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	var plain bytes.Buffer
	if err := Write(&plain, home()); err != nil {
		f.Fatal(err)
	}
	zw, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	packed := zw.EncodeAll(plain.Bytes(), nil)
	f.Add(plain.Bytes())
	f.Add(packed)
	f.Add(packed[:len(packed)/2])
	f.Add([]byte(`{"formatVersion":"proxaudit/snapshot/v1","collectedAt":"2026-05-04T12:00:00Z","coverage":null}`))
	f.Add([]byte("<html>"))
	lim := limits{size: 8 << 20, free: 1 << 20, ratio: 100, window: 8 << 20}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := read(bytes.NewReader(data), lim)
		if err != nil {
			if s != nil || err.Error() == "" {
				t.Errorf("%v with %v", s, err)
			}
			return
		}
		if s.FormatVersion != inventory.FormatVersion || s.CollectedAt.IsZero() {
			t.Errorf("read %q of %v", s.FormatVersion, s.CollectedAt)
		}
		// What was read can be written, shows all that is in it, and reads as the same.
		var once, twice bytes.Buffer
		if err := Write(&once, s); err != nil {
			t.Fatalf("write: %v", err)
		}
		if bytes.ContainsFunc(once.Bytes(), func(r rune) bool { return r != '\n' && invisible.Is(r) }) {
			t.Fatalf("an invisible rune in %q", once.Bytes())
		}
		again, err := Read(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("read again: %v", err)
		}
		if err := Write(&twice, again); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%v: %s\nand then\n%s", err, once.Bytes(), twice.Bytes())
		}
	})
}
