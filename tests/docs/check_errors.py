#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares docs/errors.md with the library: a heading for each code of Errc, and below it the text that a
program received. check_errors.py PROGRAM PROJECT [--update]; --update first replaces the page's texts by the
program's."""
import pathlib
import re
import subprocess
import sys

program, project = sys.argv[1], pathlib.Path(sys.argv[2])
update = sys.argv[3:] == ["--update"]
# The codes of which the page says that nothing returns them.
WITHOUT_TEXT = set()

header = (project / "include/warpsafe/error/errc.hpp").read_text()
codes = re.findall(r"^  (\w+)(?: = 1)?,", re.search(r"enum class Errc.*?\n};", header, re.S)[0], re.M)
run = subprocess.run([program], capture_output=True, text=True, check=True)
texts = dict(re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", run.stdout, re.M | re.S))
file = project / "docs/errors.md"
if update:
    file.write_text(re.sub(r"(^### `(\w+)`\n[^#]*?```text\n).*?(?=^```)",
                           lambda found: found[1] + texts.get(found[2], ""), file.read_text(),
                           flags=re.M | re.S))
sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", file.read_text(), re.M | re.S))

problems = [f"{code}: no section" for code in codes if code not in sections]
problems += [f"{code}: no such code" for code in sections if code not in codes]
problems += [f"{code}: the program does not make it" for code in codes
             if code not in texts and code not in WITHOUT_TEXT]
problems += [f"{code}: the page does not show\n{text}" for code, text in texts.items()
             if f"```text\n{text}```" not in sections.get(code, "")]
print("\n".join(problems) or f"{len(codes)} codes, {len(texts)} texts")
sys.exit(1 if problems else 0)
