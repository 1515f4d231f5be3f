#!/usr/bin/env bash
# Verifies the units of systemd, and that the exposure of each service is at most 2.0.
set -euo pipefail
cd "$(dirname "$0")/../.."
. deploy/checks/debian.sh
need systemd-analyze systemd

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The units name the folder of an installation. Here it is this repository, so the check finds the programs.
for unit in deploy/systemd/*.{service,timer}; do sed "s#/opt/purser#$PWD#g" "$unit" >"$folder/${unit##*/}"; done
mv "$folder/purser-api@.service" "$folder/purser-api@9101.service"
problems=$(SYSTEMD_UNIT_PATH=$folder: systemd-analyze verify --man=no "$folder"/*.{service,timer} 2>&1 | grep -F purser || true)
if [ -n "$problems" ]; then
  printf '%s\n' "$problems" >&2
  exit 1
fi
for unit in "$folder"/*.service; do
  systemd-analyze security --offline=true --threshold=20 "$unit" | tail -n 1
done
