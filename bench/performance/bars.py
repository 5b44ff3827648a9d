# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The requirements on the library's cost, and whether the raw results meet them: the table of docs/performance.md."""

from common import *
from compile_many import COUNTS, growths


def state(met, text):
    return f"{'met' if met else '**missed**'}: {text}"


def launch_bar(compiler):
    rows = [row for row in load("launch")["rows"] if row["compiler"] == compiler]
    held = {(row["way"], row["arguments"], row["dims"], row["result"]): row["instructions"] for row in rows}

    def ratios(way):
        return [count / held["chevron", *key[1:]] for key, count in held.items() if key[0] == way]

    def good(way):
        return f"{sum(3 * ratio <= 2 for ratio in ratios(way))} of {len(ratios(way))}"

    ours = ratios("ours")
    said = f"{good('ours')} [shapes](performance/launch.md); ratios {min(ours):.2f} to {max(ours):.2f}; hand-written code meets it in {good('by_hand')}"
    return state(all(3 * ratio <= 2 for ratio in ours), said)


def floor_bar(compiler):
    """Whether no shape takes more than the least code by hand that hands back the same."""
    rows = [row for row in load("launch")["rows"] if row["compiler"] == compiler]
    held = {(row["way"], row["arguments"], row["dims"], row["result"]): row["instructions"] for row in rows}
    ratios = [count / held["by_hand", *key[1:]] for key, count in held.items() if key[0] == "ours"]
    within = sum(ratio <= 1 for ratio in ratios)
    return state(within == len(ratios), f"{within} of {len(ratios)} shapes; ratios {min(ratios):.2f} to {max(ratios):.2f}")


def compile_ratio(way, base):
    held = {row["way"]: row["cpu_s"] for row in load("compile_cu")["rows"]}
    return held[way] / held[base] if way in held and base in held else None


def compile_bar(ways, base, most):
    ratios = {way: compile_ratio(way, base) for way in ways}
    if None in ratios.values():
        return "not measured"
    return state(max(ratios.values()) <= most, ", ".join(f"{way} {ratio:.2f}" for way, ratio in ratios.items()))


def growth_bar(compiler, found, most):
    """`found(growth, way)` is what a limit of `most` holds for, {way: limit}."""
    growth = growths().get(compiler)
    if growth is None or not all(way in growth.ways for way in most):
        return "not measured"
    values = {way: found(growth, way) for way in most}
    return state(
        all(values[way] <= limit for way, limit in most.items()),
        ", ".join(f"{way} {value:.2f}" for way, value in values.items()),
    )


def code_bar(compiler):
    growth = growths().get(compiler)
    if growth is None:
        return "not measured"
    off, full, raw = (growth.each_further(way, "text") for way in ("off", "full", "outcome"))
    return state(full <= 1024 and off <= raw, f"full {full:.0f}, off {off:.0f}, raw {raw:.0f} bytes")


def peers_bar(compiler):
    """Whether every count takes cuda::launch longer than full checks."""
    growth = growths().get(compiler)
    if growth is None or "cccl" not in growth.ways:
        return "not measured"
    ratios = [growth.ratio("full", count) / growth.ratio("cccl", count) for count in COUNTS]
    return state(max(ratios) < 1, f"full checks take {min(ratios):.2f} to {max(ratios):.2f} times as long")


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
        ("a release launch takes at most the time of `<<<>>>` on an H200", "met: 0.95 to 0.99 in six runs"),
        ("a release object contains no symbol, string or static initialiser that only checks use", "met: `ctest -R release.objects`"),
        (
            "a checked launch with the journal takes at most 1.05 times `<<<>>>` on an H200; the goal is at most 60 ns more",
            "met: 1.01, 1.03, 1.02, 1.00, 1.04 in five runs; 30, 80, 59, -13 and 150 ns more, so two runs miss the goal",
        ),
        (
            "a checked launch allocates nothing, takes no lock, and makes only documented driver calls",
            "met: `ctest -R release.checked_launch`, `ctest -R DriverCalls`",
        ),
        (
            "with 1 to 16 launching threads, checked launches reach 95 % of the raw rate",
            "met in the longest run, within its noise: 1.02, 0.98, 0.96, 0.99 with 1, 2, 4, 8 threads (61 repetitions), 1.03 with 16 (31); shorter runs had 0.91 to 1.03",
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
            "nvcc -O2: a file with one launch compiles in at most 1.25 times the time of raw with Outcome with checks, and 1.15 without",
            growth_bar("nvcc", lambda growth, way: growth.ratio(way, 1), {"full": 1.25, "off": 1.15}),
        ),
        (
            "the same with 60 launches: at most 1.5 times with checks, and 1.25 without",
            growth_bar("nvcc", lambda growth, way: growth.ratio(way, 60), {"full": 1.5, "off": 1.25}),
        ),
        (
            "each further launch in a file takes nvcc at most 1.5 times raw's time with checks, and 1.2 without",
            growth_bar("nvcc", lambda growth, way: growth.ratio_of_further(way), {"full": 1.5, "off": 1.2}),
        ),
        ("each further launch adds at most 1 kB of code with checks, and no more than raw's without", code_bar("nvcc")),
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
