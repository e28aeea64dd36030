package pvesim

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"
)

// uploadBody is a form with a file, as a browser or go-proxmox sends it.
func uploadBody(t *testing.T, content, fileName, data string, extra ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	fields := append([]string{"content", content}, extra...)
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if fileName != "" {
		part, err := w.CreateFormFile("filename", fileName)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func TestUploadRefusals(t *testing.T) {
	bad := "400 Parameter verification failed. "
	for _, tc := range []struct {
		name, token, path, content, file, contentType string
		extra                                         []string
		want                                          string
	}{
		{name: "right", token: "few@pve!tok", want: "403 Permission check failed (/storage/local, Datastore.AllocateTemplate)"},
		{name: "extension", file: "a.txt", want: bad + "[filename: wrong file extension]"},
		{name: "content", content: "backup", want: bad + "[content: value 'backup' does not have a value in the enumeration 'iso, vztmpl, import']"},
		{name: "content that the storage has not", content: "import", file: "a.ova", want: "500 storage 'local' does not support 'import' content"},
		{name: "no file", file: "-", want: bad + "[filename: property is missing and it is not optional]"},
		{name: "long name", file: strings.Repeat("a", 256) + ".iso", want: bad + "[filename: value may only be 255 characters long]"},
		{name: "name of its own", file: "-", extra: []string{"filename", "a.iso"}, want: "500 missing temporary file name"},
		{name: "given file", extra: []string{"tmpfilename", "/etc/passwd"}, want: "500 'tmpfilename' parameter is not allowed for file uploads"},
		{name: "given file in the query", path: "pve1/storage/local/upload?tmpfilename=1", want: "500 'tmpfilename' query parameter is not allowed for file uploads"},
		{name: "checksum", extra: []string{"checksum", "0"}, want: bad + "[checksum: property is not defined in schema and the schema does not allow additional properties]"},
		{name: "storage", path: "pve1/storage/nope/upload", want: "500 storage 'nope' does not exist"},
		{name: "block storage", path: "pve1/storage/ceph/upload", want: "500 can't upload to storage type 'rbd'"},
		{name: "node", path: "nope/storage/local/upload", want: "500 hostname lookup 'nope' failed - failed to get address info for: nope: Name or service not known"},
		{name: "node that is off", path: "pve3/storage/local/upload", want: "500 can't activate storage 'local' on node 'pve3': no answer"},
		{name: "not a form", contentType: "text/plain", want: "500 upload 'Content-Type 'text/plain' not implemented"},
		{name: "a form of nothing", contentType: "multipart/form-data; boundary=x", want: bad + "[content: property is missing and it is not optional] [filename: property is missing and it is not optional]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := startWritable(t)
			file := orDefault(tc.file, "a.iso")
			if file == "-" {
				file = ""
			}
			body, kind := uploadBody(t, orDefault(tc.content, "iso"), file, "data", tc.extra...)
			got, _ := sendRaw(t, s, orDefault(tc.token, "all@pve!tok"), "POST", "/nodes/"+orDefault(tc.path, "pve1/storage/local/upload"), body,
				map[string]string{"Content-Type": orDefault(tc.contentType, kind)})
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if len(s.fleetNow().Tasks) != 0 || len(s.fleetNow().Storages["local"].Volumes) != 1 {
				t.Error("it left something")
			}
		})
	}
}

// TestUpload: an image comes, is listed and read, replaced by another of its name,
// and goes; the node that was asked has the task, the node of the path the file.
func TestUpload(t *testing.T) {
	s := startWritable(t)
	send2 := func(data string) any {
		t.Helper()
		body, kind := uploadBody(t, "iso", `user data-100.iso`, data)
		st, upid := sendRaw(t, s, "all@pve!tok", "POST", "/nodes/pve2/storage/local/upload", body, map[string]string{"Content-Type": kind})
		if st != "200 OK" || ended(t, s, upid) != "OK" {
			t.Fatalf("upload: %s", st)
		}
		return upid
	}
	send2("1")
	upid, ok := send2("four").(string)
	if !ok || !strings.HasPrefix(upid, "UPID:pve1:") || !strings.Contains(upid, ":imgcopy::all@pve!tok:") {
		t.Errorf("UPID %s", upid)
	}
	_, data := get(t, s, "/nodes/pve2/storage/local/content?content=iso")
	all := rows(t, data, "volid")
	row := all["local:iso/user_data-100.iso"]
	if len(all) != 1 || row["size"] != 4.0 || row["format"] != "iso" || row["content"] != "iso" || row["ctime"] == nil {
		t.Errorf("pve2 lists %v", data)
	}
	_, data = get(t, s, "/nodes/pve1/storage/local/content")
	if all := rows(t, data, "volid"); len(all) != 1 || all["local:iso/debian.iso"]["size"] != 659554304.0 {
		t.Errorf("pve1 lists %v", data)
	}
	const path = "/nodes/pve2/storage/local/content/local:iso/user_data-100.iso"
	_, data = get(t, s, path)
	info, ok := data.(map[string]any)
	if !ok || info["path"] != "/var/lib/vz/template/iso/user_data-100.iso" || info["size"] != 4.0 || info["format"] != "raw" {
		t.Errorf("its attributes: %v", data)
	}
	if st, _ := getAs(t, s, "none@pve!tok", path); st != "Forbidden: Permission check failed (/storage/local, Datastore.AllocateSpace|Datastore.Audit)" {
		t.Errorf("without a right: %s", st)
	}
	if st, upid := send(t, s, "all@pve!tok", "DELETE", path, ""); st != "200 OK" || ended(t, s, upid) != "OK" {
		t.Errorf("delete: %s", st)
	}
	if st, _ := get(t, s, path); st != "Internal Server Error: volume_size_info on 'local:iso/user_data-100.iso' failed - no format" {
		t.Errorf("afterwards: %s", st)
	}
}

func TestDeleteVolume(t *testing.T) {
	const content = "/nodes/pve1/storage/local/content/"
	runWrites(t, []writeCase{
		{name: "by its name alone", method: "DELETE", path: content + "iso/debian.iso", task: "OK"},
		{name: "what is not there", method: "DELETE", path: content + "local:iso/nope.iso", task: "OK"},
		{name: "of another storage", method: "DELETE", path: content + "ceph:iso/debian.iso", want: "500 storage ID mismatch ('ceph' != 'local')"},
		{name: "no storage", method: "DELETE", path: "/nodes/pve1/storage/nope/content/iso/a.iso", want: "500 storage 'nope' does not exist"},
		{name: "right", token: "few@pve!tok", method: "DELETE", path: content + "iso/debian.iso", want: "403 Permission check failed (/storage/local, Datastore.Allocate)"},
		{name: "a guest's", method: "DELETE", path: "/nodes/pve1/storage/ceph/content/ceph:vm-101-disk-0", want: "500 pvesim does not remove ceph:vm-101-disk-0, which the configuration of a guest names"},
		{name: "a lost image", method: "DELETE", path: "/nodes/pve1/storage/ceph/content/vm-999-disk-0", task: "OK"},
	})
	s := startWritable(t)
	if st, data := send(t, s, "all@pve!tok", "DELETE", content+"iso/debian.iso?delay=5", ""); st != "200 OK" || data != nil {
		t.Errorf("with a delay: %s, %v", st, data)
	}
	f := s.fleetNow()
	if len(f.Storages["local"].Volumes) != 0 || f.Tasks[0].Type != "imgdel" || f.Tasks[0].ID != "local" || len(f.Tasks[0].Log) != 1 {
		t.Errorf("left %v, task %+v", f.Storages["local"].Volumes, f.Tasks[0])
	}
}

// TestUploadToTheDefaultStorage: a fleet that lists no storage keeps what comes.
func TestUploadToTheDefaultStorage(t *testing.T) {
	opts := quick()
	opts.Writable = true
	s := startServer(t, parse(t, "tokens: {a@pve!tok: {role: Administrator}}\n"), opts)
	body, kind := uploadBody(t, "iso", "a.iso", "x")
	if st, _ := sendRaw(t, s, "a@pve!tok", "POST", "/nodes/pve1/storage/local/upload", body, map[string]string{"Content-Type": kind}); st != "200 OK" {
		t.Fatal(st)
	}
	_, data := get(t, s, "/nodes/pve1/storage/local/content")
	if len(rows(t, data, "volid")) != 1 {
		t.Errorf("got %v", data)
	}
}

// TestStorageContent lists the images of guests by what configurations name.
func TestStorageContent(t *testing.T) {
	s := startWritable(t)
	if err := s.Update(func(f *Fleet) {
		f.Storages["local"].Volumes = append(f.Storages["local"].Volumes,
			Volume{Name: "vztmpl/debian.tar.zst", Node: "pve1"}, Volume{Name: "snippets/user.yaml", Node: "pve1"})
		f.Storages["ceph"].Volumes = []Volume{{Name: "vm-999-disk-0", Size: 1}}
	}); err != nil {
		t.Fatal(err)
	}
	_, data := get(t, s, "/nodes/pve2/storage/ceph/content")
	all := rows(t, data, "volid")
	if len(all) != 5 || all["ceph:vm-101-disk-0"]["vmid"] != 101.0 || all["ceph:vm-101-disk-0"]["size"] != float64(8<<30) ||
		all["ceph:base-900-disk-0"]["format"] != "raw" || all["ceph:vm-999-disk-0"]["vmid"] != 999.0 {
		t.Errorf("got %v", data)
	}
	_, data = get(t, s, "/nodes/pve1/storage/ceph/content?vmid=101")
	if len(rows(t, data, "volid")) != 1 {
		t.Errorf("of one guest: %v", data)
	}
	_, data = getAs(t, s, "few@pve!tok", "/nodes/pve1/storage/thin/content")
	if data != nil {
		t.Errorf("without a right: %v", data)
	}
	_, data = get(t, s, "/nodes/pve1/storage/local/content")
	formats := map[any]bool{}
	for _, row := range rows(t, data, "volid") {
		formats[row["format"]] = true
	}
	if !formats["tzst"] || !formats["snippet"] || !formats["iso"] {
		t.Errorf("formats %v", formats)
	}
	if st, _ := get(t, s, "/nodes/pve1/storage/off/content"); st != "Internal Server Error: storage 'off' is disabled" {
		t.Errorf("a disabled one: %s", st)
	}
	_, data = get(t, s, "/nodes/pve1/storage/ceph/content/ceph:vm-101-disk-0")
	if info, ok := data.(map[string]any); !ok || info["format"] != "raw" || info["path"] != "/dev/ceph/vm-101-disk-0" {
		t.Errorf("an image: %v", data)
	}
}

func TestStorageStatus(t *testing.T) {
	s := startWritable(t)
	_, data := get(t, s, "/nodes/pve1/storage/ceph/status")
	row, ok := data.(map[string]any)
	if !ok || row["type"] != "rbd" || row["shared"] != 1.0 || row["content"] != "images" || row["enabled"] != 1.0 || row["total"] != float64(500<<30) {
		t.Errorf("got %v", data)
	}
	if st, _ := get(t, s, "/nodes/pve1/storage/nope/status"); st != "Internal Server Error: storage 'nope' does not exist" {
		t.Errorf("got %s", st)
	}
}
