#!/bin/sh
# Case 37: the job of late_constructor ends by itself, soon, with an error that tells the wait and the
# step. Usage: late_constructor.sh RUN_MPI PROGRAM
set -u
begin=$(date +%s)
output=$("$1" 3 "$2" 2>&1)
status=$?
seconds=$(($(date +%s) - begin))
echo "$output"
[ "$status" -ne 0 ] || { echo "FAILED: status 0"; exit 1; }
[ "$seconds" -lt 10 ] || { echo "FAILED: it took $seconds s"; exit 1; }
for words in 'caught on rank 0.*2000 ms' 'caught on rank 1.*2000 ms' 'rank 2: not there (rank 0 of 3 on' 'rank 2: not there (rank 1 of 3 on'; do
  echo "$output" | grep -q "$words" || { echo "FAILED: no '$words' in the output"; exit 1; }
done
