#!/usr/bin/env python3
"""Starts fault_driver under mpirun for each fault of a group and judges what comes of it.

  campaign.py DRIVER GROUP [--only NAME] [--ranks N] [--trace TUTTI_TRACE] [--table FILE] [--verbose]

A case passes when the job ended in time and with the right status, every rank ended as cases.py
says, with texts that name what they should, and nothing is left behind: no process, and nothing in
/dev/shm. With --trace, tutti-trace must name the same culprit from the ranks' records. The launcher
is $RUN_MPI_LAUNCHER (mpirun).
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import cases

LIMIT = 60.0  # seconds for a job
SLACK = 3.0  # how much later than the deadline an error may come, on a busy machine
LAUNCHER = os.environ.get("RUN_MPI_LAUNCHER", "mpirun")
OPEN_MPI = "Open MPI" in subprocess.run([LAUNCHER, "--version"], capture_output=True, text=True).stdout


def can_mount():
    """Whether a job can have a /dev/shm of its own."""
    command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /dev/shm"]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


OWN_SHM = can_mount()


class Record:
    """What a rank said: [(seconds, word, text)]."""

    def __init__(self, path):
        self.lines = []
        if not os.path.exists(path):
            return
        with open(path) as file:
            for line in file:
                when, word, *rest = line.rstrip("\n").split(" ", 2)
                self.lines.append((int(when) / 1000, word, rest[0] if rest else ""))

    def first(self, word):
        return next(((when, text) for when, said, text in self.lines if said == word), None)

    def outcome(self):
        for _, word, text in self.lines:
            if word == "error":
                return text.split(" ", 1)[0]
            if word in ("done", "exception", "bad_alloc", "failed"):
                return word
        return "gone"


class Job:
    """One run of the driver."""

    def __init__(self, driver, case, ranks, trace):
        self.case, self.ranks = case, ranks
        self.trace = trace if case.traced else None
        self.directory = tempfile.mkdtemp(prefix="tutti-faults.")
        self.status, self.output, self.seconds = None, "", 0.0
        self.lost = 0.0  # seconds in which this machine let nobody run
        self.left_behind = []
        self.command = self.launch(driver)

    def launch(self, driver):
        command = [LAUNCHER, "-n", str(self.ranks)]
        if self.case.survivors and OPEN_MPI:
            command[1:1] = ["--mca", "orte_abort_on_non_zero_status", "0",
                            "--mca", "orte_allowed_exit_without_sync", "1"]
        if self.case.shm and OPEN_MPI:  # the memory that is full is not to be Open MPI's own
            command[1:1] = ["--mca", "btl_vader_backing_directory", "/tmp"]
        command += [driver, self.case.fault]
        if not OWN_SHM:
            return command
        size = f"-o size={self.case.shm}" if self.case.shm else ""
        script = (f'mount -t tmpfs {size} tmpfs /dev/shm && "$@"; status=$?; '
                  'ls -A /dev/shm >"$FAULTS_DIR/shm"; exit $status')
        return ["unshare", "-m", "sh", "-c", script, "sh"] + command

    def environment(self):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                           PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                           PRTE_MCA_hwloc_default_binding_policy="none",
                           TUTTI_TIMEOUT=f"{cases.TIMEOUT:g}s", FAULTS_DIR=self.directory,
                           FAULTS_END=self.case.end)
        environment.update(self.case.env)
        if self.trace:
            environment["TUTTI_RECORD"] = self.records_directory()
        if not environment.get("TUTTI_FAKE_FAULTS"):
            environment.pop("TUTTI_FAKE_FAULTS", None)
        return environment

    def records_directory(self):
        return os.path.join(self.directory, "records")

    def processes(self):
        """The driver's processes that are still there."""
        marker = f"FAULTS_DIR={self.directory}".encode()
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    mine = marker in file.read().split(b"\0")
                with open(f"/proc/{entry}/stat") as file:
                    dead = file.read().rsplit(")", 1)[1].split()[0] in "ZX"
                with open(f"/proc/{entry}/comm") as file:
                    name = file.read().strip()
            except OSError:
                continue
            if mine and not dead and name == "fault_driver":
                found.append(int(entry))
        return found

    def run(self):
        begin = time.monotonic()
        with open(os.path.join(self.directory, "output"), "w+") as output:
            job = subprocess.Popen(self.command, env=self.environment(), stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            while job.poll() is None and time.monotonic() - begin < LIMIT:
                before = time.monotonic()
                time.sleep(0.05)
                self.lost += max(0.0, time.monotonic() - before - 0.1)
                self.tell_when_all_are_heard()
                if self.case.survivors and self.survivors_are_through():
                    break
            self.status = job.poll()
            self.seconds = time.monotonic() - begin
            if self.status is None:
                # Open MPI's launcher waits for ever where a rank was killed and it must not end the job.
                os.killpg(job.pid, signal.SIGTERM)
                try:
                    job.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(job.pid, signal.SIGKILL)
                    job.wait()
            output.seek(0)
            self.output = output.read()
        self.records = self.read()
        time.sleep(0.1)
        self.left_behind = self.leftovers()
        return self

    def read(self):
        return [Record(os.path.join(self.directory, f"rank.{r}")) for r in range(self.ranks)]

    def tell_when_all_are_heard(self):
        heard = [r.first("again") or r.first("works") for r in self.read()]
        del heard[self.case.victim_rank]
        if all(heard):
            open(os.path.join(self.directory, "all_heard"), "w").close()

    def survivors_are_through(self):
        begun = all(record.first("begin") for record in self.read())
        if not begun or self.processes():
            return False
        time.sleep(0.3)  # for the launcher to end by itself
        return True

    def leftovers(self):
        left = [f"process {pid}" for pid in self.processes()]
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        path = os.path.join(self.directory, "shm")
        if os.path.exists(path):
            with open(path) as file:  # what Open MPI forgets is not ours
                left += [f"/dev/shm/{name}" for name in file.read().split()
                         if not name.startswith(("vader_segment", "sm_segment"))]
        return left

    def launcher_crashed(self):
        """mpirun of Open MPI 4.1 sometimes does, when several ranks call MPI_Abort at the same moment."""
        ranks = [record.first("begin") for record in self.records]
        crashed = re.findall(r"\[\S+:(\d+)\] \*\*\* Process received signal", self.output)
        return any(process not in [begin[1] for begin in ranks if begin] for process in crashed)

    def close(self):
        shutil.rmtree(self.directory, ignore_errors=True)


def judge_error(job, rank, case, problems):
    record, is_victim = job.records[rank], rank == case.victim_rank
    when, text = record.first("error")
    texts = list(case.victim_texts if is_victim else case.texts)
    if case.culprit and cases.NAMES_THE_MISSING and not is_victim and text.startswith("timeout"):
        texts.append(case.culprit)
    texts.append(rf"rank {rank} of {job.ranks}\b")
    for pattern in texts:
        if not re.search(pattern, text):
            problems.append(f"rank {rank}: no '{pattern}' in: {text}")
    began = record.first("fault")
    timeout = case.env.get("TUTTI_TIMEOUT", f"{cases.TIMEOUT:g}s")
    late = when - began[0] - cases.TIMEOUT if began else 0
    if timeout == f"{cases.TIMEOUT:g}s" and late > SLACK + job.lost and not is_victim:
        problems.append(f"rank {rank}: the error came {late:.1f} s after the deadline")
    if case.again and not is_victim:
        again = record.first("again")
        word = again[1].split(" ", 1)[0] if again else "works" if record.first("works") else "nothing"
        if word != case.again and not (word == "nothing" and not record.first("left")):
            problems.append(f"rank {rank}: the next call: {again[1] if again else word}")
        if word == "broken" and again[0] - when > 0.5 + job.lost:
            problems.append(f"rank {rank}: the broken communicator said so after {again[0] - when:.1f} s")


def judge_trace(job):
    """What is wrong with what tutti-trace says of who waited for whom."""
    result = subprocess.run([job.trace, job.records_directory(), "--json"], capture_output=True, text=True)
    if result.returncode != 0:
        return [f"tutti-trace: {result.stderr}"]
    found = json.loads(result.stdout)
    if found["ranks_without_record"]:
        return [f"tutti-trace: no record of ranks {found['ranks_without_record']}"]
    victim = job.case.victim_rank
    for communicator in found["communicators"]:
        for wait in communicator["waits"]:
            inside = wait["waiting"] + wait["failed"]
            named = [group["what"] for group in wait["others"] if group["ranks"] == [victim]]
            if inside and victim not in inside and any(re.search(job.case.traced, what) for what in named):
                return []
    return [f"tutti-trace does not tell of rank {victim} that '{job.case.traced}': {result.stdout}"]


def judge(job):
    case, problems = job.case, []
    ended = job.status is not None or case.survivors
    if not ended:
        problems.append(f"the job did not end within {LIMIT:g} s")
    elif not case.survivors and case.fails == (job.status == 0):
        problems.append(f"exit status {job.status}")
    for rank, record in enumerate(job.records):
        allowed = (case.victim if rank == case.victim_rank else case.others).split("|")
        outcome = record.outcome()
        if outcome not in allowed:
            problems.append(f"rank {rank}: {outcome} instead of {' or '.join(allowed)}")
        if record.first("error") and outcome in allowed:
            judge_error(job, rank, case, problems)
    if case.survivors and not any(r.first("begin") for r in job.records):
        problems.append("it never began")
    if job.trace and not problems:
        problems += judge_trace(job)
    return problems + [f"left behind: {what}" for what in job.left_behind]


def tell(job, problems):
    stood = f", {job.lost:.1f} s of them the machine stood still" if job.lost > 0.5 else ""
    print(f"{'FAILED' if problems else 'passed'}: {job.case.name}, {job.ranks} ranks, {job.seconds:.1f} s{stood}",
          flush=True)
    if not problems:
        return
    for problem in problems:
        print("    " + problem)
    for rank, record in enumerate(job.records):
        for when, word, text in record.lines:
            print(f"    rank {rank}: {when:.3f} {word} {text}")
    print("    " + job.output[-3000:].replace("\n", "\n    "), flush=True)


def row(case, outcomes):
    """A line of the table in docs/reliability.md."""
    def listed(which):
        seen = []
        for outcome in outcomes[which]:
            if outcome not in seen:
                seen.append(outcome)
        return ", ".join(seen)
    return f"| {case.what} | {listed('victim')} | {listed('others')} |\n"


def done(arguments, case, ranks):
    """The job, once more if its launcher is to blame for what became of it."""
    for _ in range(3):
        job = Job(arguments.driver, case, ranks, arguments.trace).run()
        if not job.launcher_crashed():
            break
        print(f"{case.name}, {ranks} ranks: the launcher crashed, once more", flush=True)
    return job


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("group", choices=cases.GROUPS)
    parser.add_argument("--only")
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--trace")
    parser.add_argument("--table")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    failed = run = 0
    if not OWN_SHM:
        print("no /dev/shm of its own for each job: what is left there is not looked at")
    for case in cases.GROUPS[arguments.group]():
        if arguments.only and case.name != arguments.only:
            continue
        outcomes = {"victim": [], "others": []}
        for ranks in [arguments.ranks] if arguments.ranks else case.ranks:
            job = done(arguments, case, ranks)
            problems = judge(job)
            run, failed = run + 1, failed + bool(problems)
            tell(job, problems)
            if arguments.verbose and not problems:
                for rank, record in enumerate(job.records):
                    print("\n".join(f"    rank {rank}: {line}" for line in record.lines))
            for rank, record in enumerate(job.records):
                key = "victim" if rank == case.victim_rank else "others"
                outcomes[key].append(record.outcome())
            job.close()
        if arguments.table:
            with open(arguments.table, "a") as table:
                table.write(row(case, outcomes))
    print(f"{run - failed} passed, {failed} failed")
    return 1 if failed or not run else 0


if __name__ == "__main__":
    sys.exit(main())
