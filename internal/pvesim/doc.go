// Package pvesim is a Proxmox VE API server on loopback: the parts of the
// REST API that an inventory tool calls, answered the way Proxmox VE 7, 8 and 9
// answer them, for tests, demonstrations and trying the program out without a
// cluster.
//
// # What is simulated
//
// The HTTP layer (reason phrases, which net/http cannot send; keep-alive; gzip;
// doubled Connection headers; the 401 that takes three seconds; 595 with an
// empty body), authentication by API token, the permission engine (users,
// groups, roles, privilege-separated tokens, pools, propagation, NoAccess),
// proxying between the nodes of a cluster, nodes that are off and whose guests'
// rows go stale and then unknown, the limited number of workers of a node, the
// parsing of guest configuration files (a line that does not validate vanishes)
// and the guest agent.
//
// # Where the behaviour comes from
//
// Proxmox VE 8 and 9 are pinned by recordings of the real REST stack
// (testdata/recordings), which a test replays request by request. Version 7
// follows the source of the stable-7 branches only; nothing of it was
// recorded. An endpoint that exists in Proxmox VE and is not simulated answers
// 501 "not implemented", as an unknown path does.
//
// # What it never does
//
// It listens on loopback only and, unless a test opts in, changes nothing through
// the API: POST, PUT and DELETE are recorded and refused. Tests change the fleet
// with [Server.Update].
//
// # Writes, when a test opts in
//
// With [Options.Writable] it carries out what a Cluster API provider sends, and no
// more: a VM's clone, config, resize, power actions and destruction, the upload
// and removal of ISO images, and a command in a guest, which is taken and not run.
// Rights, parameters, locks, protection and pending changes are those of
// qemu-server and pve-storage; the recorded writes are replayed too. Each write
// leaves a task of its token, and one that Proxmox VE finds wrong only inside the
// task fails there. It differs in time and in depth: a task has ended when its
// request is answered, guests shut down at once, the high-availability manager
// obeys at once, uploads are measured and thrown away, and checksums of uploads
// and the setting user-tag-access are not supported.
package pvesim
