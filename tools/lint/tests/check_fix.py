#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs --fix on a source, and compiles the result: check_fix.py LINT COMPILER SOURCE INCLUDE...

Each launch must get a check, or be left with the reason that begins in a comment on its line, and stay as it is. A
second --fix must change nothing. Exit code 77: libclang is not installed."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from linter import Linter

linter, compiler, source, includes = Linter(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
architecture = "--offload-arch=gfx90a" if source.suffix == ".hip" else "-arch=sm_90"
before = source.read_text().splitlines()
expected = {number: found[1] for number, line in enumerate(before, 1) if (found := re.search(r"// left: (.*)", line))}
launches = {number for number, line in enumerate(before, 1) if re.search(r"(?<!operator)<<[ \t]*<|hipLaunchKernelGGL", line) and
            not line.startswith("#define")} | set(expected)

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / source.name
    shutil.copy(source, file)
    flags = ["--", "-std=c++20", *(f"-I{include}" for include in includes)]
    done = linter.run("--fix", file, *flags)
    problems = [] if done.returncode == 0 else [f"--fix ends with {done.returncode}\n{done.stderr}"]
    said = {int(number): text for number, text in re.findall(r":(\d+):\d+: note: \w+: (.*)", done.stdout)}
    if set(said) != launches:
        problems.append(f"notes for lines {sorted(said)}, launches in lines {sorted(launches)}")
    for number, text in said.items():
        wanted = f"no check written: {expected[number]}" if number in expected else "a check is written above it"
        if not text.startswith(wanted):
            problems.append(f"{source.name}:{number}: says '{text}', expected '{wanted}'")
    fixed = file.read_text()
    if fixed.count("warpsafe::check(") != len(launches) - len(expected):
        problems.append(f"{fixed.count('warpsafe::check(')} checks written, expected {len(launches) - len(expected)}")
    rest = re.sub(r"#include <warpsafe/.*|warpsafe::check\([^;]*?\)\.value\(\)[;,]", "", fixed)
    if rest.split() != "\n".join(before).split():
        problems.append(f"--fix changes more than it adds:\n{rest}")
    for line in fixed.splitlines():
        if "warpsafe::check" in line and len(line) > 100 and "// left" not in line:
            problems.append(f"a line of {len(line)} columns: {line}")
    compiled = subprocess.run([compiler, "-std=c++20", architecture, "-c", "-o", f"{folder}/fixed.o", str(file),
                               *(f"-I{include}" for include in includes)], capture_output=True, text=True)
    if compiled.returncode != 0:
        problems.append(f"the compiler refuses the result of --fix:\n{compiled.stdout}{compiled.stderr}")
    linter.run("--fix", file, *flags)
    if file.read_text() != fixed:
        problems.append("a second --fix changes the file again")
if problems:
    sys.exit("\n".join(problems))
