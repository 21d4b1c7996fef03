#!/bin/sh
# conjugate_gradients_test.sh CASE RUN_MPI PROGRAM SOURCE_DIRECTORY
# Runs the example on several numbers of ranks. Each run has a time limit, so that a hang is told as
# one.
set -u
case_name=$1 run_mpi=$2 program=$3 source=$4
data=$source/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*"
  exit 1
}

# solve RANKS OUTPUT ARGUMENTS...: must succeed; leaves the solution in OUTPUT.
solve() {
  ranks=$1 output=$2
  shift 2
  timeout 60 "$run_mpi" "$ranks" "$program" "$@" --json --output "$output" > "$work/report" ||
    fail "exit code $? of $ranks ranks, $*"
  cat "$work/report"
  grep -q "\"ranks\": $ranks, " "$work/report" || fail "not one job of $ranks ranks"
}

# same_solution A B: the same to 1e-8 in every element.
same_solution() {
  paste "$1" "$2" | awk '
    NR == 2 && $1 != $3 { print "different sizes"; exit 1 }
    NR > 2 { d = $1 - $2; if (d < 0) d = -d; if (!(d <= 1e-8)) { print NR, $0; exit 1 } }
    END { if (NR < 3) exit 1 }' || fail "$1 and $2 differ"
}

# refuse RANKS TEXT ARGUMENTS...: every rank must end with a failure; rank 0 must print TEXT, once.
refuse() {
  ranks=$1 text=$2
  shift 2
  codes=$(mktemp -d "$work/codes.XXXXXX")
  timeout 60 "$run_mpi" "$ranks" "$source/keep_exit_code.sh" "$codes" "$program" "$@" \
    > "$work/log" 2>&1 || fail "exit code $? of $ranks ranks, $*"
  cat "$work/log"
  [ "$(grep -c -F -- "$text" "$work/log")" = 1 ] || fail "\"$text\" should be told once"
  [ "$(cat "$codes"/* | wc -l)" = "$ranks" ] || fail "not every rank came to its end"
  ! grep -q -x 0 "$codes"/* || fail "a rank ended with 0"
}

case $case_name in
  agree)
    # shellcheck disable=SC2086  # an option and its value
    for matrix in "--grid 16" "--matrix $data/poisson_8x8.mtx" "--matrix $data/arrow.mtx"; do
      for ranks in 1 2 3 4; do
        solve "$ranks" "$work/x$ranks" $matrix --tolerance 1e-12
        same_solution "$work/x1" "$work/x$ranks"
      done
    done ;;
  more_ranks_than_rows)
    solve 1 "$work/x1" --grid 1
    solve 4 "$work/x4" --grid 1
    same_solution "$work/x1" "$work/x4"
    "$run_mpi" 1 "$program" --grid 1 --write "$work/one.mtx" || fail "writing one.mtx"
    solve 3 "$work/x3" --matrix "$work/one.mtx"
    same_solution "$work/x1" "$work/x3" ;;
  write)
    "$run_mpi" 2 "$program" --grid 8 --write "$work/poisson.mtx" || fail "writing poisson.mtx"
    cmp "$work/poisson.mtx" "$data/poisson_8x8.mtx" || fail "not what is kept in data/"
    solve 2 "$work/generated" --grid 8
    solve 2 "$work/read" --matrix "$work/poisson.mtx"
    same_solution "$work/generated" "$work/read"
    refuse 2 "/nowhere/p.mtx: cannot be opened for writing" --grid 8 --write /nowhere/p.mtx
    refuse 2 "/nowhere/x.mtx: cannot be opened for writing" --grid 8 --output /nowhere/x.mtx
    if [ -c /dev/full ]; then refuse 2 "/dev/full: cannot be written" --grid 8 --write /dev/full; fi ;;
  malformed)
    for ranks in 1 3; do
      refuse "$ranks" "bad_index.mtx:4: the row must lie in 1 to 2" --matrix "$data/bad_index.mtx"
      refuse "$ranks" "bad_value.mtx:4: the value must be" --matrix "$data/bad_value.mtx"
      refuse "$ranks" "cut_short.mtx:5: ends after 2 of the 3" --matrix "$data/cut_short.mtx"
      refuse "$ranks" "not_a_matrix.mtx:1: the banner" --matrix "$data/not_a_matrix.mtx"
      refuse "$ranks" "/nowhere/a.mtx: cannot be opened" --matrix /nowhere/a.mtx
    done ;;
  unsolvable)
    for ranks in 1 3; do
      refuse "$ranks" "not positive definite" --matrix "$data/indefinite.mtx"
      refuse "$ranks" "the matrix is singular" --matrix "$data/singular.mtx"
      refuse "$ranks" "no convergence" --grid 32 --max-iterations 5
    done ;;
  usage)
    refuse 2 "matrix" --tolerance 1e-3
    refuse 2 "--tolerance: must lie between 0 and 1" --grid 4 --tolerance nan
    refuse 2 "--max-iterations" --grid 4 --max-iterations -1
    refuse 2 "--grid" --grid 0
    "$run_mpi" 2 "$program" --help > "$work/help" || fail "--help"
    [ "$(grep -c -e --max-iterations "$work/help")" = 1 ] || fail "--help should be told once" ;;
  *)
    fail "unknown case $case_name" ;;
esac
