#!/usr/bin/env bash
# Builds what the end-to-end tests start: real servers, from their Go modules, into a cache outside the tree.
# Every file is named with its version, and what is there is not built again.
#
#   PROXAUDIT_BENCH_DIR   where the results go (default: ${XDG_CACHE_HOME:-$HOME/.cache}/proxaudit-bench)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${PROXAUDIT_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/proxaudit-bench}
mkdir -p "$out"
out=$(cd "$out" && pwd)

# A version that the proxy does not serve must fail at once, with its name, instead of trying a git host.
GOPROXY=$(go env GOPROXY | sed -E 's/[,|]direct$//')
export GOPROXY GOWORK=off

# version MODULE_DIR MODULE: the version that the go.mod in MODULE_DIR asks for.
version() { (cd "$1" && go list -m -f '{{.Version}}' "$2"); }

# build DIR NAME MODULE PACKAGE [VARIABLE]: builds a main package in the module DIR/ as NAME, with the version of MODULE
# in DIR/go.mod behind its name. Some programs say their version only if it is set at link time.
build() {
  local dir=$here/$1 name=$2 module=$3 package=$4 variable=${5:-} v target flags
  v=$(version "$dir" "$module")
  target=$out/$name-$v
  if [ -x "$target" ]; then
    echo "bench: $target is there"
    return
  fi
  echo "bench: building $target"
  SECONDS=0
  # Built beside its place and moved: a build that is interrupted leaves nothing that looks finished.
  flags="-s -w${variable:+ -X $variable=$v}"
  (cd "$dir" && go build -trimpath -ldflags "$flags" -o "$target.part" "$package")
  mv "$target.part" "$target"
  echo "bench: built $target in ${SECONDS} s"
}

# Each directory has a go.mod of its own, because each of these needs a dependency graph of its own. Where upstream's
# main package can be built as it is, the go.mod names it with a tool line and there is no code.
build etcd etcd go.etcd.io/etcd/server/v3 .
build kube-apiserver kube-apiserver k8s.io/kubernetes . k8s.io/component-base/version.gitVersion
build kubectl kubectl k8s.io/kubernetes k8s.io/kubernetes/cmd/kubectl k8s.io/component-base/version.gitVersion

capi=sigs.k8s.io/cluster-api
build cluster-api capi-core $capi $capi/core $capi/version.gitVersion
build cluster-api capi-kubeadm-bootstrap $capi $capi/bootstrap/kubeadm $capi/version.gitVersion
build cluster-api capi-kubeadm-control-plane $capi $capi/controlplane/kubeadm $capi/version.gitVersion
build cluster-api clusterctl $capi $capi/cmd/clusterctl $capi/version.gitVersion

capmox=github.com/ionos-cloud/cluster-api-provider-proxmox
build capmox capmox $capmox $capmox/cmd

ipam=sigs.k8s.io/cluster-api-ipam-provider-in-cluster
build ipam ipam $ipam $ipam

# The manifests of the providers (CRDs with their contract labels, webhooks, Deployments), as kustomize renders
# them from the providers' own modules.
(cd "$here/.." && go run ./bench/providers -out "$out")
