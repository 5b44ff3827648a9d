#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Lines of Python scripts: check_python.py WARPSAFE_RANKS LIBRARY NCCL DRIVER LINE_OF [PYTHON...]

Runs programs/job.py with this Python, or with each of those named, and expects its lines. Compares the lines of all
instructions of some modules with Python's own answer."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from jobs import Asked, Job, until

TOOL, LIBRARY, NCCL, DRIVER, LINE_OF = sys.argv[1:6]
PYTHONS = sys.argv[6:] or [os.path.realpath(sys.executable)]
SCRIPT = pathlib.Path(__file__).parent / "programs/job.py"
# Other releases do not tell a thread's lines without their lock.
READABLE = ((3, 11), (3, 12), (3, 13))


def place(*marks):
    """The lines of job.py that end with these comments."""
    lines = SCRIPT.read_text().splitlines()
    numbers = [next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}")) for mark in marks]
    functions = {"the call": "all_reduce", "in step": "step", "in train": "train", "after the steps": "train", "in the module": "<module>"}
    return ", called at ".join(f"job.py:{number}, in {functions[mark]}" for number, mark in zip(numbers, marks))


# Prints FIRST TABLE OFFSET... and the lines, for each code object of some modules.
TABLES = r"""
import argparse, asyncio.events, dataclasses, inspect, pickle, typing, unittest.mock
def visit(code):
    pairs = [(offset, line) for begin, end, line in code.co_lines() if line for offset in range(begin, end, 2)]
    print(code.co_firstlineno, code.co_linetable.hex(), *[offset for offset, _ in pairs], "=", *[line for _, line in pairs])
    for constant in code.co_consts:
        if hasattr(constant, "co_lines"):
            visit(constant)
for module in (argparse, asyncio.events, dataclasses, inspect, pickle, typing, unittest.mock):
    visit(compile(open(module.__file__).read(), module.__file__, "exec"))
visit(compile("x = 1" + "\n" * 100000 + "y = (" + "\n" * 70 + "f(x))" + "\nz = 2", "far", "exec"))
"""


def check_lines(python):
    known = subprocess.run([python, "-c", TABLES], capture_output=True, text=True, check=True).stdout.splitlines()
    asked, wanted = zip(*(line.split(" = ") for line in known if " = " in line))
    told = subprocess.run([LINE_OF], input="\n".join(asked), capture_output=True, text=True, check=True).stdout.splitlines()
    wrong = [(one, line, right) for one, line, right in zip(asked, told, wanted) if line.split() != right.split()]
    if wrong or len(told) != len(wanted) or len(wanted) < 1000:
        return f"{python}: {len(wrong)} of {len(wanted)} code objects have other lines, such as {wrong[:1]}"
    return None


def check(python):
    asked_version = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True)
    version = tuple(map(int, asked_version.stdout.split()))
    with tempfile.TemporaryDirectory() as folder:
        job = Job([python, SCRIPT, folder, NCCL, DRIVER], 2, folder, f"{folder}/records", LIBRARY)
        asked = until(lambda: Asked(TOOL, f"{folder}/records", "--after", "0.5"), lambda one: one.find("waits"), job.has_ended)
        job.kill()
        finding = asked.find("waits")
        sides = [(side["ranks"], side["what"].partition(";")[0], side["place"]) for side in finding["sides"]] if finding else []
        wanted = [([0], "called it", place("the call", "after the steps", "in the module")),
                  ([1], "did not call it", place("the call", "in step", "in train"))]
        if version in READABLE and (problem := check_lines(python)):
            return problem
        if version not in READABLE:
            is_right = [side[:2] for side in sides] == [side[:2] for side in wanted] and not re.search(r"\.py:", str(sides))
        else:
            is_right = sides == wanted
        return None if is_right else f"Python {version}: expected {wanted}, found {asked.said}\n{job.output()}"


def main():
    problems = list(filter(None, map(check, PYTHONS)))
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
