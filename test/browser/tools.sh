#!/usr/bin/env bash
# Brings what the browser tests measure with into the cache outside the tree, by version: axe-core (accessibility rules) and the
# Nu Html Checker. The browser itself is Debian's chromium package, and the checker wants a Java runtime.
#
#   PROXAUDIT_BENCH_DIR   where they go (default: ${XDG_CACHE_HOME:-$HOME/.cache}/proxaudit-bench)
set -euo pipefail
out=${PROXAUDIT_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/proxaudit-bench}
mkdir -p "$out"
out=$(cd "$out" && pwd)

for program in chromium java npm; do
  command -v "$program" >/dev/null || {
    echo "browser tests: there is no $program: apt-get install --no-install-recommends chromium default-jre-headless npm" >&2
    exit 1
  }
done

# bring PACKAGE VERSION SHA256 FILE TARGET: one file of an npm package, which has to be the one that was looked at.
bring() {
  local package=$1 version=$2 sum=$3 file=$4 target=$out/$5 dir
  if [ -f "$target" ]; then
    echo "browser: $target is there"
    return
  fi
  dir=$(mktemp -d)
  (cd "$dir" && npm pack --silent "$package@$version" >/dev/null && tar -xzf ./*.tgz "package/$file")
  echo "$sum  $dir/package/$file" | sha256sum --check --quiet || { echo "browser tests: $package $version is not what it was" >&2; exit 1; }
  mv "$dir/package/$file" "$target.part"
  mv "$target.part" "$target"
  rm -rf "$dir"
  echo "browser: brought $target"
}

bring axe-core 4.14.1 29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c axe.min.js axe-core-4.14.1.js
bring vnu-jar 26.9.27 22f15dd39a33bed929d2a5c0cddf5946849a647eca9272bf4d5d00bc7e7a4d47 build/dist/vnu.jar vnu-26.9.27.jar
