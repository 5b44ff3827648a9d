#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Which mutants of the headers the tests kill: run.py [--count N] [--seed S] [header...]

A header is a path or a folder below include/warpsafe, such as `dims` or `launch/validate.hpp`; without one, all.
tests/mutation/run calls this with the programs that it built. docs/contributing/long-tests.md says what the words mean.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import run_gtest  # noqa: E402  (the folder is on the path since the line before)

MOST_POINTS = 1 << 17  # most_points in warpsafe_mutation_state.hpp
LONGEST = 20  # seconds; tests that take longer are left out
BATCH = 6  # seconds of tests in one process, so that a kill is found early
STATES = ("killed", "alive", "not reached")


class Test:
    """A test of a GoogleTest program, or a whole program of another kind."""

    def __init__(self, program, name, seconds=0.0, reached=()):
        self.program, self.name, self.seconds, self.reached = program, name, seconds, frozenset(reached)


def run_limited(command, limit, environment):
    """(exit code, output), or (None, output) after the limit, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="mutation_") as folder, open(f"{folder}/output", "w+b") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder,
                                   env={**os.environ, **environment}, start_new_session=True)  # fmt: skip
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        with contextlib.suppress(ProcessLookupError):  # also what the program started
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        output.seek(0)
        return code, output.read(4_000_000).decode(errors="replace")


def command_of(program):
    """The words of --program: NAME=VALUE for its environment, the file, and arguments."""
    words = program.split()
    return ["env", *words] if "=" in words[0] else words


def run_tests(tests, limit, environment):
    """What failed among tests of one program: a list of names, empty if all passed. A crash or the limit names the
    test that ran."""
    program, is_gtest = tests[0].program, tests[0].name is not None
    if not is_gtest:
        code, _ = run_limited(command_of(program), limit, environment)
        return [] if code == 0 else ["program: " + ("time limit" if code is None else f"exit code {code}")]
    with tempfile.NamedTemporaryFile("w", prefix="mutation_flags_") as flags:
        flags.write("--gtest_filter=" + ":".join(test.name for test in tests) + "\n--gtest_fail_fast\n")
        flags.flush()
        code, output = run_limited([*command_of(program), f"--gtest_flagfile={flags.name}"], limit, environment)
    if code == 0 and run_gtest.closing_of(output):
        return []
    failed = re.findall(r"^\[  FAILED  \] ([^\s,]+)(?:, where .*)? \(\d+ ms\)$", output, re.MULTILINE)
    begun = re.findall(r"^\[ RUN      \] (\S+)$", output, re.MULTILINE)
    return failed or begun[-1:] or [tests[0].name]


def reach_of(program, name):
    """One test alone: the points that it reaches and its seconds, or None if it does not pass alone."""
    with tempfile.NamedTemporaryFile(prefix="mutation_reached_") as reached:
        reached.truncate(MOST_POINTS)
        began = time.monotonic()
        failed = run_tests([Test(program, name)], 2 * LONGEST, {"WS_MUTATION_REACHED": reached.name})
        seconds = time.monotonic() - began
        if failed:
            return None
        data = pathlib.Path(reached.name).read_bytes()
        return Test(program, name, seconds, (i for i, byte in enumerate(data) if byte))


def reach_all(programs, cache, jobs):
    """All tests with the points that each reaches; from the cache for programs that did not change."""
    known = json.loads(cache.read_text()) if cache.exists() else {}
    tests, left_out = [], []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for program in programs:
            file = pathlib.Path(next(word for word in program.split() if "=" not in word))
            stamp = file.stat().st_mtime_ns
            entry = known.get(program)
            if not entry or entry["stamp"] != stamp:
                is_gtest = b"gtest_filter" in file.read_bytes()
                names = run_gtest.names_of(file) if is_gtest else [None]
                print(f"== which points does each of {len(names)} tests of {program.replace(str(file), file.name)} reach?", flush=True)
                found = list(pool.map(lambda name, of=program: reach_of(of, name), names))
                entry = {"stamp": stamp, "failed": [n or program for n, t in zip(names, found) if t is None],
                         "tests": [[t.name, t.seconds, sorted(t.reached)] for t in found if t]}  # fmt: skip
                known[program] = entry
                cache.write_text(json.dumps(known))
            left_out += entry["failed"]
            for name, seconds, reached in entry["tests"]:
                if seconds > LONGEST:
                    left_out.append(f"{name or program} ({seconds:.0f} s)")
                else:
                    tests.append(Test(program, name, seconds, reached))
    return tests, left_out


def batches(tests):
    """Tests of one program, some seconds' worth each; first the quick ones that reach little else."""
    open_batches, done = {}, []
    for test in sorted(tests, key=lambda test: (0.05 + test.seconds) * (100 + len(test.reached))):
        batch = open_batches.setdefault(test.program, [])
        batch.append(test)
        # The first batches are small: most mutants die at once.
        if sum(t.seconds for t in batch) > min(BATCH, 1 + len(done)):
            done.append(open_batches.pop(test.program))
    return done + list(open_batches.values())


