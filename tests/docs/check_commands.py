#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs commands of the pages as they are written: check_commands.py PROJECT

The command for the CPU in docs/guide/tour.md compiles and links the page's program, which prints what the page shows.
The scripts print their help, and examples/run refuses a folder, before they install or build anything."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

project = pathlib.Path(sys.argv[1]).resolve()
problems = []


def blocks(page, kind):
    return re.findall(rf"(?ms)^```{kind}\n(.*?)^```$", (project / page).read_text(encoding="utf-8"))


def check_tour(folder):
    page = "docs/guide/tour.md"
    program, main = blocks(page, "cpp")[:2]
    (folder / "tour.cpp").write_text(f"{program}\nint main() {{\n{main}}}\n", encoding="utf-8")
    (folder / "include").symlink_to(project / "include")
    commands = [line.partition("#")[0].strip() for line in blocks(page, "sh")[0].splitlines() if line.startswith("g++ ")]
    if len(commands) != 1:
        problems.append(f"{page}: {len(commands)} commands of g++")
        return
    for command, expected in ((commands[0], ""), ("./tour", blocks(page, "text")[0])):
        ran = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=300)
        if ran.returncode != 0 or ran.stdout != expected:
            problems.append(f"{page}: '{command}' ends with {ran.returncode}\n{ran.stdout}{ran.stderr[:3000]}")


def check_scripts(folder):
    # Programs that install or build: no help needs them.
    calls = folder / "calls"
    (folder / "bin").mkdir()
    for name in ("apt-get", "cmake", "doxygen", "g++", "nvcc"):
        stand_in = folder / "bin" / name
        stand_in.write_text(f'#!/bin/sh\necho "$0 $*" >> "{calls}"\nexit 99\n')
        stand_in.chmod(0o755)
    scripts = ("examples/run", "tests/run", "bench/run", "docs/run", "tests/gpu/run")
    wanted = [(script, "--help", 0, f"{script} [") for script in scripts]
    wanted.append(("examples/run", str(project / "docs"), 2, f"{project / 'docs'} is a folder; give the file to read"))
    wanted.append(("examples/run", "--hlep", 2, "is no readable file"))
    for script, argument, code, words in wanted:
        ran = subprocess.run([project / script, argument], cwd=folder, capture_output=True, text=True, timeout=600,
                             env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"})
        said = ran.stdout + ran.stderr
        if ran.returncode != code or words not in said:
            problems.append(f"{script} {argument} ends with {ran.returncode}, not {code}, or does not say '{words}':\n{said[-2000:]}")
        if calls.exists():
            problems.append(f"{script} {argument} calls\n{calls.read_text()}")
            calls.unlink()


with tempfile.TemporaryDirectory() as made:
    check_scripts(pathlib.Path(made))
    check_tour(pathlib.Path(made))
print("\n".join(problems) or "the commands do what the pages say")
sys.exit(1 if problems else 0)
