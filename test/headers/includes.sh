#!/bin/sh
# Public headers need neither CUDA's nor NCCL's, and MPI's in communicator.hpp alone.
# Nothing uses MPI's C++ types, which are null or missing in some MPIs (case 59).
# Usage: includes.sh INCLUDE_DIRECTORY SOURCE_DIRECTORY
set -u
failed=0
if grep -rnE '#[[:space:]]*include[[:space:]]*[<"](nccl|cuda|nvToolsExt)' "$1"; then
  echo 'FAILED: a public header includes a CUDA or NCCL header'
  failed=1
fi
if grep -rlE '#[[:space:]]*include[[:space:]]*[<"]mpi\.h' "$1" | grep -v '/communicator\.hpp$'; then
  echo 'FAILED: mpi.h outside communicator.hpp'
  failed=1
fi
if find "$1" -name '*.hpp' -exec grep -L '^#pragma once' {} + | grep .; then
  echo 'FAILED: a header lacks #pragma once'
  failed=1
fi
exit $failed
