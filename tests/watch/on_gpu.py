#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs each mode of the programs with mistakes on a GPU, alone and under warpsafe-run:
on_gpu.py WARPSAFE_RUN PROGRAM...

A watched program ends as it does alone, with the same output, and warpsafe-run reports what REPORTS lists. With
WATCH_REPORTS=FILE, writes all reports to that file. Exit code 77: no GPU."""

import os
import re
import subprocess
import sys

# A part of the report of each mode; "" for none at all. Modes that are not listed may report anything.
REPORTS = {
    "zero_grid": "grid.x 0 invalid",
    "zero_block": "block.y 0 invalid",
    "block_2048": "block=(2048,1,1) is 2048 threads, limit 1024",
    "block_z_128": "block.z 128 invalid",
    "grid_y_70000": "grid.y 70000 invalid",
    "launch_bounds": "the driver's log: Requested block size of 512 threads exceeds maximum set at compilation of 256",
    "shared_70000": "70000 bytes of dynamic shared memory, limit 49152",
    "blocks_3e9": "grid.x 3000000000 invalid",
    "stream_as_shared": "that number is the handle of stream",
    "cooperative": "limit",
    "graph_node": "grid.y 70000 invalid",
    "good": "",
    "good_graph": "",
    "host_function": "is not a kernel",
    "text_as_function": "is not a kernel",
    "driver_host_function": "is not a kernel",
    "driver_text": "is not a kernel",
    "driver_right": "",
    "stack_of_64_kB": "block=(2048,1,1) is 2048 threads",
    "own_handler": "block=(2048,1,1) is 2048 threads",
    "leaves_at_once": "block=(2048,1,1) is 2048 threads",
    "at_end": "",
}


def run(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired as expired:
        return "hangs", (expired.stdout or b"").decode(errors="replace"), (expired.stderr or b"").decode(errors="replace")
    return done.returncode, re.sub(r"0x[0-9a-f]+", "0x1", done.stdout), done.stderr


watch, *programs = sys.argv[1:]
wrong, tried, reports = [], 0, []
for program in programs:
    status, modes, _ = run(program)
    if status != 0:
        print(f"skipped: {program} does not start (no driver)")
        sys.exit(77)
    for mode in modes.split():
        alone = run(program, mode)
        if alone[0] == 77:
            print("skipped: no NVIDIA GPU")
            sys.exit(77)
        status, output, report = run(watch, "--quiet", program, mode)
        tried += 1
        # Two runs of a program that uses freed handles may differ by themselves.
        again = 0
        while (status, output) != alone[:2] and again < 5:
            again += 1
            alone = run(program, mode)
        reports.append(f"== {mode}: alone {alone[0]}, watched {status}, {again} more runs alone\n{alone[1]}{alone[2]}-- watched\n{output}{report}")
        if (status, output) != alone[:2]:
            wrong.append(f"{mode}: alone it ends with {alone[0]} and\n{alone[1]}watched with {status} and\n{output}{report}")
        expected = REPORTS.get(mode)
        if expected is not None and (report != "" if expected == "" else expected not in report):
            wrong.append(f"{mode}: the report is not '{expected}':\n{report}")
if path := os.environ.get("WATCH_REPORTS"):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(reports))
print("\n".join(wrong) or f"{tried} modes: each ends watched as it does alone, and the reports are right")
sys.exit(1 if wrong else 0)
