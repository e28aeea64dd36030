package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

func (k commander) createSecrets() Step {
	s := Step{ID: StepSecrets, Title: "Make the namespace, CAPMOX's credentials and the cluster's own Secrets",
		Why: "A Secret that is missing later is invented: the control-plane controller makes a new authority, reports it as available, and the next machine cannot join. They have to be there, and be the right ones, before anything is unpaused. The whole step can be repeated: " +
			"the copies that it is made from stay until it is seen that they fit, those of the keys until step 5 and the file with a token until step 6."}
	apply := " | " + k.management("apply", "--server-side", "-f", "-")
	if k.p.namespace != "default" {
		s.Commands = append(s.Commands, k.management("create", "namespace", k.p.namespace, "--dry-run=client", "-o", "yaml")+apply)
	}
	switch f := k.p.future.secret; f {
	case "":
	case k.plan.sharedSecret:
		k.sharedCredentials(&s, f)
	default:
		k.credentials(&s, f, apply)
	}
	if dir := k.p.opt.SecretsDir; dir != "" {
		s.Commands = append(s.Commands, "# the Secrets that --secrets-dir wrote; server-side, which copies no key into an annotation", k.management("apply", "--server-side", "-f", dir))
	} else {
		k.byHand(&s)
	}
	s.AlsoIf = "Also, if proxaudit runs as an account of its own: put that into " + SecretsRoleFile + " in the place of the group, and let it read these Secrets, as verify --read-secrets does"
	s.Also = []string{k.management("apply", "-f", SecretsRoleFile)}
	s.Check = []string{k.inNamespace("get", "secrets", "-o", "custom-columns=NAME:.metadata.name,TYPE:.type")}
	s.Expect = fmt.Sprintf("these are there, each with the TYPE that the table of Secrets says: %s", strings.Join(k.secretNames(), ", "))
	// One that somebody named may be others' too.
	mine := slices.DeleteFunc(k.secretNames(), func(name string) bool { return name == k.plan.sharedSecret })
	s.AbortNote = "This removes the Secrets, and the copies that they were made from. After step 2 it is too late for that: then " + GivingUpFile + " is the way back."
	s.Abort = slices.Concat([]string{k.inNamespace(append([]string{"delete", "secret", "--ignore-not-found"}, mine...)...)}, k.cleanUp())
	if k.p.namespace != "default" {
		s.InsteadIf = "And if the namespace was made for this alone"
		s.Instead = []string{k.management("delete", "namespace", k.p.namespace)}
	}
	return s
}

// byHand copies the keys from a node and makes the Secrets of them.
func (k commander) byHand(s *Step) {
	o := k.p.secretOptions()
	commands, err := pki.Commands(o)
	if err != nil {
		// Names that no API server takes are a blocker of their own.
		s.Commands = append(s.Commands, "# "+strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	for i := range commands {
		switch c := &commands[i]; c.When {
		case pki.Before:
			s.Before = append(s.Before, c.Shown()...)
		case pki.After:
		default:
			s.Commands = append(s.Commands, c.Shown()...)
		}
	}
	s.StopIf = "its last line is not \"" + pki.RightAuthority + "\": the keys were not copied, or are those of another cluster"
	if !o.Compares() {
		s.StopIf = "its last line is not the checksum of the authority that signed the API server's certificate, which this run did not see: the keys were not copied, or are those of another cluster"
	}
	s.ByHand = append(s.ByHand, "The address after \"server:\", which the block shows, has to be one at which the Pods of the management cluster reach this cluster's API server, "+
		"and better the control plane's than that of one node. If it is another, change it in "+pki.KubeconfigCopy(k.p.name)+". verify takes the control plane's endpoint, the name or address of a control-plane Node, "+
		"and what kubeadm-config lists in certSANs.")
}

// sharedCredentials looks at a Secret that somebody named: other clusters may live on it, and what is in it stays.
func (k commander) sharedCredentials(s *Step, name string) {
	s.Commands = append(s.Commands, "# "+k.p.namespace+"/"+name+": the access of CAPMOX to site "+comment(k.p.site)+", which was named and has to be there; other clusters may have it too, and it is not changed",
		"(for key in url token secret; do "+k.inNamespace("get", "secret", name)+" -o \"jsonpath={.data.$key}\" | grep -q . || { echo \"NOT THERE: the Secret has no value for $key\" >&2; exit 1; }; done)")
}

// credentials makes CAPMOX's Secret from a file that a person fills in. kubectl reads a line of it without its end, so that no
// editor can put a newline into a token.
func (k commander) credentials(s *Step, name, apply string) {
	address := siteURL(k.p.s, k.p.site)
	if address == "" {
		address = "https://PROXMOX-HOST:8006"
	}
	file := shell.Quote(name + ".env")
	s.Before = append(s.Before,
		"# makes a file that only you can read, for the API token of CAPMOX (nothing, if it is there)",
		"test -e "+file+" || (umask 077 && printf 'url=%s\\ntoken=\\nsecret=\\n' "+shell.Quote(address)+" > "+file+")")
	s.ByHand = append(s.ByHand, "Open "+name+".env with an editor. Put the ID of CAPMOX's API token (user@realm!name) behind token=, and its secret behind secret=. "+
		"The address behind url= has to be the one at which the Pods of the management cluster reach Proxmox. The one that proxaudit used stands there: "+
		"one of the loopback interface (127.0.0.1, localhost), as a tunnel has, leads a Pod nowhere.")
	s.Commands = append(s.Commands, "# "+k.p.namespace+"/"+name+": the access of CAPMOX to site "+comment(k.p.site),
		"if [ \"$(grep -cE '^(url|token|secret)=[^[:space:]]+$' "+file+")\" != 3 ]; then echo 'NOT MADE: url, token and secret each need a line with a value and no blank' >&2; false; else "+
			k.inNamespace("create", "secret", "generic", name, "--from-env-file="+name+".env", "--dry-run=client", "-o", "yaml")+apply+"; fi",
		"# warns of an address that no Pod reaches",
		"if grep -qE '^url=https?://(localhost|127\\.[0-9.]+|\\[::1\\])(:|/|$)' "+file+"; then echo 'WARNING: url is an address of the loopback interface, by which no Pod reaches Proxmox' >&2; fi")
}

// removeKeys and removeToken remove what the Secrets were made from. Proxmox shows a token's secret once, and nobody copies keys
// twice: not before it was seen that they fit.
func (k commander) removeKeys() []string {
	dir := k.p.opt.SecretsDir
	if dir == "" {
		dir = pki.CopyFolder(k.p.name)
	}
	return []string{"# removes the copy of the keys", "rm -rf -- " + shell.Quote(dir)}
}

func (k commander) removeToken() []string {
	if !k.plan.MakesCredentials() {
		return nil
	}
	return []string{"# removes the file with the token", "rm -f -- " + shell.Quote(k.p.future.secret+".env")}
}

func (k commander) cleanUp() []string { return slices.Concat(k.removeKeys(), k.removeToken()) }

func (k commander) secretNames() []string {
	var out []string
	for _, s := range k.plan.Secrets {
		out = append(out, s.Name)
	}
	return out
}
