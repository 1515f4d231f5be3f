#!/usr/bin/env bash
# Assembles the root file system of the image in a folder: Node.js, the C libraries that it needs, and Purser.
# It needs Debian, npm ci and npm run build:web. The Dockerfile and build.sh both call it.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=${1:?Usage: deploy/image/root.sh <folder>}
mkdir -p "$root"/{app,etc,tmp,usr/bin}
chmod 1777 "$root/tmp"

# The bundle holds everything but the pages and the native module for secp256k1. Some platforms have no build of that
# module.
node server/build.ts
curve=node_modules/secp256k1 finder=node_modules/node-gyp-build
cp --parents -r -t "$root/app" LICENSE package.json server/package.json server/dist web/dist \
  $curve/{LICENSE,package.json,bindings.js,lib} $finder/{LICENSE,package.json,index.js,node-gyp-build.js}
prebuilt=$curve/prebuilds/linux-$(node -p process.arch)
[ ! -d "$prebuilt" ] || cp --parents -r -t "$root/app" "$prebuilt"

# Without its symbols, Node.js is a fifth smaller.
node=$(readlink -f node_modules/.bin/node)
strip -o "$root/usr/bin/node" "$node"

# Copies the libraries that Node.js and the native packages need, from Debian's own packages.
debs=$(mktemp -d)
trap 'rm -rf "$debs"' EXIT
(cd "$debs" && apt-get download -q libatomic1 libc6 libgcc-s1 libstdc++6 >/dev/null && mkdir x && for deb in *.deb; do dpkg -x "$deb" x; done)
{
  echo 'libnss_dns.so.2 libnss_files.so.2 libresolv.so.2'
  find "$root/app" -name '*.node' -exec ldd "$node" {} + | awk '$2 == "=>" && $3 ~ /^\// { print $1 }'
} | tr ' ' '\n' | sort -u | while read -r name; do
  file=$(find "$debs/x" -name "$name" | head -n 1)
  [ -z "$file" ] || install -D "$(readlink -f "$file")" "$root/lib/${name}"
done
loader=$(find "$debs/x" -name 'ld-linux-*' | head -n 1)
case $(uname -m) in
  x86_64) install -D "$(readlink -f "$loader")" "$root/lib64/${loader##*/}" ;;
  *) install -D "$(readlink -f "$loader")" "$root/lib/${loader##*/}" ;;
esac
mkdir -p "$root/usr/share/doc"
cp "$debs/x/usr/share/doc/libc6/copyright" "$root/usr/share/doc/libc6"
cp "$debs/x/usr/share/doc/libgcc-s1/copyright" "$root/usr/share/doc/libgcc-s1" 2>/dev/null || true

echo 'nobody:x:65534:65534:nobody:/:/nonexistent' >"$root/etc/passwd"
echo 'nogroup:x:65534:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
chmod -R a+rX,go-w "$root/app" "$root/etc" "$root/usr" "$root/lib"
