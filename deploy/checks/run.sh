#!/usr/bin/env bash
# Checks the files in deploy/ with the programs that read them. npm run test:nightly runs check:image and check:arm64.
set -euo pipefail
cd "$(dirname "$0")/../.."
. deploy/checks/debian.sh
PATH=$PWD/node_modules/.bin:$PATH:/usr/sbin
need caddy caddy docker-compose docker-compose nginx nginx-light openssl openssl promtool prometheus systemd-analyze systemd \
  yamllint yamllint

step() { echo "== $1"; }

step 'YAML'
yamllint --strict -c deploy/checks/yamllint.yaml .github deploy

step 'Prometheus'
promtool check config --syntax-only deploy/compose/prometheus.yml
promtool check rules deploy/observability/alerts.yml deploy/observability/queries.yml
(cd deploy/observability && promtool test rules alerts.test.yml alerts-long.test.yml)

step 'Compose'
POSTGRES_PASSWORD=a SANDBOX_PASSWORD=b GRAFANA_PASSWORD=c docker-compose -f deploy/compose/compose.yaml config --quiet

step 'Kubernetes'
node deploy/checks/kubernetes.ts

step 'systemd'
deploy/checks/systemd.sh

step 'Caddy'
for file in deploy/proxy/Caddyfile deploy/compose/Caddyfile; do
  caddy validate --adapter caddyfile --config "$file" 2>&1 | grep -Fx 'Valid configuration' ||
    { caddy validate --adapter caddyfile --config "$file"; exit 1; }
done

step 'Dockerfile'
dockerfile-utils lint deploy/image/Dockerfile

step 'Release'
npm run -s release -- --dry-run --no-image

step 'nginx'
REQUIRE_DEPLOY=1 npm test -- test/deploy laws/deploy --maxWorkers=1
