#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares docs/reference/errors.md with the library: each section is the row of its code, and the text that a
program received. check_errors.py PROGRAM PROJECT [--update]; --update first writes the sections. The text
before the first section is the page's own."""
import pathlib
import re
import subprocess
import sys

program, project = sys.argv[1], pathlib.Path(sys.argv[2])
update = sys.argv[3:] == ["--update"]
sys.path.append(str(project / "docs/site"))
import error_rows  # noqa: E402

sections = error_rows.sections(project / "include/warpsafe")
rows = {row.name: row for section in sections for row in section.rows}
run = subprocess.run([program], capture_output=True, text=True, check=True)
texts = dict(re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", run.stdout, re.M | re.S))
# `name number meaning`, as the program prints them.
compiled = {name: (int(number), meaning) for name, number, meaning in
            re.findall(r"^ROW (\w+) (\d+) (.*)$", run.stdout, re.M)}


def part(row):
    explained = f"{row.sentence()} {row.cause}".rstrip()
    return (f"### `{row.name}`\n\n`warpsafe:{row.number}`. {explained}\n\n"
            f"```text\n{texts.get(row.name, '')}```\n\nRemedy: {row.remedy}\n")


page = "\n".join(
    "\n".join([f"## {section.heading}\n", *([section.introduction + "\n"] if section.introduction else []),
               *(part(row) for row in section.rows)])
    for section in sections)

file = project / "docs/reference/errors.md"
introduction = file.read_text().partition("\n## ")[0] + "\n"
if update:
    file.write_text(f"{introduction}{page}")
shown = file.read_text()

problems = [f"{name}: the program does not make it" for name in rows if name not in texts]
problems += [f"{name}: the program makes it, and no row has it" for name in texts if name not in rows]
problems += [f"{name}: {compiled.get(name)} in the program, {(row.number, row.meaning)} in its row"
             for name, row in rows.items() if compiled.get(name) != (row.number, row.meaning)]
problems += [f"{name}: the page does not show\n{part(row)}" for name, row in rows.items() if part(row) not in shown]
if not problems and shown != f"{introduction}{page}":
    problems.append("the page has more than its rows, or other headings: run this with --update")
print("\n".join(problems) or f"{len(rows)} codes, {len(texts)} texts")
sys.exit(1 if problems else 0)
