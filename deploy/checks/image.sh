#!/usr/bin/env bash
# Builds the image and starts it as a container engine would: as uid 65534, with a read-only root, beside a PostgreSQL.
# Then it runs the example. It needs root, for the mounts, but no container engine. IMAGE may name an archive of build.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
. deploy/checks/debian.sh
PATH=$PWD/node_modules/.bin:$PATH
[ "$(id -u)" = 0 ] || exec sudo -E env "PATH=$PATH" "$0" "$@"
need curl curl openssl openssl promtool prometheus
max_bytes=150000000

folder=$(mktemp -d)
service='' postgres=''
finish() {
  for pid in $service $postgres; do
    if kill "$pid" 2>/dev/null; then wait "$pid" || true; fi
  done
  rm -rf "$folder"
}
trap finish EXIT

if [ -n "${IMAGE:-}" ]; then cp "$IMAGE" "$folder/image.tar"; else deploy/image/build.sh "$folder/image.tar"; fi
mkdir -p "$folder/oci" "$folder/root"
tar xf "$folder/image.tar" -C "$folder/oci"
# Prints a value of the image's manifest or configuration.
read_image() {
  node -e '
    const read = (digest) => JSON.parse(require("node:fs").readFileSync(`${process.argv[1]}/blobs/${digest.replace(":", "/")}`))
    const manifest = read(JSON.parse(require("node:fs").readFileSync(`${process.argv[1]}/index.json`)).manifests[0].digest)
    const { config } = read(manifest.config.digest)
    const file = ({ digest }) => `blobs/${digest.replace(":", "/")}`
    const values = { layers: manifest.layers.map(file), entry: config.Entrypoint, env: config.Env, user: [config.User] }
    console.log(values[process.argv[2]].join("\n"))' "$folder/oci" "$1"
}
bytes=0
for layer in $(read_image layers); do
  bytes=$((bytes + $(gzip -dc "$folder/oci/$layer" | wc -c)))
  tar xzf "$folder/oci/$layer" -C "$folder/root"
done
echo "Size of the image: $((bytes / 1000000)) MB, or $(($(stat -c %s "$folder/image.tar") / 1000000)) MB compressed."
if [ $bytes -gt $max_bytes ]; then
  echo "The image exceeds $((max_bytes / 1000000)) MB." >&2
  exit 1
fi
for absent in bin/sh bin/bash usr/bin/npm; do
  if [ -e "$folder/root/$absent" ]; then
    echo "The image contains $absent." >&2
    exit 1
  fi
done

database=$(free_port)
mkfifo "$folder/ready"
node deploy/checks/postgres.ts "$database" >"$folder/ready" &
postgres=$!
read -r _ <"$folder/ready"

port=$(free_port)
mkdir -p "$folder/root"/{dev,proc}
touch "$folder/root/etc/hosts"
password=$(openssl rand -hex 16)
mapfile -t entry < <(read_image entry)
mapfile -t env < <(read_image env)
env+=("PORT=$port" "SANDBOX_PASSWORD=$password" "DATABASE_URL=postgres://purser@127.0.0.1:$database/purser" LOG_LEVEL=warn HOST=127.0.0.1
  "BASE_URL=http://localhost:$port")
# The mounts exist only in a mount namespace of their own. As in an engine, they add /dev, /proc, /tmp and /etc/hosts.
# shellcheck disable=SC2016
unshare --mount sh -c '
  root=$1; shift
  mount --bind "$root" "$root" && mount -o remount,bind,ro "$root"
  mount --bind /dev "$root/dev" && mount --bind /proc "$root/proc"
  mount --bind /etc/hosts "$root/etc/hosts" && mount -t tmpfs tmpfs "$root/tmp"
  exec env -i "$@"' sh "$folder/root" "${env[@]}" \
  /usr/sbin/chroot --userspec="$(read_image user)" "$folder/root" "${entry[@]}" >"$folder/log" 2>&1 &
service=$!
if ! wait_for "http://localhost:$port/health/ready" 120 $service; then
  cat "$folder/log"
  echo "The image was not ready within 120 s." >&2
  exit 1
fi
grep -E '^(Uid|Gid|CapEff|NoNewPrivs)' "/proc/$service/status" | tr '\n' ' '
if [ "$(stat -c %u "/proc/$service")" != 65534 ]; then
  echo "The service does not run as uid 65534." >&2
  exit 1
fi
# promtool rejects the names of the metrics of Node.js itself.
curl -sf "http://localhost:$port/metrics" | grep -v nodejs_ | promtool check metrics
for page in /docs/ /openapi.json /operator/openapi.json /app/ /console/; do curl -sfL -o /dev/null "http://localhost:$port$page"; done
export BASE_URL=http://localhost:$port SANDBOX_PASSWORD=$password
timeout 120 node examples/first-card.ts | grep -A 2 'Corner Shop'

# The commands of the migration job and of the check of the books run in the same image.
for command in 'database.js migrate' reconcile.js; do
  # shellcheck disable=SC2086
  env -i "${env[@]}" /usr/sbin/chroot --userspec=65534:65534 "$folder/root" /usr/bin/node /app/server/dist/$command
done
kill $service
wait $service || { echo "The service did not shut down cleanly." >&2; exit 1; }
service=
echo 'The image starts as uid 65534 with a read-only root, without a shell, and runs the example.'
