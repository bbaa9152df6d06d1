#!/usr/bin/env bash
# Runs deploy/docker/docker-compose.yml on a Debian 12 machine that reaches its
# apt mirror but no image registry: builds both images, runs one daemon and two
# clients, and passes when all three containers end with code 0. A Docker daemon
# that answers is used; else this script starts one. Likewise the base image:
# the one that is there, else one made by debootstrap. What the script started
# or made is gone afterwards; the Debian packages stay.
#
# Needs root unless Docker and the base image are there.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly suite=bookworm
readonly base_image=debian:bookworm-slim  # as the Dockerfile names it
readonly compose_file=deploy/docker/docker-compose.yml
readonly dockerd_ready_seconds=60
readonly clients_seconds=300
readonly stop_seconds=20

# Debian's own docker and python3, whatever else is installed.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# No build plug-in: Debian has none, and there is nowhere to download it from.
export DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=1
# Names of this run alone, for the Docker daemon may have other users.
export ASCEND_RTD_TAG=compose-test-$$
export COMPOSE_PROJECT_NAME=ascend-rtd-$ASCEND_RTD_TAG
readonly build_image=ascend-rtd-build:$ASCEND_RTD_TAG

work=$(mktemp -d -p "${TMPDIR:-/var/tmp}" ascend-rtd-docker.XXXXXX)
readonly work
dockerd=""
made_images=()
composed=false

fail() {
  echo "compose_airgapped: $*" >&2
  exit 1
}

say() {
  printf 'compose_airgapped: %4d s: %s\n' "$SECONDS" "$*"
}

# quietly WHAT COMMAND...: the command's output is shown if it fails.
quietly() {
  local what=$1
  shift
  if ! "$@" >"$work/log" 2>&1; then
    tail -n 60 "$work/log" >&2
    fail "$what fails; its last lines are above"
  fi
}

require_root() {
  ((EUID == 0)) || fail "$1 needs root; use sudo"
}

compose() {
  local command=(docker-compose)
  command -v docker-compose >/dev/null || command=(docker compose)
  "${command[@]}" --file "$compose_file" "$@"
}

docker_answers() {
  timeout 10 docker version >/dev/null 2>&1
}

