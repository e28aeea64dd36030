package adopt

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// longestName leaves room for "-adopted" within the 63 characters of a label's value, in which these names stand.
const longestName = 63 - len("-adopted")

// fit shortens a name that is too long, and keeps it different from others that begin alike.
func fit(name string) string {
	if len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:longestName-9], "-.") + "-" + hex.EncodeToString(sum[:])[:8]
}

// dns1123 is true for what may be the name of an object, and the value of a label as well.
func dns1123(name string) bool {
	return len(validation.IsDNS1123Subdomain(name)) == 0 && len(name) <= validation.DNS1123LabelMaxLength
}
