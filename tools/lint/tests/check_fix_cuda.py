#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs --fix-cuda on a source, and compares each line with the comments in it: check_fix_cuda.py LINT SOURCE

Then runs it again on the result, which must stay, and reads the result with the lint, which must find no error of the
compiler. Exit code 77: libclang or CUDA is not installed."""
import pathlib
import re
import sys
import tempfile

from linter import Linter

linter, source = Linter(sys.argv[1]), pathlib.Path(sys.argv[2])
before = source.read_text().splitlines()
wanted, left = [], {}
for number, line in enumerate(before, 1):
    becomes, stays, added = (re.search(f"// {word}: (.*)", line) for word in ("becomes", "left", "added"))
    if added:
        wanted += [re.match(r"\s*", line).group() + added[1], line]
    elif becomes:
        wanted[-1] = re.match(r"\s*", line).group() + becomes[1]
        wanted.append(line)
    else:
        wanted.append(line)
    if stays:
        left[number] = stays[1]

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / source.name
    file.write_text(source.read_text())
    words = ["--rows=A01,A07,C09,D01", "--fix-cuda", str(file)]
    done = linter.run(*words)
    if re.search("not find cuda_runtime.h|cannot find CUDA", done.stderr):
        print(f"skipped: {done.stderr.splitlines()[0]}")
        sys.exit(77)
    problems = [] if done.returncode == 0 else [f"--fix-cuda ends with {done.returncode}\n{done.stderr}"]
    now = file.read_text().splitlines()
    problems += [f"is '{one}', expected '{two}'" for one, two in zip(now, wanted) if one.rstrip() != two.rstrip()]
    if len(now) != len(wanted):
        problems.append(f"{len(now)} lines, expected {len(wanted)}")
    said = {(int(line), text) for line, text in re.findall(r":(\d+):\d+: note: (.*)", done.stdout)}
    for number, text in left.items():
        if not any(line == number and says.startswith(text) for line, says in said):
            problems.append(f"{source.name}:{number}: no note '{text}'")
    fixed = file.read_text()
    again = linter.run(*words)
    if file.read_text() != fixed or again.returncode != 0:
        problems.append("a second --fix-cuda changes the file again, or cannot read it:\n" + again.stderr)
if problems:
    sys.exit("\n".join(problems))
