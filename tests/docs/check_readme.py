#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Holds README.md to the compiler: its first block of code compiles, each line of its second does not,
with the words that stand behind it. check_readme.py COMPILER INCLUDE_FOLDER README"""
import re
import subprocess
import sys

compiler, include, readme = sys.argv[1:]
good, bad = re.findall(r"^```cpp\n(.*?)^```", open(readme).read(), re.M | re.S)[:2]


def compile_with(statement):
    function = f"""
[[maybe_unused]] static void with(ws::StreamRef stream, ws::DeviceBuffer<float>& x, float* raw, long n) {{
  [[maybe_unused]] auto grid = ws::SafeGrid<>::cover(1000, ws::block<256>);
  static_cast<void>(stream), static_cast<void>(x), static_cast<void>(raw), static_cast<void>(n);
  {statement}
}}
"""
    return subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", "-x", "c++", "-"],
        input=good + function, capture_output=True, text=True)


problems = []
first = compile_with("")
if first.returncode != 0:
    problems.append(f"the first block does not compile:\n{first.stderr}")
lines = [line.split("//", 1) for line in bad.splitlines()]
for code, words in lines:
    statement = code.strip().rstrip(";")
    run = compile_with(f"static_cast<void>({statement});")
    if run.returncode == 0:
        problems.append(f"compiles: {statement}")
    elif words.strip() not in run.stderr:
        problems.append(f"{statement}\n  does not say: {words.strip()}\n{run.stderr[:2000]}")
print("\n".join(problems) or f"1 block compiles, {len(lines)} lines do not")
sys.exit(1 if problems or not lines else 0)
