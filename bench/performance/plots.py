# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Draws plots of the raw results, beside them. Needs matplotlib."""

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot  # noqa: E402

from common import *  # noqa: E402
from compile_weight import NAMES as COMPILED  # noqa: E402
from launch import NAMES as LAUNCHES  # noqa: E402

# Keeps text as text and uses fixed ids, so that the same numbers give the same file.
plot.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "warpsafe",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
)


def plain(name):
    return name.replace("`", "")


def keep(figure, name):
    figure.savefig(RESULTS / f"{name}.svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    plot.close(figure)


def bars(axes, groups, series, unit):
    """series: {name: a value for each group}."""
    width = 0.8 / len(series)
    for i, (name, values) in enumerate(series.items()):
        places = [g + (i - (len(series) - 1) / 2) * width for g in range(len(groups))]
        shown = axes.bar(
            places,
            values,
            width * 0.95,
            label=plain(name),
            color="#c2410c" if name == "`launch`" else plot.cm.Blues(0.35 + 0.5 * i / len(series)),
        )
        axes.bar_label(shown, fmt="%.3g", fontsize=8)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_ylabel(unit)
    axes.legend(frameon=False, fontsize=8)


def launches():
    rows = load("launch")["rows"]
    compilers = list(dict.fromkeys(row["compiler"] for row in rows))
    figure, all_axes = plot.subplots(len(compilers), 1, figsize=(8, 2.8 * len(compilers)))
    for compiler, axes in zip(compilers, all_axes):
        # Only the table shows these two, because their bars would dwarf the others.
        held = {
            (row["way"], row["arguments"]): row["instructions"]
            for row in rows
            if row["compiler"] == compiler
            and row["way"] not in ("cccl", "wrappers")
            and (row["dims"], row["result"]) == ("static", "returned")
        }
        here = [way for way in LAUNCHES if (way, 4) in held]
        vendor = (lambda name: name.replace("cuda", "hip")) if compiler == "hipcc" else (lambda name: name)
        bars(
            axes,
            ["0 arguments", "4 arguments", "16 arguments"],
            {vendor(LAUNCHES[way]): [held[way, n] for n in (0, 4, 16)] for way in here},
            "instructions",
        )
        axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
        axes.set_title(f"{compiler}: static block, result returned", loc="left", fontsize=10)
    figure.tight_layout()
    keep(figure, "launch")


def compiling():
    rows = load("compile_cu")["rows"]
    figure, axes = plot.subplots(figsize=(8, 0.55 * len(rows) + 1))
    shown = axes.barh(
        [plain(COMPILED[row["way"]]) for row in rows],
        [row["cpu_s"] for row in rows],
        color=["#c2410c" if row["way"] in ("off", "full") else plot.cm.Blues(0.55) for row in rows],
    )
    axes.bar_label(shown, fmt="%.2f", padding=3)
    axes.invert_yaxis()
    axes.set_xlabel("CPU seconds, nvcc -c of one launch (median)")
    keep(figure, "compile")


def compiling_many():
    rows = [row for row in load("compile_many")["rows"] if row["compiler"] == "nvcc"]
    figure, (time, code) = plot.subplots(1, 2, figsize=(9, 3.4))
    for axes, what, scale, unit in ((time, "cpu_s", 1, "CPU seconds, nvcc -O2 -c"), (code, "text", 1000, "kB of code")):
        for i, way in enumerate(dict.fromkeys(row["way"] for row in rows)):
            points = [(row["launches"], row[what] / scale) for row in rows if row["way"] == way]
            color = {"full": "#c2410c", "off": "#f59e0b"}.get(way, plot.cm.Blues(0.45 + 0.2 * i))
            axes.plot(*zip(*points), marker="o", markersize=3, label=plain(COMPILED[way]), color=color)
        axes.set_xlabel("launches in the file")
        axes.set_ylabel(unit)
    time.legend(frameon=False, fontsize=8)
    keep(figure, "compile_many")


def host():
    rows = load("host_backend")["rows"]
    ways = list(dict.fromkeys(row["way"] for row in rows))
    figure, all_axes = plot.subplots(1, 2, figsize=(9, 2.6))
    for axes, kernel, title in zip(all_axes, ("without", "with"), ("no barrier", "one barrier")):
        held = {row["way"]: 1e9 / row["cpu_ns_per_block"] for row in rows if row["kernel"] == kernel}
        # Points, because a bar's length means nothing on a logarithmic axis.
        for way in ways:
            axes.plot(held[way], way, "o", color="#c2410c" if way == "host backend" else plot.cm.Blues(0.7))
            axes.annotate(
                f"{held[way] / 1e6:.3g} million",
                (held[way], way),
                xytext=(6, -3),
                textcoords="offset points",
                fontsize=8,
            )
        axes.set_xscale("log")
        axes.set_xlim(min(held.values()) / 2, max(held.values()) * 10)
        axes.margins(y=0.2)
        axes.invert_yaxis()
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("blocks of 256 threads per CPU second")
    figure.tight_layout()
    keep(figure, "host_backend")


def grids():
    rows = load("safe_grid")["rows"]
    names = {"naive_64": "64 bits", "wide_128": "128 bits", "release": "cover, off", "checked": "cover, full"}
    blocks = {"static": "static block", "dynamic": "run-time block"}
    figure, all_axes = plot.subplots(2, 2, figsize=(9, 4.4))
    for block, line in zip(blocks, all_axes):
        held = [row for row in rows if row["block"] == block]
        for axes, what in zip(line, ("throughput", "latency")):
            shown = axes.barh(
                [names[row["way"]] for row in held],
                [row[what] for row in held],
                color=["#c2410c" if row["way"] in ("release", "checked") else plot.cm.Blues(0.55) for row in held],
            )
            axes.bar_label(shown, fmt="%.2f", padding=3)
            axes.invert_yaxis()
            axes.set_title(f"{what}, {blocks[block]}", loc="left", fontsize=10)
            axes.set_xlabel("ns per grid")
    figure.tight_layout()
    keep(figure, "safe_grid")


for draw, name in ((launches, "launch"), (compiling, "compile_cu"), (compiling_many, "compile_many"), (host, "host_backend"), (grids, "safe_grid")):
    if load(name):
        draw()
