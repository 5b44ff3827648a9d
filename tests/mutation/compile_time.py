#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Mutants in constant expressions, one by one: compile_time.py [--count N] [--seed S] [header...]

Each is written into a copy of its header. A compiler then reads the headers, the tests in tests/static, the unit tests
of the header's room, and files of tests/misuse/compile. The mutant is killed if a source no longer compiles, a unit
test fails, or a wrong line is no longer refused as expected.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import sys
import tempfile
import threading

import run

ROOT = run.HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/compile"))
from host_libraries import host_libraries  # noqa: E402

# The files of tests/misuse/compile that show a room's compile-time checks.
MISUSE = {
    "dims": ("a_sizes", "a_units", "a_order", "b_blocks"), "launch": ("b_blocks", "b_clusters", "c_by_value", "c_types"),
    "kernel": ("c_narrowing", "c_types", "c_kernels", "b_launch_bounds"), "args": ("c_host_memory", "c_hidden_pointers"),
    "core": ("c_by_value", "b_blocks"), "stream": ("c_streams", "e_streams", "e_events"), "error": ("d_errors",),
    "memory": ("f_copies", "f_data", "c_counts"), "handles": ("e_handles",), "module": ("c_kernels",),
}  # fmt: skip


def text_of(point, text):
    """The header with one mutant."""
    mutant = {"and": "true", "or": "false", "stmt": ";", "same": ""}.get(point["form"], point["mutant"])
    if point["form"] not in ("and", "or", "stmt", "return", "same"):
        mutant = f"({mutant})"
    return text[: point["start"]] + mutant + text[point["end"] :]


SOUND = {}
LOCK = threading.Lock()


def judge(point, compiler, unity, with_misuse=True):
    """As `compile_and_run`. The unchanged header of the room must pass first: otherwise every mutant would be killed."""
    room = point["file"].split("/")[1]
    with LOCK:
        if (room, with_misuse) not in SOUND:
            same = {**point, "form": "same", "start": 0, "end": 0}
            SOUND[room, with_misuse] = compile_and_run(same, compiler, unity, with_misuse)
    state, what, said = SOUND[room, with_misuse]
    if state == "killed":
        return "alive", None, f"not judged: without a mutant, {what} fails: {said}"
    return compile_and_run(point, compiler, unity, with_misuse)


def compile_and_run(point, compiler, unity, with_misuse):
    """(state, what killed it, the end of what it printed)."""
    header = ROOT / "include" / point["file"]
    room = point["file"].split("/")[1]
    with tempfile.TemporaryDirectory(prefix="mutation_") as folder:
        copy = pathlib.Path(folder) / point["file"]
        copy.parent.mkdir(parents=True)
        copy.write_text(text_of(point, header.read_text()))
        includes = [f"-I{folder}", f"-I{ROOT}/include"]
        flags = [compiler, "-std=c++20", "-w", "-DWARPSAFE_BACKEND_HOST=1", *includes]
        all_of = pathlib.Path(folder) / "all.cpp"
        all_of.write_text(f"#include <warpsafe/all.hpp>\n#include <{point['file']}>\n")
        steps = [("the headers", [*flags, "-fsyntax-only", str(all_of)])]
        scripts = [sys.executable, "-S"]
        named = ["--compiler", f"clang++={compiler}", f"--include={folder}", f"--include={ROOT}/include"]
        static = [str(file) for file in sorted((ROOT / "tests/static").glob("*_test.cpp"))]
        steps.append(("tests/static", [*scripts, f"{ROOT}/tests/compile/must_compile.py", *named, *static]))
        # A room whose tests are a program of their own has no such file: its tests are read one by one.
        sources = sorted(unity.glob(f"unity_unit_{room}_*.cxx")) or sorted((ROOT / "tests/unit" / room).glob("*_test.cpp"))
        for number, source in enumerate(sources):
            program = f"{folder}/unit_{number}"
            steps.append((f"tests/unit/{room}", [*flags, "-O0", "-g0", "-DWARPSAFE_CHECKS=1", f"-I{ROOT}/tests/unit/fixtures",
                                                 str(source), "-o", program, "-lgmock_main", "-lgmock", "-lgtest",
                                                 *host_libraries(compiler)]))  # fmt: skip
            steps.append((f"tests/unit/{room}", [program]))
        for name in MISUSE.get(room, ("b_blocks",)) if with_misuse else ():
            file = ROOT / "tests/misuse/compile" / f"{name}.cpp"
            steps.append((f"tests/misuse/compile/{name}.cpp", [*scripts, f"{ROOT}/tests/compile/must_fail.py", *named,
                                                               f"--include={ROOT}/tests/misuse", str(file)]))  # fmt: skip
        for what, command in steps:
            code, output = run.run_limited(command, 300, {})
            if code != 0:
                return "killed", what, output[-300:]
    return "alive", None, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--compiler", default="clang++")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("headers", nargs="*")
    options = parser.parse_args()
    wanted = [header.removeprefix("include/").removeprefix("warpsafe/").rstrip("/") for header in options.headers]
    points = [point for point in json.loads((options.out / "points.json").read_text()) if point["where"] == "compile"]
    points = [point for point in points if not point["file"].startswith(("warpsafe/backend/cuda", "warpsafe/backend/hip"))
              and (not wanted or any((point["file"] + "/").startswith(f"warpsafe/{w}/") for w in wanted))]  # fmt: skip
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 30)
    drawn = random.Random(seed).sample(points, min(options.count, len(points)))
    print(f"== {len(drawn)} of {len(points)} mutants in constant expressions, seed {seed}", flush=True)
    unity = options.out / "build/tests/CMakeFiles/unit.dir/Unity"
    results = []

    def one(point):
        return (point, *judge(point, options.compiler, unity))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for point, state, by, said in pool.map(one, drawn):
            results.append({**point, "file": point["file"].removeprefix("warpsafe/"), "state": state, "by": by, "said": said})
            if state == "alive":
                print(run.description_of({**point, "state": state}), said, flush=True)
            (options.out / "compile_time.json").write_text(json.dumps({"seed": seed, "drawn": results}, indent=1))
    for point in points:
        point["file"] = point["file"].removeprefix("warpsafe/")
    run.print_table(points, results)


if __name__ == "__main__":
    main()
