#!/usr/bin/env bash
# Installs the build into a fresh folder and uses it as a stranger would:
# find_package(AscendRtd), a bare -lascendcl, no daemon started by hand. Then
# looks at what the library exports and what it needs.
#
#   install_test.sh BUILD_DIR SOURCE_DIR
set -euo pipefail

build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
  echo "install_test: $1" >&2
  exit 1
}

# Nothing of the environment may help: neither an address nor a home.
unset ASCEND_RTD_ADDRESS ASCEND_RTD_HOME LD_LIBRARY_PATH PKG_CONFIG_PATH

cmake --install "$build" --prefix "$prefix" >/dev/null
for file in include/acl/acl.h include/acl/acl_rt.h lib64/libascendcl.so \
            lib64/libascendcl_grpc.so bin/ascend-rtd bin/ascend-rtctl \
            lib64/cmake/AscendRtd/AscendRtdConfig.cmake \
            lib64/libacl_rt.so lib64/libruntime.so \
            lib64/pkgconfig/ascendcl.pc lib/pkgconfig/ascendcl.pc \
            share/doc/ascend-rtd/FUNCTIONS.md \
            share/doc/ascend-rtd/TOOLS.md \
            share/ascend-rtd/soc/ascend910.textproto \
            share/ascend-rtd/soc/soc.proto; do
  [ -e "$prefix/$file" ] || fail "$file is not installed"
done

echo "== find_package(AscendRtd)"
cp -r "$source/tests/package/consumer" "$work/consumer"
cmake -S "$work/consumer" -B "$work/consumer/build" \
      -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/consumer/build" >/dev/null
"$work/consumer/build/consumer_c"
"$work/consumer/build/consumer_cxx"

echo "== bare -lascendcl"
cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$work/consumer/consumer.c" \
   -I"$prefix/include" -L"$prefix/lib64" -lascendcl \
   -Wl,-rpath,"$prefix/lib64" -o "$work/bare_c"
c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "$work/consumer/consumer.cc" \
    -I"$prefix/include" -L"$prefix/lib64" -lascendcl \
    -Wl,-rpath,"$prefix/lib64" -o "$work/bare_cxx"
"$work/bare_c"
"$work/bare_cxx"

echo "== the program of README.md"
awk '/^```c$/{on=1; next} /^```$/{on=0} on' "$source/README.md" >"$work/readme.c"
cc -std=c99 -Wall -Wextra -Werror "$work/readme.c" -I"$prefix/include" \
   -L"$prefix/lib64" -lascendcl -Wl,-rpath,"$prefix/lib64" -o "$work/readme"
"$work/readme" | tee "$work/readme.out"
grep -qx "255 + 255 = 510" "$work/readme.out" || fail "README.md is wrong"

echo "== a tree that was moved"
mv "$prefix" "$work/moved"
LD_LIBRARY_PATH=$work/moved/lib64 "$work/bare_c"
prefix=$work/moved

echo "== the examples of TOOLS.md"
"$source/tests/package/tools_examples.sh" "$prefix" \
  "$prefix/share/doc/ascend-rtd/TOOLS.md" "$work/tools"

echo "== exports"
exports=$(nm -D --defined-only "$prefix/lib64/libascendcl.so" |
          awk '{print $NF}' | sed 's/@.*//' | sort -u)
[ -n "$exports" ] || fail "the library exports nothing"
strangers=$(grep -vE '^(acl|Acl|ascrt)' <<<"$exports" |
            grep -vE '^ASCENDCL_[0-9.]+$' || true)
[ -z "$strangers" ] || fail "the library exports: $strangers"

echo "== needs"
needs=$(ldd "$prefix/lib64/libascendcl.so")
if grep -E 'grpc|protobuf' <<<"$needs"; then
  fail "the library needs gRPC or protobuf"
fi

# The private daemons end with their programs.
for _ in $(seq 100); do
  pgrep -f "^$work/.*/bin/ascend-rtd" >/dev/null || exit 0
  sleep 0.05  # polling, with a deadline of five seconds
done
fail "a private daemon outlives its program"
