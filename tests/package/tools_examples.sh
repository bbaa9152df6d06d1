#!/usr/bin/env bash
# Runs the examples of client/TOOLS.md with an installed tree: each sh block in
# one shell, its output being what the text block behind it says, but for times,
# processes and addresses. The C programs are tools.c and those whose first line
# is their name.
#
#   tools_examples.sh PREFIX TOOLS_MD WORK_DIR
set -euo pipefail

prefix=$1
document=$2
work=$3
mkdir -p "$work"

# BLOCKS: sh.1, text.1 (if it has one), sh.2, ...
awk -v work="$work" '
  /^```$/ { if (file != "") { close(file); file = ""; next } }
  /^\/\* [a-z]+[.]c \*\/$/ { file = work "/" $2 }
  /^```c$/ { file = work "/tools.c"; next }
  /^```sh$/ { file = work "/sh." ++count; printf "" > file; next }
  /^```text$/ { file = work "/text." count; printf "" > file; next }
  file != "" { print > file }
' "$document"

# What differs each time.
stable() {
  sed -E 's/0x[0-9a-f]+/ADDRESS/g
          s/^[0-9]+\.[0-9]{6} [0-9]+ /TIME THREAD /
          s/<[0-9.]+>$/<SECONDS>/
          s/process [0-9]+ /process ID /
          s/ascendcl\([0-9]+\)/ascendcl(ID)/'
}

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib64
cd "$work"
count=0
while [ -e "sh.$((count + 1))" ]; do
  count=$((count + 1))
  bash -euo pipefail "sh.$count" >"out.$count" 2>&1 || {
    cat "sh.$count" "out.$count" >&2
    exit 1
  }
  touch "text.$count"
  diff <(stable <"text.$count") <(stable <"out.$count") || {
    echo "tools_examples: above, < is in the document, > is said by:" >&2
    cat "sh.$count" >&2
    exit 1
  }
done
[ "$count" -ge 8 ] || { echo "tools_examples: only $count examples" >&2; exit 1; }
# Not through a pipe: grep -q leaves at the first match, and ldd, still writing,
# would fail the pipe.
grep -qF "$prefix/lib64/" <<<"$(ldd tools)" || {
  echo "tools_examples: ran with another library" >&2
  exit 1
}
