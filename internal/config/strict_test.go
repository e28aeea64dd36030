package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const site = "sites:\n- {name: lab, url: 'https://pve:8006', tokenID: 'a@pve!tt', secretEnv: S}\n"

// TestProblems: what is wrong is named with its line and its key.
func TestProblems(t *testing.T) {
	for name, tc := range map[string]struct{ doc, want string }{
		"unknown key":           {"gracePeriod: 1m\ngrasePeriod: 1m\n", `f.yaml:2: unknown key "grasePeriod": did you mean "gracePeriod"?`},
		"unknown key, nested":   {"clusters:\n- name: a\n  selector:\n    tag: [x]\n", `f.yaml:4: clusters[0].selector: unknown key "tag": did you mean "tags"?`},
		"unknown and unlike":    {"frobnicate: 1\n", `f.yaml:1: unknown key "frobnicate": the keys here are clusters, gracePeriod, guestAgent`},
		"a value as a key":      {"? 'a b c'\n: 1\n", "f.yaml:1: unknown key (its text is not shown"},
		"key twice":             {"gracePeriod: 1m\n\ngracePeriod: 2m\n", "f.yaml:3: gracePeriod: occurs twice: the first is on line 1"},
		"key twice, nested":     {"management:\n  name: a\n  name: b\n", "f.yaml:3: management.name: occurs twice"},
		"a list for a mapping":  {"management: [a]\n", "f.yaml:1: management: want keys and values, got a list"},
		"a mapping for a list":  {"sites: {name: lab}\n", "f.yaml:1: sites: want a list, got keys and values"},
		"a text for a list":     {"clusters:\n- name: a\n  selector: {tags: x}\n", "f.yaml:3: clusters[0].selector.tags: want a list, got a single value"},
		"a list for a text":     {"clusters:\n- name: [a]\n", "f.yaml:2: clusters[0].name: want a single value, got a list"},
		"a text for a number":   {"sites:\n- concurrency: {perNode: many}\n", "f.yaml:2: sites[0].concurrency.perNode: want a whole number"},
		"a huge number":         {"sites:\n- concurrency: {perNode: 99999999999}\n", "f.yaml:2: sites[0].concurrency.perNode: the number is too large"},
		"a text for a boolean":  {"readSecrets: maybe\n", "f.yaml:1: readSecrets: want true or false"},
		"a list for a secret":   {"sites:\n- secret: [a]\n", "f.yaml:2: sites[0].secret: want a single value"},
		"binary":                {"clusters:\n- name: !!binary aGk=\n", "f.yaml:2: clusters[0].name: want plain text"},
		"a number for a time":   {"gracePeriod: 30\n", "f.yaml:1: gracePeriod: a duration needs its unit, like 30s or 30m"},
		"a text for a time":     {"gracePeriod: soon\n", "f.yaml:1: gracePeriod: want a duration with its unit"},
		"a negative time":       {"gracePeriod: -1m\n", "f.yaml:1: gracePeriod: a duration cannot be negative"},
		"a list for a time":     {"gracePeriod: [1m]\n", "f.yaml:1: gracePeriod: want a single value, got a list"},
		"no timeout":            {"requestTimeout: 0s\n", "f.yaml:1: requestTimeout: 0 would let a dead host hold the run"},
		"a scalar document":     {"hello\n", "f.yaml: want keys and values, got a single value"},
		"two documents":         {"gracePeriod: 1m\n---\ngracePeriod: 2m\n", "f.yaml:2: a second YAML document begins here"},
		"a broken second":       {"gracePeriod: 1m\n---\n[\n", "f.yaml:"},
		"merge keys":            {"clusters:\n- &a {name: x}\n- {<<: *a, name: y}\n", "f.yaml:3: clusters[1]: merge keys (<<) are not supported"},
		"not YAML":              {"gracePeriod: 1m\na: b: c\n", "f.yaml:2: not valid YAML: a key cannot stand here"},
		"an unknown anchor":     {"gracePeriod: *hidden\n", "f.yaml:1: not valid YAML: * refers to an anchor"},
		"an endless list":       {"sites: &a [*a]\n", "f.yaml:1: sites[0]: want keys and values, got a list"},
		"bad severity":          {"thresholds: {failOn: high}\n", `f.yaml:1: thresholds.failOn: "high" is no severity: want critical, warning or info`},
		"site without a name":   {"sites:\n- {url: 'https://pve:8006', tokenID: 'a@pve!tt', secretEnv: S}\n", "f.yaml:2: sites[0]: name is missing"},
		"site with a slash":     {strings.Replace(site, "name: lab", "name: a/b", 1), "f.yaml:2: sites[0].name: a site's name has letters"},
		"site twice":            {site + strings.TrimPrefix(site, "sites:\n"), `f.yaml:3: sites[1].name: "lab" is the name of sites[0] too`},
		"site without a url":    {"sites:\n- {name: lab, tokenID: 'a@pve!tt', secretEnv: S}\n", "f.yaml:2: sites[0]: url is missing"},
		"site without a token":  {"sites:\n- {name: lab, url: 'https://pve:8006', secretEnv: S}\n", "f.yaml:2: sites[0]: tokenID is missing"},
		"site without a secret": {"sites:\n- {name: lab, url: 'https://pve:8006', tokenID: 'a@pve!tt'}\n", "f.yaml:2: sites[0]: the token's secret is missing"},
		"two secrets":           {strings.Replace(site, "secretEnv: S", "secretEnv: S, secret: x", 1), "give one of secret, secretFile and secretEnv"},
		"secret not set":        {strings.Replace(site, "secretEnv: S", "secretEnv: T", 1), "f.yaml:2: sites[0].secretEnv: the environment variable T is not set"},
		"secret as a name":      {strings.Replace(site, "secretEnv: S", "secretEnv: "+secret, 1), "want the name of an environment variable, not the secret itself"},
		"bad concurrency":       {strings.Replace(site, "secretEnv: S", "secretEnv: S, concurrency: {total: 1000}", 1), "sites[0].concurrency.total: want a number from 1 to 64"},
		"bad fingerprint":       {strings.Replace(site, "secretEnv: S", "secretEnv: S, fingerprint: xyz", 1), "sites[0].fingerprint: want the SHA-256 fingerprint"},
		"a SHA-1 fingerprint":   {strings.Replace(site, "secretEnv: S", "secretEnv: S, fingerprint: "+strings.Repeat("ab", 20), 1), "this is a SHA-1 fingerprint"},
		"a short fingerprint":   {strings.Replace(site, "secretEnv: S", "secretEnv: S, fingerprint: ab:cd", 1), "has 2 bytes: want the 32 of SHA-256"},
		"insecure and pinned":   {strings.Replace(site, "secretEnv: S", "secretEnv: S, insecure: true, fingerprint: "+strings.Repeat("ab", 32), 1), "sites[0].insecure: turns off what"},
		"region twice":          {strings.Replace(site, "secretEnv: S", "secretEnv: S, regions: [r, r]", 1), `sites[0].regions[1]: region "r" is claimed by site "lab" too`},
		"region with a slash":   {strings.Replace(site, "secretEnv: S", "secretEnv: S, regions: [a/b]", 1), "sites[0].regions[0]: want the region's name"},
		"none and something":    {"management: {none: true, context: x}\n", "f.yaml:1: management.none: says that there is no management cluster"},
		"management name":       {"management: {name: 'a b'}\n", "f.yaml:1: management.name: a cluster's name"},
		"management namespace":  {"management: {namespaces: [Prod]}\n", `f.yaml:1: management.namespaces[0]: "Prod" is no namespace's name`},
		"cluster without name":  {"clusters:\n- site: x\n", "f.yaml:2: clusters[0]: name is missing"},
		"cluster name":          {"clusters:\n- name: a/b/c\n", "f.yaml:2: clusters[0].name: a cluster's name"},
		"cluster twice":         {"clusters:\n- name: a\n- name: a\n", `f.yaml:3: clusters[1].name: "a" is the name of clusters[0] too`},
		"two ways":              {"clusters:\n- {name: a, context: c, readSecret: true}\n", "clusters[0].readSecret: contradicts kubeconfig and context"},
		"secret of nowhere":     {"management: {none: true}\nclusters:\n- {name: a, readSecret: true}\n", "f.yaml:3: clusters[0].readSecret: the Secret lives in the management cluster"},
		"one server, two names": {"clusters:\n- {name: a, context: c}\n- {name: b, context: c}\n", "f.yaml:3: clusters[1]: has the kubeconfig and context of clusters[0]"},
		"unknown site":          {site + "clusters:\n- {name: a, site: lba}\n", `clusters[0].site: there is no site "lba" under sites`},
		"bad tag":               {selector("tags: ['a b']"), "clusters[0].selector.tags[0]: is no Proxmox tag"},
		"bad pattern":           {selector("names: 'prod-('"), "clusters[0].selector.names: is no regular expression (RE2): missing closing )"},
		"unbalanced pattern":    {selector("names: 'a)|(b'"), "clusters[0].selector.names: is no regular expression (RE2)"},
		"empty pool":            {selector("pools: ['']"), "clusters[0].selector.pools[0]: is empty"},
		"VMID too small":        {selector("vmids: [99]"), "clusters[0].selector.vmids[0]: want a VMID or a range"},
		"VMID range":            {selector("vmids: ['100-x']"), "clusters[0].selector.vmids[0]: want a VMID or a range"},
		"VMID range, reversed":  {selector("vmids: ['200-100']"), "the range ends before it begins: did you mean 100-200?"},
		"bad subnet":            {selector("subnets: [10.0.0.0/33]"), "clusters[0].selector.subnets[0]: is no subnet"},
		"an address":            {selector("subnets: [10.0.0.1]"), "is an address: for this address alone write 10.0.0.1/32"},
		"host bits":             {selector("subnets: [10.0.0.1/24]"), "has bits set behind its mask: did you mean 10.0.0.0/24?"},
	} {
		_, err := Parse("f.yaml", []byte(tc.doc), ForCollection, env("S", secret))
		switch {
		case err == nil:
			t.Errorf("%s: no error", name)
		case !strings.Contains(err.Error(), tc.want):
			t.Errorf("%s: %q lacks %q", name, err, tc.want)
		case strings.Contains(err.Error(), secret):
			t.Errorf("%s: the message has the secret", name)
		}
	}
}

