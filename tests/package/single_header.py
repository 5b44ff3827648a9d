#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Makes the single header, and compiles it without warnings: single_header.py SOURCE FOLDER COMPILER=PATH

Runs examples/axpy.cpp on it, and the program of docs/guide/tour.md. The program unit_single_header compares
its behaviour with the headers'."""
import pathlib
import re
import subprocess
import sys

source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
compiler = sys.argv[3].split("=", 1)[1]
sys.path.insert(0, str(source / "tests/compile"))
from host_libraries import host_libraries  # noqa: E402

problems = []


def run(*words):
    print(*words, flush=True)
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def expect(what, is_now, should_be):
    if is_now != should_be:
        problems.append(f"{what}: {is_now!r}, expected {should_be!r}")


header = folder / "warpsafe.hpp"
expect("the script's status", run(source / "packaging/single_header", header, "--forwarders", folder / "include")[0], 0)
text = header.read_text()
expect("includes of the library's own headers", re.findall(r"^\s*#\s*include <warpsafe/.*", text, re.M), [])
# Every header that all.hpp includes, except those of the devices' backends, and the notice for a program that chose none.
written = set(re.findall(r"^// ==== warpsafe/(\S+)$", text, re.M))
pending, reached = ["all.hpp"], set()
while pending:
    name = pending.pop()
    if name not in reached and not name.startswith(("backend/cuda/", "backend/hip/", "backend/host/detail/nvcc_notice", "race/detail/no_")):
        reached.add(name)
        pending += re.findall(r"^#include <warpsafe/(.*)>", (source / "include/warpsafe" / name).read_text(), re.M)
rows = {name for name in reached if "#pragma once" not in (source / "include/warpsafe" / name).read_text()}
expect("headers that are missing", sorted(reached - rows - written), [])
expect("#pragma once, for the whole file", text.count("#pragma once"), 1)

page = (source / "docs/guide/tour.md").read_text()
blocks = re.findall(r"^```cpp\n(.*?)^```$", page, re.M | re.S)
shown = re.search(r"^```text\n(.*?)^```$", page, re.M | re.S)[1]
program = re.sub(r"#include <warpsafe/.*>\n", "", blocks[0]) + "int main() {\n" + blocks[1] + "}\n"
(folder / "tour.cpp").write_text('#include "warpsafe.hpp"\n' + program)
example = "examples/axpy.cpp"
code, includes = re.subn(r"#include <warpsafe/.*>\n", "", (source / example).read_text())
expect(f"{example}: includes of warpsafe", includes, 3)
(folder / "axpy.cpp").write_text('#include "warpsafe.hpp"\n' + code)
(folder / "tools.cpp").write_text('#define WARPSAFE_WITH_TOOLS\n#include "warpsafe.hpp"\n')
libraries = host_libraries(compiler)
strict = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
expect("the program compiles", run(*strict, folder / "tour.cpp", "-o", folder / "tour", *libraries), (0, ""))
expect("the program's output", run(folder / "tour"), (0, shown))
expect(example, run(*strict, folder / "axpy.cpp", "-o", folder / "axpy", *libraries), (0, ""))
expect("its output", run(folder / "axpy"), (0, "3 * 2 + 1 = 7, 100000 times\n"))
expect("the tools compile", run(*strict, "-fsyntax-only", folder / "tools.cpp"), (0, ""))
status, said = run(compiler, "-std=c++20", "-DWARPSAFE_BACKEND_CUDA", "-E", folder / "tools.cpp", "-o", "/dev/null")
expect("another backend is refused", (status != 0, "use the headers in include/" in said), (True, True))
print("\n".join(problems) or f"{len(written)} headers")
sys.exit(1 if problems else 0)
