#!/usr/bin/env bash
# Builds and tests ascend-rtd on a Debian 12 machine with root (or sudo) and
# apt: installs what is missing, then runs one stage after the other and stops
# at the first that fails. README.md in this directory lists the stages.
#
#   tests/run.sh                       every stage but Docker
#   tests/run.sh --all                 the Docker round too
#   tests/run.sh --preset asan         only that preset; may be repeated
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  echo "run.sh: $*; usage: tests/run.sh [--all] [--preset" \
    "release|asan|tsan|clang-tsa]..." >&2
  exit 2
}

presets=()
with_docker=false
while (($# > 0)); do
  case $1 in
    --all) with_docker=true ;;
    --preset)
      (($# > 1)) || usage "--preset lacks a name"
      case $2 in
        release | asan | tsan | clang-tsa) presets+=("$2") ;;
        *) usage "preset '$2' is unknown" ;;
      esac
      shift
      ;;
    *) usage "argument '$1' is unknown" ;;
  esac
  shift
done
((${#presets[@]} > 0)) || presets=(release asan tsan clang-tsa)

# Objects of another checkout or build directory are good for this one too.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
cores=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stages=()     # names of the finished stages
outcomes=()   # a duration for each of them
closing_line=""

summary() {
  printf '\n%-44s %8s\n' stage seconds
  local i
  for i in "${!stages[@]}"; do
    printf '%-44s %8d\n' "${stages[$i]}" "${outcomes[$i]}"
  done
  printf '%-44s %8d\n' "in all" "$SECONDS"
}

# stage NAME COMMAND...: runs one stage under a header; ends the script when
# the command fails.
stage() {
  local name=$1 start=$SECONDS
  shift
  printf '\n=== %s\n' "$name"
  if ! "$@"; then
    summary
    printf '\nrun.sh: stage "%s" fails after %d s\n' "$name" \
      "$((SECONDS - start))" >&2
    exit 1
  fi
  stages+=("$name")
  outcomes+=("$((SECONDS - start))")
  printf -- '--- %s: %d s\n' "$name" "$((SECONDS - start))"
}

build() {
  cmake --preset "$1" >"$work/configure" 2>&1 ||
    { cat "$work/configure" >&2; return 1; }
  cmake --build "build/$1" --parallel "$cores"
}

# The run-time of gcc 12's thread sanitizer refuses the wide address-space
# randomisation of newer kernels; where it may not be switched off (a container
# without the right to), the tests run as they are.
without_randomisation() {
  if setarch -R true 2>/dev/null; then
    setarch -R "$@"
  else
    "$@"
  fi
}

# run_ctest PRESET ARGUMENT...: a preset without tests is a failure.
run_ctest() {
  local preset=$1
  shift
  local run=()
  [[ $preset != tsan ]] || run=(without_randomisation)
  "${run[@]}" ctest --preset "$preset" --parallel "$cores" \
    --no-tests=error "$@" | tee "$work/ctest"
}

run_release_ctest() {
  run_ctest release || return 1
  closing_line=$(grep 'tests passed' "$work/ctest")
}

# What kernels compute; nothing else asks for the instructions of oneDNN.
run_avx2_ctest() {
  DNNL_MAX_CPU_ISA=AVX2 run_ctest release --label-exclude large \
    --tests-regex '^(kernels|conformance|example)_'
}

run_preset() {
  local preset=$1
  stage "$preset: build" build "$preset"
  case $preset in
    clang-tsa) ;;  # the build is the test
    release)
      stage "release: test" run_release_ctest
      # The product must be right where oneDNN finds no AVX-512 either.
      stage "release: test, DNNL_MAX_CPU_ISA=AVX2" run_avx2_ctest
      ;;
    *) stage "$preset: test" run_ctest "$preset" ;;
  esac
}

stage "packages" deploy/install_deps.sh --tests
for preset in "${presets[@]}"; do
  run_preset "$preset"
done
if $with_docker; then
  stage "docker: two clients, one daemon" tests/deploy/compose_airgapped.sh
else
  printf '\n=== docker: skipped; tests/run.sh --all runs it, or %s alone\n' \
    tests/deploy/compose_airgapped.sh
fi

summary
printf '\nrun.sh: every stage passes\n'
if [[ -n $closing_line ]]; then
  printf '%s\n' "$closing_line"
fi
