#!/usr/bin/env python3
"""Runs tutti-info with and without mpirun.  Usage: run_info.py RUN_MPI TUTTI_INFO [CUDART NCCL]

CUDART and NCCL: the fake libraries.
"""

import json
import os
import subprocess
import sys

run_mpi, info = sys.argv[1:3]
fakes = sys.argv[3:5]
environment = dict(os.environ, TUTTI_CHECK="global")


def run(*command, **variables):
    result = subprocess.run(command, capture_output=True, text=True, env=dict(environment, **variables))
    if result.returncode != 0:
        sys.exit(f"{command}: status {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


text = run(run_mpi, "3", info)
for word in ("Versions", "ranks: 3", "host memory", "device memory", "TUTTI_CHECK"):
    if text.count(word) < 1:
        sys.exit(f"no '{word}' in\n{text}")
if text.count("Versions") != 1:
    sys.exit(f"more than one rank wrote\n{text}")

for command, ranks in (((info,), 1), ((run_mpi, "2", info), 2)):
    about = json.loads(run(*command, "--json"))
    if about["environment"]["ranks"] != ranks or about["services"]["host"]["backend"] is None:
        sys.exit(f"unexpected: {about}")
    if about["options"]["TUTTI_CHECK"] != "global" or about["variables"]["TUTTI_CHECK"] != "global":
        sys.exit(f"variables: {about}")



def expect(condition, what, seen):
    if not condition:
        sys.exit(f"{what}: {seen}")


# Whatever this machine has: NCCL can serve, or there is a reason, and what was loaded is told.
for rank in json.loads(run(run_mpi, "2", info, "--json"))["devices"]:
    libraries = rank["libraries"]
    expect(rank["why_no_nccl"] or libraries["nccl"]["version"], "neither NCCL nor a reason", rank)
    expect(libraries["nccl"]["path"] or libraries["nccl"]["problem"], "no path of NCCL", rank)
    expect(libraries["cuda_driver"] or rank["why_no_nccl"], "NCCL without a driver", rank)
    if libraries["cuda_runtime"]["path"] and not libraries["cuda_driver"] and not libraries["nccl"]["problem"]:
        expect(rank["why_no_nccl"].startswith("no CUDA driver: "), "the driver is not named", rank)

text = run(run_mpi, "2", info, TUTTI_NCCL_LIBRARY="/nonexistent/libnccl.so.2")
expect("NCCL can serve        no: " in text and "/nonexistent/libnccl.so.2" in text, "no reason", text)

if fakes:
    variables = dict(TUTTI_CUDART_LIBRARY=fakes[0], TUTTI_NCCL_LIBRARY=fakes[1])
    text = run(run_mpi, "2", info, **variables)
    for words in (
        "NCCL can serve        yes",
        "NCCL                  2.28.9, built for ",
        fakes[1],
        "CUDA driver           supports CUDA 13.0",
        "0 of 8: tutti fake GPU 0, GPU-",
        "1 of 8: tutti fake GPU 1, GPU-",
        " GiB, compute capability 9.0, ",
        "device memory         nccl: NCCL 2.28.9",
    ):
        expect(words in text, f"no '{words}'", text)
    about = json.loads(run(run_mpi, "2", info, "--json", **variables))
    expect([rank["device"] for rank in about["devices"]] == [0, 1], "devices", about)
    expect(about["services"]["device"]["backend"] == "nccl", "not by NCCL", about)
    shared = run(run_mpi, "2", info, TUTTI_FAKE_FAULTS="device uuid=0:1", **variables)
    expect("ranks 0 and 1 share device" in shared, "sharing is not told", shared)

table = run(run_mpi, "2", info, "--support")
for word in ("# What is served", "## `mpi`, host memory", "| float8_e4m3 | yes |", "## Arithmetic"):
    if table.count(word) < 1:
        sys.exit(f"no '{word}' in\n{table}")
if table.count("# What is served") != 1:
    sys.exit(f"more than one rank wrote\n{table}")
