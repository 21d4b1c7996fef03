#!/usr/bin/env python3
"""Runs tutti-bench as users do and looks at what it writes and how it exits.

Usage: run_bench.py RUN_MPI TUTTI_BENCH CASE
"""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile

run_mpi, bench, case = sys.argv[1:4]
QUICK = ["--iterations", "5", "--warmup", "2"]


def run(ranks, *arguments):
    return subprocess.run([run_mpi, str(ranks), bench, *arguments], capture_output=True, text=True)


def expect(holds, what, result):
    if not holds:
        sys.exit(f"{what}\nstatus {result.returncode}\n{result.stdout}\n{result.stderr}")


def rows_of(ranks, *arguments, status=0):
    result = run(ranks, *arguments, *QUICK, "--format", "json")
    expect(result.returncode == status, f"exit status is not {status}", result)
    try:
        document = json.loads(result.stdout)
    except json.JSONDecodeError as error:
        expect(False, f"standard output is not one JSON object: {error}", result)
    expect(document["schema_version"] == 1, "schema version", result)
    expect(document["environment"]["ranks"] == ranks, "ranks in the environment", result)
    for row in document["rows"]:
        row["_of"] = result
    return document


def check_rows(document):
    for row in document["rows"]:
        shown = {key: value for key, value in row.items() if key != "_of"}
        expect(row["error"] is None, f"error in {shown}", row["_of"])
        expect(row["verified"] and row["wrong"] == 0, f"not verified: {shown}", row["_of"])
        expect(row["iterations"] == 5 and row["warmup"] == 2, f"effort: {shown}", row["_of"])
        time = row["time_us"]
        expect(0 < time["min"] <= time["median"] <= time["max"], f"times: {shown}", row["_of"])


def all_collectives(ranks, *arguments):
    document = rows_of(ranks, "all", "--sizes", "0,4,64,1000,64K", *arguments)
    check_rows(document)
    names = {row["collective"] for row in document["rows"]}
    expect(len(names) == (13 if ranks > 1 else 12), f"collectives: {names}", document["rows"][0]["_of"])
    return document


def every_collective():
    for ranks in (1, 2, 3):
        all_collectives(ranks)
    all_collectives(3, "--in-place", "--root", "2")
    all_collectives(3, "--uneven", "--root", "1")
    all_collectives(4, "--uneven", "--in-place")


def every_verb():
    for verb, servers in (("start", {"mpi"}), ("plan", {"mpi", "node"})):
        document = all_collectives(2, "--verb", verb, "--against", "mpi")
        named = {row["backend"] for row in document["rows"] if row["collective"] != "send_recv"}
        expect(named <= servers, f"{verb} by {named}", document["rows"][0]["_of"])
    # Never read directly, nor through shared memory.
    row = rows_of(5, "scatter", "--sizes", "1M")["rows"][0]
    expect(row["backend"] == "mpi", f"scatter by {row['backend']}: {row['algorithm']}", row["_of"])


def types_and_reductions():
    types = ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 "
             "complex64 complex128 float8_e4m3 float8_e5m2 bool byte").split()
    ops = ("sum prod min max avg logical_and logical_or logical_xor bitwise_and bitwise_or "
           "bitwise_xor pre_multiplied").split()
    for ranks in (3, 8):
        check_rows(rows_of(ranks, "all_reduce", "reduce", "reduce_scatter", "scan", "exclusive_scan",
                           "all_gather", "--sizes", "4K",
                           "--type", *types, "--op", *ops))


def raw_mpi():
    document = rows_of(2, "all", "--sizes", "8,32K", "--type", "float32", "bfloat16", "--op", "sum", "avg",
                       "--against", "mpi")
    check_rows(document)
    for row in document["rows"]:
        known = row["op"] is None or (row["op"] == "sum" and row["type"] == "float32")
        expect((row["ratio"] is not None) == known, f"raw equivalent of {row}", row["_of"])
        if known:
            ratio = row["raw_time_us"] / row["time_us"]["median"]
            expect(abs(row["ratio"] - ratio) < 1e-6 * ratio, "ratio", row["_of"])


