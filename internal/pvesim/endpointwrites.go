package pvesim

import "net/http"

// writeEndpoints are the writes of a [Options.Writable] simulator: those of a
// Cluster API provider.
func writeEndpoints() []*endpoint {
	const vm, storage = "/nodes/{node}/qemu/{vmid}", "/nodes/{node}/storage/{storage}"
	config, power := needs("/vms/{vmid}", configPrivileges...), needs("/vms/{vmid}", "VM.PowerMgmt")
	list := []*endpoint{
		{method: http.MethodPost, path: vm + "/clone", allow: mayClone, params: cloneParams, change: (*call).clone},
		{method: http.MethodPost, path: vm + "/config", allow: config, paramsOf: configParamsAsync, change: (*call).setConfigAsync},
		{method: http.MethodPut, path: vm + "/config", allow: config, paramsOf: configParams, change: (*call).setConfig},
		{method: http.MethodPut, path: vm + "/resize", allow: needs("/vms/{vmid}", "VM.Config.Disk"), params: resizeParams, change: (*call).resize},
		{method: http.MethodPost, path: vm + "/status/start", allow: power, params: startParams, change: (*call).start},
		{method: http.MethodPost, path: vm + "/status/stop", allow: power, params: stopParams, change: (*call).stop},
		{method: http.MethodPost, path: vm + "/status/shutdown", allow: power, params: shutdownParams, change: (*call).shutdown},
		{method: http.MethodPost, path: vm + "/status/reset", allow: power, params: powerParams, change: (*call).reset},
		{method: http.MethodPost, path: vm + "/status/resume", allow: power, params: resumeParams, change: (*call).resume},
		{method: http.MethodDelete, path: vm, allow: needs("/vms/{vmid}", "VM.Allocate"), params: destroyParams, change: (*call).destroy},
		{method: http.MethodPost, path: vm + "/agent/exec", allow: maySpeakToAgent, params: []param{
			nodeParam, vmidParam(true), {name: "command", required: true, list: true}, {name: "input-data"},
		}, handle: (*call).agentExec},
		{method: http.MethodDelete, path: storage + "/content/{volume...}", params: deleteVolumeParams, change: (*call).deleteVolume},
	}
	for _, e := range list {
		e.proxied, e.protected = true, true
	}
	return append(list, &endpoint{
		method: http.MethodPost, path: storage + "/upload", allow: needs("/storage/{storage}", "Datastore.AllocateTemplate"),
		protected: true, params: uploadEndpointParams, change: (*call).upload,
	})
}

// writerReads are the reads that go with them. They are answered also when no
// write is.
func writerReads() []*endpoint {
	const storage = "/nodes/{node}/storage/{storage}"
	readable := needs("/storage/{storage}", "Datastore.Audit", "Datastore.AllocateSpace")
	list := []*endpoint{
		{path: storage + "/status", allow: readable, params: []param{nodeParam, storageParam}, handle: (*call).storageStatus},
		{path: storage + "/content", allow: readable, params: contentParams, handle: (*call).storageContent},
		{path: storage + "/content/{volume...}", params: []param{nodeParam, storageParam, volumeParam}, handle: (*call).volumeInfo},
		{path: "/nodes/{node}/tasks/{upid}/log", params: []param{
			nodeParam, {name: "upid", required: true}, {name: "start", kind: kindInteger}, {name: "limit", kind: kindInteger},
		}, handle: (*call).taskLogLines},
		{path: "/nodes/{node}/qemu/{vmid}/agent/exec-status", allow: maySpeakToAgent, params: []param{
			nodeParam, vmidParam(true), {name: "pid", kind: kindInteger, required: true},
		}, handle: (*call).agentExecStatus},
	}
	for _, e := range list {
		e.proxied, e.protected = true, true
	}
	return list
}
