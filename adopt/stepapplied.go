package adopt

// appliedBefore counts what an earlier run has put there.
func (p *planner) appliedBefore(docs []Document) Applied {
	var out Applied
	for _, d := range docs {
		if d.Kind == "Secret" {
			// Of Secrets nobody reads more than some by their names.
			continue
		}
		out.All++
		o := p.existing.all[objectID{d.Kind, d.Namespace, d.Name}]
		if o == nil || !rendered(o) {
			continue
		}
		out.Objects++
		if d.Kind == "Cluster" {
			out.Finished = !annotated(o, BlockMove)
		}
	}
	return out
}
