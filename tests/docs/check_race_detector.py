#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares docs/tools/race-detector.md with the example: the page must show lines of its source and its exact
output. check_race_detector.py FIND_A_RACE PROJECT_FOLDER [--update]"""
import pathlib
import re
import subprocess
import sys

program, folder = sys.argv[1:3]
page = pathlib.Path(folder) / "docs/tools/race-detector.md"
text = page.read_text()
run = subprocess.run([program], capture_output=True, text=True, timeout=600)
if run.returncode != 0:
    sys.exit(f"{program} ended with {run.returncode}\n{run.stdout}{run.stderr}")
shown = re.search(r"^```text\n(.*?)^```", text, re.M | re.S)
output = "\n".join(line.rstrip() for line in run.stdout.splitlines()) + "\n"
if "--update" in sys.argv:
    page.write_text(text[: shown.start(1)] + output + text[shown.end(1) :])
elif shown.group(1) != output:
    sys.exit(f"{page} does not show what the example says; {' '.join(sys.argv)} --update rewrites it\n{output}")
source = (pathlib.Path(folder) / "examples/find_a_race.cpp").read_text()
for block in re.findall(r"^```cpp example\n(.*?)^```", text, re.M | re.S):
    if block not in source:
        sys.exit(f"not in examples/find_a_race.cpp:\n{block}")
