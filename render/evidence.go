package render

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// kindWords say what was compared. A kind that is not listed is shown by its own name.
var kindWords = map[identity.Kind]string{
	identity.KindProviderIDUUID:   "providerID UUID",
	identity.KindSystemUUID:       "system UUID",
	identity.KindSwappedUUID:      "byte-swapped UUID",
	identity.KindSharedUUID:       "shared UUID",
	identity.KindVMIDAndName:      "VMID and name",
	identity.KindVMID:             "VMID",
	identity.KindRegionVMID:       "providerID region and VMID",
	identity.KindInstanceID:       "instance-id annotation",
	identity.KindMAC:              "MAC",
	identity.KindIP:               "IP",
	identity.KindName:             "name",
	identity.KindInfraRef:         "infrastructureRef",
	identity.KindOwnerRef:         "ownerReference",
	identity.KindNodeRef:          "nodeRef",
	identity.KindProviderIDString: "providerID",
	identity.KindSelector:         "selector",
	identity.KindTag:              "tag",
	identity.KindPool:             "pool",
	identity.KindSibling:          "sibling",
	identity.KindMark:             "mark",
	identity.KindEndpoint:         "endpoint",
	identity.KindProbe:            "VMID probe",
	identity.KindCoverage:         "not seen",
	identity.KindState:            "state",
}

func kindWord(k identity.Kind) string {
	if w, ok := kindWords[k]; ok {
		return w
	}
	return string(k)
}

// strengthRank orders evidence for the summary line. A declared reference joins API objects and says nothing about a
// VM, so that it comes behind strong here.
func strengthRank(s identity.Strength) int {
	order := []identity.Strength{identity.Proof, identity.Strong, identity.Declared, identity.Supporting, identity.Hint}
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}

// byStrength returns the evidence with the strongest first; what is equally strong keeps its order.
func byStrength(all []identity.Evidence, against bool) []identity.Evidence {
	var out []identity.Evidence
	for _, e := range all {
		if e.Against == against {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b identity.Evidence) int { return strengthRank(a.Strength) - strengthRank(b.Strength) })
	return out
}

// values is the two sides of a fact in a few words.
func values(e identity.Evidence) string {
	left, right := e.Left, e.Right
	if e.Kind == identity.KindProbe && right != "" {
		return left + " is " + right
	}
	if e.Kind == identity.KindProviderIDString {
		// Here an empty side is the point.
		left, right = orEmpty(left), orEmpty(right)
	}
	switch {
	case right == "" || strings.EqualFold(left, right):
		return left
	case left == "":
		return right
	case containsFold(left, right):
		// proxmox://UUID against UUID: the longer one says both.
		return left
	case containsFold(right, left):
		return right
	case e.Against || e.Kind == identity.KindProviderIDString:
		return left + " != " + right
	default:
		return left + " ~ " + right
	}
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

func orEmpty(s string) string {
	if s == "" {
		return "(empty)"
	}
	return s
}

// evidenceText is one fact in one line.
func evidenceText(e identity.Evidence) string {
	text := values(e)
	if e.Kind != identity.KindState {
		text = strings.TrimSpace(kindWord(e.Kind) + " " + text)
	}
	switch {
	case e.Note == "":
		return text
	case text == "":
		return e.Note
	default:
		return text + " (" + e.Note + ")"
	}
}

// mostFacts is how many facts the summary line has for a verdict; explain has all of them.
const mostFacts = 2

// evidenceLine sums the evidence of a finding up: the strongest facts for the verdict, the strongest against it, and
// what was not seen. References between API objects are left out: they say what belongs together and not why it is a
// finding. Where nothing remains, the fallback speaks.
func evidenceLine(all []identity.Evidence, missing []inventory.Need, fallback string) string {
	var parts []string
	for _, e := range byStrength(all, false) {
		text := evidenceText(e)
		if e.Strength != identity.Declared && len(parts) < mostFacts && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if con := byStrength(all, true); len(con) > 0 {
		parts = append(parts, "but: "+evidenceText(con[0]))
	}
	if len(missing) > 0 {
		text := "not seen: " + missing[0].String()
		if len(missing) > 1 {
			text += ", and " + count(len(missing)-1, "other", "others")
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return fallback
	}
	return strings.Join(parts, "; ")
}

// evidenceTable is the long form. Where it is narrow, what the values belong to goes below them.
func evidenceTable(all []identity.Evidence) Table {
	t := Table{
		Columns: []Column{
			{Title: "STRENGTH"},
			{Title: "FACT", Min: 17},
			{Title: "VALUE", Min: 20},
			{Title: "OTHER VALUE", Min: 20},
			{Title: "FROM", Fit: Fold},
			{Title: "TO", Fit: Fold},
			{Title: "NOTE", Fit: FoldFirst, Min: 24},
		},
		Empty: "Nothing.",
	}
	for _, e := range all {
		to := ""
		if e.To.Kind != "" {
			to = e.To.String()
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: string(e.Strength), Style: strengthStyle(e)},
			{Text: kindWord(e.Kind)},
			{Text: e.Left},
			{Text: e.Right},
			{Text: e.From.String()},
			{Text: to},
			{Text: e.Note},
		})
	}
	return t
}

func strengthStyle(e identity.Evidence) Style {
	switch {
	case e.Against:
		return Plain
	case e.Strength == identity.Proof:
		return Good
	case e.Strength == identity.Hint:
		return Faint
	default:
		return Plain
	}
}
