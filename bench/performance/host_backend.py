# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Blocks per second of the host backend, of a loop by hand, and of HIP-CPU and alpaka where their folders are named."""

from common import *
from safe_grid import benchmark

ORDER = ["by hand, one thread", "by hand, all cores", "host backend", "HIP-CPU", "alpaka, serial"]


def measure(folder, options):
    own = folder / "host_blocks"
    run(
        "g++",
        *RELEASE,
        ROOT / "bench/host_blocks.cpp",
        "-o",
        own,
        "-lbenchmark_main",
        "-lbenchmark",
        "-pthread",
    )
    programs = [own]
    if options.hip_cpu:
        tbb = (
            [
                f"-I{options.tbb}/include",
                f"-L{options.tbb}/lib/x86_64-linux-gnu",
                f"-Wl,-rpath={options.tbb}/lib/x86_64-linux-gnu",
            ]
            if options.tbb
            else []
        )
        programs.append(folder / "hip_cpu")
        run(
            "g++",
            "-std=c++17",
            "-O2",
            "-DNDEBUG",
            "-fopenmp-simd",
            f"-I{options.hip_cpu}/include",
            *tbb,
            HERE / "hip_cpu.cpp",
            "-o",
            programs[-1],
            "-lbenchmark_main",
            "-lbenchmark",
            "-ltbb",
            "-ldl",
            "-pthread",
        )
    if options.alpaka:
        programs.append(folder / "alpaka")
        run(
            "g++",
            "-std=c++20",
            "-O2",
            "-DNDEBUG",
            "-DALPAKA_DISABLE_HWLOC",
            f"-I{options.alpaka}/include",
            HERE / "alpaka.cpp",
            "-o",
            programs[-1],
            "-lbenchmark_main",
            "-lbenchmark",
            "-pthread",
        )
    seen = {}
    # The programs run in turns, so that a busy machine slows all of them alike.
    for _ in range(options.rounds):
        for program in programs:
            for name, entry in benchmark(program, 1, "--benchmark_min_time=0.1").items():
                seen.setdefault(name, []).append(entry)
    rows = []
    for name, entries in seen.items():
        kernel, way, blocks = name.split("/")[:3]
        nanoseconds = {
            what: sorted(entry[what] for entry in entries)[len(entries) // 2] / int(blocks)
            for what in ("real_time", "cpu_time")
        }
        rows.append(
            {
                "kernel": kernel,
                "way": way,
                "wall_ns_per_block": nanoseconds["real_time"],
                "cpu_ns_per_block": nanoseconds["cpu_time"],
            }
        )
    rows.sort(key=lambda row: ORDER.index(row["way"]))
    save("host_backend", rows, rounds=options.rounds, load=os.getloadavg()[0])


def render():
    data = load("host_backend")
    if not data:
        return
    ways = list(dict.fromkeys(row["way"] for row in data["rows"]))
    held = {(row["way"], row["kernel"]): row for row in data["rows"]}
    rows = []
    for way in ways:
        cells = [way]
        for kernel in ("without", "with"):
            row = held[way, kernel]
            cells += [f"{1e9 / row['cpu_ns_per_block']:,.0f}", f"{1e9 / row['wall_ns_per_block']:,.0f}"]
        rows.append(cells)
    into_page(
        "host_backend",
        table(
            [
                "blocks of 256 threads",
                "no barrier: per CPU second",
                "per second",
                "one barrier: per CPU second",
                "per second",
            ],
            rows,
        ),
    )
