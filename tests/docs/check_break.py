#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks WARPSAFE_BREAK under gdb: the program stops with SIGTRAP before that launch, prints the place, and
resumes after `continue`. check_break.py PROGRAM (debugging_demo).

Exit code 77: gdb is not installed, or may not trace."""
import os
import re
import shutil
import subprocess
import sys

gdb = shutil.which("gdb")
if not gdb:
    print("skipped: no gdb here")
    sys.exit(77)
commands = ["set disable-randomization off", "set debuginfod enabled off", "set pagination off", "run", "echo WHERE\\n", "backtrace", "echo ON\\n", "continue", "echo END\\n"]
environment = {name: value for name, value in os.environ.items() if "WARPSAFE" not in name} | {"WARPSAFE_BREAK": "2", "WARPSAFE_LOG": "debug"}
run = subprocess.run(
    [gdb, "-nx", "-batch", *(word for command in commands for word in ("-ex", command)), sys.argv[1]],
    env=environment,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    timeout=240,
)
said = run.stdout
if re.search("Operation not permitted|ptrace", said):
    print(said, "\nskipped: gdb may not trace here")
    sys.exit(77)
print(said)
before, _, rest = said.partition("WHERE\n")
where, _, after = rest.partition("ON\n")
place = "warpsafe: WARPSAFE_BREAK=2: stopped before launch 2, kernel 'matmul_f32', at demo.cpp:22\n"
problems = [
    problem
    for problem, found in {
        "no sentence, or one that asks for a debugger": place in before,
        "no SIGTRAP": re.search("received signal SIGTRAP", before),
        "it stops once": said.count("SIGTRAP") == 1,
        "launches 1 and 2, and no other, are told before it stops": re.findall("Launch: kernel=([a-z0-9_]+)", before) == ["dequantize", "matmul_f32"],
        "the backtrace goes from the stop to main": re.search(r"break_at_launch.*\bmain \(", where, re.S),
        "and, with symbols, through the user's line": "demo.cpp" not in where or "demo.cpp:22" in where,
        "launch 3 comes after it goes on": re.findall("Launch: kernel=([a-z0-9_]+)", after) == ["softmax"],
        "the program's own end follows": "illegal memory access" in after and "exited normally" in after,
    }.items()
    if not found
]
print("\n".join(problems))
sys.exit(1 if problems else 0)
