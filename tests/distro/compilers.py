#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Tests further compilers, and keeps the table of docs/reference/compilers.md.

    tests/distro/compilers.py run [--together] [--headers] [--without=module.hpp] [--std=c++20] [--rows=FILE] COMPILER...
    tests/distro/compilers.py table FILE...

run: A COMPILER is a program such as g++-14, clang++-19 or aarch64-linux-gnu-g++, or nvcc, or nvcc=clang++-16 for
nvcc over that host compiler, or clang++-19=FOLDER for clang++ as the CUDA compiler of the toolkit in FOLDER. The
programs of another processor must be able to run here (qemu-user with binfmt_misc). Compiles each public header with all warnings, in each language: alone (twice in one unit), or all
together, which is faster. --without leaves out a header that the compiler is known to refuse. Then builds and
runs a few unit tests, or builds an example under nvcc, unless --headers is given. Appends the result to
FILE, also if it failed.
table: Writes the rows of such files into docs/reference/compilers.md. A row of the page stays until its compiler is
tested again for the same language on the same system.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/compile"))
from host_libraries import host_libraries  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
# Several files are one unit, because most of the time goes into the headers that they share.
UNITS = [["core/arithmetic", "launch/launch", "stream/stream", "error/try"], ["dims/safe_grid"]]
# Headers that need a vendor's or another library's headers.
FOREIGN = re.compile(r"^(handles/|backend/(cuda|hip|host)/|debug/(profiler_ranges|spdlog|journal/|run/)|.*/detail/|"
                     r"print/formatters)")  # fmt: skip
PAGE = ROOT / "docs/reference/compilers.md"
BEGIN, END = "<!-- rows -->\n", "<!-- end of rows -->\n"


def public_headers():
    folder = ROOT / "include" / "warpsafe"
    names = (str(path.relative_to(folder)) for path in folder.rglob("*.hpp"))
    return sorted(name for name in names if not FOREIGN.match(name))


def said_by(*command):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    return done.returncode, done.stdout + done.stderr


def version_of(program):
    text = said_by(program, "--version")[1]
    if "nvcc" in program:
        return "nvcc " + re.search(r"V([\d.]+)", text)[1]
    kind = "clang" if "clang" in text else "g++"
    number = re.search(r"(?:version |\) |GCC\) )(\d+\.\d+\.\d+|\d+-\w+)", text)[1]
    target = said_by(program, "-dumpmachine")[1].split("-")[0].strip()
    return f"{kind} {number}" + (f" for {target}" if target != platform.machine() else "")


def release():
    text = Path("/etc/os-release").read_text()
    word = lambda key: (re.search(rf'^{key}="?(\w+)', text, re.MULTILINE) or ["", "unknown"])[1]  # noqa: E731
    return f"{word('ID').capitalize()} {word('VERSION_CODENAME')}, {platform.machine()}"


