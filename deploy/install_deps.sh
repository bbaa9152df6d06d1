#!/usr/bin/env bash
# Installs what building ascend-rtd needs and this Debian 12 machine lacks.
# Says what it installs; when all is there it does nothing and says so.
#
#   deploy/install_deps.sh            what builds and runs the product
#   deploy/install_deps.sh --tests    that and what only tests/run.sh uses
#   deploy/install_deps.sh --docker   instead, what tests/deploy/ uses
set -euo pipefail

packages=(
  build-essential cmake ninja-build pkg-config ccache
  libgrpc++-dev protobuf-compiler-grpc protobuf-compiler libprotobuf-dev
  libabsl-dev libgtest-dev libgmock-dev libbenchmark-dev
  libdnnl-dev libhwy-dev libspdlog-dev nlohmann-json3-dev
)
# The thread-safety analysis of preset clang-tsa; pgrep of tests/package.
test_packages=(clang procps)
docker_packages=(docker.io docker-compose debootstrap)

fail() {
  echo "install_deps: $*" >&2
  exit 1
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# is_provided PACKAGE: Docker's own packages serve too, and exclude Debian's.
is_provided() {
  case $1 in
    docker.io) is_installed docker-ce ;;
    docker-compose) is_installed docker-compose-plugin ;;
    *) false ;;
  esac
}

for argument in "$@"; do
  case $argument in
    --tests) packages+=("${test_packages[@]}") ;;
    --docker) packages=("${docker_packages[@]}") ;;
    *) fail "unknown argument '$argument'; known are --tests and --docker" ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  fail "apt-get is not on this machine: ascend-rtd is built from Debian 12's" \
    "packages; install these by hand: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || is_provided "$package" || missing+=("$package")
done

if ((${#missing[@]} == 0)); then
  echo "install_deps: all ${#packages[@]} packages are there, nothing to do"
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    fail "packages are missing (${missing[*]}) and installing them needs" \
      "root: run as root, or install sudo"
  as_root=(sudo)
fi

# apt ARGUMENT...: apt-get without questions; its output is shown on failure.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" \
    >"$log" 2>&1; then
    cat "$log" >&2
    fail "'apt-get $*' fails; its output is above"
  fi
}

echo "install_deps: installing ${missing[*]}"
apt update
apt install --yes --no-install-recommends "${missing[@]}"
echo "install_deps: installed ${#missing[@]} of ${#packages[@]} packages," \
  "the others were there"
