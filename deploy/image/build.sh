#!/usr/bin/env bash
# Builds the image without a container engine: deploy/image/build.sh <archive.tar>
#
# It needs Debian 12, npm ci and npm run build:web. The archive has the OCI format, which podman load and docker load
# read.
set -euo pipefail
cd "$(dirname "$0")/../.."
. deploy/checks/debian.sh
PATH=$PWD/node_modules/.bin:$PATH
archive=${1:?Usage: deploy/image/build.sh <archive.tar>}
need buildah buildah strip binutils

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
deploy/image/root.sh "$folder/root"

buildah() { command buildah --storage-driver vfs --root "$folder/storage" --runroot "$folder/run" "$@"; }
version=$(node -p 'require("./package.json").version')
# Takes the flags and variables that bin/purser prints, but not its paths, which are those of this machine. The root
# file system of a container is read-only, so it has no cache of compiled code.
mapfile -t words < <(bin/purser --print)
entry='["/usr/bin/node"' variables=()
for word in "${words[@]}"; do
  case $word in
    NODE_COMPILE_CACHE=*) ;;
    [A-Z]*=*) variables+=(--env "$word") ;;
    -*) entry+=", \"$word\"" ;;
  esac
done
entry+=', "/app/server/dist/main.js"]'

container=$(buildah from scratch)
buildah copy -q "$container" "$folder/root" / >/dev/null
buildah config --entrypoint "$entry" --user 65534:65534 --workingdir /app --env HOST=0.0.0.0 "${variables[@]}" \
  --port 8080 --label org.opencontainers.image.title=Purser --label "org.opencontainers.image.version=$version" \
  --label org.opencontainers.image.licenses=Apache-2.0 "$container"
image=$(buildah commit -q "$container" "purser:$version")
rm -f "$archive"
buildah push -q "$image" "oci-archive:$archive:purser:$version"
