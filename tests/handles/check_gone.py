#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Whether gone_test.cpp has a row for each public member function of each type that can be moved from:
check_gone.py ROOT"""

import pathlib
import re
import sys

# Types of the inside, which no program sees, and types that a move leaves as any standard container is left.
INTERNAL = re.compile(r"/detail/|/race/|/backend/|/debug/")
MOVES = re.compile(r"^  (\w+)\((?:\1(?:<[^>]*>)?&&|const \1&)(?: \w+)?\)", re.M)
# A row's type and member, in the helpers' calls as well.
ROW = re.compile(r'(?:row|made|buffer)\(\s*"(\w+)",\s*"(\w+)"')
HELPER = re.compile(r"const auto (\w+) = \[&\]\(const char\* member,.*?\n  \};", re.S)


def without_comments(text):
    """The code, without texts. A comment says which members only diagnose a slip."""
    text = re.sub(r"^ *///? Diagnoses[^\n]*", "diagnose_", text, flags=re.M)
    return re.sub(r"//[^\n]*", "", re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text))


def body_of(text, name):
    """What is between the braces of the class."""
    begin = re.search(rf"\n(?:class|struct) (?:\[\[\w+\]\] |WARPSAFE_DETAIL_\w+ )?{name}\b[^;{{]*{{", text)
    if begin is None:
        return None
    depth, at = 1, begin.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[begin.end() : at]


def declarations(body):
    """The public declarations, each with the code of its body."""
    public, depth, now = False, 0, ""
    for part in re.split(r"(^ (?:public|private):|[{};])", body, flags=re.M):
        if depth == 0 and part.strip() in ("public:", "private:"):
            public, now = part.strip() == "public:", ""
            continue
        now += part
        depth += {"{": 1, "}": -1}.get(part, 0)
        if depth == 0 and part in (";", "}"):
            if public:
                yield now
            now = ""


def members(body, name):
    for declaration in declarations(body):
        head = declaration.partition("{")[0]
        # What does not compile, what makes an object, and what a move needs.
        if re.search(r"= delete|\bstatic\b|\boperator\b|static_assert|refuse_early_read|\bfriend\b", declaration):
            continue
        if "diagnose_" in declaration:
            continue
        head = re.sub(r"\[\[.*?\]\]", "", head)
        head = re.sub(r"noexcept\([^)]*\)|sizeof\.\.\.\(\w+\)|requires\(.*?\)\s", "", head, flags=re.S)
        found = re.search(r"(~?\w+)\s*\(", head)
        if found and found[1] not in (name, f"~{name}", "decltype", "WARPSAFE_DETAIL_NO_CONSTRUCTOR"):
            yield found[1]


def main():
    root = pathlib.Path(sys.argv[1])
    test = (root / "tests/handles/gone_test.cpp").read_text()
    rows = set(ROW.findall(test))
    for helper in HELPER.finditer(test):
        types = re.findall(r'"(\w+)", member', helper[0])
        rows |= {(of, member) for of in types for member in re.findall(rf'^  {helper[1]}\(\s*"(\w+)"', test, re.M)}
    types, problems = set(), []
    for header in sorted((root / "include/warpsafe").rglob("*.hpp")):
        if INTERNAL.search(str(header.relative_to(root / "include"))):
            continue
        text = without_comments(header.read_text())
        for name in sorted(set(MOVES.findall(text))):
            body = body_of(text, name)
            if body is None:
                continue
            types.add(name)
            problems += [f"{header.relative_to(root)}: {name}::{member} has no row in gone_test.cpp"
                         for member in sorted(set(members(body, name))) if (name, member) not in rows]
    problems += [f"gone_test.cpp: {name}: no header has it" for name in sorted({of for of, _ in rows} - types)]
    print("\n".join(problems) or f"{len(types)} types, {len(rows)} rows")
    return bool(problems) or len(types) < 15


if __name__ == "__main__":
    sys.exit(main())