# stop_dockerd: the one that this script started, and what it leaves behind.
stop_dockerd() {
  [[ -n $dockerd ]] || return 0
  kill -TERM "$dockerd" 2>/dev/null || true
  wait "$dockerd" 2>/dev/null || true
  dockerd=""
  local mount  # its network namespace, for one, stays mounted
  while read -r _ mount _; do
    [[ $mount != "$work"/* ]] || umount "$mount"
  done < <(tac /proc/mounts)
  rm -rf --one-file-system "$work"/{data,exec}
}

cleanup() {
  local code=$? i
  set +e
  trap '' INT TERM
  if $composed; then
    compose down --volumes --timeout 5 >/dev/null 2>&1
  fi
  # With their untagged parents; the base last, for the others stand on it.
  for ((i = ${#made_images[@]} - 1; i >= 0; --i)); do
    docker rmi --force "${made_images[$i]}" >/dev/null 2>&1
  done
  stop_dockerd
  rm -rf --one-file-system "$work" ||
    echo "compose_airgapped: $work could not be removed" >&2
  exit "$code"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

dockerd_answers_or_ended() {
  docker_answers || ! kill -0 "$dockerd" 2>/dev/null
}

# start_dockerd DRIVER: false if no daemon answers. It has no bridge and no
# packet filter, which need rights that a sandbox may lack: no container of this
# composition has a network, and the build uses the host's.
start_dockerd() {
  setsid dockerd --storage-driver="$1" --data-root "$work/data" \
    --exec-root "$work/exec" --pidfile "$work/dockerd.pid" \
    --host "$DOCKER_HOST" --bridge=none --iptables=false \
    >"$work/dockerd.log" 2>&1 &
  dockerd=$!
  local deadline=$((SECONDS + dockerd_ready_seconds))
  until dockerd_answers_or_ended; do
    ((SECONDS < deadline)) || break
    sleep 0.1
  done
  docker_answers
}

# Takes the Docker daemon that answers, or starts one. overlay2 shares what
# layers have in common but not every file system and kernel carries it; vfs
# works everywhere, and copies.
ensure_dockerd() {
  local driver
  if docker_answers; then
    say "using the Docker daemon that answers"
    return
  fi
  require_root "starting a Docker daemon"
  export DOCKER_HOST=unix://$work/docker.sock
  for driver in overlay2 vfs; do
    if start_dockerd "$driver"; then
      say "started a Docker daemon of its own, storage driver $driver"
      return
    fi
    stop_dockerd
  done
  tail -n 20 "$work/dockerd.log" >&2
  fail "dockerd does not start; its last lines are above"
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

# give_apt_of_host ROOT: the image reaches packages the way this machine does:
# sources, proxy, how strictly dates are checked, certificates.
give_apt_of_host() {
  sed 's/^/deb /' "$work/sources" >"$1/etc/apt/sources.list"
  apt-config dump |
    grep -E '^Acquire::(.*Proxy|Check-Valid-Until|Check-Date)' \
      >"$1/etc/apt/apt.conf.d/90host" || true
  cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/" 2>/dev/null || true
}

# Settings of dpkg in the base image, there before its first package: no
# documentation, as in the image of the same name, and no waiting for the disk
# in an image that is thrown away.
readonly dpkg_settings="path-exclude /usr/share/doc/*
path-exclude /usr/share/man/*
path-exclude /usr/share/locale/*
force-unsafe-io"

make_base_image() {
  local root=$work/root mirror
  require_root "debootstrap"
  debian_sources >"$work/sources"
  mirror=$(awk -v suite="$suite" '$2 == suite && $3 == "main" {
    print $1; exit }' "$work/sources")
  [[ -n $mirror ]] ||
    fail "apt on this machine knows no Debian mirror of $suite; add one and" \
      "run apt-get update"
  mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
  printf '%s\n' "$dpkg_settings" >"$root/etc/dpkg/dpkg.cfg.d/90image"
  quietly debootstrap debootstrap --variant=minbase \
    --include=ca-certificates "$suite" "$root" "$mirror"
  give_apt_of_host "$root"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* \
    "$root"/usr/share/{doc,man,locale}/*
  made_images+=("$base_image")
  tar -C "$root" -c . | docker import - "$base_image" >/dev/null
  rm -rf --one-file-system "$root"
}

ensure_base_image() {
  if docker image inspect "$base_image" >/dev/null 2>&1; then
    say "using the image $base_image that is there"
  else
    say "making $base_image by debootstrap"
    make_base_image
  fi
}

# The build stage gets a name of its own only to be removable afterwards.
build_images() {
  local arguments=() name
  for name in http_proxy https_proxy no_proxy; do
    [[ -z ${!name:-} ]] || arguments+=(--build-arg "$name=${!name}")
  done
  made_images+=("$build_image")
  say "building the programs from source in an image"
  quietly "the build stage" docker build --network host --force-rm \
    "${arguments[@]}" --file deploy/docker/Dockerfile --target build \
    --tag "$build_image" .
  made_images+=("ascend-rtd:$ASCEND_RTD_TAG"
    "ascend-rtd-client:$ASCEND_RTD_TAG")
  say "building the images of daemon and client"
  quietly "docker-compose build" compose build "${arguments[@]}"
}

container_of() {
  compose ps --all --quiet "$1"
}

# exit_code SERVICE: waits for the service's container to end.
exit_code() {
  timeout "$clients_seconds" docker wait "$(container_of "$1")" ||
    echo "none within $clients_seconds s"
}

run_round() {
  local service code failed=""
  composed=true
  if ! compose up --detach --no-build >"$work/up.log" 2>&1; then
    cat "$work/up.log" >&2
    docker logs "$(container_of daemon)" >&2
    fail "the services do not start; the daemon's log is above"
  fi
  for service in client-a client-b; do
    code=$(exit_code "$service")
    [[ $code == 0 ]] || failed+=" $service ($code)"
    docker logs "$(container_of "$service")" 2>&1 | sed "s/^/$service: /"
  done
  compose stop --timeout "$stop_seconds" daemon >/dev/null 2>&1
  code=$(exit_code daemon)
  [[ $code == 0 ]] || failed+=" daemon ($code)"
  if [[ -n $failed ]]; then
    docker logs "$(container_of daemon)" >&2
    fail "the daemon's log is above; these end with another code than 0:$failed"
  fi
}

deploy/install_deps.sh --docker
ensure_dockerd
ensure_base_image
build_images
say "starting one daemon and two clients"
run_round
say "both clients and the daemon end with code 0; cleaning up"
