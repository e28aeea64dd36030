package adopt

import (
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// Annotations that every manifest carries, so that a second run and verify know them again.
const (
	// AnnotationRendered says that proxaudit rendered the object.
	AnnotationRendered = "proxaudit.io/rendered-by"
	renderedBy         = "proxaudit"
	// AnnotationVM, AnnotationUUID and AnnotationNode say which machine was meant: SITE/VMID, the SMBIOS UUID, the Node.
	AnnotationVM   = "proxaudit.io/vm"
	AnnotationUUID = "proxaudit.io/vm-uuid"
	AnnotationNode = "proxaudit.io/node"
	// AnnotationGroup says of a worker's Machine which MachineDeployment it was planned for. Its labels may be changed since.
	AnnotationGroup = "proxaudit.io/group"
)

// existing are the objects of the management cluster that are in the way, or that an earlier bundle made.
type existing struct {
	// all finds an object by kind, namespace and name.
	all map[objectID]*inventory.Object
}

type objectID struct{ kind, namespace, name string }

func (p *planner) findExisting() {
	p.existing.all = make(map[objectID]*inventory.Object, len(p.s.Objects))
	for i := range p.s.Objects {
		if o := &p.s.Objects[i]; o.Cluster == "" {
			p.existing.all[objectID{o.Kind, o.Namespace, o.Name}] = o
		}
	}
}

// rendered is true for an object that an earlier bundle of proxaudit made.
func rendered(o *inventory.Object) bool {
	return nested(o.Content, "metadata", "annotations", AnnotationRendered) == renderedBy
}

// annotated is true for an object that has an annotation, of whatever value.
func annotated(o *inventory.Object, key string) bool {
	meta, _ := o.Content["metadata"].(map[string]any)
	all, _ := meta["annotations"].(map[string]any)
	_, ok := all[key]
	return ok
}

// nested is the string at a path of an object; empty if there is none.
func nested(content map[string]any, path ...string) string {
	var v any = content
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return ""
		}
		v = m[key]
	}
	s, _ := v.(string)
	return s
}

// groupOf is the API group of an object.
func groupOf(o *inventory.Object) string {
	group, _, ok := strings.Cut(o.APIVersion, "/")
	if !ok {
		return ""
	}
	return group
}
