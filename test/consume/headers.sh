#!/bin/sh
# The installed headers compile without a warning, alone and together, in every C++ from 17 on, with
# every compiler that is here.
. "${0%/*}/common.sh"

install_moved "$work/prefix"
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Werror -x c++ $(pkg-config --cflags tutti)"
(cd "$work/prefix/include" && find tutti -name '*.hpp') | sort >"$work/headers"
(cd "$SOURCE/include" && find tutti -name '*.hpp') | sort | diff - "$work/headers" ||
  fail 'include/meson.build does not install every header'
sed 's/.*/#include <&>/' "$work/headers" >"$work/all.cpp"

for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || continue
  for standard in c++17 c++20 c++2b; do
    echo "$compiler -std=$standard"
    # shellcheck disable=SC2086 # a list of words
    $compiler -std=$standard $flags "$work/all.cpp"
    # shellcheck disable=SC2086
    $compiler -std=$standard $flags "$SOURCE/test/consume/app/main.cpp"
  done
  while IFS= read -r header; do
    echo "#include <$header>" >"$work/alone.cpp"
    # shellcheck disable=SC2086
    $compiler -std=c++17 $flags "$work/alone.cpp" || fail "$header does not compile alone"
  done <"$work/headers"
done
