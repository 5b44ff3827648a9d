#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks what warpsafe-run says about a program of this folder: check.py AGENT WARPSAFE_RUN PROGRAM LIBRARY

In mode `wrong`, the copy is suspected with a kernel of LIBRARY. In the modes `event` and `same`, nothing is suspected.
"""

import os
import subprocess
import sys


def main():
    agent, warpsafe_run, program, library = sys.argv[1:]
    folders = [agent, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = os.environ | {"LD_LIBRARY_PATH": ":".join(folders)}
    for mode in ("event", "same", "wrong"):
        command = [warpsafe_run, "--hip", program, mode]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        print(f"== {mode}\n{done.stdout}{done.stderr}")
        suspicions = [line for line in done.stderr.splitlines() if "suspicion" in line]
        named = [
            line for line in suspicions
            if "nothing orders hipMemcpyAsync of 16384 bytes" in line and f"' of {library} on stream 0x" in line
        ]  # fmt: skip
        if done.returncode != 0 or f"{mode}: 0" not in done.stdout:
            sys.exit(f"mode {mode}: the program fails")
        if "0 refused, 0 faults" not in done.stderr:
            sys.exit(f"mode {mode}: warpsafe-run has no summary, or it has an error")
        if mode == "wrong" and not (named and named == suspicions):
            sys.exit(f"mode {mode}: the copy is not suspected with a kernel of {library}, or something else is")
        if mode != "wrong" and suspicions:
            sys.exit(f"mode {mode}: a suspicion")


main()
