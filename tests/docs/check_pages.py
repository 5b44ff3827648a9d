#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Holds the pages' code to the sources that the tests compile, and what they show to what these print:
check_pages.py PROGRAM PROJECT [--update]

A block `cpp` is a part of a source of the page's name in tests/docs/pages, or of the example that is a
folder of that name, in which `…` stands for what the page leaves out. A block `cpp refused` is check_refused.py's. The blocks `text` of a page are what
PROGRAM prints for it after each mark; with --update they are replaced by it first. Addresses and the
number of the machine's cores, which differ from run to run, are replaced."""
import pathlib
import re
import subprocess
import sys
import textwrap

import api_page

program, project = sys.argv[1], pathlib.Path(sys.argv[2])
FENCE = re.compile(r"^( *)```([^\n`]+)\n(.*?)^ *```$", re.M | re.S)
# Whose code or output another test looks at.
ELSEWHERE = {"pytorch.md": {"text"}, "race-detector.md": {"cpp example", "text"}, "compare.md": {"console"}, "debugging.md": {"console"}, "lint.md": {"cpp", "console"}}
# What no program here prints or runs: commands of a shell, and what the site is made of.
NOT_CODE = {"sh", "cmake", "{toctree}"}


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def stands_in(block, source):
    source = lines(source)
    # What a block includes stands at the top of its source; between two of its paragraphs there may be more.
    includes = {line for line in lines(block) if line.startswith("#include")}
    gap = r"[^\0]*?"
    paragraphs = [
        r"\n".join(gap if line.startswith("…") else re.escape(line).replace("…", gap) for line in lines(paragraph))
        for paragraph in re.split(r"\n\s*\n", re.sub(r"(?m)^ *#include.*$", "", block)) if paragraph.strip()]
    return includes <= set(source) and re.search(f"^{f'{chr(10)}{gap}'.join(paragraphs)}$", "\n".join(source), re.M) is not None


def shown(page):
    run = subprocess.run([program, page.stem], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        sys.exit(f"{program} {page.stem} ends with {run.returncode}\n{run.stdout}{run.stderr}")
    text = re.sub(r"0x[0-9a-f]+", "0x55d0c8", re.sub(r"'CPU \(\d+ threads\)'", "'CPU'", run.stdout))
    return text.split("###\n")[1:]


def check(page, update):
    text = page.read_text()
    source_name = page.stem.replace("-", "_")
    files = [*(project / "tests/docs/pages").rglob(f"{source_name}.c*"), *(project / "examples" / source_name).glob("*.?pp")]
    source = "".join(file.read_text() for file in sorted(files))
    # What a page shows that is none of PROGRAM's, another program prints, and a test of its own looks at.
    elsewhere = ELSEWHERE.get(page.name, set()) | (set() if page.stem in programs else {"text"})
    outputs = shown(page) if page.stem in programs else []
    if update and outputs:
        rest = iter(outputs)
        text = FENCE.sub(lambda found: f"{found[1]}```text\n{textwrap.indent(next(rest, ''), found[1])}{found[1]}```" if found[2] == "text" else found[0], text)
        page.write_text(text)
    rest = list(outputs)
    for _, kind, block in FENCE.findall(text):
        if kind in NOT_CODE or kind in elsewhere or kind == "cpp refused":
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
pages = sorted((project / "docs").glob("*.md"))
problems = [problem for page in pages for problem in check(page, sys.argv[3:] == ["--update"])]
# Every header that a user may include is on the page of the API.
problems += api_page.problems(project)
print("\n".join(problems) or f"{len(pages)} pages")
sys.exit(1 if problems else 0)
