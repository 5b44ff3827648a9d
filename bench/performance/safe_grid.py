# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What SafeGrid's arithmetic costs beside the usual formula: nanoseconds by bench/safe_grid.cpp, and
instructions by callgrind."""

import json
import re

from common import *
from launch import instructions

WAYS = {
    "naive_64": ("Naive64", "`(n + b - 1) / b` in 64 bits"),
    "wide_128": ("Wide128", "the same in 128 bits, with its range checked"),
    "release": ("Release", "`cover`, checks off"),
    "checked": ("Checked", "`cover`, checks full"),
}


def benchmark(program, repetitions, *more):
    """Google Benchmark's medians, {name: entry}, the repetitions interleaved."""
    said = run(
        program,
        f"--benchmark_repetitions={repetitions}",
        "--benchmark_format=json",
        "--benchmark_enable_random_interleaving=true",
        *more,
    )
    wanted = "median" if repetitions > 1 else None
    return {
        entry["run_name"]: entry
        for entry in json.loads(said[said.index("{") :])["benchmarks"]
        if entry.get("aggregate_name") == wanted
    }


def measure(folder, options):
    timed, counted = folder / "safe_grid", folder / "cover_ways"
    run("g++", *RELEASE, ROOT / "bench/safe_grid.cpp", "-o", timed, "-lbenchmark_main", "-lbenchmark", "-pthread")
    run("g++", *RELEASE, HERE / "cover_ways.cpp", "-o", counted)
    medians = benchmark(timed, 31, "--benchmark_min_time=0.02")
    counts = instructions(counted)
    rows = []
    for way, (name, _) in WAYS.items():
        row = {"way": way, "instructions": counts[way]}
        for what in ("throughput", "latency"):
            # Each iteration is 1024 grids.
            [entry] = [e for run_name, e in medians.items() if re.search(rf"^{what}<.*{name}>", run_name)]
            row[what] = entry["cpu_time"] / 1024
        rows.append(row)
    save("safe_grid", rows, repetitions=31)


def render():
    data = load("safe_grid")
    if not data:
        return
    base = data["rows"][0]
    rows = [
        [
            WAYS[row["way"]][1],
            row["instructions"],
            f"{row['throughput']:.2f}",
            f"{row['throughput'] / base['throughput']:.2f}",
            f"{row['latency']:.2f}",
            f"{row['latency'] / base['latency']:.2f}",
        ]
        for row in data["rows"]
    ]
    into_page(
        "safe_grid",
        table(
            [
                "g++, a static block of 256",
                "instructions, with call and return",
                "throughput, ns each",
                "ratio",
                "latency, ns",
                "ratio",
            ],
            rows,
        ),
    )
