#!/bin/sh
# Usage: run_mpi.sh RANKS PROGRAM [ARGUMENT...]
#
# Runs PROGRAM on RANKS ranks, under Open MPI or MPICH, as any user, on fewer cores than ranks.
# Meson's own wrapper option would wrap mpirun; $RANK_WRAPPER (a command, say "valgrind -q") wraps
# each rank. $MPIEXEC names another launcher than the one that belongs to the build's MPI.
# $RUN_MPI_PRELOAD is loaded into each rank (support/yielding.cpp).
# Ends everything after $RUN_MPI_TIMEOUT seconds (default: 180) with status 124.
set -u
if [ $# -lt 2 ]; then
  echo "usage: $0 RANKS PROGRAM [ARGUMENT...]" >&2
  exit 2
fi
ranks=$1
shift

# Programs compare it with the size that MPI gives them: started by another MPI's launcher they
# would run as so many programs of one rank each, and pass.
export RUN_MPI_RANKS="$ranks"

# Open MPI 4 and 5; other implementations have neither the limits nor these names.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Tests run side by side: bound ranks would all sit on the first cores, and who waits gives his core away.
export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1

limit=${RUN_MPI_TIMEOUT:-180}
launcher=${MPIEXEC:-${RUN_MPI_LAUNCHER:-mpirun}}
# The ranks give up a little earlier by themselves, which tells the test that hangs.
export RUN_MPI_ALARM=$((limit > 20 ? limit - 5 : limit))
[ ! -f "${RUN_MPI_PRELOAD:-}" ] || set -- env "LD_PRELOAD=$RUN_MPI_PRELOAD" "$@"
# shellcheck disable=SC2086  # both may hold a command with arguments
exec timeout --kill-after=10 "$limit" $launcher -n "$ranks" ${RANK_WRAPPER:-} "$@" </dev/null
