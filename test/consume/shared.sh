#!/bin/sh
# pkg-config and the shared library, after the prefix was moved; and the installed programs.
. "${0%/*}/common.sh"

install_moved "$work/the prefix"
case $(pkg-config --cflags --libs tutti) in *"$PREFIX"* | *"$BUILD"*) fail 'tutti.pc holds an old path' ;; esac
[ -n "$(pkg-config --variable=mpi tutti)" ] || fail 'tutti.pc does not tell which MPI'

# Paths with spaces come quoted from pkg-config.
libdir=$(pkg-config --variable=libdir tutti)
eval "$CXX -std=c++17 \"$SOURCE/test/consume/app/main.cpp\" -o \"$work/app\" \
  $(pkg-config --cflags --libs tutti) \"-Wl,-rpath,$libdir\""
readelf -d "$work/app" | grep -q 'NEEDED.*libtutti\.so\.' || fail 'not linked with the shared library'
"$RUN_MPI" 2 "$work/app"

find "$work/the prefix" -type f \( -perm -u+x -o -name '*.so*' \) >"$work/files"
while IFS= read -r file; do
  readelf -d "$file" >"$work/dynamic" 2>/dev/null || continue
  if grep -F -e "$BUILD" -e "$SOURCE" "$work/dynamic"; then fail "a build path in $file"; fi
done <"$work/files"

unset LD_LIBRARY_PATH
for program in "$work/the prefix/bin"/*; do
  [ -x "$program" ] || continue
  if ldd "$program" | grep 'not found'; then fail "${program##*/} does not find its libraries"; fi
  case $program in
    *.py | *.sh) ;;
    *) "$RUN_MPI" 1 "$program" --help >/dev/null || fail "${program##*/} --help" ;;
  esac
done
