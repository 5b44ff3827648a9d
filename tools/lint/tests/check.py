#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares warpsafe-lint's findings with its test sources: check.py LINT SOURCE...

A line must have exactly the findings that its comment `// finds: A07 C09/note` names, with the severity if it is named. Lines without the comment
are correct code, and must have none. With the word `rows` instead of a source: checks that every rule has a
finding in some source beside this script. Exit code 77: libclang, CUDA or HIP is not installed; the text
says which."""
import json
import pathlib
import re
import shutil
import sys
import tempfile

from linter import Linter

linter, sources = Linter(sys.argv[1]), sys.argv[2:]


def expected(source):
    rows = set()
    for number, line in enumerate(source.read_text().splitlines(), 1):
        found = re.search(r"// finds: (.*)", line)
        rows |= {(number, word.split("/")[0]) for word in found[1].split()} if found else set()
    return rows


def severities(source):
    """The severities that `finds: C09/note` names."""
    for number, line in enumerate(source.read_text().splitlines(), 1):
        for row, severity in re.findall(r"\b([A-GL]\d\d)/(\w+)", (re.search(r"// finds: (.*)", line) or [""])[0]):
            yield number, row, severity


problems = []
if sources == ["rows"]:
    listed = {line.split()[0] for line in linter.run("--list").stdout.splitlines()}
    folder = pathlib.Path(__file__).parent / "sources"
    tested = {row for source in folder.iterdir() for _, row in expected(source)}
    problems += [f"no source has a case of {row}" for row in sorted(listed - tested)]
    problems += [f"{row} is expected, but no rule has this name" for row in sorted(tested - listed)]
    sources = []
for source in map(pathlib.Path, sources):
    # Most of these sources have one check for many launches, which D12 reports.
    several = "finds: D12" in source.read_text()
    # In a tree of these sources alone, because the linter looks for callers and setters in the whole tree.
    with tempfile.TemporaryDirectory() as tree:
        (pathlib.Path(tree) / ".git").mkdir()
        copied = shutil.copytree(source.parent, pathlib.Path(tree) / source.parent.name) / source.name
        done = linter.run("--rows=all" if several else "--rows=all,-D12", "--json", str(copied))
    missing = re.search(r"not find ((cuda|cuda_runtime|cublas_v2|nvrtc|hip/hip_runtime)\.h|__clang_hip_runtime_wrapper.h)", done.stderr)
    if missing or "cannot find CUDA" in done.stderr:
        print(f"skipped: no {missing[1] if missing else 'CUDA toolkit'} here")
        sys.exit(77)
    if done.returncode != 1:
        sys.exit(f"{source.name}: ends with {done.returncode}, expected 1\n{done.stderr}")
    found = {(place["line"], item["row"]): item["severity"] for item in json.loads(done.stdout) for place in (item, *item["also"])}
    problems += [f"{source.name}:{line}: {row} is {found[line, row]}, expected {severity}" for line, row, severity in severities(source)
                 if found.get((line, row), severity) != severity]
    found = set(found)
    lines = source.read_text().splitlines()
    for what, places in (("does not find", expected(source) - found), ("finds", found - expected(source))):
        problems += [f"{source.name}:{line}: {what} {row}: {lines[line - 1].strip()}" for line, row in sorted(places)]
if problems:
    sys.exit("\n".join(problems))