def try_mutant(point, tests, patience):
    """(state, the test that killed it or None)."""
    reaching = [test for test in tests if point["id"] in test.reached]
    if not reaching:
        return "not reached", None
    flaky = set()
    for batch in batches(reaching):
        batch = [test for test in batch if test not in flaky]
        while batch:
            limit = patience + 8 * sum(test.seconds for test in batch)
            failed = run_tests(batch, limit, {"WS_MUTANT": str(point["id"])})
            if not failed:
                break
            # On a busy machine a test may fail by itself. It kills only if it passes without the mutant.
            culprits = [test for test in batch if test.name in failed] or batch
            if not run_tests(culprits, 30 + 8 * limit, {"WS_MUTANT": "0"}):
                return "killed", failed[0]
            flaky |= set(culprits)
            batch = [test for test in batch if test not in culprits]
    return "alive", None


def description_of(point):
    """A survivor, with its place and its change."""
    line, original, mutant = (" ".join(text.split()) for text in (point["source"], point["original"], point["mutant"]))
    place = "warpsafe/" + point["file"].removeprefix("warpsafe/")
    return (f"{point['state']}: include/{place}:{point['line']}, {point['function']}, {point['kind']} {point['id']}\n"
            f"    line: {line}\n    mutant: {original} => {mutant}")  # fmt: skip


def print_table(points, results):
    """Per header: its points, the drawn ones, and what became of them."""
    total, rows = {}, {}
    for point in points:
        total[point["file"]] = total.get(point["file"], 0) + 1
    for point in results:
        rows.setdefault(point["file"], []).append(point["state"])
    wide = max(map(len, rows), default=6)
    print(f"{'header':{wide}} {'points':>7} {'drawn':>6} " + " ".join(f"{state:>11}" for state in STATES))
    for file, states in sorted(rows.items()):
        print(f"{file:{wide}} {total[file]:7} {len(states):6} " + " ".join(f"{states.count(s):11}" for s in STATES))
    states = [point["state"] for point in results]
    print(f"{'all':{wide}} {sum(total[file] for file in rows):7} {len(states):6} "
          + " ".join(f"{states.count(s):11}" for s in STATES))  # fmt: skip
    if states:
        print(f"score: {100 * states.count('killed') / len(states):.1f} % of {len(states)} mutants killed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=lambda path: pathlib.Path(path).resolve(), required=True, help="the folder of mutate.py")
    parser.add_argument("--program", action="append", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--id", type=int, action="append", help="these mutants, by their number in points.json")
    parser.add_argument("--again", help="the mutants that survived in the result of this name, instead of random ones")
    parser.add_argument("--compiler", help="compiles the survivors' headers with this compiler, which may refuse them")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--patience", type=float, default=10,
                        help="seconds that tests may take beyond 8 times their usual time; then they hang")
    parser.add_argument("--name", default="result", help="the JSON's name")
    parser.add_argument("headers", nargs="*")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))  # a mutant may allocate forever
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tests, left_out = reach_all(options.program, options.out / "reach.json", options.jobs)
    print(f"== {len(tests)} tests; left out, since they fail alone or take more than {LONGEST} s: {left_out or 'none'}")
    wanted = [header.removeprefix("include/").removeprefix("warpsafe/").rstrip("/") for header in options.headers]
    points = [point for point in json.loads((options.out / "points.json").read_text()) if point["where"] == "run"]
    for point in points:
        point["file"] = point["file"].removeprefix("warpsafe/")
    points = [point for point in points
              if not wanted or any(point["file"] == w or point["file"].startswith(w + "/") for w in wanted)]  # fmt: skip
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 30)
    if options.again:
        before = json.loads((options.out / f"{options.again}.json").read_text())
        seed = before["seed"]
        survived = {(point["file"], point["start"], point["form"], point["mutant"]) for point in before["drawn"]
                    if point["state"] in ("alive", "not reached")}  # fmt: skip
        drawn = [point for point in points
                 if (point["file"], point["start"], point["form"], point["mutant"]) in survived]  # fmt: skip
    elif options.id:
        drawn = [point for point in points if point["id"] in options.id]
    else:
        drawn = random.Random(seed).sample(points, min(options.count, len(points)))
    print(f"== {len(drawn)} of {len(points)} mutants, seed {seed}", flush=True)
    began = time.monotonic()

    def judge(point):
        state, by = try_mutant(point, tests, options.patience)
        if state != "killed" and options.compiler and not point["file"].startswith(("backend/cuda", "backend/hip")):
            # The compiler may evaluate it, for a static_assert or the length of an array.
            import compile_time  # which imports this file

            if compile_time.judge({**point, "file": "warpsafe/" + point["file"]}, options.compiler,
                                  options.out / "build/tests/CMakeFiles/unit.dir/Unity", with_misuse=False)[0] == "killed":  # fmt: skip
                return {**point, "state": "killed", "by": "compile time"}
        return {**point, "state": state, "by": by}

    results = []
    target = options.out / f"{options.name}.json"
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done, point in enumerate(pool.map(judge, drawn), 1):
            results.append(point)
            if point["state"] in ("alive", "not reached"):
                print(description_of(point), flush=True)
            elif done % 50 == 0:
                print(f"   {done} of {len(drawn)}, {time.monotonic() - began:.0f} s", flush=True)
            target.write_text(json.dumps({"seed": seed, "headers": wanted, "points": len(points), "drawn": results}, indent=1))
    print_table(points, results)
    print(f"== {target}")


if __name__ == "__main__":
    main()
