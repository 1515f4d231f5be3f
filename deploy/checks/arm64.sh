#!/usr/bin/env bash
# Starts Purser for Linux arm64 on an x64 machine: Node.js and PostgreSQL from npm under qemu-user, then the example.
# It needs root, because the kernel must learn how to start programs for arm64.
set -euo pipefail
cd "$(dirname "$0")/../.."
. deploy/checks/debian.sh
PATH=$PWD/node_modules/.bin:$PATH
[ "$(id -u)" = 0 ] || exec sudo -E env "PATH=$PATH" "$0" "$@"

sysroot=/usr/aarch64-linux-gnu
need qemu-aarch64-static qemu-user-static $sysroot/lib/libc.so.6 libc6-arm64-cross curl curl \
  $sysroot/lib/libstdc++.so.6 libstdc++6-arm64-cross $sysroot/lib/libatomic.so.1 libatomic1-arm64-cross

binfmt=/proc/sys/fs/binfmt_misc
[ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt
if [ ! -e $binfmt/qemu-aarch64 ]; then
  # The header of an ELF program for arm64, and the mask of its significant bytes. F: for all mount namespaces.
  header='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf ':qemu-aarch64:M::%s:%s:/usr/bin/qemu-aarch64-static:OCF' "$header" "$mask" >$binfmt/register
fi

folder=$(mktemp -d)
service=
finish() {
  if [ -n "$service" ] && kill "$service" 2>/dev/null; then wait "$service" || true; fi
  rm -rf "$folder"
}
trap finish EXIT

git ls-files -z | tar c --null --files-from=- | tar x -C "$folder"
[ ! -d web/dist ] || cp -R web/dist "$folder/web/dist"
# Without this, qemu does not find the loader of arm64, and install scripts fail. npm drops optional packages then.
export QEMU_LD_PREFIX=$sysroot
(cd "$folder" && npm ci --cpu=arm64 --os=linux --omit=dev --no-progress)

port=$(free_port)
PORT=$port DATA_DIR=$folder/data LOG_LEVEL=fatal "$folder/bin/purser" >"$folder/banner" 2>&1 &
service=$!
if ! wait_for "http://localhost:$port/health/ready" 600 $service; then
  cat "$folder/banner"
  echo "Purser for Linux arm64 was not ready within 600 s." >&2
  exit 1
fi
grep -F 'simulated: there is no Anvil for linux-arm64' "$folder/banner"
BASE_URL=http://localhost:$port timeout 300 node examples/first-card.ts | grep -A 2 'Corner Shop'
echo "Purser runs on Linux arm64: node $("$folder/node_modules/.bin/node" --version)."
