#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs a GoogleTest program as one entry of CTest.

run_gtest.py [--xml FILE] [--alone FILTER] [--isolated | --repeat COUNT] PROGRAM

All tests run in one process, shuffled with a fixed seed, so that a test that leaves something behind is
found. --repeat runs them COUNT times in that process, so that each also finds what it left itself.
--alone names tests that need a process of their own; --isolated gives one to every test. CTest
shards a program with GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX. A program that ends without GoogleTest's
closing line has failed, whatever its exit code, because something ended the process. Exit code 77: every
test was skipped.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

# The two closing lines. Several may be in the output, because a test may run another test program.
CLOSING = re.compile(r"^\[=+\] (\d+) tests? from .* ran\.(?:.*)\n\[  PASSED  \]", re.MULTILINE)
SKIPPED = 77
# CTest kills what takes 900 seconds, and shows nothing of it. A program that is stopped before that tells its last test.
LIMIT = 840


def closing_of(output):
    """The match of the program's own closing lines, or None if something ended the process before them."""
    last = None
    for last in CLOSING.finditer(output):
        pass
    begun = re.search(r"^\[=+\] Running (\d+) tests? from ", output, re.MULTILINE)
    if not last or not begun or last[1] != begun[1]:
        return None
    return None if re.search(r"^\[ RUN      \]|^Repeating all tests", output[last.end() :], re.MULTILINE) else last


def run(program, *options):
    """The exit code, the output, and whether GoogleTest came to its end."""
    with tempfile.TemporaryFile() as written:
        running = subprocess.Popen([program, *options], stdout=written, stderr=subprocess.STDOUT)
        try:
            code = running.wait(LIMIT)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            code = f"a time limit of {LIMIT} s"
        written.seek(0)
        output = written.read().decode(errors="replace")
    return code, output, bool(closing_of(output))


def names_of(program, pattern="*"):
    """The full names of the tests that a --gtest_filter selects."""
    listed = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={pattern}"],
                            capture_output=True, text=True, check=True).stdout  # fmt: skip
    suite, names = "", []
    for line in listed.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return names


def skipped_in(output):
    """The names of the skipped tests, each once."""
    return set(re.findall(r"^\[  SKIPPED \] (\S+) \(", output, re.MULTILINE))


def without_passed(output):
    """The output without that of each test that passed or was skipped."""
    return re.sub(r"^\[ RUN      \] (\S+)\n(?:(?!\[ RUN      \]).*\n)*?.*\[(?:       OK|  SKIPPED) \] \1(?:,| \().*\n", "", output, flags=re.MULTILINE)  # fmt: skip


def print_skipped(count, output):
    """Prints the reasons of the skipped tests, each once."""
    if count:
        print(f"{count} skipped:", *sorted(set(re.findall(r": Skipped\n(.+)", output))), sep="\n  ")


def run_isolated(program, xml=None, pattern="*"):
    """Each test that the filter selects in a process of its own. Whether one failed, or SKIPPED if all are skipped."""
    names, failed, outputs = names_of(program, pattern), [], []
    for number, name in enumerate(names):
        report = [f"--gtest_output=xml:{xml.removesuffix('.xml')}.alone.{number}.xml"] if xml else []
        code, output, ended = run(program, f"--gtest_filter={name}", "--gtest_color=no", *report)
        outputs.append(output)
        if code or not ended:
            failed.append(name)
            print(output if ended else f"{output}\n{name}: the process ended with {code} before the test did")
    print(f"{len(names)} tests, each in a process of its own, {len(failed)} failed", *failed, sep="\n  ")
    skipped = sum(bool(skipped_in(output)) for output in outputs)
    print_skipped(skipped, "".join(outputs))
    return SKIPPED if names and skipped == len(names) and not failed else bool(failed) or not names


def run_together(program, xml, without, rounds=1):
    """All tests in one process, but for those that the filter `without` selects. Returns as run_isolated does."""
    options = ["--gtest_shuffle", "--gtest_random_seed=1", "--gtest_color=no"]
    if rounds != 1:
        options.append(f"--gtest_repeat={rounds}")
    if without:
        options.append(f"--gtest_filter=-{without}")
    if xml:
        os.makedirs(os.path.dirname(xml), exist_ok=True)
        if os.path.exists(xml):
            os.remove(xml)
        options.append(f"--gtest_output=xml:{xml}")
    code, output, ended = run(program, *options)
    skipped = skipped_in(output)
    count = int(closing_of(output)[1]) if ended else 0
    if code or not ended or not count:
        # A log of a thousand tests hides the failure, and whoever shortens it cuts it out.
        print(without_passed(output) if ended else output)
        if not ended:
            print(f"{program}: ended with {code} before its tests did")
        return True
    print(f"{count} tests passed or skipped")
    print_skipped(len(skipped), output)
    return SKIPPED if len(skipped) == count else False


def run_program(arguments):
    """The exit code."""
    if arguments.isolated:
        return int(run_isolated(arguments.program))
    parts = [run_together(arguments.program, arguments.xml, arguments.alone, arguments.repeat)]
    # If a program has shards, the first shard runs them.
    if arguments.alone and os.environ.get("GTEST_SHARD_INDEX", "0") == "0":
        os.environ["GTEST_TOTAL_SHARDS"] = "1"
        parts.append(run_isolated(arguments.program, arguments.xml, arguments.alone))
    return int(any(part is True for part in parts) or min(parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xml", help="where GoogleTest's own report goes")
    parser.add_argument("--alone", help="a --gtest_filter of tests that need a process of their own")
    parser.add_argument("--isolated", action="store_true", help="a process for each test")
    parser.add_argument("--repeat", type=int, default=1, metavar="COUNT", help="how many times to run the tests, in one process")
    parser.add_argument("program")
    arguments = parser.parse_args()
    # Two runs on one machine must not share the files of testing::TempDir().
    with tempfile.TemporaryDirectory(prefix="warpsafe.") as folder:
        os.environ["TEST_TMPDIR"] = folder
        return run_program(arguments)


if __name__ == "__main__":
    sys.exit(main())
