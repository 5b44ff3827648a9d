# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""--explain: what a row reports, with wrong and right code. The text is in rows.txt; the tests check its code."""

import dataclasses
import functools
import pathlib
import re

from . import registry
from .rules import levels


@dataclasses.dataclass
class Explanation:
    language: str
    why: str = ""
    wrong: str = ""
    right: str = ""


@functools.lru_cache(maxsize=1)
def explanations():
    """The text of each row of rows.txt: its name with `hip` behind it for code of HIP, a sentence, and lines of code."""
    found, current = {}, None
    for line in (pathlib.Path(__file__).parent / "rows.txt").read_text().splitlines():
        head = re.fullmatch(r"([A-GL]\d\d)( hip)?", line)
        if head:
            current = found[head[1]] = Explanation("hip" if head[2] else "cuda")
        elif line.startswith(("wrong:", "right:")):
            setattr(current, line[:5], getattr(current, line[:5]) + line[7:] + "\n")
        else:
            current.why += (" " if current.why else "") + line
    return found


def explained(row):
    """The text for a row, or None if it has no rule."""
    rule = next((rule for rule in registry.RULES if rule.row == row), None)
    if rule is None:
        return None
    text = explanations()[row]

    def indented(code):
        return "".join(f"    {line}\n" for line in code.splitlines())

    how = "\n".join(f"by default {line}" for line in levels.told(rule).splitlines())
    checked = "checked by default" if rule.by_default else f"checked with --rows={row}"
    return (f"{row}: {rule.title} ({rule.severity}, {checked})\n\n{text.why}\n\n{how}\n\nwrong:\n{indented(text.wrong)}\nright:\n"
            f"{indented(text.right)}\nsilence a line: // warpsafe-lint: ignore {row} REASON")
