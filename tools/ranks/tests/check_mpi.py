#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Jobs under mpirun, each rank under warpsafe-run: check_mpi.py WARPSAFE_RANKS WARPSAFE_RUN MPIRUN MPI_JOB [--large]

--large: one job of 64 ranks, for which a small machine needs seconds, in place of the others."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

from jobs import PATIENCE, Asked, until

TOOL, RUN, MPIRUN, PROGRAM = sys.argv[1:5]
SIZE, LARGE = 4, 64
IS_LARGE = sys.argv[5:] == ["--large"]
RIGHT = [("right_loop", LARGE)] if IS_LARGE else [("right_loop", SIZE), ("right_all", SIZE), ("right_requests", 2), ("right_loop", 16)]
ODD, OTHERS = [SIZE - 1], list(range(SIZE - 1))

MISTAKES = {
    "absent": ("waits", "collective 11, barrier", [(OTHERS, "called it"), (ODD, "did not call it; in its own code since all_reduce")]),
    "root": ("different", "collective 11", [(OTHERS, "32 bytes, root 0"), (ODD, "32 bytes, root 1")]),
    "bytes": ("different", "collective 11", [(OTHERS, "32 bytes, root 0"), (ODD, "16 bytes, root 1")]),
    "killed": ("died", "rank", [(ODD, "its last call was all_reduce")]),
    "receive": ("message", "rank 3 waits in receive of 32 bytes from rank 0.*tag 7.*rank 0 has not called the send",
                [(ODD, "called it"), ([0], "in barrier")]),
    "circle": ("circle", "wait for each other", [(ODD, "waits in barrier")]),
    "nan": ("non_finite", "rank 2 has the first NaN or infinity, in the input of collective 11 of communicator 1.*of 64 MPI_DOUBLE, sum",
            [([2], "its input has 1 NaN, the first at element 5")]),
}


def start(mode, size, folder):
    options = ["--checksums"] if mode in ("right_all", "nan") else []
    words = [MPIRUN, "--oversubscribe", "-n", str(size), RUN, "--ranks", f"{folder}/records", *options, PROGRAM, mode]
    # Open MPI refuses to run for root, as continuous integration does, unless it is told twice.
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,vader,tcp"}
    with open(f"{folder}/output", "wb") as output:
        return subprocess.Popen(words, env=environment, stdout=output, stderr=output, start_new_session=True)


def kill(job):
    if job.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
    job.wait()


def check_right(mode, size, folder):
    job = start(mode, size, folder)
    if mode == "right_requests":
        # While the job runs, and as long as the receiver does not receive.
        found = until(lambda: Asked(TOOL, f"{folder}/records", "--after", "0.2"), lambda one: one.find("message"), lambda: job.poll() is not None)
        if found.find("message"):
            kill(job)
            return f"{mode}: {found.said['findings']}"
    try:
        status = job.wait(3 * PATIENCE)
    except subprocess.TimeoutExpired:
        status = None
    kill(job)
    asked = Asked(TOOL, f"{folder}/records", "--html", f"{folder}/page.html", "--timeline", f"{folder}/timeline.json")
    if status != 0 or not asked.says_nothing():
        return f"{mode}: status {status}, {asked.said} {asked.error}\n{pathlib.Path(folder, 'output').read_text()}"
    if asked.said["ranks"] != list(range(size)):
        return f"{mode}: recorded were the ranks {asked.said['ranks']}"
    if mode == "right_all":
        # The copy has 16 collectives in each member.
        if [16] * size not in [one["collectives"] for one in asked.said["communicators"]]:
            return f"{mode}: not all calls are recorded: {asked.said['communicators']}"
        text = subprocess.run([sys.executable, TOOL, f"{folder}/records"], capture_output=True, text=True, check=False).stdout
        if not re.search(r"\d+ with checksums", text):
            return f"{mode}: no checksums: {text}"
    return None


def check_mistake(mode, folder):
    kind, text, sides = MISTAKES[mode]
    job = start(mode, SIZE, folder)

    def is_found(asked):
        finding = asked.find(kind)
        return (finding is not None and re.search(text, finding["text"]) is not None
                and all(any(set(ranks) <= set(one["ranks"]) and re.search(what, one["what"])
                            and re.match(r"mpi_job\.cpp:\d+", one["place"] or "") for one in finding["sides"])
                        for ranks, what in sides))

    asked = until(lambda: Asked(TOOL, f"{folder}/records", "--after", "0.5"), is_found, lambda: job.poll() is not None)
    kill(job)
    if is_found(asked):
        return None
    return f"{mode}: expected '{kind}' with {text!r} and {sides}, found {asked.said['findings']}\n{pathlib.Path(folder, 'output').read_text()}"


def main():
    problems = []
    mistakes = [] if IS_LARGE else MISTAKES
    for mode, size in RIGHT:
        with tempfile.TemporaryDirectory() as folder:
            problems.append(check_right(mode, size, folder))
    for mode in mistakes:
        with tempfile.TemporaryDirectory() as folder:
            problems.append(check_mistake(mode, folder))
    problems = [problem for problem in problems if problem]
    print("\n".join(problems) or f"{len(RIGHT)} right jobs, {len(mistakes)} mistakes: all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
