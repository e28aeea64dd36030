package audit

import "github.com/proxaudit/proxaudit/audit/identity"

// Count sets what the summary says of the listed findings. Rows of a class that is none (--all) are listed and not counted,
// so that the same machines are as many findings in every view.
func (s *Summary) Count(findings []Finding) {
	s.restart()
	for i := range findings {
		f := &findings[i]
		if isFinding(f.Class) {
			s.Findings++
			s.add(f.Class, f.Severity, f.Holds)
		}
	}
}

// countItems sets the same of listed items.
func (s *Summary) countItems(items []Item) {
	s.restart()
	for i := range items {
		if items[i].severity != "" {
			s.Findings++
			s.add(items[i].Class, items[i].severity, items[i].Holds)
		}
	}
}

// filtered sets the counts that hold for what a filter leaves: those of the whole run would be taken for it.
func filtered[T any](s *Summary, listed []T, all int, class func(*T) identity.Class) {
	hidden := all - len(listed)
	s.Hidden = &hidden
	s.Classes = map[identity.Class]int{}
	for i := range listed {
		s.Classes[class(&listed[i])]++
	}
}

// restart takes new maps: the summary may be a copy of another report's.
func (s *Summary) restart() {
	s.Findings, s.Severities, s.Reclaimable = 0, map[Severity]int{}, Reclaimable{}
}

func (s *Summary) add(class identity.Class, severity Severity, h *Holds) {
	s.Severities[severity]++
	if class == identity.OrphanVM {
		s.Reclaimable.Add(h)
	}
}
