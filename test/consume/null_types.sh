#!/bin/sh
# Case 59: where the optional types of MPI are null, as MPI_CXX_* are in some MPIs, the library is built
# and computes all the same.
. "${0%/*}/common.sh"

install_moved "$work/prefix" # for its pkg-config file, which knows the MPI
[ -n "$(find "$work/prefix" -name libtutti.a)" ] || exit 77 # built with default_library=shared
mkdir "$work/include" "$work/objects"
{
  echo '#pragma once'
  echo '#include_next <mpi.h>'
  for name in MPI_CXX_BOOL MPI_CXX_FLOAT_COMPLEX MPI_CXX_DOUBLE_COMPLEX MPI_CXX_LONG_DOUBLE_COMPLEX \
    MPI_C_BOOL MPI_C_FLOAT_COMPLEX MPI_C_DOUBLE_COMPLEX MPI_COMPLEX MPI_DOUBLE_COMPLEX MPI_LOGICAL; do
    echo "#undef $name"
    echo "#define $name MPI_DATATYPE_NULL"
  done
} >"$work/include/mpi.h"

# shellcheck disable=SC2046 # lists of words
set -- -std=c++20 -O0 -I"$work/include" -I"$SOURCE/src" -I"$SOURCE/include" $(pkg-config --cflags tutti)
echo '#include <mpi.h>' | $CXX "$@" -x c++ -E -dM - | grep -q 'MPI_CXX_BOOL MPI_DATATYPE_NULL' ||
  fail 'the wrapped mpi.h is not the one that is found'

# What the build compiles; device code has other needs and no MPI types.
grep -rlE '#include ["<]mpi|MPI_' "$SOURCE/src" --include='*.cpp' >"$work/sources"
export CXX
flags=$* objects=$work/objects
export flags objects
# shellcheck disable=SC2016 # expanded by the inner shell
xargs -P 2 -n 1 sh -c '$CXX $flags -c "$0" -o "$objects/$(echo "$0" | tr / _).o"' <"$work/sources" ||
  fail 'a source does not compile'

libdir=$(pkg-config --variable=libdir tutti)
# The rest of the library comes from the static one, behind the objects compiled here.
# shellcheck disable=SC2046
$CXX "$@" "$SOURCE/test/consume/null_types.cpp" "$work"/objects/*.o -o "$work/app" \
  "$libdir/libtutti.a" $(pkg-config --static --libs-only-other tutti) \
  $(pkg-config --static --libs tutti | tr ' ' '\n' | grep -v '^-ltutti$')
if readelf -d "$work/app" | grep 'NEEDED.*libtutti'; then fail 'linked with the library as built'; fi
"$RUN_MPI" 2 "$work/app"
