#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs each mode of the programs with mistakes on a GPU, alone and under warpsafe-run:
on_gpu.py WARPSAFE_RUN PROGRAM...

A watched program ends as it does alone, with the same output, and warpsafe-run reports what REPORTS lists. With
WATCH_REPORTS=FILE, writes all reports to that file. Exit code 77: no GPU."""

import concurrent.futures
import os
import re
import subprocess
import sys

NO_KERNEL = "the runtime does not know this function as a kernel"
# A part of the report of each mode; "" for none at all. Modes that are not listed may report anything.
REPORTS = {
    "zero_grid": "grid.x 0 invalid",
    "zero_block": "block.y 0 invalid",
    "block_2048": "block=(2048,1,1) is 2048 threads, limit 1024",
    "block_z_128": "block.z 128 invalid",
    "grid_y_70000": "grid.y 70000 invalid",
    "launch_bounds": "block=(512,1,1) is 512 threads, limit 256",
    "shared_70000": "70000 bytes of dynamic shared memory, limit 49152",
    "blocks_3e9": "grid.x 3000000000 invalid",
    "stream_as_shared": "that number is the handle of stream",
    "cooperative": "limit",
    "graph_node": "grid.y 70000 invalid",
    "good": "",
    "good_graph": "",
    "host_function": NO_KERNEL,
    "text_as_function": NO_KERNEL,
    "driver_host_function": NO_KERNEL,
    "driver_text": NO_KERNEL,
    "null_function": NO_KERNEL,
    "stream_as_function": NO_KERNEL,
    "driver_null": NO_KERNEL,
    "driver_stream": NO_KERNEL,
    "unloaded_module": "the kernel's module was unloaded before the launch, by cuModuleUnload",
    "broken_capture": "the capture was broken by ",
    "other_context": "the kernel was looked up in another context",
    "no_parameters": "the launch passes none: kernelParams and extra are null",
    "null_parameter": "argument 1 of 2 has no value: kernelParams[0] is null",
    "free_twice": "the memory is free already: free it once",
    "free_host": "ordinary host memory is freed by free() or delete",
    "copy_too_much": "the target has 4096 bytes from that address",
    "no_direction": "the direction is none of cudaMemcpyKind's values",
    "wrong_device": "numbered from 0",
    "elapsed_without_record": "both events must be recorded",
    "no_function": "the module has no function of that name",
    "asks": "",
    "fork": "this process was forked after its parent used the GPU",
    "driver_right": "",
    "stack_of_64_kB": "block=(2048,1,1) is 2048 threads",
    "own_handler": "block=(2048,1,1) is 2048 threads",
    "leaves_at_once": "block=(2048,1,1) is 2048 threads",
    "at_end": "",
}

# What the driver's own log says, from CUDA 12.9 on.
LOGS = {
    "launch_bounds": "Requested block size of 512 threads exceeds maximum set at compilation of 256",
    "grid_y_70000": "Grid Dimension Y of 70000 exceeds maximum value of 65535",
    "null_arguments": "has 2 parameters but none provided at launch",
    "null_argument": "kernelParams[0] for kernel",
    "null_parameter": "kernelParams[0] for kernel",
}
# What --arguments adds.
KEPT = {"freed_argument": "likely cause: argument 1 (float*) of #"}
# The program races with the runtime's end, and faults or not.
ENDS_ANYHOW = {"thread_at_end"}
# The driver reads a freed handle, and what it finds there depends on who has the memory now: the status of the launch varies.
FREED_HANDLE = {"destroyed_context"}


def run(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired as expired:
        return "hangs", (expired.stdout or b"").decode(errors="replace"), (expired.stderr or b"").decode(errors="replace")
    return done.returncode, re.sub(r"0x[0-9a-f]+", "0x1", done.stdout), done.stderr


def tried(program, mode):
    """What this mode prints, alone and watched, and what is wrong with it."""
    alone = run(program, mode)
    if alone[0] == 77:
        return None, []
    status, output, report = run(watch, "--quiet", program, mode)
    # Two runs of a program that uses freed handles, or launches while it ends, may differ by themselves.
    again = 0
    while (status, output) != alone[:2] and again < 5 and mode not in ENDS_ANYHOW:
        again += 1
        alone = run(program, mode)
    wrong = []
    if mode in KEPT and KEPT[mode] not in (kept := run(watch, "--quiet", "--arguments", program, mode)[2]):
        wrong.append(f"{mode}: with --arguments the report is not '{KEPT[mode]}':\n{kept}")
    same = status == alone[0] if mode in FREED_HANDLE else (status, output) == alone[:2]
    if status == "hangs" or not same and mode not in ENDS_ANYHOW:
        wrong.append(f"{mode}: alone it ends with {alone[0]} and\n{alone[1]}watched with {status} and\n{output}{report}")
    expected = REPORTS.get(mode)
    if expected is not None and (report != "" if expected == "" else expected not in report):
        wrong.append(f"{mode}: the report is not '{expected}':\n{report}")
    return f"== {mode}: alone {alone[0]}, watched {status}, {again} more runs alone\n{alone[1]}{alone[2]}-- watched\n{output}{report}", wrong


watch, *programs = sys.argv[1:]
modes = []
for program in programs:
    status, names, _ = run(program)
    if status != 0:
        print(f"skipped: {program} does not start (no driver)")
        sys.exit(77)
    modes += [(program, name) for name in names.split()]
# A process waits for most of its time until the driver has started.
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    done = list(pool.map(lambda one: tried(*one), modes))
if any(report is None for report, _ in done):
    print("skipped: no NVIDIA GPU")
    sys.exit(77)
reports, wrong = [report for report, _ in done], [one for _, several in done for one in several]
if any("the driver's log: " in report for report in reports):
    for (_, mode), report in zip(modes, reports):
        if mode in LOGS and not re.search(f"the driver's log: .*{re.escape(LOGS[mode])}", report):
            wrong.append(f"{mode}: the driver's log is not '{LOGS[mode]}':\n{report}")
if path := os.environ.get("WATCH_REPORTS"):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(reports))
print("\n".join(wrong) or f"{len(modes)} modes: each ends watched as it does alone, and the reports are right")
sys.exit(1 if wrong else 0)
