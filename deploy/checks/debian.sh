# Sourced by the checks. Installs Debian packages whose programs are missing: need <program> <package> …
need() {
  local missing=()
  while [ $# -gt 0 ]; do
    command -v "$1" >/dev/null || [ -e "$1" ] || missing+=("$2")
    shift 2
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root
  as_root=$([ "$(id -u)" = 0 ] || echo sudo)
  $as_root apt-get update -q >/dev/null
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -o DPkg::Lock::Timeout=300 -yq --no-install-recommends "${missing[@]}" >/dev/null
}

# Returns a port that is free now.
free_port() {
  node -e 'const s=require("node:net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'
}

# Waits until a URL responds: wait_for <url> <seconds> <pid>. Fails when the process has ended.
wait_for() {
  local until=$((SECONDS + $2))
  until curl -sf "$1" >/dev/null; do
    kill -0 "$3" 2>/dev/null || return 1
    [ $SECONDS -lt $until ] || return 1
    sleep 0.2
  done
}
