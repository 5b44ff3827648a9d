#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Writes docs/reference/misuse.md from the tests' results, or reports that the page is out of date.

page.py --project DIR --results DIR --program NAME=PATH... [--update | --messages]

DIR of --results holds the first error lines that must_fail.py wrote, one file per snippet, compiler and
level. This script runs the programs and reads what each test noted in its report (runtime/misuse.hpp).
With --messages it compares the rows without their last cell. These need no program without checks, and of
hipcc only the snippets that no other compiler reads.
Only the catalogue (../catalogue.py) and the page's head (head.md) are written by hand.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE.parent), str(HERE.parent.parent / "compile")]
import catalogue  # noqa: E402
from snippets import groups  # noqa: E402

SNIPPETS = [snippet.name for file in groups(HERE.parent / "compile") for snippet in file.snippets]
BACKENDS = {"CUDA": ("cuda", "nvcc"), "HIP": ("hip", "hipcc"), "host": ("host", "g++")}
LEVELS = {"all checks": ("", 1), "`NDEBUG`": ("_off", 0)}
MOMENTS = {"construction": "an error when the value is created",
           "launch": "an error of the launch, before the runtime is called",
           "completion": "an error of the call that waits", "call": "an error of the call",
           "runtime": "the runtime's error, with kernel and dimensions",
           "reported": "the runtime's error, with kernel and dimensions",
           "impossible": "cannot happen", "avoidable": "avoidable"}  # fmt: skip


def joined_bytes(properties):
    """GoogleTest's JSON escapes each byte of a character such as … by itself, as \\u00e2\\u0080\\u00a6."""
    def joined(value):
        try:
            return value.encode("latin-1").decode()
        except UnicodeError:
            return value  # a release that writes the character as it is
    return {name: joined(value) if isinstance(value, str) else value for name, value in properties.items()}


def run(program):
    """What each test of a program noted, by row, in the order of the source."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run([program, f"--gtest_output=json:{report}"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program} fails:\n{done.stdout[-4000:]}")
        suites = json.loads(report.read_text(), object_hook=joined_bytes)["testsuites"]
    return {suite["name"].removeprefix("Misuse"): [test for test in suite["testsuite"] if "moment" in test]
            for suite in suites}  # fmt: skip


def sources(folder, pattern, ending):
    """Results of a pattern of the catalogue in order: a01* is a01_x, a01b_y, …"""
    name = pattern.rstrip("*")
    return sorted(folder.glob(f"{name}_*{ending}")) + sorted(folder.glob(f"{name}[a-z]_*{ending}"))


def compiled(results, patterns, compiler, level):
    """The first error line of the row's first snippet for that compiler, or None."""
    found = [path for pattern in patterns for path in sources(results, pattern, f".{compiler}.{level}")]
    if not found:
        return None
    line = found[0].read_text().strip()
    # Starts at "error": with line numbers, every change of a header would make the page out of date.
    line = re.sub(r"^.*?\b(error|warning):? ", r"\1: ", line)
    # Nor does the page change with the version's namespace.
    line = re.sub(r"\bv\d+_\d+_\d+::", "", line)
    line = re.sub(r"static assertion failed with \"(.*)\"$", r"static assertion failed: \1", line)
    return line


