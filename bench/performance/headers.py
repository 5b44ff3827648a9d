# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What each public header costs a translation unit that includes it alone: g++, host backend."""

import statistics

from common import *
from compile_weight import lines, sources

COMMAND = ["g++", "-std=c++20", "-x", "c++", f"-I{INCLUDE}"]


def measure(folder, options):
    rounds = min(options.rounds, 3)
    names = sorted(path.name for path in (INCLUDE / "warpsafe").glob("*.hpp"))
    seconds = {name: [] for name in ["", *names]}
    for _ in range(rounds):
        for name in seconds:
            (folder / "one.cpp").write_text(f"#include <warpsafe/{name}>\n" if name else "")
            before = sources.processor_seconds()
            run(*COMMAND, "-fsyntax-only", folder / "one.cpp")
            seconds[name].append(sources.processor_seconds() - before)
    rows = []
    for name in names:
        (folder / "one.cpp").write_text(f"#include <warpsafe/{name}>\n")
        rows.append(
            {
                "header": name,
                "lines": lines(run(*COMMAND, "-E", folder / "one.cpp")),
                "cpu_s": statistics.median(seconds[name]) - statistics.median(seconds[""]),
            }
        )
    save("headers", rows, rounds=rounds, load=os.getloadavg()[0])


def render():
    data = load("headers")
    if not data:
        return
    rows = [[f"`{row['header']}`", f"{row['lines']:,}", f"{max(row['cpu_s'], 0):.2f}"] for row in data["rows"]]
    into_page("headers", table(["header", "lines", f"CPU seconds, median of {data['rounds']}"], rows))
