#!/usr/bin/env bash
# demo.sh BIN [ARGS...]: starts the simulators with this folder's fleet and manifests, runs BIN/proxaudit against them over
# the network, and leaves nothing running. ARGS are a command and its flags; without any it is `orphans`.
set -euo pipefail
bin=$(cd "${1:?usage: demo.sh BIN [ARGS...]}" && pwd); shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
run=$(mktemp -d)
pids=()
stop() { for p in "${pids[@]}"; do kill "$p" 2>/dev/null && wait "$p" 2>/dev/null || true; done; rm -rf "$run"; }
trap stop EXIT

start() { # NAME COMMAND...: in the background, until its first line is there
  local name=$1; shift
  "$@" >"$run/$name.out" 2>"$run/$name.err" & pids+=($!)
  for _ in $(seq 100); do
    [ -s "$run/$name.out" ] && return
    kill -0 "${pids[-1]}" 2>/dev/null || break
    sleep 0.05
  done
  echo "demo: $name did not start:" >&2; cat "$run/$name.err" >&2; exit 1
}

start pvesim "$bin/pvesim" --fleet "$here/fleet.yaml" --ca-file "$run/ca.pem"
for c in mgmt apps home; do
  manifests=$here/$c; [ "$c" = mgmt ] && manifests=$here/management
  start "$c" "$bin/kubesim" --manifests "$manifests" --kubeconfig "$run/$c.kubeconfig" --context "$c" --tls
done

# What pvesim prints for a person: export PROXMOX_URL=… and so on. The secret opens nothing but the simulator.
eval "$(grep -E '^ +export PROXMOX_' "$run/pvesim.out")"
export PROXMOX_CA_FILE=$run/ca.pem
unset PROXMOX_FINGERPRINT PROXMOX_INSECURE PM_API_URL PM_API_TOKEN_ID PM_API_TOKEN_SECRET PROXAUDIT_CONFIG
export KUBECONFIG=$run/mgmt.kubeconfig:$run/apps.kubeconfig:$run/home.kubeconfig

# The clock stands still, so that the ages are the same whenever this runs.
[ $# -gt 0 ] || set -- orphans --exit-zero
command=$1; shift
"$bin/proxaudit" "$command" --config "$here/proxaudit.yaml" --now 2026-12-01T08:00:00Z "$@"
