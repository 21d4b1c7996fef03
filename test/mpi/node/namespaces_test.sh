#!/bin/sh
# Usage: namespaces_test.sh RUN_MPI PROGRAM
#
# Runs PROGRAM with two ranks on each of two nodes: network namespaces of this machine, each with a
# host name of its own and joined by a pair of virtual interfaces. Open MPI's launcher reaches the
# second one through this script in the place of ssh. Everything is gone with the processes.
# Status 77 and the reason where this machine or user does not allow that.
set -u
here=10.213.77.1 there=10.213.77.2

skip() {
  echo "skipped: $*"
  exit 77
}

# In the place of ssh: HOST COMMAND...
if [ -n "${NAMESPACES_TEST_THERE:-}" ]; then
  shift
  exec nsenter -t "$NAMESPACES_TEST_THERE" -n -u sh -c "$*"
fi

# First in the namespaces that we come from, then again in those of the first node.
if [ -z "${NAMESPACES_TEST_HERE:-}" ]; then
  for tool in unshare nsenter ip; do
    command -v "$tool" >/dev/null || skip "there is no $tool"
  done
  "${RUN_MPI_LAUNCHER:-mpirun}" --version 2>&1 | grep -q 'Open MPI' || skip 'not Open MPI'
  as_root=
  [ "$(id -u)" -eq 0 ] || as_root=-r
  # shellcheck disable=SC2086 # none or one
  unshare $as_root -n -u true 2>/dev/null || skip 'no right to make network namespaces'
  # shellcheck disable=SC2086
  NAMESPACES_TEST_HERE=yes exec unshare $as_root -n -u sh "$0" "$@"
fi

hostname tutti-here || skip 'no right to name a host'
unshare -n -u sleep 300 &
second=$!
trap 'kill "$second" 2>/dev/null' EXIT
turns=0
while [ "$(readlink "/proc/$second/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do
  turns=$((turns + 1))
  [ "$turns" -lt 100 ] || skip 'no second network namespace'
  sleep 0.1
done
inside() { nsenter -t "$second" -n -u "$@"; }
inside hostname tutti-there || skip 'no right to enter a namespace'
ip link add here type veth peer name there netns "$second" 2>&1 || skip 'no virtual interfaces'
ip link set lo up && ip address add "$here/24" dev here && ip link set here up || exit 1
inside ip link set lo up && inside ip address add "$there/24" dev there &&
  inside ip link set there up || exit 1

run=$1 program=$2
export NAMESPACES_TEST_THERE="$second"
export OMPI_MCA_plm_rsh_agent="$0" PRTE_MCA_plm_ssh_agent="$0"
# Open MPI 4 asks ssh for the remote shell otherwise.
export OMPI_MCA_plm_rsh_assume_same_shell=1
MPIEXEC="${RUN_MPI_LAUNCHER:-mpirun} --host $here:2,$there:2" "$run" 4 "$program" --ranks=4
