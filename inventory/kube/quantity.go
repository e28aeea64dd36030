package kube

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantity is a resource.Quantity that does not compute for minutes: apimachinery works "9e-99999999" out digit by
// digit, and this text comes from another machine.
type quantity struct{ resource.Quantity }

var hugeExponent = regexp.MustCompile(`[eE][+-]?[0-9]{3,}`)

// UnmarshalJSON implements json.Unmarshaler. As in the API, a number may stand with or without quotes.
func (q *quantity) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if s == "null" {
		return nil
	}
	if len(s) > 64 || hugeExponent.MatchString(s) {
		return fmt.Errorf("%.64q is no quantity", s)
	}
	var err error
	if q.Quantity, err = resource.ParseQuantity(s); err != nil {
		return fmt.Errorf("%q is no quantity", s)
	}
	return nil
}
