package proxmox

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// check finds one by name.
func check(t *testing.T, checks []inventory.Check, name string) inventory.Check {
	t.Helper()
	for _, c := range checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no check %q in %+v", name, checks)
	return inventory.Check{}
}

func doctorOf(t *testing.T, f *fake, change func(*Config)) []inventory.Check {
	t.Helper()
	checks := f.collector(change).Doctor(t.Context())
	for _, c := range checks {
		if !strings.HasPrefix(c.Source, "site/") {
			t.Errorf("source %q", c.Source)
		}
		if c.Status == inventory.CheckFailed && c.Detail == "" {
			t.Errorf("%s failed without a word", c.Name)
		}
	}
	return checks
}

func TestDoctorFindsNothing(t *testing.T) {
	f := newFake(t)
	f.set(pathStatus, data(`[{"type":"cluster","name":"lab","quorate":1},{"type":"node","name":"pve1","online":1}]`))
	checks := doctorOf(t, f, nil)
	names := make([]string, 0, len(checks))
	for _, c := range checks {
		names = append(names, c.Name)
		if c.Source != "site/lab" {
			t.Errorf("source %q", c.Source)
		}
		if c.Status != inventory.CheckOK && c.Name != checkTLS {
			t.Errorf("%+v", c)
		}
	}
	order := []string{"token", "reach", "tls", "authentication", "version", "permissions", "permission VM.Audit on /vms",
		"permission Pool.Audit on /pool", "permission Sys.Audit on /", "token is read-only", "cluster status", "guest list"}
	if !slices.Equal(names, order) {
		t.Errorf("checks %q", names)
	}
}

