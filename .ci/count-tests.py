"""Prints "PASSED FAILED SKIPPED" of one `meson test` run, from its testlog.json.

A program that uses GoogleTest counts with each of its tests, any other as one. Each rank of a test
under mpirun reports for itself; a test has passed if the rank with the fewest passes passed it.
"""
import json
import re
import sys

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SUMMARY = re.compile(r"\[  (PASSED |FAILED |SKIPPED) \] (\d+) tests?[.,]")


def googletest_counts(output):
    counts = {}
    for word, number in SUMMARY.findall(COLOUR.sub("", output)):
        counts.setdefault(word.strip(), []).append(int(number))
    if not counts:
        return None
    return (
        min(counts.get("PASSED", [0])),
        max(counts.get("FAILED", [0])),
        max(counts.get("SKIPPED", [0])),
    )


def test_counts(test):
    counts = googletest_counts(test.get("stdout", ""))
    if test["result"] == "SKIP":
        return (0, 0, 1)
    if test["result"] in ("OK", "EXPECTEDFAIL"):
        return counts or (1, 0, 0)
    passed, failed, skipped = counts or (0, 0, 0)
    return (passed, max(failed, 1), skipped)  # a crash or a time-out leaves no count


def main():
    with open(sys.argv[1], encoding="utf-8") as log:
        counts = [test_counts(json.loads(line)) for line in log if line.strip()]
    print(*(sum(column) for column in zip(*counts)) if counts else (0, 0, 0))


main()