func selector(line string) string {
	return "clusters:\n- name: a\n  selector:\n    " + line + "\n"
}

func TestValid(t *testing.T) {
	for name, doc := range map[string]string{
		"empty":                     "",
		"comments":                  "# nothing\n",
		"null":                      "~\n",
		"null keys":                 "sites:\nmanagement:\nclusters:\n",
		"aliases":                   "clusters:\n- name: a\n  selector: &s {tags: [x]}\n- name: b\n  selector: *s\n",
		"a VMID as a number":        selector("vmids: [105, 200-299]"),
		"no grace":                  "gracePeriod: 0s\n",
		"no management":             "management: {none: true}\n",
		"a name with its namespace": "clusters:\n- name: prod/web\n- name: staging/web\n",
		"a numeric name":            "clusters:\n- name: 105\n",
	} {
		if _, err := Parse("f.yaml", []byte(doc), ForCollection, env()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAllProblemsAtOnce: a file with three mistakes is corrected in one go, in the order of its lines.
func TestAllProblemsAtOnce(t *testing.T) {
	_, err := Parse("f.yaml", []byte("clusters:\n- {name: a, site: x}\n- {name: a}\nthresholds: {failOn: x}\nsites:\n- {name: b}\n"), ForCollection, env())
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != 6 {
		t.Fatalf("want 6 problems, got %d:\n%v", len(lines), err)
	}
	for i, want := range []string{"f.yaml:2", "f.yaml:3", "f.yaml:4", "f.yaml:6", "f.yaml:6", "f.yaml:6"} {
		if !strings.HasPrefix(lines[i], want+":") {
			t.Errorf("problem %d is %q, want %s", i, lines[i], want)
		}
	}
	_, err = Parse("f.yaml", []byte(strings.Repeat("- x\n", 1)+""), ForCollection, env())
	if err == nil {
		t.Error("a list is no configuration")
	}
	_, err = Parse("f.yaml", []byte("clusters:\n"+strings.Repeat("- {nope: 1}\n", 50)), ForCollection, env())
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; n != maxProblems+1 || !strings.HasSuffix(fmt.Sprint(err), "f.yaml: and 30 more") {
		t.Errorf("%d lines for 50 problems", n)
	}
}

// TestAliasBomb: what aliases unfold to is bounded, whether it is right or wrong.
func TestAliasBomb(t *testing.T) {
	keys := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, tc := range map[string]struct{ doc, want string }{
		"unknown keys": {"clusters:\n- &a {" + keys(20_000, "k%d: 1, ") + "}\n" + strings.Repeat("- *a\n", 20_000), "f.yaml: and at least 80 more"},
		"right values": {"sites:\n- &a {regions: [" + keys(20_000, "r%d, ") + "]}\n" + strings.Repeat("- *a\n", 20_000), "f.yaml: its aliases unfold"},
		"in a list":    {"clusters:\n- selector:\n    tags: &a [" + strings.Repeat("x, ", 20_000) + "]\n" + strings.Repeat("- selector: {tags: *a}\n", 20_000), "its aliases unfold"},
	} {
		cfg, p, err := parse("f.yaml", []byte(tc.doc))
		if cfg != nil || p != nil || !strings.Contains(fmt.Sprint(err), tc.want) {
			t.Errorf("%s: %.200v, want %q", name, err, tc.want)
		}
	}
	// The walk itself: as many steps as are allowed, and one.
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("clusters:\n- &a {selector: {tags: ["+strings.Repeat("x, ", 1000)+"]}}\n"+strings.Repeat("- *a\n", 1000)), &doc); err != nil {
		t.Fatal(err)
	}
	p := &problems{lines: map[string]int{}}
	p.check(doc.Content[0], reflect.TypeFor[Config](), "")
	if p.unfolded != maxUnfolded+1 || len(p.list) > 0 {
		t.Errorf("%d steps and %d problems, want %d and none", p.unfolded, len(p.list), maxUnfolded+1)
	}
	// A problem behind an alias is told at the key where it is.
	_, err := Parse("f.yaml", []byte("clusters:\n- name: a\n  selector: &s {vmids: [1]}\n- name: b\n  selector: *s\n"), ForCollection, env())
	if !strings.Contains(fmt.Sprint(err), "f.yaml:3: clusters[1].selector.vmids[0]: want a VMID") {
		t.Errorf("%v", err)
	}
}

// TestMisplaced: no message repeats a secret, whatever its shape, that stands where something else belongs.
func TestMisplaced(t *testing.T) {
	for _, word := range []string{secret, strings.ReplaceAll(secret, "-", ""), "PVEAPIToken=x", "https://root:pw@h", "https://root:p/w@h",
		"see https://root:p w@h", "root@pam!tt=pw", "http://tok@h:8006/x"} {
		quoted := "'" + word + "'"
		for name, doc := range map[string]string{
			"secretFile":  strings.Replace(site, "secretEnv: S", "secretFile: "+quoted, 1),
			"secretEnv":   strings.Replace(site, "secretEnv: S", "secretEnv: "+quoted, 1),
			"caFile":      strings.Replace(site, "secretEnv: S", "secretEnv: S, caFile: "+quoted, 1),
			"url":         strings.Replace(site, "'https://pve:8006'", quoted, 1),
			"unknown key": quoted + ": 1\n",
			"management":  "management: {kubeconfig: " + quoted + "}\n",
			"cluster":     "clusters:\n- {name: a, kubeconfig: " + quoted + "}\n",
			"severity":    "thresholds: {failOn: " + quoted + "}\n",
			"site":        site + "clusters:\n- {name: a, site: " + quoted + "}\n",
			"region":      strings.Replace(site, "secretEnv: S", "secretEnv: S, regions: ["+quoted+", "+quoted+"]", 1),
		} {
			_, err := Parse("f.yaml", []byte(doc), ForCollection, env("S", secret))
			if err == nil || told(err, word) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := EnvSite(env("PROXMOX_URL", "https://pve:8006", "PROXMOX_TOKEN", "a@pve!tt", "PROXMOX_SECRET", secret, EnvCAFile, word))
		if err == nil || told(err, word) {
			t.Errorf("%s: %v", EnvCAFile, err)
		}
		_, err = Load(word, ForCollection, env())
		if err == nil || told(err, word) {
			t.Errorf("--config: %v", err)
		}
	}
}

// TestSecretAnywhere: a token with its secret, and a URL with its password, are refused under every key that takes a text,
// for the text would be part of messages and results.
func TestSecretAnywhere(t *testing.T) {
	const doc = `sites: [{name: %[1]s, url: %[1]s, tokenID: %[1]s, secretFile: %[1]s, secretEnv: %[1]s, caFile: %[1]s, fingerprint: %[1]s, regions: [%[1]s]}]
management: {name: %[1]s, kubeconfig: %[1]s, context: %[1]s, namespaces: [%[1]s]}
clusters: [{name: %[1]s, kubeconfig: %[1]s, context: %[1]s, site: %[1]s, selector: {tags: [%[1]s], names: %[1]s, pools: [%[1]s], vmids: [%[1]s], subnets: [%[1]s]}}]
thresholds: {failOn: %[1]s}
`
	for _, word := range []string{"root@pam!tt=pw", "PVEAPIToken=root@pam!tt=pw", "https://root:pw@h:8006/"} {
		_, p, _ := parse("f.yaml", nil)
		var node yaml.Node
		if err := yaml.Unmarshal(fmt.Appendf(nil, doc, "'"+word+"'"), &node); err != nil {
			t.Fatal(err)
		}
		p.check(node.Content[0], reflect.TypeFor[Config](), "")
		// All of them but url and tokenID, whose own checks say more.
		if len(p.list) != 20 {
			t.Errorf("%s: %d problems, want 20: %v", word, len(p.list), p.err())
		}
		if err := p.err(); err == nil || told(err, word) {
			t.Errorf("%s: %v", word, err)
		}
	}
	// A UUID in a context's name is no secret.
	if _, err := Parse("f.yaml", []byte("management: {context: 'admin@"+secret+"'}\n"), ForCollection, env()); err != nil {
		t.Error(err)
	}
}

// told is true if a message has the word, or what a cleaned path leaves of it.
func told(err error, word string) bool {
	return strings.Contains(err.Error(), word) || strings.Contains(err.Error(), filepath.Clean(word)) || strings.Contains(err.Error(), "pw@") ||
		strings.Contains(err.Error(), "tok@")
}

// FuzzParse: no input makes the parser panic, and no error repeats a value.
func FuzzParse(f *testing.F) {
	for _, s := range []string{site, "a: b: c", "sites: &a [*a]", "clusters:\n- name: x\n  selector: {vmids: [1-2]}", "--- \n---\n", "? [a]\n: b",
		"gracePeriod: !!binary x", "sites: [{secret: " + secret + "}]", "<<: *x", "%YAML 9\n---\na",
		"SECRET: 1\nSECRET: 2", "clusters:\n- {name: SECRET, site: SECRET}\n- {name: SECRET}\n" + site, "thresholds: {failOn: SECRET}",
		"sites: [{name: SECRET, url: SECRET, tokenID: SECRET, regions: [SECRET, SECRET]}, {name: SECRET}]", "gracePeriod: SECRET",
		"clusters: [{name: a, selector: {tags: [SECRET], names: 'SECRET(', pools: [SECRET], vmids: [SECRET], subnets: [SECRET]}}]",
		"sites: [{name: a, caFile: SECRET, secretFile: SECRET}]", "secret: *SECRET", "secret: !SECRET x", "SECRET"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		// A canary in the places where a secret is likely to be put by mistake.
		doc = strings.ReplaceAll(doc, "SECRET", secret)
		c, err := Parse("f.yaml", []byte(doc), ForCollection, env("S", secret))
		if err == nil && c == nil {
			t.Fatal("neither a configuration nor an error")
		}
		if err != nil && strings.Contains(doc, secret) && strings.Contains(err.Error(), secret) {
			t.Fatalf("the error repeats a secret: %v", err)
		}
	})
}
