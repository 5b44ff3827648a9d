#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs the planted mistakes on a GPU under each tool: on_gpu.py WARPSAFE_RUN OUT.json [PROGRAMS]

PROGRAMS is a folder with the programs ID_wrong and ID_right; without it, nvcc makes them. OUT.json gets what each tool
reports: for each mistake, whether it reports the mistake and whether it reports the right twin. score.py shows it.
CUPTI: the file of CUPTI's library, if it is not found by itself."""

import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
run, out = sys.argv[1:3]
cupti = ["--cupti", os.environ["CUPTI"]] if os.environ.get("CUPTI") else []
FOUND = re.compile(r"suspicion: (nothing orders|.* never waits)|memory guard:|fault of running work|not launched")
SANITIZER = re.compile(r"ERROR SUMMARY: [1-9]|RACECHECK SUMMARY: [1-9]")


def sanitizer(*options):
    return ["compute-sanitizer", *options]


# Each tool: its commands, of which one must report, and what a report looks like.
TOOLS = {
    "`warpsafe-run`": ([[run, "--cuda", *cupti, "--races", "--guard"]], FOUND),
    "compute-sanitizer": ([sanitizer("--tool", tool, *more) for tool, *more in (
        ("memcheck", "--track-stream-ordered-races", "all", "--padding", "512"), ("racecheck",), ("initcheck",), ("synccheck",))],
        SANITIZER),
    "cuda-gdb": ([["cuda-gdb", "-q", "-batch", "-ex", "run"]], re.compile(r"CUDA Exception")),
}


def build(folder):
    for source in sorted(here.glob("*/[A-Z]*.cu")):
        for kind, flags in (("wrong", ["-DWRONG"]), ("right", [])):
            subprocess.run(["nvcc", "-std=c++17", "-arch=native", "-lineinfo", f'-DSOURCE="{source}"', *flags, str(here / "on_gpu.cu"),
                            "-o", f"{folder}/{source.stem}_{kind}"], check=True)


def reports(tool, program):
    commands, found = TOOLS[tool]
    said = False
    for command in commands:
        try:
            done = subprocess.run([*command, str(program)], capture_output=True, text=True, timeout=120, errors="replace")
        except subprocess.TimeoutExpired:
            return "timeout"
        text = done.stdout + done.stderr
        # The summary of warpsafe-run counts faults that did not happen, too.
        said = said or bool(found.search(text.replace("0 faults of running work", "")))
        if "not watched" in text or "Device not supported" in text:
            return None
    return said


with tempfile.TemporaryDirectory() as made:
    programs = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else made)
    if len(sys.argv) <= 3:
        build(made)
    rows = sorted({one.name[:-6] for one in programs.glob("*_wrong")})
    result = {}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for tool in TOOLS:
            if subprocess.run(["sh", "-c", f"command -v '{TOOLS[tool][0][0][0]}'"], capture_output=True).returncode != 0:
                continue
            jobs = {row: [pool.submit(reports, tool, programs / f"{row}_{kind}") for kind in ("wrong", "right")] for row in rows}
            result[tool] = {row: [one.result() for one in pair] for row, pair in jobs.items()}
gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
pathlib.Path(out).write_text(json.dumps({"date": datetime.date.today().isoformat(), "gpu": gpu, "tools": result}, indent=1) + "\n")
