#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Holds README.md and the pages to the compiler: README's first block of code compiles, and each line of
its second does not, with the words that stand behind it. The same goes for each block `cpp refused` of a
page, after the page's source in tests/docs/pages. check_refused.py COMPILER INCLUDE_FOLDER PROJECT"""
import pathlib
import re
import subprocess
import sys

compiler, include, project = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
CODE = re.compile(r"^```cpp( refused)?\n(.*?)^```", re.M | re.S)


def compile_with(source, folder, statements):
    # A function for each: an error in one hides none in another.
    functions = "".join(f"""
#line {number} "statement"
[[maybe_unused]] static void with_{number}(ws::StreamRef stream, ws::DeviceBuffer<float>& x, float* raw, long n) {{ \
  [[maybe_unused]] auto grid = ws::SafeGrid<>::cover(1000, ws::block<256>); \
  static_cast<void>(stream), static_cast<void>(x), static_cast<void>(raw), static_cast<void>(n); \
  static_cast<void>({statement}); }}
""" for number, statement in enumerate(statements, 1))
    limit = [] if "g++" in pathlib.Path(compiler).name and "clang" not in compiler else ["-ferror-limit=0"]
    return subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-w", *limit, f"-I{include}", f"-I{folder}", "-x", "c++", "-"],
        input=source + functions, capture_output=True, text=True, timeout=300)


pages = project / "tests/docs/pages"
readme = [found[1] for found in CODE.findall((project / "README.md").read_text())]
refused = {"README.md": (readme[0], readme[1])}
for page in sorted((project / "docs").glob("*.md")):
    blocks = [code for is_refused, code in CODE.findall(page.read_text()) if is_refused]
    if blocks:
        refused[page.name] = ((pages / page.name.replace("-", "_").replace(".md", ".cpp")).read_text(), "".join(blocks))

problems, count = [], 0
for name, (source, code) in refused.items():
    lines = [line.split("//", 1) for line in code.splitlines()]
    count += len(lines)
    good = compile_with(source, pages, [])
    if good.returncode != 0:
        problems.append(f"{name}: its code does not compile:\n{good.stderr}")
    said = compile_with(source, pages, [statement.strip().rstrip(";") for statement, _ in lines]).stderr
    for number, (statement, words) in enumerate(lines, 1):
        if not re.search(rf"^statement:{number}:", said, re.M):
            problems.append(f"{name}: compiles: {statement}")
        elif words.strip() not in said:
            problems.append(f"{name}: {statement}\n  does not say: {words.strip()}\n{said[:4000]}")
print("\n".join(problems) or f"{count} lines of {len(refused)} pages do not compile")
sys.exit(1 if problems else 0)