def raw_memcpy():
    document = rows_of(2, "all", "--sizes", "0,8,32K", "--against", "memcpy")
    check_rows(document)
    for row in document["rows"]:
        expect(row["against"] == "memcpy", "the raw contender's name", row["_of"])
        expect((row["ratio"] is not None) == (row["bytes"] > 0), f"memcpy beside {row}", row["_of"])
    # A floor that copied something else than the row's bytes would not grow with them.
    document = rows_of(2, "broadcast", "--sizes", "1K,4M", "--against", "memcpy")
    small, large = (row["raw_time_us"] for row in document["rows"])
    expect(large > 10 * small, "copying 4096 times as much takes longer", document["rows"][0]["_of"])
    result = run(2, "all_reduce", "--sizes", "64K", "--against", "memcpy", "--fail-below", "1000", *QUICK)
    expect(result.returncode == 1 and "is below 1000" in result.stderr, "--fail-below judges it", result)


def buffer_memory():
    for arguments in ([], ["--in-place"]):
        document = rows_of(3, "all", "--sizes", "0,4,64K", "--buffer", *arguments)
        check_rows(document)
        for row in document["rows"]:
            expect(row["memory"] == "buffer", "the memory's name", row["_of"])


def tuning():
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "table")
        result = run(3, "all_reduce", "broadcast", "barrier", "--sizes", "8,64K", *QUICK, f"--tune={name}")
        expect(result.returncode == 0 and result.stdout == "", "nothing but the file", result)
        with open(name, encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines() if line]
        rules = [line for line in lines if not line.startswith("#")]
        for ranks in (2, 3):
            for kind in ("all_reduce", "broadcast", "barrier"):
                mine = [rule for rule in rules if rule.startswith(f"{kind} ranks<={ranks} ")]
                expect(mine and "bytes" not in mine[-1], f"rules for {kind} on {ranks}: {rules}", result)
        expect(any("--tune" in line for line in lines), "the command is told", result)
        os.environ["TUTTI_TUNE"] = name
        document = rows_of(3, "all", "--sizes", "8,64K")
        del os.environ["TUTTI_TUNE"]
        check_rows(document)
        for row in document["rows"]:
            if row["collective"] == "all_reduce" and row["backend"] == "node":
                expect(f"of {name})" in row["algorithm"], f"the file decides: {row}", row["_of"])
        result = run(3, "--tune=" + os.path.join(folder, "none", "table"))
        expect(result.returncode != 0 and "cannot write" in result.stderr, "a file that cannot be", result)
    result = run(1, "--tune=table")
    expect(result.returncode == 2 and "at least 2 ranks" in result.stderr, "one rank alone", result)


def raw_nccl():  # on the fake libraries
    known = {"all_reduce", "reduce", "broadcast", "all_gather", "reduce_scatter", "gather", "scatter",
             "all_to_all", "send_recv"}
    for verb in ("run", "enqueue"):
        for place in ([], ["--in-place"]):
            document = rows_of(3, "all", "--sizes", "1000,64K", "--root", "1", "--memory", "device",
                               "--verb", verb, "--against", "nccl", *place)
            for row in document["rows"]:
                expect(row["wrong"] == 0 and row["error"] is None, f"wrong: {row}", row["_of"])
                has_raw = row["collective"] in known and not (place and row["collective"] == "all_to_all")
                expect((row["ratio"] is not None) == has_raw, f"raw equivalent of {row}", row["_of"])


def bytes_that_move():
    document = rows_of(3, "all_gather", "--min", "4", "--max", "64")
    check_rows(document)
    for row in document["rows"]:
        expect(row["bytes"] == 3 * 4 * row["count"], "bytes are not those that move", row["_of"])
        expect(row["count"] > 0, "a size that is not 0 moves something", row["_of"])