class Row:
    def __init__(self, name, row, results, programs):
        self.name = name
        self.title, self.moments, self.mark, tests, self.raw, self.why = (
            row[field] for field in ("title",) + catalogue.FIELDS)  # fmt: skip
        patterns = re.findall(r"[a-g]\d\d[a-z]?\*", tests)
        suites = re.findall(r"Misuse(\w+)", tests)
        self.spellings = sum(fnmatch(name, pattern) for pattern in patterns for name in SNIPPETS)
        self.compiled, self.noted = {}, {}
        for backend, (program, compiler) in BACKENDS.items():
            for level, (suffix, number) in LEVELS.items():
                self.compiled[backend, level] = compiled(results, patterns, compiler, number)
                self.noted[backend, level] = [test for suite in suites
                                              for test in programs.get(program + suffix, {}).get(suite, [])]

    def verdict(self, backend, level):
        line, tests = self.compiled[backend, level], self.noted[backend, level]
        if self.moments == "never":
            return "never"
        if self.moments == "avoidable":
            return "avoidable"
        if not line and not tests:
            # The compiler already refuses what a backend lacks (clusters on AMD).
            return "none"
        if self.mark == "avoidable":
            return "avoidable"
        if any("open" in test for test in tests):
            return "partly" if line else "open"
        if self.mark == "declared":
            return "declared"
        if line and not self.moments.startswith("impossible"):
            return "warning" if "warning" in self.moments else "compile"
        moments = [test["moment"] for test in tests]
        if "runtime" in moments and "construction" not in moments and "launch" not in moments:
            return "runtime"
        if "avoidable" in moments:
            return "avoidable"
        return "impossible" if set(moments) == {"impossible"} else "error"

    def first(self, level, of):
        for backend in BACKENDS:
            if of[backend, level]:
                return of[backend, level]
        return None

    def caught(self):
        """The cell with the moment of the error and its first message."""
        parts = []
        line = next((self.compiled[b, "all checks"] for b in ("host", "CUDA", "HIP")
                     if self.compiled[b, "all checks"]), None)  # fmt: skip
        if line:
            tried = f", in {self.spellings} spellings" if self.spellings > 1 else ""
            moment = "a warning, and an error with `-Werror`" if "warning" in self.moments else "does not compile"
            parts.append(f"**{moment}**{tried}<br>{code(line)}")
        tests = self.first("all checks", self.noted)
        first = self.moments.startswith("impossible")
        if tests and (first or not (line and tests[0]["moment"] == "impossible")):
            test = tests[0]
            says = test["says"]
            shown = plain(says) if test["moment"] in ("impossible", "avoidable") else code(says)
            parts.insert(0 if first else len(parts), f"**{MOMENTS[test['moment']]}**" + (f"<br>{shown}" if says else ""))
        if self.moments == "never":
            return f"**no library can see it**<br>{plain(self.why)}"
        if self.mark == "declared" or "avoidable" in (self.mark, self.moments):
            parts.append(f"**avoidable**: {plain(self.why)}")
        return "<br>".join(parts) or f"**not yet**<br>{plain(self.why)}"

    def beginning(self):
        """The row's line on the page, without its last cell."""
        return f"| {self.name} | {self.title} | {self.raw} | {self.caught()} |"

    def off(self):
        """The cell with what remains of the check under NDEBUG."""
        words = {"compile": "the same", "warning": "the same", "impossible": "the same", "avoidable": "the same",
                 "declared": "the same", "never": "", "none": "", "open": "**let through**",
                 "partly": "compile-time errors remain; run-time values are **let through**"}  # fmt: skip
        said = {}
        for backend in BACKENDS:
            verdict = self.verdict(backend, "`NDEBUG`")
            moments = [test["moment"] for test in self.noted[backend, "`NDEBUG`"]]
            if verdict == "avoidable" and any("open" in test for test in self.noted[backend, "`NDEBUG`"]):
                text = words["open"]
            elif verdict in ("runtime", "error", "avoidable") or "runtime" in moments and verdict == "compile":
                text = "refused by the runtime" if {"runtime", "reported"} & set(moments) else "the same"
            else:
                text = words[verdict]
            if text:
                said.setdefault(text, []).append(backend)
        if len(said) == 1:
            return next(iter(said))
        return "; ".join(f"{', '.join(backends)}: {text}" for text, backends in said.items())


