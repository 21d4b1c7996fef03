#!/usr/bin/env python3
"""Those whose peers were killed make a new communicator and go on, two of them to the end.
Usage: survivors.py SURVIVORS RANKS. The launcher is $RUN_MPI_LAUNCHER."""

import os
import subprocess
import sys
import time

program, ranks = sys.argv[1:3]
launcher = os.environ.get("RUN_MPI_LAUNCHER", "mpirun")
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                   PRTE_MCA_hwloc_default_binding_policy="none", RUN_MPI_RANKS=ranks)
begin = time.monotonic()
try:
    job = subprocess.run([launcher, "--with-ft", "ulfm", "-n", ranks, program], env=environment,
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
except subprocess.TimeoutExpired as expired:
    sys.exit(f"the job did not end\n{expired.stderr.decode()}")
print(f"{time.monotonic() - begin:.1f} s, status {job.returncode}")
if job.stderr.count("the last 2 are through") != 2 or "FAILED" in job.stderr:
    sys.exit(job.stdout + job.stderr)
