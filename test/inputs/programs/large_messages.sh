#!/bin/sh
# Case 34: no "Read -1", with which an MPI tells that it may not read another process's memory.
# Usage: large_messages.sh RUN_MPI PROGRAM
set -u
output=$("$1" 2 "$2" 2>&1)
status=$?
echo "$output"
[ "$status" -eq 0 ] || exit "$status"
case $output in *'Read -1'*) echo 'FAILED: MPI cannot copy between processes here'; exit 1 ;; esac
