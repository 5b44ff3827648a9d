# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Which findings are shown by default. A row, or one form of its findings, keeps the severity of its rule only

* if at least 8 fresh findings, in code that the rules had not seen, were right since the rule last changed, at most 3 % were not,
  and none was harmless; or
* if all that it needs stands in the source: a constant against a limit of the language or of every device.

All others are notes for a user who does not ask for their row by name. A rule itself may make one finding a note."""

import os
import pathlib
import re

from .. import project

LIMIT = "a constant against a limit of every device"
# By row, and by the form that a rule gives its finding: why it is shown by default.
SHOWN = {
    "A05": LIMIT,
    "A07 constants": "constants that leave a rest: 20 of 20 fresh findings right",
    "A11": LIMIT,
    "B01": f"{LIMIT}: 41 of 42 fresh findings right",
    "B03": "a constant against a constant of the kernel",
    "B05": LIMIT,
    "B08": LIMIT,
    "B09": LIMIT,
    "B13": "a constant against a constant of the kernel",
    "C01": "an array shorter than the kernel's parameters",
    "C08": "the type of an argument",
    "D01 constant": f"{LIMIT}: 9 of 9 fresh findings right",
    "D01 input": "a block or shared memory that the program reads from its input: 130 of 132 fresh findings right",
    "E15": "12 of 12 fresh findings right",
    "F04": "19 of 19 fresh findings right",
    "F14 no byte": "a floating-point number, or a constant that no byte can be",
    "L02": "a constant that no number of bytes can be",
}
# Why the other rows and forms with fresh findings are notes. A row that is in neither table has too few.
NOTES = {
    "A04": "3 of 4 fresh findings right",
    "A07": "12 of 18 fresh findings right",
    "A13": "25 of 28 fresh findings right",
    "A19": "14 of 17 fresh findings right",
    "A19 input": "in draws 33 to 36, 5 of 7 fresh findings right",
    "C04": "11 of 17 fresh findings right",
    "C05": "9 of 13 fresh findings right",
    "C07": "4 of 14 fresh findings right",
    "C09": "4 of 18 fresh findings right",
    "C11": "5 of 9 fresh findings right",
    "D01": "what the largest size is, only a name suggests: 22 of 43 fresh findings right",
    "D01 grid input": "a matrix with that many rows fits no memory: 11 of 19 fresh findings right",
    "D03": "12 of 17 fresh findings right",
    "D08": "7 of 12 fresh findings right",
    "D10": "in draws 33 to 36, 32 of 43 fresh findings right",
    "F04 branch": "1 fresh finding, which was false",
    "F05": "18 of 67 fresh findings right",
    "F05 multiplied": "1 fresh finding, which was harmless",
    "L01": "in draws 33 to 36, 5 of 9 fresh findings right",
    "L01 fill": "a fill of a pointer's own address: 3 of 4 fresh findings right",
    "L01 host target": "2 of 4 fresh findings right",
}
FEW = "too few fresh findings"
# Words in the name of a file, or of a folder, that shows a mistake on purpose.
LESSON = {"fail", "fails", "failed", "failure", "failing", "error", "errors", "err", "wrong", "broken", "bug", "bugs", "buggy", "mistake",
          "mistakes", "incorrect", "mismatch", "mismatched", "invalid", "bad", "memcheck", "debug", "debugging", "overflow", "injected"}


def key_of(row, form):
    """The entry of a form, or that of the row's other findings."""
    key = f"{row} {form}"
    return key if key in SHOWN or key in NOTES else row


def forms(row):
    """The forms of a row that have a level of their own."""
    return [key.partition(" ")[2] for key in (*SHOWN, *NOTES) if key.startswith(f"{row} ")]


def by_default(rule):
    """The most severe level of a rule's findings for a user who does not ask for its row."""
    return rule.severity if any(key_of(rule.row, form) in SHOWN for form in ("", *forms(rule.row))) else "note"


def told(rule):
    """A line for each form of a row: its level, and why."""
    others = FEW if rule.severity != "note" else "slow, or of style, or wrong for few programs"
    lines = []
    for form in (*forms(rule.row), ""):
        key = key_of(rule.row, form)
        level, why = (rule.severity, SHOWN[key]) if key in SHOWN else ("note", NOTES.get(key, others))
        name = form or ("others" if forms(rule.row) else "")
        lines.append(f"{name}: {level}, because: {why}" if name else f"{level}, because: {why}")
    return "\n".join(lines)


def is_lesson(file):
    """Whether the name of a file, or of a folder around it in its tree, says that it shows a mistake. The folder of the tree itself
    counts only for files directly in it: above that, the name is the project's or the user's."""
    path = pathlib.Path(os.path.abspath(file))  # without `debug/../`
    names = {path.stem, path.parent.name, *path.relative_to(project.root_of(path.parent)).parts[:-1]}
    return any(word.lower() in LESSON for name in names for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))


def of_finding(row, finding, severity, program):
    """The level of a finding to which its rule gives `severity`, for a user who did not ask for its row by name. A number of a header
    that is missing is unknown, so only a file that was read completely has more than notes."""
    shown = key_of(row, finding.form) in SHOWN and finding.instead not in SHOWN
    return severity if shown and program.complete and not is_lesson(program.file) else "note"
