#!/usr/bin/env bash
# Runs deploy/docker/docker-compose.yml on a Debian 12 machine that reaches its
# apt mirror but no image registry: starts a Docker daemon of its own, makes the
# base image by debootstrap, builds both images, and passes when both clients
# and, on SIGTERM, the daemon end with code 0. Everything it started or wrote is
# gone afterwards; the packages stay.
#
# Needs root and 15 GiB in TMPDIR (default /var/tmp), since the vfs storage
# driver, which works on every file system, copies each layer.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly suite=bookworm
readonly base_image=debian:bookworm-slim  # as the Dockerfile names it
readonly dockerd_ready_seconds=60
readonly clients_seconds=300

# Debian's own docker and python3, whatever else is installed.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  echo "compose_airgapped: $*" >&2
  exit 1
}

say() {
  printf '\ncompose_airgapped: %s (%d s)\n' "$*" "$SECONDS"
}

((EUID == 0)) || fail "it starts a Docker daemon and so needs root; use sudo"

work=$(mktemp -d -p "${TMPDIR:-/var/tmp}" ascend-rtd-docker.XXXXXX)
readonly work
export DOCKER_HOST=unix://$work/docker.sock
export DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=0  # no plug-in, no download
export COMPOSE_PROJECT_NAME=ascend-rtd-test
dockerd=""

compose() {
  docker-compose --file deploy/docker/docker-compose.yml --ansi never "$@" 2>&1
}

cleanup() {
  local code=$?
  if [[ -n $dockerd ]]; then
    compose down --volumes --timeout 5 >/dev/null || true
    kill -TERM "$dockerd" 2>/dev/null || true
    wait "$dockerd" 2>/dev/null || true
    local mount  # dockerd leaves its network namespace mounted
    while read -r _ mount _; do
      [[ $mount != "$work"/* ]] || umount "$mount"
    done </proc/mounts
  fi
  rm -rf --one-file-system "$work" ||
    echo "compose_airgapped: $work could not be removed" >&2
  exit "$code"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# No bridge and no packet filter: the containers have no network, and the build
# uses the host's, so neither needs rights that a sandbox may lack.
start_dockerd() {
  setsid dockerd --storage-driver=vfs --data-root "$work/data" \
    --exec-root "$work/exec" --pidfile "$work/dockerd.pid" \
    --host "$DOCKER_HOST" --bridge=none --iptables=false \
    >"$work/dockerd.log" 2>&1 &
  dockerd=$!
  local deadline=$((SECONDS + dockerd_ready_seconds))
  until docker version >/dev/null 2>&1; do
    if ! kill -0 "$dockerd" 2>/dev/null || ((SECONDS >= deadline)); then
      tail -n 20 "$work/dockerd.log" >&2
      fail "dockerd does not start; its last lines are above"
    fi
    sleep 0.1
  done
}

# debian_sources: "URI RELEASE COMPONENT" for each Debian source of this
# machine's apt, in whichever format they are written.
debian_sources() {
  # shellcheck disable=SC2016  # apt-get expands these, not the shell
  apt-get indextargets \
    --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Identifier: Packages' |
    awk -v suite="$suite" '$1 == "Debian" && index($3, suite) == 1 {
      print $2, $3, $4 }' | sort -u
}

# Settings of dpkg in the base image: no documentation, as in the image of the
# same name, and no waiting for the disk in an image that is thrown away.
readonly dpkg_settings="path-exclude /usr/share/doc/*
path-exclude /usr/share/man/*
path-exclude /usr/share/locale/*
force-unsafe-io"

# The base image reaches packages the way this machine does: mirror, proxy.
make_base_image() {
  local root=$work/root mirror
  debian_sources >"$work/sources"
  mirror=$(awk -v suite="$suite" '$2 == suite && $3 == "main" {
    print $1; exit }' "$work/sources")
  [[ -n $mirror ]] ||
    fail "apt on this machine knows no Debian mirror of $suite; add one and" \
      "run apt-get update"
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" \
    "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2; fail "debootstrap fails"; }
  sed 's/^/deb /' "$work/sources" >"$root/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::.*(Proxy|Check-Valid-Until)' \
    >"$root/etc/apt/apt.conf.d/90host" || true
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null ||
    true
  printf '%s\n' "$dpkg_settings" >"$root/etc/dpkg/dpkg.cfg.d/90image"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* \
    "$root"/usr/share/{doc,man,locale}/*
  tar -C "$root" -c . | docker import - "$base_image" >/dev/null
  rm -rf --one-file-system "$root"
}

build_images() {
  local arguments=() name
  for name in http_proxy https_proxy no_proxy; do
    [[ -z ${!name:-} ]] || arguments+=(--build-arg "$name")
  done
  compose build "${arguments[@]}" >"$work/build.log" ||
    { tail -n 60 "$work/build.log" >&2; fail "the images do not build"; }
}

# exit_code SERVICE: waits for the service's container to end.
exit_code() {
  local container
  container=$(docker-compose --file deploy/docker/docker-compose.yml \
    ps --quiet "$1")
  timeout "$clients_seconds" docker wait "$container"
}

run_round() {
  local service code failed=""
  compose up --detach >"$work/up.log" ||
    { cat "$work/up.log" >&2; compose logs daemon >&2
      fail "the services do not start"; }
  for service in client-a client-b; do
    code=$(exit_code "$service") || code="none within $clients_seconds s"
    [[ $code == 0 ]] || failed+=" $service (code $code)"
  done
  compose stop --timeout 20 daemon >/dev/null
  code=$(exit_code daemon)
  [[ $code == 0 ]] || failed+=" daemon (code $code)"
  compose logs client-a client-b
  if [[ -n $failed ]]; then
    compose logs daemon >&2
    fail "not every container ends with code 0:$failed"
  fi
}

deploy/install_deps.sh --docker
start_dockerd
say "dockerd runs; making the base image by debootstrap"
make_base_image
say "building the images"
build_images
say "starting one daemon and two clients"
run_round
say "both clients and the daemon end with code 0"
