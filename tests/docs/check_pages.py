#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares the pages' code with the sources that the tests compile, and the shown output with the programs'
output: check_pages.py PROGRAM PROJECT [--update]

A block `cpp` is a part of a source of the page's name in tests/docs/pages, or of the example in the folder of
that name; `…` stands for code that the page omits. On the cookbook's page a block is the whole example that is linked
before it (--update replaces the block by it). check_refused.py checks the blocks `cpp refused`. The blocks `text` of a
page are the output of PROGRAM for the page after each mark; --update first replaces them by it. Replaces addresses and the machine's number of cores, which differ from run to run."""
import pathlib
import re
import subprocess
import sys
import textwrap

import api_page

program, project = sys.argv[1], pathlib.Path(sys.argv[2])
FENCE = re.compile(r"^( *)```([^\n`]+)\n(.*?)^ *```$", re.M | re.S)
# Blocks that another test checks.
ELSEWHERE = {"pytorch.md": {"text"}, "race-detector.md": {"cpp example", "text"}, "race-rules.md": {"text"}, "compare.md": {"console"}, "pools.md": {"python", "c++", "c"}, "debugging.md": {"console"}, "hangs.md": {"console"}, "log.md": {"console"}, "compare-runs.md": {"console"}, "lint.md": {"cpp", "console", "cuda", "yaml"}}
# Kinds that no program here prints or runs: shell commands, CMake, and the site's structure.
NOT_CODE = {"sh", "cmake", "{toctree}", "{include}"}


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def stands_in(block, source):
    source = lines(source)
    # A block's includes are at the top of its source; between two of its paragraphs there may be more code.
    includes = {line for line in lines(block) if line.startswith("#include")}
    gap = r"[^\0]*?"
    paragraphs = [
        r"\n".join(gap if line.startswith("…") else re.escape(line).replace("…", gap) for line in lines(paragraph))
        for paragraph in re.split(r"\n\s*\n", re.sub(r"(?m)^ *#include.*$", "", block)) if paragraph.strip()]
    return includes <= set(source) and re.search(f"^{f'{chr(10)}{gap}'.join(paragraphs)}$", "\n".join(source), re.M) is not None


def whole(source):
    """A program as the cookbook shows it: without its licence, and without the comment that the page's text repeats."""
    return source[min(source.index(word) for word in ("#pragma once", "#include") if word in source):]


def cookbook(page, update):
    """The differences of the cookbook's programs from their files. Each recipe shows a whole program; a recipe of several
    files shows or links each file of its folder."""
    text = page.read_text()
    programs = list(re.finditer(r"\]\(\.\./\.\./(examples/[^)]+)\):\n\n```cpp\n(.*?)^```$", text, re.M | re.S))
    for found in programs:
        source = whole((project / found[1]).read_text())
        if found[2] != source:
            if update:
                page.write_text(page.read_text().replace(f"```cpp\n{found[2]}", f"```cpp\n{source}", 1))
            else:
                yield f"{page.name}: the program is not {found[1]}; run check_pages.py PROGRAM PROJECT --update"
    if len(programs) != text.count("```cpp\n"):
        yield f"{page.name}: {text.count('```cpp') - len(programs)} programs without a link to their file"
    for recipe in re.split(r"(?m)^## ", text)[1:]:
        if "\n```cpp\n" not in recipe:
            yield f"{page.name}: no program for {recipe.splitlines()[0]}"
    rows = re.findall(r"(?m)^\| \[([^]]+)\]\(#", text)
    if [row.lower() for row in rows] != [title.lower() for title in re.findall(r"(?m)^## (.*)$", text)]:
        yield f"{page.name}: the table's tasks are {rows}"
    linked = set(re.findall(r"\]\(\.\./\.\./(examples/[^)]+)\)", text))
    for file in [*(project / "examples/cookbook").glob("*.cpp"), *(project / "examples/pytorch").glob("*.[cph]*")]:
        if file.relative_to(project).as_posix() not in linked:
            yield f"{page.name} does not show {file.name}"


def shown(page):
    run = subprocess.run([program, page.stem], capture_output=True, text=True, timeout=600)
    if run.returncode != 0:
        sys.exit(f"{program} {page.stem} ends with {run.returncode}\n{run.stdout}{run.stderr}")
    text = re.sub(r"0x[0-9a-f]+", "0x55d0c8", re.sub(r"'CPU \(\d+ threads\)'", "'CPU'", run.stdout))
    return text.split("###\n")[1:]


def check(page, update):
    if page.name == "cookbook.md":
        yield from cookbook(page, update)
        return
    text = page.read_text()
    source_name = page.stem.replace("-", "_")
    files = [*(project / "tests/docs/pages").rglob(f"{source_name}*.c*"), *(project / "examples" / source_name).glob("*.[chu]*")]
    source = "".join(file.read_text() for file in sorted(files))
    # If PROGRAM has no output for a page, another program prints it, and another test checks it.
    elsewhere = ELSEWHERE.get(page.name, set()) | (set() if page.stem in programs else {"text"})
    outputs = shown(page) if page.stem in programs else []
    if update and outputs:
        rest = iter(outputs)
        text = FENCE.sub(lambda found: f"{found[1]}```text\n{textwrap.indent(next(rest, ''), found[1])}{found[1]}```" if found[2] == "text" else found[0], text)
        page.write_text(text)
    rest = list(outputs)
    for _, kind, block in FENCE.findall(text):
        if kind.split()[0] in NOT_CODE or kind in elsewhere or kind == "cpp refused":
            continue
        if kind == "cpp":
            if not stands_in(block, source):
                yield f"{page.name}: no source of the page has this code:\n{block}"
        elif kind == "text":
            now = rest.pop(0) if rest else "nothing"
            if lines(now) != lines(block):
                yield f"{page.name} shows\n{block}and the program prints\n{now}"
        else:
            yield f"{page.name}: nothing checks a block '{kind}'"
    if rest:
        yield f"{page.name} does not show\n{''.join(rest)}"


programs = set(re.findall(r"^  (\S+)$", subprocess.run([program], capture_output=True, text=True).stderr, re.M))
pages = api_page.pages(project)
problems = [problem for page in pages for problem in check(page, sys.argv[3:] == ["--update"])]
# Each source of a page has a row in main.cpp, and each row a page; otherwise nothing would run it.
sources = {file.stem.replace("_", "-") for file in (project / "tests/docs/pages").glob("*.cpp")} - {"main"}
problems += [f"tests/docs/pages/main.cpp has no row for {name}" for name in sorted(sources - programs)]
problems += [f"tests/docs/pages/main.cpp has a row for {name}, which is no page" for name in sorted(programs - {page.stem for page in pages})]
# Every header that a user may include is on the page of the API.
problems += api_page.problems(project)
print("\n".join(problems) or f"{len(pages)} pages")
sys.exit(1 if problems else 0)
