# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What SafeGrid's arithmetic costs beside the usual formula, for a block known at compile time and for one
known at run time: nanoseconds by bench/safe_grid.cpp, and instructions by callgrind."""

import json
import re

from common import *
from launch import instructions

WAYS = {
    "naive_64": ("Naive64", "`(n + b - 1) / b` in 64 bits"),
    "wide_128": ("Wide128", "the same in 128 bits, with a range check"),
    "release": ("Release", "`cover`, checks off"),
    "checked": ("Checked", "`cover`, checks full"),
}
BLOCKS = {"static": ("StaticBlock", "a static block of 256"), "dynamic": ("DynamicBlock", "a run-time block")}


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
    for block, (block_name, _) in BLOCKS.items():
        for way, (name, _) in WAYS.items():
            row = {"way": way, "block": block, "instructions": counts[f"{way}_{block}"]}
            for what in ("throughput", "latency"):
                # Each iteration is 1024 grids.
                wanted = re.compile(rf"{what}<(.*[ :])?{name}, {block_name}>")
                [entry] = [entry for run_name, entry in medians.items() if wanted.fullmatch(run_name)]
                row[what] = entry["cpu_time"] / 1024
            rows.append(row)
    save("safe_grid", rows, repetitions=31)


def render():
    data = load("safe_grid")
    if not data:
        return
    text = ""
    for block, (_, name) in BLOCKS.items():
        held = [row for row in data["rows"] if row["block"] == block]
        base = held[0]
        rows = [
            [
                WAYS[row["way"]][1],
                row["instructions"],
                f"{row['throughput']:.2f}",
                f"{row['throughput'] / base['throughput']:.2f}",
                f"{row['latency']:.2f}",
                f"{row['latency'] / base['latency']:.2f}",
            ]
            for row in held
        ]
        header = ["instructions, including call and return", "throughput, ns per grid", "ratio", "latency, ns", "ratio"]
        text += table([f"g++, {name}", *header], rows) + "\n"
    into_page("safe_grid", text.rstrip())
