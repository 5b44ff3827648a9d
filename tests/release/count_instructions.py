# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Counts the instructions that a launch executes, and compares them with those of <<<>>>.

The program (main.cpp) makes each launch inside a function count_<way>, under callgrind. What counts
is everything inside that function: the caller's frame around the call and the runtime's own
functions, which do nothing here, are left out. `<<<>>>` includes the stub that nvcc makes and
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
VENDOR = re.compile(r"(__)?cuda[A-Z]")


def instructions(program, function):
    """Instructions executed inside `function`, without its own and without the runtime's."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={function}",
             f"--callgrind-out-file={out}", "--compress-strings=no", "--compress-pos=no",
             "--dump-instr=no", str(program)], capture_output=True, text=True)  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"{program} failed under callgrind:\n{done.stderr}")
        total, name, skip = 0, "", False
        for line in out.read_text().splitlines():
            if line.startswith("fn="):
                name = line[3:]
            elif line.startswith("calls="):
                skip = True  # the next line is what the callee cost, which is counted there
            elif re.match(r"[+\-*\d]", line):
                if not skip and name != function and not VENDOR.match(name):
                    total += int(line.split()[1])
                skip = False
        return total


def main():
    failed = False
    for program in sys.argv[1:]:
        print(f"{Path(program).name}\n{'':20}{'<<<>>>':>8}{'launch':>8}{'ratio':>7}")
        for way, same in WAYS.items():
            raw, ours = (instructions(program, f"count_{name}") for name in (same, way))
            print(f"{way:20}{raw:8}{ours:8}{ours / raw:7.2f}")
            # A count this small means that callgrind saw no launch at all.
            failed |= raw < 20 or ours < 10 or 3 * ours > 2 * raw
    return failed


if __name__ == "__main__":
    sys.exit(main())
