#!/usr/bin/env python3
"""A rank that is stopped is named by all others in time, and by tutti-trace when all were killed.
Usage: frozen.py RUN_MPI FROZEN TUTTI_TRACE RANKS timeout|stall"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

run_mpi, program, trace, ranks, story = sys.argv[1:6]
ranks = int(ranks)
last = ranks - 1
others = list(range(last))
told = f"rank {last}: not there; its last was barrier (call 2001)"


def fail(why):
    sys.exit(f"{why}\n{''.join(lines)}")


def wanted(line):
    """What each of the others must say: an error at its deadline, or a line of the log."""
    return "all_reduce of 4 int32, max: " in line if story == "timeout" else "a call has not returned" in line


with tempfile.TemporaryDirectory() as directory:
    records = os.path.join(directory, "records")
    variables = {"TUTTI_TIMEOUT": "3s"} if story == "timeout" else {"TUTTI_STALL": "1s"}
    job = subprocess.Popen([run_mpi, str(ranks), program], stderr=subprocess.PIPE, text=True,
                           env=dict(os.environ, TUTTI_RECORD=records, **variables))
    processes, lines, said, stopped_at, ended_at = [], [], [], None, None
    watchdog = threading.Timer(60, job.kill)
    watchdog.start()
    for line in job.stderr:
        lines.append(line)
        if line.startswith("process "):
            processes.append(int(line.split()[1]))
        elif line == "stopping\n":
            stopped_at = time.monotonic()
        elif wanted(line):
            said.append(line)
        elif told in line:
            if "is stopped by a signal" not in line:
                fail("the process is not said to be stopped")
            said.append(line)
        if stopped_at is not None and len([l for l in said if told in l]) >= len(others):
            ended_at = time.monotonic()
            break
    for process in processes:
        os.kill(process, signal.SIGKILL)
    job.kill()
    watchdog.cancel()
    if ended_at is None or ended_at - stopped_at > 5:
        fail(f"not all of ranks {others} named rank {last} within 5 s")

    result = subprocess.run([trace, records, "--json", "--chrome", os.path.join(directory, "chrome.json")],
                            capture_output=True, text=True)
    if result.returncode != 0:
        fail(f"tutti-trace: {result.stderr}")
    found = json.loads(result.stdout)
    (world,) = found["communicators"]
    if world["divergence"] is not None or len(world["waits"]) != 1:
        fail(f"unexpected: {result.stdout}")
    (wait,) = world["waits"]
    if wait["call"] != "all_reduce of 4 int32, max" or sorted(wait["waiting"] + wait["failed"]) != others:
        fail(f"who waits: {wait}")
    (group,) = wait["others"]
    if group["ranks"] != [last] or not group["what"].startswith("not there; its last was barrier (call 2001), done"):
        fail(f"whom they wait for: {group}")
    timeline = json.load(open(os.path.join(directory, "chrome.json")))["traceEvents"]
    if {event["pid"] for event in timeline} != set(range(ranks)):
        fail("the timeline lacks ranks")
    if os.stat(records).st_mode & 0o777 != 0o700:
        fail("others may look into the directory")
    for name in os.listdir(records):
        if os.stat(os.path.join(records, name)).st_mode & 0o777 != 0o600:
            fail(f"others may read {name}")

    # A file that is cut short or is none of tutti's is told; the others are merged.
    ring = sorted(name for name in os.listdir(records) if name.endswith(f"rank{last}.ring"))[0]
    os.truncate(os.path.join(records, ring), 5000)
    with open(os.path.join(records, "tutti-strange-1-rank7.ring"), "wb") as strange:
        strange.write(b"\xff\n" * 43008)
    text = subprocess.run([trace, records], capture_output=True, text=True)
    for words in (f"left out: {ring}: it has 5000 bytes", "tutti-strange-1-rank7.ring: this is no record",
                  f"no record: rank {last} of the job", "call 2002, all_reduce of 4 int32, max"):
        if text.returncode != 0 or words not in text.stdout:
            fail(f"'{words}' is not in\n{text.stdout}{text.stderr}")
