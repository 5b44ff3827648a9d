# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The requirements on the library's cost, and whether the raw results meet them: the table of docs/performance.md."""

from common import *
from compile_many import COUNTS, growths


WAYS = {"full": "with checks", "off": "without"}


def state(met, text):
    return f"{'met' if met else '**missed**'}: {text}"


def shapes(ratios, most):
    """Which shapes of a launch take more than `most`, and what all of them take."""
    above = sum(ratio > most for ratio in ratios)
    said = f"{min(ratios):.2f} to {max(ratios):.2f} times"
    return f"**missed** in {above} of {len(ratios)} [shapes](performance/launch.md): {said}" if above else f"met: {said}"


def each(values, limits, unit=" times"):
    """What each of WAYS takes, and which of them take too much: {way: value}, {way: limit}."""
    missed = [way for way in limits if values[way] > limits[way]]
    told = {way: f"{values[way]:.2f}{unit}" for way in limits}
    if len(missed) in (0, len(limits)):
        if len(set(told.values())) == 1:
            return state(not missed, f"{next(iter(told.values()))}, with checks and without")
        return state(not missed, ", ".join(f"{value} {WAYS[way]}" for way, value in told.items()))
    return "; ".join(f"{'**missed**' if way in missed else 'met'} {WAYS[way]}: {told[way]}" for way in sorted(limits, key=lambda way: way not in missed))


def launch_bar(compiler):
    rows = [row for row in load("launch")["rows"] if row["compiler"] == compiler]
    held = {(row["way"], row["arguments"], row["dims"], row["result"]): row["instructions"] for row in rows}

    def ratios(way):
        return [count / held["chevron", *key[1:]] for key, count in held.items() if key[0] == way]

    return f"{shapes(ratios('ours'), 2 / 3)}; code by hand misses it in {sum(3 * ratio > 2 for ratio in ratios('by_hand'))}"


def floor_bar(compiler):
    """Whether no shape takes more than the least code by hand that hands back the same."""
    rows = [row for row in load("launch")["rows"] if row["compiler"] == compiler]
    held = {(row["way"], row["arguments"], row["dims"], row["result"]): row["instructions"] for row in rows}
    ratios = [count / held["by_hand", *key[1:]] for key, count in held.items() if key[0] == "ours"]
    return shapes(ratios, 1)


def compile_ratio(way, base):
    held = {row["way"]: row["cpu_s"] for row in load("compile_cu")["rows"]}
    return held[way] / held[base] if way in held and base in held else None


def compile_bar(ways, base, most):
    ratios = {way: compile_ratio(way, base) for way in ways}
    if None in ratios.values():
        return "not measured"
    if set(ways) <= set(WAYS):
        return each(ratios, dict.fromkeys(ways, most))
    return state(max(ratios.values()) <= most, ", ".join(f"{ratio:.2f} times" for ratio in ratios.values()))


def growth_bar(compiler, found, most):
    """`found(growth, way)` is what a limit of `most` holds for, {way: limit}."""
    growth = growths().get(compiler)
    if growth is None or not all(way in growth.ways for way in most):
        return "not measured"
    return each({way: found(growth, way) for way in most}, most)


def code_bar(compiler):
    growth = growths().get(compiler)
    if growth is None:
        return "not measured"
    off, full, raw = (growth.each_further(way, "text") for way in ("off", "full", "outcome"))
    return f"{state(full <= 1024, f'{full:.0f} bytes with checks')}; {state(off <= raw, f'{off:.0f} without, the raw launch {raw:.0f}')}"


def peers_bar(compiler):
    """Whether every count takes cuda::launch longer than full checks."""
    growth = growths().get(compiler)
    if growth is None or "cccl" not in growth.ways:
        return "not measured"
    ratios = [growth.ratio("full", count) / growth.ratio("cccl", count) for count in COUNTS]
    return state(max(ratios) < 1, f"with checks they take {min(ratios):.2f} to {max(ratios):.2f} times as long")


