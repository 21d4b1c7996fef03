"""The faults of the campaign: what is done, and what must come of it on each rank.

An outcome is a tutti::Errc by its name, or
  done       all operations done and right
  gone       the process ended in the middle
  exception  an exception of the application's own
Several, separated by |, are all right.
"""

from dataclasses import dataclass, field

# Whether messages name the ranks that have not come and what they did last.
NAMES_THE_MISSING = True
# Whether a process can leave by main's end although others died.
LEAVES_AFTER_A_DEATH = True

TIMEOUT = 1.0
# What names the victim: "rank 1: ...", "ranks 0-1, 3: ...", or the words of the shared-memory path.
VICTIM = r"(ranks? ([\d, -]*\b)?(1|0-\d)\b[\d, -]*: |rank 1 (has not arrived|gave up|\(process \d+\) has ended))"
MISSING = VICTIM + ".*all_reduce"
# What tutti-trace says of it.
NOT_THERE = r"^(not there;|came too late, .*; before,) its last was all_reduce of \d+ int32, sum( and 1 more in its group)? \(call \d+\)"


@dataclass
class Case:
    name: str
    what: str  # for the documentation
    fault: str
    victim: str
    others: str
    texts: list = field(default_factory=list)  # in the error of each of the others
    culprit: str = ""  # likewise, once NAMES_THE_MISSING
    victim_texts: list = field(default_factory=list)
    env: dict = field(default_factory=dict)
    end: str = "end_job"  # what ranks do after an error
    survivors: bool = False  # the launcher lets the others go on
    again: str = ""  # of the others' next call: works, or an Errc
    ranks: tuple = (2, 3, 5)
    fails: bool = True  # the job's exit status is not zero
    shm: str = ""  # the size of /dev/shm
    traced: str = ""  # what tutti-trace says of the victim in the call that others wait in

    @property
    def victim_rank(self):
        return int(self.env.get("FAULTS_VICTIM", 1))


def variants(variable, values, ranks, **case):
    """The same case for several values of a variable of the driver's."""
    name = case.pop("name")
    for value in values:
        env = dict(case.get("env", {}), **{variable: value})
        yield Case(name=f"{name}, {value}", ranks=ranks, **dict(case, env=env))


def late():
    # The launcher wakes it before it kills it.
    common = dict(fault="stop", victim="gone|broken|timeout", others="timeout", texts=["all_reduce"],
                  culprit=MISSING, again="broken", traced=NOT_THERE)
    yield Case("stopped", "a rank is stopped (SIGSTOP)", **common)
    yield from variants("FAULTS_VERB", ["start", "group", "plan"], (3,), name="stopped",
                        what="the same, operations begun otherwise", **common)
    yield Case("stopped, large", "the same, with 4 MiB", **dict(
        common, env={"FAULTS_COUNT": "1000000"}, ranks=(3,)))
    yield Case("stopped, checked", "the same, with `TUTTI_CHECK=global`", **dict(
        common, env={"TUTTI_CHECK": "global"}))
    yield Case("stopped, first rank", "the same, rank 0", **dict(
        common, env={"FAULTS_VICTIM": "0"}, culprit=r"rank 0( has|:).*all_reduce", ranks=(3,)))
    yield Case("stopped, nodes of two", "the same, on several nodes (`TUTTI_NODE_SIZE=2`)", **dict(
        common, env={"TUTTI_NODE_SIZE": "2"}, ranks=(3, 5)))
    yield Case("stopped, nodes of two, checked", "the same, with `TUTTI_CHECK=global`", **dict(
        common, env={"TUTTI_NODE_SIZE": "2", "TUTTI_CHECK": "global"}, ranks=(3,)))
    # Nobody is there to tell what it did.
    yield Case("stopped, alone on its node", "the same, alone on its node", **dict(
        common, env={"TUTTI_NODE_SIZE": "1"}, ranks=(3,), culprit="rank 1: no answer from there"))
    yield Case("late", "a rank comes after the deadline", "late", "timeout|gone|broken", "timeout",
               texts=["all_reduce"], culprit=MISSING, again="broken", end="return", traced=NOT_THERE)
    yield Case("late in time", "a rank comes late, before the deadline", "late_in_time", "done", "done",
               fails=False)
    yield Case("no message", "a message that nobody sends is waited for", "no_message", "timeout", "timeout",
               texts=["recv", "from rank 1"], again="broken", end="return",
               traced=r"^(is in|its last was) all_reduce")


