package snapfile

import (
	"bytes"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// repeated is a text n times, without the memory for it.
type repeated struct {
	text string
	n    int
	rest string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func bomb(t *testing.T, head, text string, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	zw, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(zw, io.MultiReader(strings.NewReader(head), &repeated{text: strings.Repeat(text, 1000), n: n / 1000})); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// allocated is how many bytes a function takes from the heap, all in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A few kilobytes that unpack to gigabytes end where no Snapshot could be, and before the memory is gone.
func TestBomb(t *testing.T) {
	const head = `{"formatVersion": "proxaudit/snapshot/v1", "collectedAt": "2026-05-04T12:00:00Z", `
	for name, c := range map[string]struct {
		head, text string
		n          int
		words      []string
	}{
		"one long text":         {`{"x": "`, " ", 16 << 20, []string{"unpacks to more than 200 times its size", "zstd -d"}},
		"empty VMs":             {head + `"vms": [{}`, ",{}", 18_000_000, []string{"no Snapshot (vms[0], ", "no site"}},
		"VMs, all the same":     {head + `"vms": [`, `{"site":"a","vmid":100,"type":"qemu"},`, 400_000, []string{"unpacks to more than 200 times"}},
		"empty hosts":           {head + `"sites": [{"name": "a", "nodes": [{}`, ",{}", 4_000_000, []string{"unpacks to more than 200 times"}},
		"objects of nothing":    {head + `"objects": [{"apiVersion": "v1", "kind": "X", "name": "x", "content": {"x": [{}`, ",{}", 4_000_000, []string{"unpacks to more than 200 times"}},
		"a field of the future": {head + `"future": [{}`, ",{}", 4_000_000, []string{"unpacks to more than 200 times"}},
	} {
		t.Run(name, func(t *testing.T) {
			data := bomb(t, c.head, c.text, c.n)
			if len(data) > 20<<10 {
				t.Fatalf("the bomb has %d bytes", len(data))
			}
			var err error
			took := allocated(func() { _, err = Read(bytes.NewReader(data)) })
			refused(t, err, c.words...)
			if took > 200<<20 {
				t.Errorf("%d bytes of file took %d MiB", len(data), took>>20)
			}
			t.Logf("%d bytes of file took %d MiB", len(data), took>>20)
		})
	}
}

// A real fleet is far from every limit, however well it is packed.
func TestFleetIsWithinTheLimits(t *testing.T) {
	want := inventorytest.Fleet(5000)
	for i := range want.Machines {
		m := &want.Machines[i]
		// What Machines of one template have in common, and the little that they do not.
		want.Objects = append(want.Objects, inventory.Object{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "Machine", Namespace: m.Namespace,
			Name: m.Name, Content: map[string]any{"metadata": map[string]any{"name": m.Name, "uid": m.UID},
				"spec": map[string]any{"clusterName": m.Cluster, "common": strings.Repeat("systemctl enable --now kubelet; ", 30)}}})
	}
	plain := encoded(t, want)
	packed := compressed(t, plain, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(128<<20))
	lim := defaultLimits
	if int64(len(plain)) < 2*lim.free {
		t.Fatalf("%d bytes are no matter for the limits", len(plain))
	}
	t.Logf("%d MiB, packed to 1/%d", len(plain)>>20, len(plain)/len(packed))
	lim.ratio /= 3
	for _, data := range [][]byte{plain, packed} {
		got, err := read(bytes.NewReader(data), lim)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Error("what was read is not what was written")
		}
	}
}
