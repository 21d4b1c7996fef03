#!/bin/sh
# Usage: harness_test.sh RUN_MPI HARNESS_TEST
set -u
run=$1 program=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; cat "$work/output"; exit 1; }

# must_fail TEXT COMMAND...: ends non-zero within 20 s and prints TEXT.
must_fail() {
  text=$1
  shift
  begin=$(date +%s)
  if "$@" >"$work/output" 2>&1; then fail "passed: $*"; fi
  [ $(($(date +%s) - begin)) -lt 20 ] || fail "took too long: $*"
  grep -q "$text" "$work/output" || fail "no '$text' from: $*"
}

one() { "$run" 3 "$program" --gtest_also_run_disabled_tests "$@"; }
must_fail 'rank 2 of 3.*OneRankAsserts' one --gtest_filter='*OneRankAsserts'
grep -q 'seen on the last rank' "$work/output" || fail 'the message is missing'
must_fail 'thrown on the last rank' one --gtest_filter='*OneRankThrows'
RUN_MPI_TIMEOUT=6 must_fail 'OneRankHangs\|^$' one --gtest_filter='*OneRankHangs'
must_fail 'no test matches' "$run" 2 "$program" --gtest_filter='NoSuchTest'
# As when the launcher belongs to another MPI: the size is not the one asked for.
must_fail 'started on 4 ranks' env RUN_MPI_RANKS=4 "$program"

# Seed, order and repetition are rank 0's; one well-formed report.
"$run" 3 "$program" --gtest_shuffle --gtest_repeat=5 --gtest_output="xml:$work/report.xml" \
  >"$work/output" 2>&1 || fail 'shuffled and repeated'
[ "$(grep -c 'PASSED' "$work/output")" -eq 5 ] || fail 'more ranks than rank 0 report'
python3 -c "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])" "$work/report.xml" ||
  fail 'the report is not well formed'
