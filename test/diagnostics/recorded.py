#!/usr/bin/env python3
"""What processes leave behind that end in one way or another, and what TUTTI_RECORD refuses.
Usage: recorded.py RUN_MPI RECORDED TUTTI_TRACE"""

import json
import os
import subprocess
import sys
import tempfile

run_mpi, program, trace = sys.argv[1:4]


def run(directory, story, path="automatic", ranks="2"):
    return subprocess.run([run_mpi, ranks, program, story], capture_output=True, text=True,
                          env=dict(os.environ, TUTTI_RECORD=directory, TUTTI_HOST_PATH=path))


def fail(why):
    sys.exit(str(why))


def files(directory, ending):
    return sorted(os.path.join(directory, name) for name in os.listdir(directory) if name.endswith(ending))


def check_calls(calls, backend):
    """The newest 1024, in order."""
    numbers = [call["number"] for call in calls]
    if len(numbers) != 1024 or numbers != list(range(numbers[0], numbers[0] + 1024)):
        fail(f"numbers: {numbers}")
    for call in calls[:-2]:
        if (call["operation"], call["state"], call["backend"]) != ("barrier", "done", backend):
            fail(call)
    # What another backend did meanwhile says nothing about a call under way.
    # What is started is MPI's, whatever serves a `run`.
    for call, expected in zip(calls[-2:], (("broadcast", "start", 3, "float32", "done", "mpi"),
                                           ("send_recv", "run", 1, "float64", "done", "mpi"))):
        if tuple(call[key] for key in ("operation", "verb", "count", "type", "state", "backend")) != expected:
            fail(call)
    if any(call["end"] < call["begin"] for call in calls):
        fail("a call ends before it begins")


def check_pending(ranks):
    for rank in ranks:
        call = rank["last_call"]
        if (call["call"], call["verb"], call["state"], call["backend"]) != \
                ("all_reduce of 1 float64, sum", "start", "begun", "mpi"):
            fail(call)


def check_threads(directory):
    result = run(directory, "threads", ranks="1")
    if result.returncode != 0:
        fail(result.stderr)
    with open(files(directory, ".json")[0]) as file:
        calls = json.load(file)["records"]
    # A thread that is suspended while the others go round the ring may leave a place empty.
    numbers = [call["number"] for call in calls]
    if numbers != sorted(set(numbers)) or len(numbers) < 1000 or not 19996 < numbers[-1] <= 20000:
        fail(f"of 20000 calls there are {len(numbers)}, {numbers[0]} to {numbers[-1]}")
    if any(call["state"] != "done" or call["operation"] != "barrier" for call in calls):
        fail("a call is not what it was")


with tempfile.TemporaryDirectory() as top:
    check_threads(os.path.join(top, "threads"))
    for story, ended, path, backend in (
            ("exit", "exit", "mpi", "mpi"), ("exit", "exit", "automatic", "node"),
            ("sigterm", "signal 15", "automatic", "node"), ("abort", "signal 6", "automatic", "node"),
            ("kill", "", "automatic", "node")):
        directory = os.path.join(top, f"{story}, {path}")
        result = run(directory, story, path)
        if (result.returncode == 0) != (story == "exit"):
            fail(f"{story}: status {result.returncode}\n{result.stderr}")
        if story == "sigterm" and "the application's own handler" not in result.stderr:
            fail(f"the handler that was there before is gone\n{result.stderr}")
        if len(files(directory, ".ring")) != 2:
            fail(f"{story}: {os.listdir(directory)}")
        if story != "kill":
            told = []
            for path in files(directory, ".json"):
                with open(path) as file:
                    about = json.load(file)
                told.append(about["ended"])
                check_calls(about["records"], backend)
            if ended not in told:
                fail(f"{story}: ended by {told}")
        # The same from the JSON alone as from the ring.
        outputs = []
        for without in (".none", ".ring"):
            for path in files(directory, without):
                os.remove(path)
            if story == "kill" and without == ".ring":
                continue
            merged = subprocess.run([trace, directory, "--json"], capture_output=True, text=True)
            if merged.returncode != 0:
                fail(f"{story}: {merged.stderr}")
            if story == "kill":
                check_pending(json.loads(merged.stdout)["ranks"])
            outputs.append({key: value for key, value in json.loads(merged.stdout).items() if key != "ranks"})
            if outputs[-1]["communicators"][0]["divergence"] is not None:
                fail(f"{story}: {merged.stdout}")
        if story == "exit" and outputs[0] != outputs[1]:
            fail(f"{outputs[0]}\nis not\n{outputs[1]}")

    # A directory that cannot be is an error on all ranks alike.
    with open(os.path.join(top, "file"), "w"):
        pass
    for impossible in (os.path.join(top, "file"), os.path.join(top, "no", "such"), "\x01" * 5000, "x" * 100000):
        result = run(impossible, "exit")
        if result.returncode == 0 or "TUTTI_RECORD" not in result.stderr or "\x01" in result.stderr:
            fail(f"{impossible[:50]}: status {result.returncode}\n{result.stderr[:2000]}")

    for arguments in ((os.path.join(top, "nothing"),), (top,), ()):
        result = subprocess.run([trace, *arguments], capture_output=True, text=True)
        if result.returncode not in (1, 2) or not result.stderr:
            fail(f"tutti-trace {arguments}: status {result.returncode}, {result.stderr}")
