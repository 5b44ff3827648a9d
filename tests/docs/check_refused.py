#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks README.md and the pages with a compiler. README's first block of code must compile. Each line of its
second block must not compile, and an error must contain the words after the line. The same holds for each
block `cpp refused` of a page, after the page's source in tests/docs/pages. check_refused.py COMPILER
INCLUDE_FOLDER PROJECT"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import api_page

compiler, include, project = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
CODE = re.compile(r"^```cpp( refused)?\n(.*?)^```", re.M | re.S)
is_clang = "clang" in pathlib.Path(compiler).name
pages = project / "tests/docs/pages"


def run(*arguments, text):
    return subprocess.run([compiler, "-std=c++20", "-w", f"-I{include}", f"-I{pages}", *map(str, arguments)], input=text,
                          capture_output=True, text=True, timeout=300, env={**os.environ, "LC_ALL": "C"})


def precompile(source, out):
    """Precompiles a page's source for all its lines. The source must compile, so this is part of the check."""
    written = out.with_suffix(".cpp")
    written.write_text(source)
    made = run("-x", "c++-header", written, "-o", out, *(["-fpch-instantiate-templates"] if is_clang else []), text="")
    return "" if made.returncode == 0 else made.stderr


def complaint(out, statement, words):
    """Returns the problem with a line that must not compile after the precompiled `out`, or ""."""
    text = f"""#line 1 "statement"
[[maybe_unused]] static void with_it(ws::StreamRef stream, ws::DeviceBuffer<float>& x, float* raw, long n) {{ \
  [[maybe_unused]] auto grid = ws::SafeGrid<>::cover(1000, ws::block<256>); \
  static_cast<void>(stream), static_cast<void>(x), static_cast<void>(raw), static_cast<void>(n); \
  static_cast<void>({statement}); }}
"""
    # g++ uses OUT.gch for OUT, and reports an error if it does not fit.
    use = ["-include-pch", out] if is_clang else ["-Winvalid-pch", "-Werror=invalid-pch", "-include", out.with_suffix("")]
    tried = run("-fsyntax-only", *use, "-x", "c++", "-", text=text)
    errors = [line for line in tried.stderr.splitlines() if re.search(r"\berror: ", line)]
    if tried.returncode == 0:
        return f"compiles: {statement}"
    if "statement:1:" not in tried.stderr:
        return f"{statement}\n  is refused elsewhere:\n{tried.stderr[:4000]}"
    return "" if words and any(words in line for line in errors) else f"{statement}\n  does not say: {words}\n{tried.stderr[:4000]}"


readme = [found[1] for found in CODE.findall((project / "README.md").read_text())]
refused = {"README.md": (readme[0], readme[1])}
for page in api_page.pages(project):
    blocks = [code for is_refused, code in CODE.findall(page.read_text()) if is_refused]
    if blocks:
        refused[page.name] = ((pages / page.name.replace("-", "_").replace(".md", ".cpp")).read_text(), "".join(blocks))

problems, count = [], 0
with tempfile.TemporaryDirectory() as folder:
    for name, (source, code) in refused.items():
        out = pathlib.Path(folder) / f"{pathlib.Path(name).stem}.gch"
        if said := precompile(source, out):
            problems.append(f"{name}: its code does not compile:\n{said}")
            continue
        for statement, words in (line.split("//", 1) for line in code.splitlines()):
            said = complaint(out, statement.strip().rstrip(";"), words.strip())
            problems += [f"{name}: {said}"] if said else []
            count += 1
print("\n".join(problems) or f"{count} lines of {len(refused)} pages do not compile")
sys.exit(1 if problems else 0)
