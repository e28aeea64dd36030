package redact

import (
	"reflect"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    "",
		"plain: text\nsecond line":            "plain: text\nsecond line",
		"http://root:PW@h":                    "http://REDACTED@h",
		"http://root:PW@h/a@b":                "http://REDACTED@h/a@b",
		"see http://PW@h:80/x.":               "see http://REDACTED@h:80/x.",
		"http://root:P/W@h/x":                 "http://REDACTED@h/x",
		"http://root:P@W@h":                   "http://REDACTED@h",
		`http://root:P"'W@h`:                  "http://REDACTED@h",
		"http://root:P\x07W@h":                "http://REDACTED@h",
		"a://u:PW@h,b+c://v:PW@i\nd://PW@j k": "a://REDACTED@h,b+c://REDACTED@i\nd://REDACTED@j k",
		"https://h:8006/x?u=http://u:PW@i":    "https://h:8006/x?u=http://REDACTED@i",
		"https://h/@me":                       "https://h/@me",
		"https://h:8006/a@b":                  "https://h:8006/a@b",
		"https://[2001:db8::1]/a@b":           "https://[2001:db8::1]/a@b",
		"https://h mail me@h":                 "https://h mail me@h",
		"audit@pve!ro":                        "audit@pve!ro",
		"://@":                                "://REDACTED@",
		"PVEAPIToken=a@b!c=PW, x":             "PVEAPIToken=REDACTED, x",
		"pveapitoken PW":                      "pveapitoken REDACTED",
	} {
		got := Text(in)
		if got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if again := Text(got); again != got {
			t.Errorf("%q is not stable: %q", got, again)
		}
	}
}

func TestStrings(t *testing.T) {
	got := Strings(map[string]any{"http://u:PW@h": []any{"http://u:PW@h", map[string]any{"a": "b://PW@c"}, 1.5, nil, true}, "d": "e"})
	want := map[string]any{"http://REDACTED@h": []any{"http://REDACTED@h", map[string]any{"a": "b://REDACTED@c"}, 1.5, nil, true}, "d": "e"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

// Whatever stands around it, a URL's password is gone.
func FuzzText(f *testing.F) {
	f.Add("see ", "/x@y")
	f.Add("http://a:8006/", "")
	f.Add("a://", "://b@c")
	f.Fuzz(func(t *testing.T, before, after string) {
		const canary = "CANARY4711"
		if strings.Contains(before+after, canary) {
			return
		}
		if got := Text(before + " http://root:" + canary + "@h " + after); strings.Contains(got, canary) {
			t.Errorf("%q", got)
		}
	})
}