def dead():
    # Through shared memory a death is seen at once, and is no timeout.
    timeout = dict(others="timeout|broken", texts=["all_reduce"], again="broken", survivors=True, end="exit",
                   traced=NOT_THERE)
    yield Case("killed", "a rank is killed (SIGKILL), the launcher lets the others go on", "kill", "gone",
               culprit=MISSING, **timeout)
    yield Case("killed, all end", "a rank is killed, the launcher ends the job (its default)", "kill", "gone",
               "gone|timeout|broken")
    yield Case("killed, checked", "a rank is killed, with `TUTTI_CHECK=global`", "kill", "gone",
               culprit=MISSING, env={"TUTTI_CHECK": "global"}, **dict(timeout, ranks=(3,)))
    yield Case("killed, nodes of two", "the same, on several nodes (`TUTTI_NODE_SIZE=2`)", "kill", "gone",
               culprit=MISSING, env={"TUTTI_NODE_SIZE": "2"}, **dict(timeout, ranks=(3, 5)))
    yield Case("terminated", "a rank gets SIGTERM", "terminate", "gone", culprit=MISSING, **timeout)
    yield Case("aborted", "a rank calls abort()", "abort", "gone", culprit=MISSING, **dict(timeout, ranks=(3,)))
    yield Case("thrown", "an exception that nobody catches", "throw", "gone", culprit=MISSING, **timeout)
    yield Case("exited", "a rank leaves by _exit(), without MPI_Finalize", "exit", "gone", culprit=MISSING,
               **timeout)
    yield Case("exited normally", "a rank leaves by exit(), without MPI_Finalize", "exit_normally", "gone",
               culprit=MISSING, **timeout)
    yield Case("exited, all end", "the same, the launcher ends the job (its default)", "exit", "gone",
               "gone|timeout|broken", ranks=(3,))
    if LEAVES_AFTER_A_DEATH:
        yield Case("killed, others return", "a rank is killed, the others leave by main's end", "kill", "gone",
                   culprit=MISSING, **dict(timeout, end="return"))
    yield Case("returned", "a rank returns from main too early", "return", "gone", "timeout",
               texts=["all_reduce"], culprit=VICTIM, again="broken", end="return", traced=NOT_THERE)
    yield Case("unwound", "an exception of the application's own is caught outside", "unwind", "exception",
               "timeout", texts=["all_reduce"], culprit=VICTIM, again="broken", end="return", traced=NOT_THERE)
    yield Case("job ended", "a rank calls end_job()", "end_job", "gone", "gone|timeout|broken")
    yield Case("communicator aborted", "a rank calls Communicator::abort()", "abort_communicator", "aborted",
               "timeout", texts=["all_reduce"], culprit=MISSING, again="broken", end="return", traced=NOT_THERE)


def mismatches():
    checked = {"TUTTI_CHECK": "global", "TUTTI_TIMEOUT": "20s"}
    common = dict(victim="mismatch", others="mismatch", env=checked, again="works", end="return")
    for name, words in {
        "operation": ["operation: ", r"barrier on rank 1\b"], "count": ["count: ", r"99 on rank 1\b"],
        "type": ["type: ", r"uint32 on rank 1\b"], "reduction": ["reduction: ", r"max on rank 1\b"],
        "root": ["root: ", r"1 on rank 1\b"], "verb": ["verb: ", r"start on rank 1\b"],
    }.items():
        yield Case("another " + name, f"a rank calls with another {name}, with `TUTTI_CHECK=global`", name,
                   texts=words, **common)
    yield Case("a deadline", "a rank alone has a deadline, with `TUTTI_CHECK=global`", "deadline",
               texts=["deadline: ", r"yes on rank 1\b"], **dict(
                   common, env={"TUTTI_CHECK": "global", "TUTTI_TIMEOUT": "0"}))
    refused = dict(common, victim="invalid_argument", others="invalid_argument")
    yield Case("null, checked", "a rank gives a null pointer, with `TUTTI_CHECK=global`", "null",
               texts=["rank 1: ", "null pointer"], **refused)
    yield Case("wrong root, checked", "a rank gives a root that there is not, with `TUTTI_CHECK=global`",
               "no_such_root", texts=["rank 1: ", "root"], **refused)
    alone = dict(others="timeout|broken", victim="invalid_argument", again="broken",
                 traced="^not there; ")
    yield Case("null", "a rank gives a null pointer", "null", texts=["all_reduce"], culprit=VICTIM,
               victim_texts=["null pointer", "all_reduce", "rank 1 of"], **alone)
    yield Case("wrong root", "a rank gives a root that there is not", "no_such_root",
               texts=["broadcast|all_reduce"],  # a broadcast can be over for who does not wait for others
               culprit=VICTIM, victim_texts=["root", "broadcast", "rank 1 of"], **alone)
    yield Case("order", "a rank uses two communicators in another order", "order",
               # Who is first to give up one of them can be heard on the other by who has not, and who
               # comes to what was given up is told.
               "timeout|mismatch|broken", "timeout|mismatch|broken", env={"TUTTI_CHECK": "global"}, texts=["all_reduce"],
               culprit=VICTIM, end="return")  # which of the two is the culprit, nobody can say