func TestDoctorNamesTheFix(t *testing.T) {
	const grant = "pveum acl modify / --users 'audit@pve' --roles PVEAuditor && pveum acl modify / --tokens 'audit@pve!ro' --roles PVEAuditor"
	for name, c := range map[string]struct {
		path     string
		answer   reply
		check    string
		status   inventory.CheckStatus
		detail   string
		remedy   string
		agent    bool
		skipped  string
		newToken string
	}{
		"token that is no good": {path: pathVersion, answer: reply{401, "Authentication failed!", "", ""}, check: checkAuth,
			status: inventory.CheckFailed, detail: "401 Authentication failed!", remedy: "pveum user token list 'audit@pve'", skipped: checkGuests},
		"not Proxmox": {path: pathVersion, answer: reply{200, "OK", "<html>", "Content-Type: text/html\r\n"}, check: checkVersion,
			status: inventory.CheckFailed, detail: "HTML page", remedy: "/api2/json/version", skipped: checkGuests},
		"version without a version": {path: pathVersion, answer: data(`{}`), check: checkVersion, status: inventory.CheckFailed, detail: "no version"},
		"version refused":           {path: pathVersion, answer: reply{500, "x", "", ""}, check: checkVersion, status: inventory.CheckFailed, detail: "500 x"},
		"old version":               {path: pathVersion, answer: data(`{"version":"6.4-15"}`), check: checkVersion, status: inventory.CheckWarning, detail: "6.4-15 is older"},
		"no permissions at all": {path: pathPermissions, answer: data(`{}`), check: checkPerms, status: inventory.CheckFailed,
			detail: "privilege separation", remedy: grant},
		"permissions refused":   {path: pathPermissions, answer: reply{500, "x", "", ""}, check: checkPerms, status: inventory.CheckFailed, detail: "500 x"},
		"permissions malformed": {path: pathPermissions, answer: data(`7`), check: checkPerms, status: inventory.CheckFailed, detail: "a number"},
		"VM.Audit not propagated": {path: pathPermissions, answer: data(`{"/vms":{"VM.Audit":0}}`), check: "permission VM.Audit on /vms",
			status: inventory.CheckFailed, detail: "propagation", remedy: grant},
		"hole": {path: pathPermissions, answer: data(`{"/vms":{"VM.Audit":1},"/vms/105":{"VM.Console":1}}`), check: "permission VM.Audit on /vms/105",
			status: inventory.CheckFailed, detail: "hole", remedy: "pveum acl modify /vms/105 --users"},
		"no Pool.Audit": {path: pathPermissions, answer: data(`{"/vms":{"VM.Audit":1}}`), check: "permission Pool.Audit on /pool",
			status: inventory.CheckWarning, detail: "pool", remedy: grant},
		"no Sys.Audit": {path: pathPermissions, answer: data(`{"/vms":{"VM.Audit":1}}`), check: "permission Sys.Audit on /",
			status: inventory.CheckWarning, detail: "quorum", remedy: grant},
		"agent": {path: pathPermissions, answer: data(`{"/vms":{"VM.Audit":1}}`), check: "permission VM.GuestAgent.Audit on /vms",
			status: inventory.CheckWarning, detail: "agents", remedy: "PVEAuditor", agent: true},
		"agent unrestricted": {path: pathPermissions, answer: data(`{"/vms":{"VM.GuestAgent.Unrestricted":1}}`), check: "permission VM.GuestAgent.Audit on /vms",
			status: inventory.CheckOK, agent: true},
		"too much": {path: pathPermissions, answer: data(`{"/":{"VM.Allocate":1,"VM.Audit":1,"Sys.Modify":1},"/vms":{"VM.Allocate":1}}`), check: "token is read-only",
			status: inventory.CheckWarning, detail: "Sys.Modify; VM.Allocate", remedy: "pveum user token add 'audit@pve' proxaudit --privsep 1"},
		"status refused": {path: pathStatus, answer: refused("Permission check failed (/, Sys.Audit)"), check: checkStatus,
			status: inventory.CheckWarning, detail: "Sys.Audit", remedy: grant},
		"status fails":     {path: pathStatus, answer: reply{596, "Connection timed out", "", ""}, check: checkStatus, status: inventory.CheckFailed, detail: "596"},
		"status malformed": {path: pathStatus, answer: data(`[]`), check: checkStatus, status: inventory.CheckFailed, detail: "no node"},
		"not quorate": {path: pathStatus, answer: data(`[{"type":"cluster","name":"lab","quorate":0},{"type":"node","name":"pve1","online":1}]`),
			check: checkStatus, status: inventory.CheckFailed, detail: "not quorate", remedy: "pvecm status"},
		"node offline": {path: pathStatus, answer: data(`[{"type":"node","name":"pve1","online":1},{"type":"node","name":"pve3","online":0}]`),
			check: checkStatus, status: inventory.CheckWarning, detail: "1 of 2 nodes are offline: pve3"},
		"list fails":     {path: pathResources, answer: reply{500, "x", "", ""}, check: checkGuests, status: inventory.CheckFailed, detail: "500 x"},
		"list malformed": {path: pathResources, answer: data(`7`), check: checkGuests, status: inventory.CheckFailed, detail: "not a list"},
		"bad rows":       {path: pathResources, answer: data(`[7]`), check: checkGuests, status: inventory.CheckWarning, detail: "row 0"},
		"secret of another shape": {path: pathVersion, answer: data(`{"version":"9.2.11"}`), check: checkToken, status: inventory.CheckWarning,
			detail: "not a UUID", newToken: "not-a-uuid"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.set(c.path, c.answer)
			if c.newToken != "" {
				f.secret = c.newToken
			}
			cfg := Config{URL: f.URL, TokenID: tokenRO, Secret: inventory.NewSecret(f.secret), retryDelay: time.Millisecond, GuestAgent: c.agent}
			col, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(col.Close)
			checks := col.Doctor(t.Context())
			got := check(t, checks, c.check)
			if got.Status != c.status || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Remedy, c.remedy) {
				t.Errorf("%+v", got)
			}
			if c.skipped != "" && check(t, checks, c.skipped).Status != inventory.CheckSkipped {
				t.Errorf("%s was tried", c.skipped)
			}
		})
	}
}

func TestDoctorSeesAnEmptyListForWhatItIs(t *testing.T) {
	f := newFake(t)
	f.set(pathPermissions, data(`{}`))
	f.set(pathResources, data(`[]`))
	if c := check(t, doctorOf(t, f, nil), checkGuests); c.Status != inventory.CheckFailed || !strings.Contains(c.Remedy, "--tokens 'audit@pve!ro'") {
		t.Errorf("%+v", c)
	}
	f.set(pathPermissions, data(`{"/vms/100":{"VM.Audit":1}}`))
	f.set(pathResources, data(`[{"vmid":100,"type":"qemu","node":"pve1"}]`))
	if c := check(t, doctorOf(t, f, nil), checkGuests); c.Status != inventory.CheckWarning || !strings.Contains(c.Detail, "1 guests") {
		t.Errorf("%+v", c)
	}
}

