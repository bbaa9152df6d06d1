#!/usr/bin/env bash
# The demonstration: one daemon, four processes of the FlashAttention example
# at once on one simulated device, on streams of different priority. Takes a
# fresh Debian 12 machine with root (or sudo) and apt to the table it prints;
# then the same program with shapes and data that are harder to get right. Exit
# 0 only if every result agrees with a double-precision attention on the host.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly bin=build/release/bin
readonly priorities=(0 2 4 7)  # of AscendCL: 0 is the most urgent, 7 the least
readonly shape=(--batch 2 --heads 8 --seq 1024 --head-dim 128)
readonly hard_cases=(
  "ragged, grouped, causal|--seq 777 --heads 4 --kv-heads 2 --head-dim 80
    --causal 1"
  "one query block and a bit|--batch 1 --heads 3 --seq 129 --head-dim 256"
  "peaked logits|--seq 512 --heads 4 --deviation 16"
  "fp16|--seq 500 --heads 4 --dtype fp16"
  "fp32|--seq 500 --heads 4 --dtype fp32"
  "short C++ spelling|--seq 512 --heads 4 --spelling short"
)
readonly ready_seconds=20      # to wait for the daemon's first answer
readonly stop_seconds=10       # to wait for the daemon's end after SIGTERM

work=$(mktemp -d)
readonly work
export ASCEND_RTD_ADDRESS=unix:$work/ascend-rtd.sock
daemon=""
clients=()

fail() {
  echo "demo: $*" >&2
  exit 1
}

# finished PID: whether the child has ended, reaped or not.
finished() {
  local state
  read -r _ _ state _ 2>/dev/null <"/proc/$1/stat" || return 0
  [[ $state == Z ]]
}

# wait_until SECONDS COMMAND...: asks every 50 ms.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

cleanup() {
  local pid
  for pid in "${clients[@]}" $daemon; do
    kill -KILL "$pid" 2>/dev/null || true
  done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build() {
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
  echo "demo: building preset release with $(nproc) cores"
  if ! { cmake --preset release && cmake --build build/release \
    --parallel "$(nproc)" --target ascend-rtd ascend-rtctl ascendcl \
    ascendcl_grpc flash_attention; } >"$work/build" 2>&1; then
    tail -n 50 "$work/build" >&2
    fail "the build fails; its last lines are above"
  fi
}

daemon_answers() {
  "$bin/ascend-rtctl" --address "$ASCEND_RTD_ADDRESS" info \
    >"$work/info" 2>&1
}

daemon_answers_or_ended() {
  daemon_answers || finished "$daemon"
}

start_daemon() {
  "$bin/ascend-rtd" --listen "$ASCEND_RTD_ADDRESS" >"$work/daemon" 2>&1 &
  daemon=$!
  if ! wait_until "$ready_seconds" daemon_answers_or_ended ||
    ! daemon_answers; then
    cat "$work/daemon" "$work/info" >&2
    fail "ascend-rtd does not answer within $ready_seconds s"
  fi
}

# field FILE KEY: the value of KEY in a flat JSON object, or a dash.
field() {
  local value
  value=$(sed -nE \
    '/.*"'"$2"'"[[:space:]]*:[[:space:]]*"?([^",}]*)"?.*/{s//\1/p;q}' \
    "$1" 2>/dev/null) || true
  printf '%s' "${value:--}"
}

# hbm_peak_of PID: what the daemon's log says when the process has left.
hbm_peak_of() {
  sed -nE "s/.* session .*pid $1, .*, ([0-9]+) bytes of HBM at peak.*/\1/p" \
    "$work/daemon" |
    awk '{printf "%.1f", $1 / 1048576}'
}

run_clients() {
  local i
  for i in "${!priorities[@]}"; do
    "$bin/flash_attention" --priority "${priorities[$i]}" "${shape[@]}" \
      --json "$work/result$i" >"$work/client$i" 2>&1 &
    clients+=("$!")
  done
  for i in "${!clients[@]}"; do
    if wait "${clients[$i]}" && [[ $(field "$work/result$i" ok) == true ]]; then
      good=$((good + 1))
    else
      cat "$work/client$i" >&2
      echo "demo: the process of priority ${priorities[$i]} fails; what it" \
        "says is above" >&2
    fi
  done
  clients=()
}

print_table() {
  local row='%-8s %8s %10s %13s %11s %12s %13s\n' i result
  # shellcheck disable=SC2059  # the format is ours
  printf "\n$row" process priority wall_ms sim_kernel_us sim_copy_us \
    hbm_peak_MiB largest_error
  for i in "${!priorities[@]}"; do
    result=$work/result$i
    # shellcheck disable=SC2059
    printf "$row" "$(field "$result" process)" "${priorities[$i]}" \
      "$(field "$result" wall_ms)" "$(field "$result" kernel_us)" \
      "$(field "$result" copy_us)" \
      "$(hbm_peak_of "$(field "$result" process)")" \
      "$(field "$result" max_error)"
  done
}

run_hard_cases() {
  local row='%-26s %13s %12s\n' case result=$work/hard options
  # shellcheck disable=SC2059
  printf "\n$row" "on the same daemon" largest_error relative_l2
  for case in "${hard_cases[@]}"; do
    read -r -d '' -a options <<<"${case#*|}" || true
    rm -f "$result"
    if "$bin/flash_attention" "${options[@]}" --json "$result" \
      >"$work/client" 2>&1 && [[ $(field "$result" ok) == true ]]; then
      good=$((good + 1))
    else
      cat "$work/client" >&2
      echo "demo: '${case%%|*}' fails; what it says is above" >&2
    fi
    # shellcheck disable=SC2059
    printf "$row" "${case%%|*}" "$(field "$result" max_error)" \
      "$(field "$result" relative_l2_error)"
  done
}

stop_daemon() {
  kill -TERM "$daemon"
  wait_until "$stop_seconds" finished "$daemon" ||
    fail "ascend-rtd runs on $stop_seconds s after SIGTERM"
  local pid=$daemon
  daemon=""
  wait "$pid" || fail "ascend-rtd ends with code $? after SIGTERM"
}

deploy/install_deps.sh
build
start_daemon
echo "demo: ascend-rtd answers at $ASCEND_RTD_ADDRESS; starting" \
  "${#priorities[@]} processes on one device (${shape[*]})"
good=0
run_clients
run_hard_cases >"$work/hard_table"
stop_daemon  # first, so that its log is complete
print_table
cat "$work/hard_table"

runs=$((${#priorities[@]} + ${#hard_cases[@]}))
((good == runs)) || fail "$good of $runs runs are right"
printf '\ndemo: all %d runs agree with a double-precision attention;' "$runs"
printf ' the daemon has stopped\n'
