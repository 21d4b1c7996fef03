#!/bin/sh
# keep_exit_code.sh DIRECTORY PROGRAM ARGUMENTS...
# Runs one rank and keeps its exit code in a file of its own. Ends with 0, since mpirun would kill
# the other ranks, and with them their exit codes, as soon as one rank fails.
directory=$1
shift
"$@"
echo $? > "$(mktemp "$directory/rank.XXXXXX")"
