#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Jobs with and without mistakes over a stand-in for NCCL: check_jobs.py [--some] WARPSAFE_RANKS LIBRARY JOB...

Each mode of programs/job.cpp, or with --some every fourth, runs with four ranks. warpsafe-ranks says nothing of a right
program, and names rank, call and line of a mistake."""

import multiprocessing
import pathlib
import re
import sys
import tempfile

from jobs import Asked, Job, until

EVERY = 1
if sys.argv[1] == "--some":
    EVERY = 4
    del sys.argv[1]
TOOL, LIBRARY = sys.argv[1:3]
PROGRAM = sys.argv[3:]
SIZE = 4
SOURCE = (pathlib.Path(__file__).parent / "programs/job.cpp").read_text()
RIGHT = sorted(set(re.findall(r'is\("(right_\w+)"\)', SOURCE)))
ODD = [SIZE - 1]
OTHERS = list(range(SIZE - 1))


def side(finding, ranks, what):
    """True if these ranks, and no others, are said to do this."""
    return any(one["ranks"] == ranks and re.search(what, one["what"]) and re.match(r"job\.cpp:\d+", one["place"] or "")
               for one in finding["sides"])


# Mode: the finding's kind, what its text says, and the sides (ranks, pattern) that it names.
MISTAKES = {
    "absent": ("waits", "collective 11, all_reduce of 64 float32, sum", [(OTHERS, "called it"), (ODD, "did not call it; in its own code since all_reduce")]),
    "absent_early_return": ("waits", "collective 11", [(OTHERS, "called it"), (ODD, "has ended; its last call was all_reduce")]),
    "count": ("different", "collective 11", [(OTHERS, "of 64 float32"), (ODD, "of 32 float32")]),
    "type": ("different", "collective 11", [(OTHERS, "8 float32"), (ODD, "8 float64")]),
    "reduction": ("different", "collective 11", [(OTHERS, "sum"), (ODD, "max")]),
    "root": ("different", "collective 11", [(OTHERS, "root 0"), (ODD, "root 1")]),
    "failed_in_group": ("failed", "returned errors", [(list(range(SIZE)), "reduce of 64 float32, sum, root 4 failed with status 4")]),
    "operation": ("different", "collective 11", [(OTHERS, "all_reduce"), (ODD, "all_gather")]),
    "order": ("different", "the same two calls in another order", [(OTHERS, "all_reduce"), (ODD, "broadcast")]),
    "circle": ("circle", "wait for each other", [(ODD, "waits in all_reduce")]),
    "circle_on_stream": ("circle", "wait for each other", [(ODD, "waits in all_reduce")]),
    "left_out": ("different", "rank 3 went on to the call that followed in earlier steps", [(OTHERS, "broadcast"), (ODD, "reduce of 8")]),
    "left_out_of_two": ("different", "ranks: rank 3 went on to the call that followed in earlier steps", [(OTHERS, "broadcast"), (ODD, "all_reduce of 8")]),
    "split_absent": ("waits", r"communicator 2 \(NCCL\) waits in its creation", [(OTHERS, "called it"), (ODD, "did not call it; in its own code since all_reduce")]),
    # Not a circle: the first rank's calls are on two streams, of which the second has the handle of the first, destroyed one.
    "absent_beside_a_reused_handle": ("waits", "all_reduce of 64 float32, sum", [(ODD, "did not call it")]),
    "killed": ("died", "rank 3 ended unexpectedly", [(ODD, "its last call was all_reduce")]),
    "receive": ("message", "rank 3 waits in receive.*rank 0 has not called the send", [(ODD, "called it"), ([0], "in all_reduce")]),
    "init_absent": ("waits", "waits in its creation", [(OTHERS, "called it")]),
    "straggler": ("straggler", "rank 3 is the last to call", []),
    "straggler_of_six": ("straggler", "rank 3 is the last to call.*6 collectives", [(ODD, "ms late to broadcast of 64 float32, root 0")]),
}


def check_right(mode, folder):
    job = Job([*PROGRAM, folder, mode], SIZE, folder, f"{folder}/records", LIBRARY)
    statuses = job.wait()
    job.kill()
    if statuses != [0] * SIZE:
        return f"{mode}: ended with {statuses}\n{job.output()}"
    asked = Asked(TOOL, f"{folder}/records")
    if not asked.says_nothing():
        return f"{mode}: status {asked.status}, {asked.said['findings']}, {asked.said['problems']} {asked.error}"
    if len(asked.said["ranks"]) != SIZE or not asked.said["communicators"]:
        return f"{mode}: not all ranks are recorded: {asked.said}"
    if any(one["size"] < 0 for one in asked.said["communicators"]):
        return f"{mode}: a communicator without its size: {asked.said['communicators']}"
    return None


def check_two(folder):
    """Of two ranks that differ, the one is wrong that left the order of earlier steps."""
    job = Job([*PROGRAM, folder, "left_out_of_two"], 2, folder, f"{folder}/records", LIBRARY)
    asked = until(lambda: Asked(TOOL, f"{folder}/records", "--after", "0.5"), lambda one: one.find("different"), job.has_ended)
    job.kill()
    found = asked.find("different")
    if found is None or ": rank 1 went on to the call that followed in earlier steps" not in found["text"]:
        return f"two ranks: {asked.said['findings']}\n{job.output()}"
    return None


def check_mistake(mode, folder):
    kind, text, sides = MISTAKES[mode]
    job = Job([*PROGRAM, folder, mode], SIZE, folder, f"{folder}/records", LIBRARY)
    if mode.startswith("straggler"):
        job.wait()

    def is_found(asked):
        finding = asked.find(kind)
        return (finding is not None and re.search(text, finding["text"]) is not None
                and all(side(finding, ranks, what) for ranks, what in sides))

    asked = until(lambda: Asked(TOOL, f"{folder}/records", "--after", "0.5"), is_found, job.has_ended)
    job.kill()
    if not is_found(asked):
        return f"{mode}: expected '{kind}' with {text!r} and {sides}, found {asked.said['findings']}\n{job.output()}"
    if mode == "absent":
        # The program's own functions around the call.
        wanted = r"job\.cpp:\d+, in all_reduce_is_right, called at job\.cpp:\d+, in steps, called at job\.cpp:\d+, in mistake"
        if not re.fullmatch(wanted, asked.find(kind)["sides"][0]["place"]):
            return f"{mode}: the callers are missing in {asked.find(kind)['sides'][0]['place']}"
    # Nobody is left: the files say the same.
    again = Asked(TOOL, f"{folder}/records")
    if again.status != 1 or kind not in again.kinds() or (kind != "circle" and "circle" in again.kinds()):
        return f"{mode}: after the end of the job: status {again.status}, {again.kinds()}"
    return None


def check(mode):
    with tempfile.TemporaryDirectory() as folder:
        if mode == "two":
            return check_two(folder)
        return check_right(mode, folder) if mode.startswith("right_") else check_mistake(mode, folder)


def main():
    missing = set(re.findall(r'is\("(\w+)"\)', SOURCE)) - set(RIGHT) - set(MISTAKES)
    problems = [f"no expectation for the modes {sorted(missing)}"] if missing else []
    modes = [*RIGHT, *MISTAKES, "two"][::EVERY]
    # Processes, because a copy of a process with threads may find locks that nobody opens.
    with multiprocessing.get_context("fork").Pool(2) as pool:
        problems += [problem for problem in pool.imap(check, modes) if problem]
    print("\n".join(problems) or f"{len(modes)} modes: all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