def plain(text):
    """Escapes what Markdown would read as a tag, as emphasis or as the end of a cell."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;").replace("*", "\\*")


def code(text):
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text.replace('|', chr(92) + '|')}{ticks}"


def is_open(row):
    """Whether a way to make the mistake is neither caught nor known to remain."""
    verdicts = {row.verdict(backend, "all checks") for backend in BACKENDS} - {"none"}
    return not (verdicts == {"warning"} or "never" in verdicts
                or verdicts and verdicts <= {"compile", "error", "impossible", "avoidable", "declared"})  # fmt: skip


def has(words, name):
    """Whether a row is among those that these words of catalogue.SUBJECTS mean."""
    number = lambda row: (row[0], int(row[1:]))  # noqa: E731
    return any(word == name[0] or (len(word) > 1 and number(word.split("-")[0]) <= number(name) <= number(word.split("-")[-1]))
               for word in words)  # fmt: skip


FULL = "| | the mistake | raw CUDA and HIP | warpsafe, and its first message | with `NDEBUG` |\n| --- | --- | --- | --- | --- |\n"
FURTHER = "| | the mistake | reported as | warpsafe, and its first message |\n| --- | --- | --- | --- |\n"


def page(full, further):
    """The page from the lines of its rows, by their names: those with a cell for NDEBUG, and further ones."""
    text = (HERE / "head.md").read_text()
    for title, words in catalogue.SUBJECTS.items():
        text += f"\n## {title}\n"
        for head, lines in ((FULL, full), (FURTHER, further)):
            chosen = [line for name, line in lines.items() if has(words, name)]
            if chosen:
                text += "\n" + head + "".join(line + "\n" for line in chosen)
    return text


# The answers of the lists H and I, and what a row's cell begins with.
ANSWERS = {"compile": "does not compile", "device": "a warning of nvcc, and an error with `-Werror all-warnings`",
           "warning": "a warning, and an error with `-Werror`", "told": "an error", "race": "the race detector",
           "host": "an error on the host backend", "message": "a line on standard error",
           "right": "the right thing happens", "avoidable": "avoidable", "silent": "not reported"}  # fmt: skip


class ProgramRow:
    """A program of ../programs, and what the library answers to it."""

    def __init__(self, row, results, programs):
        self.name, self.title, self.source, self.answer, self.why = row
        tests = [test for program in ("programs", "programs_data", "programs_places") for test in
                 programs.get(program, {}).get("Rows/Program", []) if test["name"].endswith("/" + self.name)]  # fmt: skip
        self.says = tests[0]["says"] if tests else ""
        if self.answer == "compile":
            self.says = compiled(results, [self.name.lower() + "*"], "g++", 1) or ""
        # Addresses, times and lines of the programs change.
        self.says = re.sub(r"0x[0-9a-f]{6,}", "0x…", re.sub(r",? at \w+\.\w+:\d+", "", self.says))
        self.says = re.sub(r"\d+ us\b", "… us", self.says)
        if self.answer == "host" and (what := re.search(r"the kernel .*?(?=,? in block)|barrier divergence", self.says)):
            # The thread that is first, and the call that tells it, change from run to run.
            self.says = re.sub(r"element \d+", "element …", what[0])
        self.is_known = bool(self.says) or self.answer in ("right", "avoidable", "silent", "device")

    def line(self):
        cell = f"**{ANSWERS[self.answer]}**"
        if self.says:
            cell += f"<br>{code(self.says.strip())}"
        if self.why != "-":
            cell += f"<br>{plain(self.why)}"
        return f"| {self.name} | {plain(self.title)} | {plain(self.source)} | {cell} |"


def program_rows(results, programs):
    rows, wrong = catalogue.programs()
    if wrong:
        sys.exit("\n".join(wrong))
    return [ProgramRow(row, results, programs) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--program", action="append", default=[])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--messages", action="store_true")
    parser.add_argument("--rewrite", default="page.py --update", help="the command to print if the page is out of date")
    arguments = parser.parse_args()
    suffixes = [""] if arguments.messages else [suffix for suffix, _ in LEVELS.values()]
    needed = {program + suffix for program, _ in BACKENDS.values() for suffix in suffixes} | {"programs", "programs_places"}
    if not arguments.messages:
        needed.add("programs_data")
    paths = {name.removeprefix("misuse_"): path for name, path in
             (program.split("=", 1) for program in arguments.program)}  # fmt: skip
    programs = {name: run(path) for name, path in paths.items() if name in needed}
    absent = sorted(needed - programs.keys())
    absent += [c for _, c in BACKENDS.values() if not any(arguments.results.glob(f"*.{c}.1"))]
    if absent:
        print(f"The page needs all backends; missing here: {', '.join(absent)}")
        return 77
    rows, wrong = catalogue.mistakes()
    if wrong:
        sys.exit("\n".join(wrong))
    file = arguments.project / "docs/reference/misuse.md"
    rows = [Row(name, row, arguments.results, programs) for name, row in rows.items()]
    second = program_rows(arguments.results, programs)
    if arguments.messages:
        shown = file.read_text()
        wrong = [row.beginning() for row in rows if f"\n{row.beginning()} " not in shown]
        wrong += [row.line() for row in second if row.is_known and f"\n{row.line()}\n" not in shown]
        for line in wrong:
            print(f"the page has not\n  {line}")
        if wrong:
            print(f"{file} does not match the tests' results; rewrite it with\n  {arguments.rewrite}")
        return bool(wrong)
    text = page({row.name: f"{row.beginning()} {row.off()} |" for row in rows}, {row.name: row.line() for row in second})
    for row in rows:
        if is_open(row):
            print(f"{row.name}: not caught yet")
    if arguments.update:
        file.write_text(text)
        print(f"written: {file}")
    elif not file.exists() or file.read_text() != text:
        print(f"{file} does not match the tests' results; rewrite it with\n  {arguments.rewrite}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
