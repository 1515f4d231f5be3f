#!/usr/bin/env bash
# Installs the server of a release as a person does, in an empty folder, and starts it. Then it runs the example.
# Run:  deploy/checks/server.sh dist/release-…/purser-server-….tar.gz
set -euo pipefail
archive=$(readlink -f "${1:?Usage: deploy/checks/server.sh <archive.tar.gz>}")
cd "$(dirname "$0")/../.."
. deploy/checks/debian.sh
PATH=$PWD/node_modules/.bin:$PATH
need curl curl

folder=$(mktemp -d)
service=
finish() {
  if [ -n "$service" ] && kill "$service" 2>/dev/null; then wait "$service" || true; fi
  rm -rf "$folder"
}
trap finish EXIT

mkdir "$folder/purser"
tar xf "$archive" --strip-components 1 -C "$folder/purser"
(cd "$folder/purser" && npm ci --omit=dev --prefer-offline --no-progress)

port=$(free_port)
PORT=$port DATA_DIR=$folder/data LOG_LEVEL=error "$folder/purser/bin/purser" >"$folder/log" 2>&1 &
service=$!
if ! wait_for "http://localhost:$port/health/ready" 120 $service; then
  cat "$folder/log"
  echo "The server of the release was not ready within 120 s." >&2
  exit 1
fi
# The archive has the bundle and the pages. Nothing was built here.
tr '\0' '\n' <"/proc/$service/cmdline" | grep -Fx "$folder/purser/server/dist/main.js" >/dev/null
for page in /docs/ /openapi.json /app/ /console/; do curl -sfL -o /dev/null "http://localhost:$port$page"; done
BASE_URL=http://localhost:$port timeout 120 node examples/first-card.ts | grep -A 2 'Corner Shop'
kill $service
wait $service || { echo "The server of the release did not shut down cleanly." >&2; exit 1; }
service=
echo "The server of the release starts from ${archive##*/} and runs the example."
