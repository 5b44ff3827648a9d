# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Reads the catalogue of mistakes: catalogue.txt, and the programs of programs/*.inc, each below the line that says what
the library answers to it."""

import re
from pathlib import Path

HERE = Path(__file__).parent
# The subjects: a title, and the rows that have it. A letter stands for all rows that begin with it.
SUBJECTS = {
    "Dimension arithmetic": ("A", "H59-H64"),
    "Limits of devices and kernels": ("B",),
    "The launch call and its arguments": ("C", "H79-H82", "H84-H86", "I40-I41", "I43-I48"),
    "Code of kernels": ("H65-H78", "H83", "I26", "I42", "I52"),
    "Errors": ("D", "I27-I33"),
    "Streams, events and library handles": ("E", "H01-H16", "H100-H108", "I01", "I19", "I49-I51"),
    "Several devices": ("H17-H27", "I02-I08"),
    "Graphs": ("H87-H99", "I34-I39"),
    "Data and reading it back": ("F", "H28-H58", "I09-I18", "I20-I25"),
    "Builds and the environment": ("G",),
}
FIELDS = ("moment", "mark", "tests", "raw", "why")
# The answers to a program:
#   compile     does not compile; the snippet <row>_… in compile/ shows it
#   device      a warning of nvcc (tried by hand, nvcc 13.0); silent on the host
#   warning     a warning of the compilers
#   told        an error of the library, at the call that is wrong or at the wait after it
#   host        an error on the host backend, which watches what kernels do; a GPU may say nothing
#   race        the race detector reports it
#   message     a line on standard error, in checked builds
#   right       the library does the right thing, or the mistake has no effect
#   avoidable   not reported, but the library's own form does not lead to it; the text names the form
#   silent      not reported
# "!" behind it: the program is not run, because its behaviour is undefined.
ANSWERS = ("compile", "device", "warning", "told", "host", "race", "message", "right", "avoidable", "silent")
ANSWER = re.compile(r"// (\w+)!?(?:: (.*))?")


def mistakes():
    """Each row of catalogue.txt, by its name: a dictionary with its title and FIELDS; and what is wrong with the file."""
    rows, wrong, row = {}, [], {}
    for line in (HERE / "catalogue.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("  "):
            field, _, text = line.strip().partition(": ")
            if field not in FIELDS or not text or field in row:
                wrong.append(f"catalogue.txt: not one text of {', '.join(FIELDS)}: {line.strip()}")
            row[field] = text
            continue
        name, _, title = line.partition(" | ")
        if name in rows:
            wrong.append(f"{name} is in the catalogue twice")
        row = rows[name] = {"title": title}
    for name, row in rows.items():
        row.setdefault("mark", "-")
        wrong += [f"{name}: says no {field}" for field in ("title",) + FIELDS if not row.get(field)]
    return rows, wrong


def programs():
    """The wrong programs (rows H and I), in the order of their numbers: their name, title, source, answer and reason; and what
    is wrong with them."""
    rows, wrong = [], []
    for path in sorted((HERE / "programs").glob("*.inc")):
        lines = path.read_text().splitlines()
        for line, below in zip(lines, lines[1:]):
            row = re.match(r"// ([HI]\d+) \| (.*?) \| (.*)$", line)
            if not row:
                continue
            said = ANSWER.fullmatch(below)
            if not said or said[1] not in ANSWERS:
                wrong.append(f"{row[1]}: no answer below it: {below}")
                continue
            rows.append((*row.groups(), said[1], said[2] or "-"))
    names = [row[0] for row in rows]
    wrong += [f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    return sorted(rows, key=lambda row: (row[0][0], int(row[0][1:]))), wrong