def grid_bar(way, base, limits):
    said, met = [], True
    for block in ("static", "dynamic"):
        held = {row["way"]: row for row in load("safe_grid")["rows"] if row["block"] == block}
        ratios = {what: held[way][what] / held[base][what] for what in limits}
        met = met and all(ratios[what] <= most for what, most in limits.items())
        said.append(f"{block} block: " + ", ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items()))
    return state(met, "; ".join(said))


def host_bar(kernel, least):
    held = {row["way"]: row for row in load("host_backend")["rows"] if row["kernel"] == kernel}
    if "HIP-CPU" not in held:
        return "not measured"
    ratio = held["HIP-CPU"]["cpu_ns_per_block"] / held["host backend"]["cpu_ns_per_block"]
    return state(
        ratio >= least,
        f"{ratio:.2f} times as many blocks per CPU second, "
        f"{held['HIP-CPU']['wall_ns_per_block'] / held['host backend']['wall_ns_per_block']:.2f} times per second",
    )


def render():
    if not all(map(load, ("launch", "compile_cu", "safe_grid", "host_backend"))):
        return
    rows = [
        (
            "nvcc: a release launch executes at most 2/3 of the instructions of `<<<>>>` with an error check",
            launch_bar("nvcc"),
        ),
        *(
            (f"{compiler}: a release launch executes no more instructions than code by hand that returns the same", floor_bar(compiler))
            for compiler in ("nvcc", "hipcc", "g++", "clang++")
        ),
        ("a release launch takes at most the time of `<<<>>>` on an H200", "met: 0.95 to 0.99 times in six runs"),
        ("a release object contains no symbol, string or static initialiser that only checks use", "met: `ctest -R release.objects`"),
        (
            "a checked launch with the journal takes at most 1.05 times `<<<>>>` on an H200; the goal is at most 60 ns more",
            "met: 1.00 to 1.04 times in five runs. The goal is **missed** in two: 30, 80, 59, -13 and 150 ns more",
        ),
        (
            "a checked launch allocates nothing (the first of a kernel on a second device does), takes no lock, and makes only documented driver calls",
            "met: `ctest -R release.checked_launch`, `ctest -R DriverCalls`",
        ),
        (
            "with 1 to 16 launching threads, checked launches reach 95 % of the raw rate",
            "met in the longest run: 0.96 to 1.03 times; shorter runs had 0.91 to 1.03",
        ),
        (
            "device code has as many instructions as hand-written code on sm_75, sm_90, gfx90a",
            "met: `ctest -R device_code`",
        ),
        (
            "a `.cu` file with one launch compiles in at most 1.25 times the time of a raw launch with Outcome's `basic_result.hpp`",
            compile_bar(("off", "full"), "outcome", 1.25),
        ),
        ("the same file compiles in less than half the time of `cuda::launch`", compile_bar(("off", "full"), "cccl", 0.5)),
        (
            "with -O2, such a file compiles in at most 1.25 times the raw launch's time with checks, and 1.15 times without",
            growth_bar("nvcc", lambda growth, way: growth.ratio(way, 1), {"full": 1.25, "off": 1.15}),
        ),
        (
            "the same with 60 launches: at most 1.5 times with checks, and 1.25 times without",
            growth_bar("nvcc", lambda growth, way: growth.ratio(way, 60), {"full": 1.5, "off": 1.25}),
        ),
        (
            "each further launch in a file takes nvcc at most 1.5 times the raw launch's time with checks, and 1.2 times without",
            growth_bar("nvcc", lambda growth, way: growth.ratio_of_further(way), {"full": 1.5, "off": 1.2}),
        ),
        ("each further launch adds at most 1 kB of code with checks, and no more than the raw launch without", code_bar("nvcc")),
        ("files with 1 to 200 checked launches compile in less time than with `cuda::launch`", peers_bar("nvcc")),
        ("`kernel_api.hpp` adds at most 5 % to the compile time of a raw launch", compile_bar(("kernel_api",), "raw", 1.05)),
        (
            "`SafeGrid` without checks: at most 1.2 times (throughput) and 2 times (latency) the time of the naive formula",
            grid_bar("release", "naive_64", {"throughput": 1.2, "latency": 2.0}),
        ),
        (
            "`SafeGrid` with checks: no slower than 128-bit arithmetic",
            grid_bar("checked", "wide_128", {"throughput": 1.0, "latency": 1.0}),
        ),
        ("a static cover is a constant in the object", "met: `ctest -R release.objects`"),
        ("the host backend runs a kernel without barriers no slower than HIP-CPU", host_bar("without", 1)),
        ("the host backend runs at least twice as many blocks with one barrier as HIP-CPU", host_bar("with", 2)),
    ]
    lines = [("requirement", "state"), ("---", "---"), *rows]
    into_page("bars", "".join(f"| {bar} | {said} |\n" for bar, said in lines))