class Compiler:
    def __init__(self, words):
        self.program, _, self.host = words.partition("=")
        self.nvcc = Path(self.program).name.startswith("nvcc")
        # clang++ with a toolkit
        self.toolkit = Path(self.host) if self.host and not self.nvcc else None
        self.name = version_of(self.program)
        if self.nvcc:
            self.name += " over " + version_of(self.host or "g++")
        if self.toolkit:
            number = re.search(r"define CUDA_VERSION (\d+)", (self.toolkit / "include/cuda.h").read_text())[1]
            self.name += f" with CUDA {int(number) // 1000}.{int(number) % 1000 // 10}"

    def command(self, std, *arguments):
        base = [self.program, f"-std={std}", f"-I{ROOT / 'include'}"]
        if self.nvcc:
            base += ["-arch=sm_90", "-Werror=all-warnings", "-Xcompiler=" + ",".join(WARNINGS)]
            base += ["-ccbin", self.host] if self.host else []
        else:
            base += WARNINGS
        if self.toolkit:
            base += ["-x", "cuda", f"--cuda-path={self.toolkit}", "--cuda-gpu-arch=sm_90", "-Wno-unknown-cuda-version"]
        return [*base, *map(str, arguments)]

    def knows(self, std, folder):
        source = folder / ("empty.cu" if self.nvcc else "empty.cpp")
        source.touch()
        compile_only = "-c" if self.nvcc else "-fsyntax-only"
        status, said = said_by(*self.command(std, compile_only, source, "-o", folder / "empty.o"))
        # nvcc 13.5 goes on without the option if its host compiler is too old for it.
        return status == 0 and "Flag will be ignored" not in said

    def headers(self, std, names, folder, together, without):
        source = folder / ("headers.cu" if self.nvcc else "headers.cpp")
        units = [names] if together else [[name] * 2 for name in names]
        failed = []
        for unit in units:
            source.write_text("".join(f"#include <warpsafe/{name}>\n" for name in unit))
            stop = ["-c", "-o", folder / "headers.o"] if self.nvcc else ["-fsyntax-only"]
            status, said = said_by(*self.command(std, *stop, source))
            if status:
                print(f"{self.name}, {std}: {unit[0]}\n{said}", file=sys.stderr)
                failed.append(unit[0])
        how = "in one unit" if together else "each alone"
        good = "compile" if not failed else f"{len(failed)} of {len(units)} units FAIL"
        return f"{len(names)} headers{without}, {how}: {good}", not failed

    def programs(self, std, folder):
        if self.toolkit:
            status, said = said_by(*self.command(std, "--cuda-device-only", "-c", ROOT / "examples" / "axpy.cpp",
                                                 "-o", folder / "axpy.cubin"))  # fmt: skip
            what = "example axpy: its device code assembles" if status == 0 else "example axpy: FAILS"
        elif self.nvcc and "for" in self.name.split():
            return "not run", True
        elif self.nvcc:
            program = folder / "axpy"
            status, said = said_by(*self.command(std, "-x", "cu", ROOT / "examples" / "axpy.cpp",
                                                 "-o", program))  # fmt: skip
            what = "example axpy: builds" if status == 0 else "example axpy: FAILS"
        else:
            program = folder / "units"
            sources = []
            for unit in UNITS:
                sources.append(folder / f"{Path(unit[0]).name}_unit.cpp")
                files = [ROOT / "tests" / "unit" / f"{name}_test.cpp" for name in unit]
                sources[-1].write_text("".join(f'#include "{file}"\n' for file in files))
            status, said = said_by(*self.command(
                std, "-O0", "-DWARPSAFE_CHECKS=1", f"-I{ROOT / 'tests/unit/fixtures'}", *sources, "-lgmock_main", "-lgmock", "-lgtest",
                *host_libraries(self.program), "-o", program))  # fmt: skip
            files = sum(map(len, UNITS))
            what = f"{files} unit test files: do NOT build"
            if status == 0:
                status, said = said_by(str(program))
                count = re.search(r"(\d+) tests? from \d+ test suites? ran", said)
                if not count:
                    status = status or 1
                verdict = "pass" if status == 0 else "some FAIL"
                what = f"{count[1] if count else 'no'} unit tests of {files} files: {verdict}"
        if status:
            print(f"{self.name}, {std}:\n{said}", file=sys.stderr)
        return what, status == 0


def run(arguments):
    good = True
    for words in arguments.compilers:
        compiler = Compiler(words)
        for std in arguments.std or ["c++20", "c++23"]:
            with tempfile.TemporaryDirectory() as folder:
                headers, first = "the compiler has no such language", True
                programs, second = "not run", True
                # Older compilers know C++23 and C++26 by the names that they had before.
                names = [std, std.replace("23", "2b").replace("26", "2c")]
                known = next((name for name in names if compiler.knows(name, Path(folder))), None)
                if known:
                    left_out = arguments.without or []
                    names = [name for name in public_headers() if name not in left_out]
                    without = f" (not {', '.join(left_out)})" if left_out else ""
                    headers, first = compiler.headers(known, names, Path(folder), arguments.together, without)
                if known and not arguments.headers:
                    programs, second = compiler.programs(known, Path(folder))
            good = good and first and second
            row = [compiler.name, std.upper(), release(), headers, programs, date.today().isoformat()]
            print(" | ".join(row), flush=True)
            if arguments.rows:
                with arguments.rows.open("a") as rows:
                    print(json.dumps(row), file=rows)
    return 0 if good else 1


def table(arguments):
    before, rest = PAGE.read_text().split(BEGIN)
    lines, after = rest.split(END)
    lines = lines.splitlines(keepends=True)
    head = "".join(lines[:3])  # a blank line and the table's head
    kept = (line.strip("| \n").split(" | ") for line in lines[3:] if line.startswith("|"))
    rows = {tuple(row[:3]): row for row in kept}
    for file in arguments.files:
        for line in file.read_text().splitlines():
            row = json.loads(line)
            rows[tuple(row[:3])] = row  # the newest run
    by_number = lambda row: ([re.sub(r"\d+", lambda n: n[0].zfill(3), word) for word in row])  # noqa: E731
    lines = ["| " + " | ".join(row) + " |\n" for row in sorted(rows.values(), key=by_number)]
    PAGE.write_text(before + BEGIN + head + "".join(lines) + "\n" + END + after)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.set_defaults(act=run)
    one.add_argument("--together", action="store_true")
    one.add_argument("--headers", action="store_true")
    one.add_argument("--std", action="append")
    one.add_argument("--without", action="append", metavar="HEADER")
    one.add_argument("--rows", type=Path)
    one.add_argument("compilers", nargs="+")
    other = commands.add_parser("table")
    other.set_defaults(act=table)
    other.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args()
    return arguments.act(arguments)


if __name__ == "__main__":
    sys.exit(main())
