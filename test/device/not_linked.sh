#!/bin/sh
# The library names neither CUDA nor NCCL: it starts where there is none.
set -u
ldd "$1" || exit 1
! ldd "$1" | grep -E 'libcuda|libnccl'
