# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Counts the instructions that a launch executes, and compares them with those of <<<>>>:
count_instructions.py PROGRAM..., or --checked PROGRAM for the calls of a checked launch.

The program (main.cpp) makes each launch inside a function count_<way>, under callgrind. The count covers
everything that this function calls, without its own frame and without the runtime's functions, which do
nothing here. `<<<>>>` includes nvcc's stub and the call of cudaPeekAtLastError. The requirement: a launch
executes at most two thirds of it."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Each way to launch, with the <<<>>> launch that does the same.
WAYS = {"static_returned": "raw_static_returned", "dynamic_returned": "raw_dynamic_returned",
        "configured_returned": "raw_dynamic_returned", "static_inlined": "raw_static_inlined",
        "dynamic_inlined": "raw_dynamic_inlined", "configured_inlined": "raw_dynamic_inlined"}  # fmt: skip
# Of a checked launch with four arguments and the journal: clang++ 14 has 763, g++ 12 776.
MOST_CHECKED = 850
# The runtime, which does nothing here, and the frame around the counted functions.
VENDOR = re.compile(r"(__)?(cuda|hip|cu)[A-Z]\w*$")
FRAME = re.compile(r"count_|(main|all_of_\w+)\b|\(below main\)|__libc_start|0x")


def functions(program):
    """{way: {function: instructions}} for the last call of each count_<way>. The program calls each twice,
    because the first count contains earlier work."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--dump-after=count_*",
             f"--callgrind-out-file={folder}/out", "--compress-strings=no", "--compress-pos=no",
             "--dump-instr=no", str(program)], capture_output=True, text=True)  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"{program} failed under callgrind:\n{done.stderr}")
        # One file per call, in the order of the calls; the file without a number is the end of the program.
        dumps = sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        return dict(map(of_one_call, dumps))


def of_one_call(dump):
    text = dump.read_text()
    way = re.search(r"^desc: Trigger: --dump-after=count_(\w+)", text, re.MULTILINE)[1]
    found, name, skip = {}, "", False
    for line in text.splitlines():
        if line.startswith("fn="):
            name = line[3:]
        elif line.startswith("calls="):
            skip = True  # the next line is the callee's cost, counted there
        elif re.match(r"[+\-*\d]", line):
            if not skip:
                found[name] = found.get(name, 0) + int(line.split()[1])
            skip = False
    return way, {name: count for name, count in found.items() if not FRAME.match(name)}


def instructions(program):
    """{way: instructions}, without the runtime's."""
    return {way: sum(count for name, count in called.items() if not VENDOR.match(name))
            for way, called in functions(program).items()}  # fmt: skip


def check_checked(program):
    """Checks a checked launch with the journal on: that it executes at most MOST_CHECKED
    instructions, and calls only this library, cudaGetDevice and cudaLaunchKernel. It therefore allocates nothing and takes no lock, under any name."""
    failed = False
    for way, called in functions(program).items():
        total = sum(count for name, count in called.items() if not VENDOR.match(name))
        foreign = {name for name in called if "warpsafe" not in name} - {"cudaGetDevice", "cudaLaunchKernel"}
        # `<<<>>>` calls other functions; if none are found there, the check is blind.
        good = bool(foreign) == way.startswith("raw")
        print(f"checked {way:24}{total:6} instructions{'' if good else f'; calls {sorted(foreign)}'}")
        failed |= not good or not 20 <= total <= MOST_CHECKED
    return failed


def main():
    if sys.argv[1] == "--checked":
        return check_checked(sys.argv[2])
    failed = False
    for program in sys.argv[1:]:
        print(f"{Path(program).name}\n{'':20}{'<<<>>>':>8}{'launch':>8}{'ratio':>7}")
        counted = instructions(program)
        for way, same in WAYS.items():
            raw, ours = counted[same], counted[way]
            print(f"{way:20}{raw:8}{ours:8}{ours / raw:7.2f}")
            # A count this small means that callgrind did not see a launch.
            failed |= raw < 20 or ours < 10 or 3 * ours > 2 * raw
    return failed


if __name__ == "__main__":
    sys.exit(main())
