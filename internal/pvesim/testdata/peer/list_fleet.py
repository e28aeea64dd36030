"""Lists a Proxmox VE cluster with proxmoxer, a client that knows nothing of pvesim.

usage: list_fleet.py HOST PORT CA_FILE USER TOKEN_NAME   (the token's secret in PEER_SECRET)
Prints what it found as JSON.
"""
import json
import os
import sys

from proxmoxer import ProxmoxAPI
from proxmoxer.core import ResourceException

host, port, ca, user, token = sys.argv[1:]
api = ProxmoxAPI(host, port=int(port), user=user, token_name=token,
                 token_value=os.environ["PEER_SECRET"], verify_ssl=ca, timeout=30)

found = {"version": api.version.get()["version"], "nodes": {}, "resources": {}, "configs": {}, "refused": {}, "pools": {}}
for node in api.nodes.get():
    found["nodes"][node["node"]] = node["status"]
for row in api.cluster.resources.get(type="vm"):
    found["resources"][row["id"]] = row["status"]
    kind = api.nodes(row["node"]).qemu if row["type"] == "qemu" else api.nodes(row["node"]).lxc
    try:
        found["configs"][row["id"]] = kind(row["vmid"]).config.get(current=1)
    except ResourceException as e:
        found["refused"][row["id"]] = "%d %s" % (e.status_code, e.status_message)
for pool in api.pools.get():
    found["pools"][pool["poolid"]] = pool.get("comment", "")
found["nextid"] = api.cluster.nextid.get()
found["agent"] = api.nodes("pve1").qemu(107).agent("network-get-interfaces").get()
try:
    api.nodes("pve1").qemu(999).config.get()
except ResourceException as e:
    found["missing"] = "%d %s: %s" % (e.status_code, e.status_message, e.content)
json.dump(found, sys.stdout, sort_keys=True)
