#!/bin/sh
# Usage: foreign_file.sh RUN_MPI PROGRAM
#
# Runs PROGRAM on two ranks, each in a space of process numbers of its own. Status 77 and the reason
# where this machine or user does not allow that.
set -u
skip() {
  echo "skipped: $*"
  exit 77
}
"${RUN_MPI_LAUNCHER:-mpirun}" --version 2>&1 | grep -q 'Open MPI' || skip 'not Open MPI'
unshare -p -f --mount-proc true 2>/dev/null || skip 'no right to make spaces of process numbers'
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
# Open MPI's own shared memory cannot be used then.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,tcp OMPI_MCA_osc='^sm' OMPI_MCA_coll='^sm'
RANK_WRAPPER='unshare -p -f --mount-proc' "$1" 2 "$2" "$directory/file"
