#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares CONTRIBUTING.md, the lists in docs/contributing, the presets and the workflows with each other and
with the project: contributing.py SOURCE CMAKE FOLDER

check-jsonschema, which pip installs into FOLDER, checks the form of the workflows; so does actionlint, if it
is on PATH. Exit code 77: pip reaches no package index, and everything else passed."""
import pathlib
import re
import shutil
import subprocess
import sys

import pip_tools

source, cmake, folder = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
page = (source / "CONTRIBUTING.md").read_text()
problems = []


def check(what, got, wanted):
    if set(got) != set(wanted):
        problems.append(f"{what}: {sorted(got)}, not {sorted(wanted)}")


# Each preset configures, builds and tests, and is on the page.
listed = subprocess.run([cmake, "--list-presets=all"], cwd=source, capture_output=True, text=True, check=True).stdout
presets = {kind: re.findall(r'^  "(\w+)"', names, re.M) for kind, names in re.findall(r"Available (\w+) presets:\n\n(.*?)(?:\n\n|\Z)", listed, re.S)}
table = page[page.index("## Presets") : page.index("## Rules for a change")]
described = [name for cells in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`(\w+)`", cells)]
for kind in ("configure", "build", "test"):
    check(f"{kind} presets", presets.get(kind, []), described)

# The page and the workflows use only words of `tests/run`, and the page has all of them.
usage = subprocess.run([source / "tests" / "run", "--help"], capture_output=True, text=True).stdout
words = [word for line in re.findall(r"^  (\S.*?)(?:  |, all|$)", usage, re.M) for word in line.split()]
named = [word for cell in re.findall(r"^\| `tests/run (.*?) \|", page, re.M) for word in re.findall(r"[\w-]+", cell)]
check("words of tests/run", set(named), words)

workflows = sorted((source / ".github" / "workflows").glob("*.yml"))
text = "\n".join(path.read_text() for path in workflows)
for lane in re.findall(r"lane: \[(.*?)\]", text):
    problems += [f"workflows: tests/run has no '{word}'" for word in re.findall(r"\w+", lane) if word not in words]
lists = "".join(path.read_text() for path in sorted((source / "docs/contributing").glob("*.md")))
commands = re.findall(r"^ *- run: (\S+)", text, re.M) + re.findall(r"`((?:tests|bench|packaging)/[\w./-]+)", page + lists)
# NAME and HARNESS in a path are placeholders.
paths = [command for command in commands if "/" in command and not re.search(r"[A-Z]{3}", command)]
problems += [f"no such command: {path}" for path in paths if not (source / path).exists()]

# actionlint checks more than the schema, if it is installed.
if actionlint := shutil.which("actionlint"):
    found = subprocess.run([actionlint, "-no-color", *workflows], cwd=source, capture_output=True, text=True)
    problems += [found.stdout + found.stderr] if found.returncode else []

print("\n".join(problems) or f"{len(described)} presets, {len(words)} words of tests/run, {len(commands)} commands")
if problems:
    sys.exit(1)
checker = pip_tools.install(folder, "check-jsonschema") / "check-jsonschema"
workflows += (source / "packaging/template/.github/workflows").glob("*.yml")
sys.exit(subprocess.run([checker, "--builtin-schema", "vendor.github-workflows", *workflows]).returncode)
