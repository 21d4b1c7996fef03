#!/bin/sh
# The README's first program compiles as it stands there and prints what it says there.
. "${0%/*}/common.sh"

# block LANGUAGE: the first fenced block of that language.
block() {
  awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ && inside { exit } inside' "$SOURCE/README.md"
}

block cpp >"$work/hello.cpp"
[ -s "$work/hello.cpp" ] || fail 'the README has no C++ program'
block console | grep -v '^\$' >"$work/expected"
install_moved "$work/prefix"
# shellcheck disable=SC2046,SC2086 # lists of words
$CXX -std=c++20 "$work/hello.cpp" $(pkg-config --cflags --libs tutti) -o "$work/hello" \
  -Wl,-rpath,"$(pkg-config --variable=libdir tutti)"
"$RUN_MPI" 4 "$work/hello" >"$work/printed" || fail 'the program failed'
diff "$work/expected" "$work/printed" || fail 'the README promises another output'
