package inventory

// Append adds what another collection saw: the fragments that collectors return are Snapshots of one source each.
// Nothing is merged by identity here: two fragments never describe the same object.
func (s *Snapshot) Append(f *Snapshot) {
	s.Sites = append(s.Sites, f.Sites...)
	s.VMs = append(s.VMs, f.VMs...)
	if f.Management != nil {
		s.Management = f.Management
	}
	s.Clusters = append(s.Clusters, f.Clusters...)
	s.Machines = append(s.Machines, f.Machines...)
	s.ProxmoxMachines = append(s.ProxmoxMachines, f.ProxmoxMachines...)
	s.Nodes = append(s.Nodes, f.Nodes...)
	s.Groups = append(s.Groups, f.Groups...)
	s.Providers = append(s.Providers, f.Providers...)
	s.Tasks = append(s.Tasks, f.Tasks...)
	s.Events = append(s.Events, f.Events...)
	s.StoredSecrets = append(s.StoredSecrets, f.StoredSecrets...)
	s.Probes = append(s.Probes, f.Probes...)
	s.Coverage = append(s.Coverage, f.Coverage...)
	s.Requests = append(s.Requests, f.Requests...)
	s.Objects = append(s.Objects, f.Objects...)
}
