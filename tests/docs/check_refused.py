#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks README.md and the pages with a compiler. README's first block of code must compile. Each line of its
second block must not compile, and an error must contain the words after the line. The same holds for each
block `cpp refused` of a page, after the page's source in tests/docs/pages. check_refused.py COMPILER
INCLUDE_FOLDER PROJECT

The headers that README's first block includes are read precompiled. Other tests compile the pages' sources without them."""
import pathlib
import re
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[1] / "compile"))
import api_page
from compilers import Compiler
from diagnostics import errors_of
from quick import Quick

program, include, project = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
CODE = re.compile(r"^```cpp( refused)?\n(.*?)^```", re.M | re.S)
pages = project / "tests/docs/pages"
BEGINNING = '"beginning.hpp"'


def errors_in(page, source, statements):
    """Compiles a page's source with {number: statement} after it: whether this compiles, the errors, and the output."""
    text = f'#line 1 "{page}"\n{source}\n' + "".join(f"""#line 1 "statement_{number}"
[[maybe_unused]] static void with_{number}(ws::StreamRef stream, ws::DeviceBuffer<float>& x, float* raw, long n) {{ \
  [[maybe_unused]] auto grid = ws::SafeGrid<>::cover(1000, ws::block<256>); \
  static_cast<void>(stream), static_cast<void>(x), static_cast<void>(raw), static_cast<void>(n); \
  static_cast<void>({statement}); }}
""" for number, statement in statements.items())  # fmt: skip
    file = quick.folder / "page.cpp"
    file.write_text(text)
    compiles, said = quick.compile(file, 2, BEGINNING)
    return compiles, errors_of(said), said


def own(number, errors):
    return [error for error in errors if (f"statement_{number}", 1) in error.places]


def complaints(page, source, lines):
    """The problems with a page's source, which must compile, and with the lines after it, which must not.

    All lines are read at once. A compiler reports an error of a template once, so a line whose error is not there
    is compiled again alone.
    """
    statements = {number: statement for number, (statement, _) in enumerate(lines)}
    compiles, errors, said = errors_in(page, source, statements)
    if not compiles and not errors or not all(any(own(number, [error]) for number in statements) for error in errors):
        return [f"its code does not compile:\n{said[:4000]}"]
    problems = []
    for number, (statement, words) in enumerate(lines):
        if words and any(words in error.line for error in own(number, errors)):
            continue
        compiles, alone, said = errors_in(page, source, {number: statement})
        if compiles:
            problems.append(f"compiles: {statement}")
        elif not own(number, alone):
            problems.append(f"{statement}\n  is refused elsewhere:\n{said[:4000]}")
        elif not words or not any(words in error.line for error in alone):
            problems.append(f"{statement}\n  does not say: {words}\n{said[:4000]}")
    return problems


readme = [found[1] for found in CODE.findall((project / "README.md").read_text())]
refused = {"README.md": (readme[0], readme[1])}
for page in api_page.pages(project):
    blocks = [code for is_refused, code in CODE.findall(page.read_text()) if is_refused]
    if blocks:
        refused[page.name] = ((pages / page.name.replace("-", "_").replace(".md", ".cpp")).read_text(), "".join(blocks))

problems, count = [], 0
with tempfile.TemporaryDirectory() as folder:
    includes = re.match(r"(?:#include .*\n)+", readme[0])[0]
    (pathlib.Path(folder) / "beginning.hpp").write_text(includes)
    compiler = Compiler("clang++" if "clang" in pathlib.Path(program).name else "g++", program, [include, str(pages), folder])
    quick = Quick(compiler, folder, lambda _: ["-w"])
    if said := quick.prepare([BEGINNING], [2]):
        sys.exit(f"README.md: its includes do not compile:\n{said}")
    for name, (source, code) in refused.items():
        lines = [(statement.strip().rstrip(";"), words.strip()) for statement, words in (line.split("//", 1) for line in code.splitlines())]
        problems += [f"{name}: {said}" for said in complaints(name, source, lines)]
        count += len(lines)
print("\n".join(problems) or f"{count} lines of {len(refused)} pages do not compile")
sys.exit(1 if problems else 0)
