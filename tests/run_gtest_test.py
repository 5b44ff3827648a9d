#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Tests run_gtest.py with stand-ins for GoogleTest programs: whichever way a process ends before its tests
do, the entry of CTest fails."""

import os
import pathlib
import subprocess
import sys
import tempfile

RUNNER = pathlib.Path(__file__).with_name("run_gtest.py")
RUNNING = "[==========] Running 2 tests from 1 test suite.\n"
TESTS = "[ RUN      ] A.One\n[       OK ] A.One (0 ms)\n[ RUN      ] A.Two\n"
END = "[       OK ] A.Two (0 ms)\n[==========] 2 tests from 1 test suite ran. (0 ms total)\n"
PASSED = "[  PASSED  ] 2 tests.\n"
ROUND = "\nRepeating all tests (iteration {}) . . .\n\n"
REASON = "a.cpp:7: Failure\nthe value is 3\n"
INNER = "[==========] Running 1 test from 1 test suite.\n[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 1 test.\n"

# The output, the exit code of the program, and whether the entry passes.
PROGRAMS = {
    "all passed": (RUNNING + TESTS + END + PASSED, 0, True),
    "another program's output inside": (RUNNING + TESTS + INNER + END + PASSED, 0, True),
    "a line after the end": (RUNNING + TESTS + END + PASSED + "a leak checker's line\n", 0, True),
    "a failed test": (RUNNING + TESTS + END + PASSED + "[  FAILED  ] A.Two\n", 1, False),
    "exit(0) in a test": (RUNNING + TESTS, 0, False),
    "exit(0) before the tests": ("", 0, False),
    "exit(0) in a test after another program's end": (RUNNING + TESTS + INNER, 0, False),
    "exit(0) in a test after a program of as many tests": (RUNNING + TESTS.replace("Two", "Zwei") + END + PASSED + TESTS, 0, False),
    "exit(0) in the tear-down": (RUNNING + TESTS + END, 0, False),
    "two rounds": (ROUND.format(1) + RUNNING + TESTS + END + PASSED + ROUND.format(2) + RUNNING + TESTS + END + PASSED, 0, True),
    "exit(0) before the second round": (ROUND.format(1) + RUNNING + TESTS + END + PASSED + ROUND.format(2), 0, False),
    "exit(0) in the second round": (ROUND.format(1) + RUNNING + TESTS + END + PASSED + ROUND.format(2) + RUNNING + TESTS, 0, False),
    "no tests": ("[==========] Running 0 tests from 0 test suites.\n[==========] 0 tests from 0 test suites ran. (0 ms total)\n"
                 "[  PASSED  ] 0 tests.\n", 0, False),
}  # fmt: skip


ALL_SKIPPED = (RUNNING + "".join(f"[ RUN      ] A.{name}\na.cpp:1: Skipped\nno device\n[  SKIPPED ] A.{name} (0 ms)\n" for name in ("One", "Two"))
               + "[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n[  SKIPPED ] 2 tests, listed below:\n")
SKIPPED = 77


def run_with(folder, output, code, *options):
    """Runs run_gtest.py with a program that writes `output` and ends with `code`."""
    program = folder / "program"
    (folder / "output").write_text(output)
    # A shell starts in a tenth of Python's time.
    program.write_text(f"#!/bin/sh\ncase $* in\n*--gtest_list_tests*) printf 'A.\\n  Two' ;;\n*) echo options: $*; cat '{folder}/output'; exit {code} ;;\nesac\n")
    program.chmod(0o755)
    return subprocess.run([sys.executable, "-S", RUNNER, *options, program], stdout=subprocess.PIPE, text=True)


def status_of(folder, *what):
    return run_with(folder, *what).returncode


def output_of(folder, *what):
    return run_with(folder, *what).stdout


def main():
    problems = []
    for name in ("GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        for what, (output, code, wanted) in PROGRAMS.items():
            for options in ([], ["--isolated"]):
                # One isolated test of a program without tests is nothing that GoogleTest does.
                if what == "no tests" and options:
                    continue
                if (status_of(pathlib.Path(folder), output, code, *options) == 0) != wanted:
                    problems.append(f"{what} {options}: {'fails' if wanted else 'passes'}")
        asked = output_of(pathlib.Path(folder), RUNNING, 1, "--repeat", "3")
        if "--gtest_repeat=3" not in asked:
            problems.append(f"--repeat 3 does not reach the program: {asked}")
        for options in ([], ["--isolated"]):
            if status_of(pathlib.Path(folder), ALL_SKIPPED, 0, *options) != SKIPPED:
                problems.append(f"a program whose tests are all skipped {options}: not skipped")
        said = output_of(pathlib.Path(folder), RUNNING + TESTS.replace("One (", "One, where TypeParam = int (") + REASON
                         + END.replace("       OK ", "  FAILED  ") + "[  PASSED  ] 1 test.\n[  FAILED  ] A.Two\n", 1)  # fmt: skip
        if REASON not in said or "A.One" in said or said.count(REASON) != 1:
            problems.append(f"a failed test is not reported alone: {said}")
        # The first fails, after a line that it has not ended, and so does the tear-down of the suite.
        said = output_of(pathlib.Path(folder), RUNNING + TESTS.replace("[       OK ] A.One", f"{REASON}half a line[  FAILED  ] A.One")
                         + "half[       OK ] A.Two (0 ms)\nb.cpp:8: Failure\nthe last value is 4\n"
                         + END.partition("\n")[2] + "[  PASSED  ] 1 test.\n[  FAILED  ] A.One\n", 1)  # fmt: skip
        if REASON not in said or "the last value is 4" not in said or "RUN      ] A.Two" in said:
            problems.append(f"a failure is not reported: {said}")
    print(*problems, sep="\n")
    print(f"{len(PROGRAMS)} programs, {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
