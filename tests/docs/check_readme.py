#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares README.md's code and outputs with programs.

check_readme.py PROJECT PROGRAM: the code, the error and the race are those of tests/docs/readme/main.cpp.
check_readme.py PROJECT --watch COMMAND…: the report of warpsafe-run. README shows it as an H200 printed it; the
command prints the report on the stand-in for the driver. The grid, the addresses and the callers differ, and README leaves the callers out."""
import pathlib
import re
import subprocess
import sys

project, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
readme = (project / "README.md").read_text()
blocks = re.findall(r"^```(cpp race|cpp|text)\n(.*?)^```", readme, re.M | re.S)
texts = [text for kind, text in blocks if kind == "text"]
problems = []


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def output(*arguments):
    ran = subprocess.run(arguments, capture_output=True, text=True, timeout=600)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(arguments)} ends with {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout + ran.stderr


def report(text):
    """The lines of a report without what differs from run to run: from `warpsafe:` on, and those below it."""
    text = re.sub(r"0x[0-9a-f]+", "0x1", re.sub(r"grid=\(\d+", "grid=(1", text))
    return [line for line in text.splitlines() if line.startswith(("warpsafe: ", "  "))]


def compare(name, shown, real):
    if not shown or shown != real:
        problems.append(f"README.md, {name}:\n" + "\n".join(shown) + "\nand the program prints\n" + "\n".join(real))


if command[0] == "--watch":
    printed = report(output(*command[1:]))
    callers = [line for line in printed if line.startswith("  called by ")]
    if not callers:
        problems.append("warpsafe-run names no caller")
    compare("warpsafe-run", report(texts[2]), [line for line in printed if line not in callers])
    mode = re.search(r"^\$ warpsafe-run .*\./mistakes (\w+)$", texts[2], re.M)[1]
    if f'"{mode}"' not in (project / "tests/watch/programs/mistakes.cu").read_text():
        problems.append(f"README.md: mistakes.cu has no mode {mode}")
else:
    source = lines((project / "tests/docs/readme/main.cpp").read_text())
    joined = "\n".join(source)
    kinds = [kind for kind, _ in blocks]
    for code in (blocks[0][1], *(code for kind, code in blocks if kind == "cpp race")):
        for part in code.split("\n\n"):
            kept = "\n".join(line for line in lines(part) if not line.startswith(("#include", "namespace ws")))
            if kept not in joined:
                problems.append(f"README.md: tests/docs/readme/main.cpp has no\n{part}")
    if kinds.count("cpp race") != 1 or len(texts) != 3:
        problems.append(f"README.md: other blocks than the test knows: {kinds}")
    compare("the error", lines(texts[0]), lines(output(command[0], "error")))
    # The whole report also shows the order of the run.
    compare("the race", lines(texts[1]), lines(output(command[0], "race"))[1 : 1 + len(lines(texts[1]))])
    if output(command[0], "race").count("Race:") != 1:
        problems.append("README.md: the program has more than one race")
print("\n".join(problems) or "README.md shows what the programs print")
sys.exit(1 if problems else 0)
