# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The rows of the errors (include/warpsafe/error/detail/*_rows.hpp), for the pages that are made of them."""
import pathlib
import re
from typing import NamedTuple

FILES = ("launch_rows.hpp", "runtime_rows.hpp")  # in the order of the page
STRING = r'"(?:[^"\\]|\\.)*"'
# A comment, and the row right behind it; that of a section has none.
PART = re.compile(r"((?:^//.*\n)+)(^WARPSAFE_ERROR\([^\n]*\n(?:[^\n]+\n)*)?", re.M)
HEAD = re.compile(rf"WARPSAFE_ERROR\(\s*(\d+), (\w+),\s*((?:{STRING}\s*)+),")


class Row(NamedTuple):
    number: int
    name: str
    meaning: str  # what describe() returns
    cause: str  # what the comment adds to it; may be empty
    remedy: str

    def sentence(self):
        return f"{self.meaning[0].upper()}{self.meaning[1:]}."


class Section(NamedTuple):
    heading: str
    introduction: str
    rows: list


def paragraph(comment):
    return " ".join(line.removeprefix("//").strip() for line in comment.splitlines()).strip()


def sections(include):
    """All rows, by section; `include` is the folder that has error/."""
    found = []
    for name in FILES:
        text = (pathlib.Path(include) / "error/detail" / name).read_text(encoding="utf-8")
        text = text.partition("#if defined(WARPSAFE_ERROR)\n")[2]
        for comment, row in PART.findall(text):
            if comment.startswith("// ## "):
                heading, _, introduction = comment.partition("\n")
                found.append(Section(heading.removeprefix("// ## "), paragraph(introduction), []))
                continue
            head, said = HEAD.match(row), re.fullmatch(r"(?:(.*) )?Remedy: (.*)", paragraph(comment))
            if not head or not said:
                raise SystemExit(f"{name}: not a row with a comment that ends in 'Remedy: …':\n{comment}{row}")
            meaning = "".join(part[1:-1] for part in re.findall(STRING, head[3]))
            found[-1].rows.append(Row(int(head[1]), head[2], meaning, said[1] or "", said[2]))
        if text.count("\nWARPSAFE_ERROR(") != len(re.findall(r"//.*\nWARPSAFE_ERROR\(", text)):
            raise SystemExit(f"{name}: a row without a comment")
    return found