func TestDoctorOfAServerThatIsGone(t *testing.T) {
	f := newFake(t)
	f.Close()
	checks := doctorOf(t, f, nil)
	if c := check(t, checks, checkReach); c.Status != inventory.CheckFailed || !strings.Contains(c.Detail, "refused") || !strings.Contains(c.Remedy, "curl -k http") {
		t.Errorf("%+v", c)
	}
	for _, name := range []string{checkTLS, checkAuth, checkVersion, checkPerms, checkStatus, checkGuests} {
		if c := check(t, checks, name); c.Status != inventory.CheckSkipped {
			t.Errorf("%+v", c)
		}
	}
}

// certificate makes a self-signed one.
func certificate(t *testing.T, names []string, from, to time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to, DNSNames: names, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	if slices.Contains(names, "127.0.0.1") {
		tmpl.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func serveTLS(t *testing.T, cert tls.Certificate) (url, caFile, fingerprint string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write([]byte(`{"data":{"version":"9.2.11"}}`)); err != nil {
			t.Error(err)
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that the client gives up, as it should
	s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	s.StartTLS()
	t.Cleanup(s.Close)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, caFile, transport.Fingerprint(cert.Certificate[0])
}

func TestDoctorOfCertificates(t *testing.T) {
	now := time.Now()
	valid := certificate(t, []string{"127.0.0.1"}, now.Add(-time.Hour), now.Add(time.Hour))
	expired := certificate(t, []string{"127.0.0.1"}, now.Add(-48*time.Hour), now.Add(-24*time.Hour))
	otherName := certificate(t, []string{"pve1.example"}, now.Add(-time.Hour), now.Add(time.Hour))
	for name, c := range map[string]struct {
		cert       tls.Certificate
		ca, pin    bool
		change     func(*Config)
		status     inventory.CheckStatus
		detail     string
		remedy     string
		shownPrint bool
	}{
		"unknown authority": {cert: valid, status: inventory.CheckFailed, detail: "authority that this machine does not know",
			remedy: "/etc/pve/pve-root-ca.pem", shownPrint: true},
		"expired":    {cert: expired, ca: true, status: inventory.CheckFailed, detail: "not valid now: it is from ", remedy: "pvecm updatecerts", shownPrint: true},
		"other name": {cert: otherName, ca: true, status: inventory.CheckFailed, detail: "for other names", remedy: "use one of those names", shownPrint: true},
		"other pin": {cert: valid, change: func(c *Config) { c.Fingerprint = strings.Repeat("ab", 32) }, status: inventory.CheckFailed,
			detail: "the one configured is AB:AB", remedy: "openssl x509 -noout -fingerprint -sha256", shownPrint: true},
		"valid":    {cert: valid, ca: true, status: inventory.CheckOK, detail: "valid"},
		"pinned":   {cert: expired, pin: true, status: inventory.CheckOK, detail: "pinned"},
		"insecure": {cert: expired, change: func(c *Config) { c.Insecure = true }, status: inventory.CheckWarning, detail: "not checked", remedy: "pin", shownPrint: true},
	} {
		t.Run(name, func(t *testing.T) {
			url, caFile, fingerprint := serveTLS(t, c.cert)
			cfg := Config{URL: url, TokenID: tokenRO, Secret: inventory.NewSecret(canary), retryDelay: time.Millisecond}
			if c.ca {
				cfg.CAFile = caFile
			}
			if c.pin {
				cfg.Fingerprint = fingerprint
			}
			if c.change != nil {
				c.change(&cfg)
			}
			col, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(col.Close)
			checks := col.Doctor(t.Context())
			got := check(t, checks, checkTLS)
			if got.Status != c.status || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Remedy, c.remedy) {
				t.Errorf("%+v", got)
			}
			if strings.Contains(got.Detail, fingerprint) != c.shownPrint || strings.Contains(got.Remedy, fingerprint) != c.shownPrint {
				t.Errorf("the fingerprint %s: %+v", fingerprint, got)
			}
			if reach := check(t, checks, checkReach); reach.Status != inventory.CheckOK {
				t.Errorf("%+v", reach)
			}
		})
	}
}

func TestDoctorOfAServerWithoutTLS(t *testing.T) {
	f := newFake(t)
	col, err := New(Config{URL: strings.Replace(f.URL, "http://", "https://", 1), TokenID: tokenRO, Secret: inventory.NewSecret(canary), retryDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(col.Close)
	got := check(t, col.Doctor(t.Context()), checkTLS)
	if got.Status != inventory.CheckFailed || !strings.Contains(got.Detail, "does not speak TLS") {
		t.Errorf("%+v", got)
	}
}
