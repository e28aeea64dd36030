package normalize

import (
	"slices"
	"strings"
	"unicode"
)

// Tags splits a tag list at everything that Proxmox itself takes for a separator (";" is what it writes, "," and
// blanks are what people write into files), folds case (as Proxmox does unless a datacenter option says otherwise),
// drops duplicates and sorts.
func Tags(s string) []string {
	tags := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == ';' || r == ',' || r == 0 || unicode.IsSpace(r)
	})
	if len(tags) == 0 {
		return nil
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}
