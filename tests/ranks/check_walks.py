#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares the recorder's walks of the stack with the unwinder's, in many programs: check_walks.py WALK_CHECK FRAMES_CPP [COMMAND]

With COMMAND, only in that command; WALK_EVERY then says how many allocations there are for a walk."""

import collections
import os
import shutil
import subprocess
import sys
import tempfile

LIBRARY, FRAMES, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]
LANES = "-mavx2" if "avx2" in open("/proc/cpuinfo").read() else "-msse2"
OPTIONS = ["-O0", "-O1 -fno-omit-frame-pointer", f"-O2 {LANES}", f"-O3 {LANES} -fomit-frame-pointer -fno-pie -no-pie",
           "-Os -fcf-protection -fstack-protector-all"]  # fmt: skip
# What runs from .init, which has no rule, from a signal handler, or on a stack whose first frame has no rule.
MOST_UNKNOWN = 0.02


class Walks:
    def __init__(self, folder):
        self.report = f"{folder}/report"
        self.problems = []

    def run(self, words, every):
        """(walks, unknown, wrong) of each program that the command runs."""
        open(self.report, "w").close()
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "WALK_REPORT": self.report, "WALK_EVERY": str(every)}
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            self.problems.append(f"{words}: status {done.returncode}\n{done.stdout}")
        found = collections.defaultdict(lambda: [0, 0, 0])
        for line in open(self.report):
            program, *numbers = line.rsplit(maxsplit=3)
            found[program] = [before + int(number) for before, number in zip(found[program], numbers)]
        for program, (walks, unknown, wrong) in found.items():
            print(f"{os.path.basename(program)}, {' '.join(words)[:80]}: {walks} walks, {unknown} unknown, {wrong} wrong")
            if wrong:
                self.problems.append(f"{program}: {wrong} wrong walks\n{done.stdout}")
            elif unknown > max(5, MOST_UNKNOWN * walks):
                self.problems.append(f"{program}: {unknown} of {walks} walks unknown")
        return sum(numbers[0] for numbers in found.values())


def main():
    with tempfile.TemporaryDirectory() as folder:
        walks = Walks(folder)
        if COMMAND:
            walks.run(COMMAND, int(os.environ.get("WALK_EVERY", "1")))
        else:
            total = walks.run([sys.executable, "-c", "import json, ctypes, decimal, re; print(sorted([3, 1], key=lambda x: -x))"], 3)
            if cmake := shutil.which("cmake"):
                total += walks.run([cmake, "--help-variable-list"], 11)
            for compiler in ("g++", "clang++"):
                if not shutil.which(compiler):
                    continue
                for options in OPTIONS:
                    program = f"{folder}/frames"
                    words = [compiler, "-std=c++20", "-w", *options.split(), FRAMES, "-pthread", "-o", program]
                    total += walks.run(words, 101) + walks.run([program], 1)
            if total < 20000:
                walks.problems.append(f"only {total} walks")
    print("\n".join(walks.problems) or "no walk is wrong")
    return 1 if walks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
