#!/bin/sh
# Case 59: where the optional types of MPI are null, as MPI_CXX_* are in some MPIs, the library is built
# and computes all the same.
. "${0%/*}/common.sh"

install_moved "$work/prefix" # for its pkg-config file, which knows the MPI
mkdir "$work/include"
{
  echo '#pragma once'
  echo '#include_next <mpi.h>'
  for name in MPI_CXX_BOOL MPI_CXX_FLOAT_COMPLEX MPI_CXX_DOUBLE_COMPLEX MPI_CXX_LONG_DOUBLE_COMPLEX \
    MPI_C_BOOL MPI_C_FLOAT_COMPLEX MPI_C_DOUBLE_COMPLEX MPI_COMPLEX MPI_DOUBLE_COMPLEX MPI_LOGICAL; do
    echo "#undef $name"
    echo "#define $name MPI_DATATYPE_NULL"
  done
} >"$work/include/mpi.h"

export CXX
meson setup "$work/build" "$SOURCE" --wrap-mode=nodownload -Dbuildtype=plain -Doptimization=0 \
  -Ddefault_library=static -Dnccl=disabled -Dtests=disabled -Dtools=disabled -Dcpp_args="-I$work/include" \
  >"$work/log" 2>&1 || { cat "$work/log"; fail 'meson setup'; }
meson compile -C "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; fail 'the library does not compile'; }
grep -q "$work/include/mpi.h" "$work/build/.ninja_deps" || fail 'the wrapped mpi.h is not the one that is found'

# shellcheck disable=SC2046 # lists of words
$CXX -std=c++20 -I"$work/include" $(pkg-config --cflags tutti) "$SOURCE/test/consume/null_types.cpp" -o "$work/app" "$work/build/src/libtutti.a" \
  $(pkg-config --static --libs-only-other tutti) \
  $(pkg-config --static --libs tutti | tr ' ' '\n' | grep -v '^-ltutti$')
if readelf -d "$work/app" | grep 'NEEDED.*libtutti'; then fail 'linked with the library as built'; fi
"$RUN_MPI" 2 "$work/app"
