package normalize

import (
	"reflect"
	"testing"
)

func TestProperties(t *testing.T) {
	for in, want := range map[string][]Property{
		"":                        nil,
		",,":                      nil,
		"host":                    {{"", "host"}},
		"host,flags=+aes;-pcid":   {{"", "host"}, {"flags", "+aes;-pcid"}},
		"a=1, b=2":                {{"a", "1"}, {"b", "2"}},
		"serial=ZHM9bm9jbG91ZA==": {{"serial", "ZHM9bm9jbG91ZA=="}},
		"empty=":                  {{"empty", ""}},
	} {
		if got := Properties(in); !reflect.DeepEqual(got, want) {
			t.Errorf("Properties(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPropertyLooksForTheKeyAndItsShortForm(t *testing.T) {
	props := Properties("host,flags=+aes,x=1")
	if v, ok := property(props, "cputype", true); !ok || v != "host" {
		t.Errorf("default key: %q, %v", v, ok)
	}
	if v, ok := property(props, "cputype", false); ok {
		t.Errorf("not the default key, and found %q", v)
	}
	if v, ok := property(props, "flags", false); !ok || v != "+aes" {
		t.Errorf("named key: %q, %v", v, ok)
	}
	if _, ok := property(props, "y", false); ok {
		t.Error("a key that is not there is found")
	}
}
