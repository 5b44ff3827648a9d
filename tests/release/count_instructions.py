# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Counts the instructions that a launch executes, and compares them with those of <<<>>>.

The program (main.cpp) makes each launch inside a function count_<way>, under callgrind. What counts
is everything that this function calls: its own frame and the runtime's functions, which do nothing
here, are left out. `<<<>>>` includes the stub that nvcc makes and
cudaPeekAtLastError's call. The bar: a launch executes at most two thirds of it.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Each way to launch, and the launch by <<<>>> that does the same.
WAYS = {"static_returned": "raw_static_returned", "dynamic_returned": "raw_dynamic_returned",
        "configured_returned": "raw_dynamic_returned", "static_inlined": "raw_static_inlined",
        "dynamic_inlined": "raw_dynamic_inlined", "configured_inlined": "raw_dynamic_inlined"}  # fmt: skip
# What is no part of a launch: the runtime, and the frame that calls the functions which count.
OUTSIDE = re.compile(r"(__)?(cuda|hip|cu)[A-Z]\w*$|count_|(main|all_of_\w+)\b|\(below main\)")


def instructions(program):
    """Instructions executed inside each function count_<way>, without its own and without the
    runtime's, in its last call: {way: number}. The program calls each twice, since the first holds
    whatever ran before it."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--dump-after=count_*",
             f"--callgrind-out-file={folder}/out", "--compress-strings=no", "--compress-pos=no",
             "--dump-instr=no", str(program)], capture_output=True, text=True)  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"{program} failed under callgrind:\n{done.stderr}")
        # One file per call, in the order of the calls; the one without a number is the program's end.
        dumps = sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        return dict(map(of_one_call, dumps))


def of_one_call(dump):
    text = dump.read_text()
    function = re.search(r"^desc: Trigger: --dump-after=(\w+)", text, re.MULTILINE)[1]
    total, name, skip = 0, "", False
    for line in text.splitlines():
        if line.startswith("fn="):
            name = line[3:]
        elif line.startswith("calls="):
            skip = True  # the next line is what the callee cost, which is counted there
        elif re.match(r"[+\-*\d]", line):
            if not skip and not OUTSIDE.match(name):
                total += int(line.split()[1])
            skip = False
    return function.removeprefix("count_"), total


def main():
    failed = False
    for program in sys.argv[1:]:
        print(f"{Path(program).name}\n{'':20}{'<<<>>>':>8}{'launch':>8}{'ratio':>7}")
        counted = instructions(program)
        for way, same in WAYS.items():
            raw, ours = counted[same], counted[way]
            print(f"{way:20}{raw:8}{ours:8}{ours / raw:7.2f}")
            # A count this small means that callgrind saw no launch at all.
            failed |= raw < 20 or ours < 10 or 3 * ours > 2 * raw
    return failed


if __name__ == "__main__":
    sys.exit(main())
