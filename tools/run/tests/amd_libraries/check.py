#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks what warpsafe-run says about a program of this folder: check.py AGENT WARPSAFE_RUN PROGRAM LIBRARY KERNEL...

In mode `wrong`, the copy is suspected with each KERNEL (words in its name) of LIBRARY. In the modes `event` and `same`,
nothing is suspected.
"""

import os
import re
import subprocess
import sys


def main():
    agent, warpsafe_run, program, library, *kernels = sys.argv[1:]
    folders = [agent, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = os.environ | {"LD_LIBRARY_PATH": ":".join(folders)}
    for mode in ("event", "same", "wrong"):
        command = [warpsafe_run, "--hip", program, mode]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        print(f"== {mode}\n{done.stdout}{done.stderr}")
        if done.returncode != 0 or f"{mode}: 0" not in done.stdout:
            sys.exit(f"mode {mode}: the program fails")
        if "0 refused, 0 faults of running work\n" not in done.stderr:
            sys.exit(f"mode {mode}: warpsafe-run has no summary, or reports a failure")
        for kernel in kernels:
            if not re.search(rf"launched: '[^']*{kernel}", done.stderr):
                sys.exit(f"mode {mode}: no launch of a kernel {kernel}")
        suspected = [line for line in done.stderr.splitlines() if "suspicion" in line]
        if mode != "wrong" and suspected:
            sys.exit(f"mode {mode}: a suspicion")
        for kernel in kernels if mode == "wrong" else []:
            pair = rf"nothing orders hipMemcpyAsync of 16384 bytes .* before '[^']*{kernel}[^']*' of {library} on stream 0x"
            if not any(re.search(pair, line) for line in suspected):
                sys.exit(f"mode {mode}: the copy is not suspected with a kernel {kernel} of {library}")


main()
