#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The example of a training on several ranks: distributed.py PROGRAM [WARPSAFE_RUN [--all]]

Without WARPSAFE_RUN: trainings without a mistake. With it: warpsafe-ranks says of every fourth mistake what
examples/distributed/README.md says; with --all of each. A straggler is late by 20 ms, as any rank may be on a busy
machine, so it is for --all, which runs alone.
Lines of places, times and numbers of collectives may differ."""

import os
import pathlib
import re
import subprocess
import sys

PROGRAM, *WATCH = sys.argv[1:3]
ALL = sys.argv[3:] == ["--all"]
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/distributed"
RUN = EXAMPLE / "run"
# Open MPI does not free all its memory.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def ran(*words):
    done = subprocess.run([RUN, "--program", PROGRAM, *words], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def check_right():
    for ranks in (1, 2, 3):
        status, said = ran(str(ranks))
        wanted = f"{321 * ranks} of {321 * ranks} weights on {ranks} rank{'s' if ranks > 1 else ''} equal those of one process, to the last bit"
        if status != 0 or wanted not in said:
            yield f"{ranks} ranks: status {status}, expected {wanted!r}:\n{said}"
    # The check finds a wrong sum.
    wrong = subprocess.run(["mpirun", "-n", "2", PROGRAM, "reduction"], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if wrong.returncode == 0 or "of 642 weights" not in wrong.stdout or "642 of 642" in wrong.stdout:
        yield f"a maximum in place of a sum: {wrong.returncode} {wrong.stdout} {wrong.stderr}"
    # torchrun's variables, without a GPU.
    alone = subprocess.run([PROGRAM], env={**ENVIRONMENT, "RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost"},
                           capture_output=True, text=True, check=False)
    if alone.returncode != 2 or "start it with mpirun" not in alone.stderr:
        yield f"torchrun without a GPU: {alone.returncode} {alone.stderr}"
    wrong = subprocess.run([PROGRAM, "nothing"], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if wrong.returncode == 0 or "usage: distributed [MISTAKE]" not in wrong.stderr:
        yield f"an unknown mistake: {wrong.returncode} {wrong.stderr}"
    for words in (("--mistake", "none"), ("0",), ("x",), ("--mistake", "root", "1"), ("--launcher", "srun")):
        status, said = ran(*words)
        if status != 2 or "examples/distributed/run --help" not in said:
            yield f"{words}: status {status}, {said}"


def matches(text, said):
    """True if `said` has the text, with any times: those differ from run to run."""
    parts = re.split(r"\d+\.\d+ ms", text)
    return re.search(r"\d+\.\d+ ms".join(map(re.escape, parts)), said) is not None


def check_mistakes():
    page = (EXAMPLE / "README.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", page, re.MULTILINE)
    script = re.search(r"^mistakes=\((.*)\)$", RUN.read_text(), re.MULTILINE).group(1).split()
    names = re.findall(r'"(\w+)"', (EXAMPLE / "mistake.hpp").read_text())
    if [name for name, _ in rows] != script or ["none", *script] != names:
        yield f"the page, the script and the program have other mistakes: {rows} {script} {names}"
    # A program that records nothing is no success.
    done = subprocess.run([RUN, "--program", "/bin/false", "--warpsafe-run", WATCH[0], "--mistake", "root", "2"], env=ENVIRONMENT,
                          capture_output=True, text=True, check=False)
    if done.returncode != 1 or "not reported: root" not in done.stdout:
        yield f"a program without records: {done.returncode} {done.stdout} {done.stderr}"
    for name, cell in rows if ALL else [row for row in rows if row[0] != "straggler"][::4]:
        status, said = ran("--warpsafe-run", WATCH[0], "--mistake", name, "4")
        for text in re.findall(r"`([^`]+)`", cell):
            if status != 0 or not matches(text, said):
                yield f"{name}: status {status}, expected {text!r}:\n{said}"
        # Calls of the program's own functions have lines of its source.
        if "called at train.cpp:" not in said:
            yield f"{name}: no line of train.cpp:\n{said}"


def main():
    problems = list(check_mistakes() if WATCH else check_right())
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
