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

# binary NAME MODULE [VERSION_VARIABLE]: builds the main package in NAME/, named after the version of MODULE in
# NAME/go.mod. Some programs say their version only if it is set at link time.
binary() {
  local name=$1 module=$2 variable=${3:-} v target flags
  v=$(version "$here/$name" "$module")
  target=$out/$name-$v
  if [ -x "$target" ]; then
    echo "bench: $target is there"
    return
  fi
  echo "bench: building $target"
  SECONDS=0
  # Built beside its place and moved: a build that is interrupted leaves nothing that looks finished.
  flags="-s -w${variable:+ -X $variable=$v}"
  (cd "$here/$name" && go build -trimpath -ldflags "$flags" -o "$target.part" .)
  mv "$target.part" "$target"
  echo "bench: built $target in ${SECONDS} s"
}

binary etcd go.etcd.io/etcd/server/v3
binary kube-apiserver k8s.io/kubernetes k8s.io/component-base/version.gitVersion
# The managers of Cluster API and CAPMOX are further lines like these: a directory with a main package and a
# go.mod that pins the module, because each of them needs a dependency graph of its own.

# The manifests of the providers (CRDs with their contract labels, webhooks, Deployments), as kustomize renders
# them from the providers' own modules.
(cd "$here/.." && go run ./bench/providers -out "$out")
