package config

import (
	"testing"
	"time"
)

func TestParseDays(t *testing.T) {
	for in, want := range map[string]time.Duration{"400d": 400 * 24 * time.Hour, "0d": 0, "72h": 72 * time.Hour, "90m": 90 * time.Minute, "36500d": 36500 * 24 * time.Hour} {
		if got, err := ParseDays(in); err != nil || got != want {
			t.Errorf("%s is %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "d", "-1d", "1.5d", "36501d", "99999999999d", "400", "-3h", "1d12h", "a"} {
		if got, err := ParseDays(in); err == nil {
			t.Errorf("%q is %v", in, got)
		}
	}
}
