#!/usr/bin/env python3
"""A program that runs with more rights than its user follows no variable that names a file, a
directory or a library. Usage: set_uid.py PROGRAM LIBRARY yes|no

The last one tells whether the build looks for libraries of devices. Skipped, with status 77, where no
set-uid program can be made."""

import os
import shutil
import subprocess
import sys
import tempfile

program, library, devices = sys.argv[1:4]
NOBODY = 65534
# Every way to each of the libraries.
NAMES = ["libcudart.so"] + [f"libcudart.so.{major}" for major in range(10, 16)] + ["libnccl.so", "libnccl.so.2"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(command, top, variables):
    """The words that the program says, and whether it made the directory of records."""
    records = os.path.join(top, "records")
    shutil.rmtree(records, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("TUTTI_", "CUDA_", "NCCL_"))}
    environment.update(HOME=top, TMPDIR=top, TUTTI_LOG="off", TUTTI_RECORD=records, **variables)
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, timeout=60, cwd=top)
    words = result.stdout.split()
    if result.returncode != 0:
        sys.exit(f"{command}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return set(words) | ({"record"} if os.path.exists(records) else set())


if os.geteuid() != 0:
    skip("only root can make a program of root's that another user runs")
if shutil.which("setpriv") is None:
    skip("there is no setpriv to become another user with")

with tempfile.TemporaryDirectory() as top:
    # Whoever runs it may write here: what is not written was not asked for.
    os.chmod(top, 0o777)
    folder = os.path.join(top, "lib64")
    os.mkdir(folder)
    for name in NAMES:
        shutil.copy(library, os.path.join(folder, name))
    copies = {}
    for name, mode in (("ordinary", 0o755), ("set-uid", 0o4755)):
        copies[name] = os.path.join(top, name)
        shutil.copy(program, copies[name])
        os.chown(copies[name], 0, 0)
        os.chmod(copies[name], mode)
    os.chmod(folder, 0o755)
    tune = os.path.join(top, "no-table")
    stories = {
        "by name": dict(TUTTI_CUDART_LIBRARY=os.path.join(folder, NAMES[0]),
                        TUTTI_NCCL_LIBRARY=os.path.join(folder, NAMES[-1])),
        "by folder": dict(CUDA_HOME=top, CUDA_PATH=top, NCCL_HOME=top),
        "a table": dict(TUTTI_TUNE=tune),
    }
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    loader_has_one = "libcudart.so" in cache
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    for story, variables in stories.items():
        expected = {"ordinary", "record"}
        if story == "a table":
            expected.add("tune")
        elif devices == "yes":
            expected.add("library")
        said = run(as_nobody + [copies["ordinary"]], top, variables)
        if story == "by folder" and loader_has_one:
            print("by folder: the loader finds a CUDA runtime by itself, and no folder is looked at")
        elif said != expected:
            sys.exit(f"{story}, as usual: {sorted(said)} instead of {sorted(expected)}")
        said = run(as_nobody + [copies["set-uid"]], top, variables)
        if "ordinary" in said:
            skip("the system follows no set-uid bit here (a file system mounted nosuid, no_new_privs)")
        if said != {"set-uid"}:
            sys.exit(f"{story}, set-uid: {sorted(said - {'set-uid'})} was followed")
