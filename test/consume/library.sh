#!/bin/sh
# What the library needs and shows: MPI, never CUDA or NCCL; a SONAME; only its own names.
. "${0%/*}/common.sh"

library=$BUILD/src/libtutti.so
[ -f "$library" ] || exit 77 # built with default_library=static
readelf -d "$library"
readelf -d "$library" >"$work/dynamic"
if grep -E 'NEEDED.*(cudart|cuda\.so|nccl|mpi_cxx|mpichcxx)' "$work/dynamic"; then fail 'needs what it must not'; fi
grep -q 'SONAME.*libtutti\.so\.[0-9]' "$work/dynamic" || fail 'no SONAME with a version'

nm -DC --defined-only "$library" | cut -d ' ' -f 3- >"$work/names"
grep -q '^tutti::Communicator::' "$work/names" || fail 'exports no Communicator'
if grep -vE '^((typeinfo|typeinfo name|vtable) for )?tutti::' "$work/names"; then
  fail 'exports names that are not in namespace tutti'
fi
