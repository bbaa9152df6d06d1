#!/usr/bin/env bash
# Compares the list of functions with what depends on it: what the library
# exports, where the headers declare, and what the documents say.
#
#   functions_test.sh exports LIST_FUNCTIONS LIBRARY
#   functions_test.sh headers LIST_FUNCTIONS INCLUDE_DIR
#   functions_test.sh documents LIST_FUNCTIONS CLIENT_DIR
set -euo pipefail
export LC_ALL=C

what=$1
list=$2
target=$3

fail() {
  echo "functions_test: $1" >&2
  exit 1
}

# Just the list, and our own extensions, which begin with ascrt.
exports() {
  diff <("$list" names | sort) \
       <(nm -D --defined-only "$target" | awk '{print $NF}' |
         sed 's/@.*//' | grep -v '^ascrt' | sort) ||
    fail "< is in the list, > is exported"
}

# A header's own text; acl/acl_rt.h takes some of its calls from others.
text_of() {
  if [ "$1" = acl/acl_rt.h ]; then
    cat "$target/$1" "$target"/acl/{rt,unsupported}/*.h
  else
    cat "$target/$1"
  fi
}

headers() {
  local header names
  for header in $("$list" headers | awk '{print $1}' | sort -u); do
    names=$("$list" headers | awk -v h="$header" '$1 == h {print $2}' | sort)
    diff <(echo "$names") \
         <(text_of "$header" | grep -vE '^ *//' |
           grep -oE '\b(acl|Acl)\w+\(' | tr -d '(' | sort) ||
      fail "$header: < is in the list, > is declared"
  done
}

documents() {
  diff <("$list" table) "$target/FUNCTIONS.md" ||
    fail "FUNCTIONS.md is stale: ninja functions_table"
  grep -qF "$("$list" summary)" "$target/README.md" ||
    fail "README.md should say: $("$list" summary)"
}

case $what in
  exports | headers | documents) "$what" ;;
  *) fail "unknown: $what" ;;
esac
