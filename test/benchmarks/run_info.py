#!/usr/bin/env python3
"""Runs tutti-info with and without mpirun.  Usage: run_info.py RUN_MPI TUTTI_INFO"""

import json
import os
import subprocess
import sys

run_mpi, info = sys.argv[1:3]
environment = dict(os.environ, TUTTI_CHECK="global")


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
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

table = run(run_mpi, "2", info, "--support")
for word in ("# What is served", "## `mpi`, host memory", "| float8_e4m3 | yes |", "## Arithmetic"):
    if table.count(word) < 1:
        sys.exit(f"no '{word}' in\n{table}")
if table.count("# What is served") != 1:
    sys.exit(f"more than one rank wrote\n{table}")
