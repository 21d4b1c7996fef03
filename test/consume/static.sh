#!/bin/sh
# pkg-config --static is enough to link the static library alone.
. "${0%/*}/common.sh"

install_moved "$work/prefix"
find "$work/prefix" -name 'libtutti.so*' -delete
[ -n "$(find "$work/prefix" -name libtutti.a)" ] || exit 77 # built with default_library=shared

# shellcheck disable=SC2046,SC2086 # lists of words
$CXX -std=c++17 "$SOURCE/test/consume/app/main.cpp" -o "$work/app" \
  $(pkg-config --static --cflags --libs tutti)
if readelf -d "$work/app" | grep 'NEEDED.*libtutti'; then fail 'linked with a shared libtutti'; fi
"$RUN_MPI" 2 "$work/app"
