#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Kernels that fault on a GPU, under warpsafe-run --stop-at-fault: on_gpu.py WARPSAFE_RUN PROGRAM [TIMES [PROCESSES]]

PROGRAM is faults.cu. The report names the kernel and its line each time. Each kind of fault happens TIMES times, in
PROCESSES at a time. Exit code 77: no GPU."""

import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

WATCH, PROGRAM = sys.argv[1:3]
TIMES, PROCESSES = (*map(int, sys.argv[3:5]), 1, 1)[:2]
SOURCE = pathlib.Path(__file__).parent / "faults.cu"
KERNELS = {"write": "writes_outside", "graph": "writes_outside", "many": "writes_outside", "null": "reads_null", "misaligned": "misaligned",
           "shared": "outside_of_shared", "no_shared": "without_shared", "function": "calls_a_function", "template": "of_template<double>"}


def line_of(mode):
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        _, mark, modes = line.partition(";  // ")
        if mark and mode in modes.split(", "):
            return number
    raise LookupError(mode)


def run(mode, folder):
    return subprocess.run([WATCH, "--stop-at-fault", PROGRAM, mode], env={**os.environ, "TMPDIR": folder},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def check(mode, folder):
    done = run(mode, folder)
    statuses = (-signal.SIGABRT,)
    if mode in KERNELS:
        wanted = rf"Kernel 'demo::{re.escape(KERNELS[mode])}' faulted: .*, at \S*faults\.cu:{line_of(mode)}\n"
    elif mode == "trap":  # no exception in the dump
        wanted = "A kernel was stopped by a fault on the device.*\n.*'demo::traps'"
    else:  # the driver prints the assertion, and does not always write a dump
        statuses, wanted = (1, -signal.SIGABRT), "faults.cu:.*Assertion `threadIdx.x < n` failed"
    if done.returncode not in statuses or not re.search(wanted, done.stdout):
        return f"{mode}: status {done.returncode}, expected {wanted}:\n{done.stdout}"
    return None


def main():
    if subprocess.run("nvidia-smi -L", shell=True, capture_output=True, check=False).returncode:
        print("skipped: no NVIDIA GPU")
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        for mode in [*KERNELS, "trap", "assert"]:
            found = list(filter(None, pool.map(check, [mode] * TIMES, [folder] * TIMES)))
            print(f"{mode}: {TIMES - len(found)} of {TIMES} as expected", flush=True)
            problems += found[:1]
        if left := [path.name for path in pathlib.Path(folder).iterdir()]:
            problems.append(f"left behind: {left}")
        good = run("good", folder)
        if good.returncode or "fault" in good.stdout:
            problems.append(f"good: status {good.returncode}:\n{good.stdout}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