def environment():
    document = rows_of(8, "all_reduce", "--sizes", "8")
    about = document["environment"]
    result = document["rows"][0]["_of"]
    for key in ("tutti_version", "mpi_library", "thread_level", "hosts", "cpu_model", "date",
                "command_line", "compiler"):
        expect(about[key], f"environment lacks {key}", result)
    expect(about["oversubscribed"] == (8 > about["cores_per_node"][0]), "oversubscribed", result)


def csv_output():
    result = run(3, "all_reduce", "barrier", "--sizes", "8,1K", *QUICK, "--format", "csv")
    expect(result.returncode == 0, "exit status", result)
    lines = list(csv.reader(io.StringIO(result.stdout)))
    expect(len(lines) == 4, "a header and three rows", result)
    expect(len({len(line) for line in lines}) == 1, "equally many columns", result)


def output_file():
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "rows.json")
        result = run(3, "all_reduce", "--sizes", "8", *QUICK, "--output", name)
        expect(result.returncode == 0 and result.stdout == "", "standard output stays empty", result)
        with open(name, encoding="utf-8") as file:
            expect(len(json.load(file)["rows"]) == 1, "one row in the file", result)
        result = run(3, "all_reduce", "--sizes", "8", "--output", os.path.join(folder, "none", "rows.json"))
        expect(result.returncode != 0, "a file that cannot be written is an error", result)
        expect(result.stderr.count("cannot write to") == 1, "told once", result)
        expect("tutti: tutti:" not in result.stderr, "with one prefix", result)


def usage_errors():
    for arguments in (["--iterations", "0"], ["--type", "float31"], ["--root", "9"], ["--nonsense"]):
        result = run(2, *arguments)
        expect(result.returncode != 0, f"exit status for {arguments}", result)
        expect(result.stderr.count("Usage:") == 1, f"usage once for {arguments}", result)
        expect(result.stdout == "", "nothing on standard output", result)
    result = run(2, "--memory", "device", "--sizes", "8")
    if result.returncode != 0:  # without the device backend
        expect(result.stderr.count("--memory device") == 1, "told once", result)


def fail_below():
    slow = ["all_reduce", "--sizes", "8,1K", "--against", "mpi", *QUICK]
    result = run(2, *slow, "--fail-below", "1000")
    expect(result.returncode == 1, "no ratio reaches 1000", result)
    expect(result.stderr.count("is below 1000") == 2, "each row is told", result)
    result = run(2, *slow, "--fail-below", "0.000001")
    expect(result.returncode == 0, "every ratio is above 0.000001", result)
    result = run(2, *slow, "--type", "bfloat16", "--fail-below", "1000")
    expect(result.returncode == 0, "rows without an equivalent cannot fail", result)
    expect("no such call" in result.stderr, "but are told", result)


def skipped():
    document = rows_of(2, "all_reduce", "--type", "byte", "float32", "--sizes", "8,1024T")
    check_rows(document)
    result = document["rows"][0]["_of"]
    expect(len(document["rows"]) == 1, "what cannot be is left out", result)
    expect("byte is skipped" in result.stderr and "1024T is skipped" in result.stderr, "and told", result)
    for nothing in (["scan", "--op", "avg"], ["all_reduce", "--type", "byte"]):
        result = run(2, *nothing, "--sizes", "8", *QUICK)
        expect(result.returncode == 2, f"status for {nothing}, which leaves nothing", result)
        expect("nothing of what was asked for" in result.stderr, "told", result)


def late_rank():  # run by late-bench
    document = rows_of(3, "all_reduce", "--sizes", "8,1K")
    check_rows(document)
    for row in document["rows"]:
        expect(row["time_us"]["median"] < 5000, "the late rank is charged to the collective", row["_of"])


CASES = {function.__name__: function for function in (
    every_collective, every_verb, types_and_reductions, raw_mpi, raw_memcpy, tuning, buffer_memory, raw_nccl, bytes_that_move, environment, csv_output,
    output_file, usage_errors, fail_below, skipped, late_rank)}
CASES[case]()