def construction():
    yield Case("no construction", "a rank does not come to the construction of a communicator",
               "no_construction", "gone|timeout|broken", "timeout", texts=["construction"], culprit=MISSING)
    yield Case("no split", "a rank does not come to a split", "no_split", "gone|timeout|broken", "timeout",
               texts=["split"], culprit=VICTIM, again="broken", traced=NOT_THERE)
    yield Case("no split, nodes of two", "the same, on several nodes (`TUTTI_NODE_SIZE=2`)", "no_split",
               "gone|timeout|broken", "timeout", texts=["split"], culprit=VICTIM, again="broken", traced=NOT_THERE,
               env={"TUTTI_NODE_SIZE": "2"}, ranks=(3, 5))
    yield Case("other options", "a rank has other options", "other_options", "mismatch", "mismatch",
               texts=["deterministic", "on rank 1"], again="works", end="return")
    yield Case("bad options", "a rank has an option that is not valid", "bad_options", "invalid_argument",
               "invalid_argument", texts=["rank 1: ", "max_count"], again="works", end="return")


def surroundings():
    works = dict(victim="done", others="done", fails=False)
    patient = {"TUTTI_TIMEOUT": "30s"}
    yield Case("interrupted", "signals in the middle, 3000 a second, without SA_RESTART", "interrupted",
               env=patient, **works)
    yield Case("out of memory", "a rank gets no more memory (RLIMIT_AS), with `TUTTI_HOST_PATH=mpi`", "memory",
               "memory|mpi", "timeout", env={"TUTTI_HOST_PATH": "mpi"},  # which needs some
               texts=["all_reduce"], culprit=VICTIM, victim_texts=["all_reduce", "rank 1 of"])
    yield Case("no descriptors", "a rank has no file descriptors left", "descriptors", env=patient, **works)
    yield Case("no file space", "a rank cannot write files (RLIMIT_FSIZE)", "file_size", env=patient, **works)
    yield Case("/dev/shm full", "/dev/shm has no space", "new_communicators", env=patient, shm="4k", **works)
    yield Case("forked", "a rank forks, and the child exits", "fork", env=patient, **works)
    yield Case("forked child returns", "a rank forks, and the child leaves by all destructors",
               "fork_and_return", env=patient, **works)


def device():
    def fakes(script, **more):
        return dict(more, FAULTS_MEMORY="device", TUTTI_FAKE_FAULTS=script)

    timeout = dict(others="timeout", texts=["all_reduce"], again="broken")
    missing = dict(timeout, culprit=MISSING, traced=NOT_THERE)
    yield Case("device: stopped", "a rank is stopped, on device memory", "stop", "gone|timeout|broken",
               env=fakes(""), **missing)
    yield Case("device: killed", "a rank is killed, on device memory", "kill", "gone", env=fakes(""),
               **dict(missing, survivors=True, end="exit"))
    yield Case("device: late", "a rank comes after the deadline, on device memory", "late", "timeout",
               env=fakes(""), **dict(missing, end="return"))
    yield Case("device: call fails", "an NCCL call fails on a rank", "none", "nccl",
               victim_texts=["ncclAllReduce", "no space left"], culprit=VICTIM,
               env=fakes("fail ncclAllReduce rank=1 call=12 code=2 text='no space left'"),
               **dict(timeout, end="return"))
    yield Case("device: call hangs", "an NCCL call does not return on a rank", "none", "gone|timeout|nccl",
               env=fakes("hang ncclAllReduce rank=1 call=12"), **timeout)
    yield Case("device: work stalls", "an operation never ends on the GPU of a rank", "none", "timeout",
               env=fakes("stall ncclAllReduce rank=1 call=12"), **dict(timeout, end="return"))
    yield Case("device: asynchronous error", "NCCL reports an asynchronous error", "none", "nccl", "nccl",
               texts=["the peer is gone"], again="broken", end="return",
               env=fakes("stall ncclAllReduce call=12; async polls=300 code=6 text='the peer is gone'",
                         TUTTI_TIMEOUT="20s"))
    yield Case("device: init fails", "NCCL cannot be initialised on a rank", "none", "nccl", "nccl",
               texts=["rank 1: ", "no route to the moon"], end="return",
               env=fakes("fail ncclCommInitRankConfig rank=1 text='no route to the moon'",
                         TUTTI_NCCL="required"))
    yield Case("device: shared", "two ranks have one GPU, with `TUTTI_NCCL=required`", "none", "unsupported",
               "unsupported", texts=["ranks 0 and 1 share device"], end="return",
               env=fakes("device uuid=0:1", TUTTI_NCCL="required"))
    yield Case("device: shared, allowed", "two ranks have one GPU: served by staging", "none", "done", "done",
               env=fakes("device uuid=0:1"), fails=False)
    yield Case("device: another count", "a rank calls with another count, with `TUTTI_CHECK=global`", "count",
               "mismatch", "mismatch", texts=["count: ", r"99 on rank 1\b"], again="works", end="return",
               env=fakes("", TUTTI_CHECK="global", TUTTI_TIMEOUT="20s"))
    yield Case("device: null", "a rank gives a null pointer, with `TUTTI_CHECK=global`", "null",
               "invalid_argument", "invalid_argument", texts=["rank 1: ", "null pointer"], again="works",
               end="return", env=fakes("", TUTTI_CHECK="global", TUTTI_TIMEOUT="20s"))


GROUPS = {
    "late": late, "dead": dead, "mismatches": mismatches, "construction": construction,
    "surroundings": surroundings, "device": device,
}
