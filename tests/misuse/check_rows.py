# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that rows.txt tells the truth about this folder: no row is there twice, each test named there exists, and
each test here belongs to a row that names it, except for the slips of w_*.cpp; no two snippets have one name. And that the rows are as good as they have to be: at least
94 caught, reported by a warning or, for at most 6 of these, avoidable. A row that is checked only where a kernel declares it is
avoidable."""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "compile"))
from snippets import groups  # noqa: E402

MOMENTS = {"compile", "compile (warning)", "construction", "launch", "completion", "impossible", "avoidable",
           "never", "not yet"}  # fmt: skip


BAR, MAY_BE_AVOIDABLE = 94, 6


def kind_of(moments, mark):
    if moments in ("never", "not yet", "avoidable"):
        return moments
    if "warning" in moments:
        return "warned"
    return "caught" if mark == "-" else "avoidable"


ANSWERS = {"compile", "device", "warning", "told", "host", "race", "message", "right", "avoidable", "silent"}


def second_list(snippets):
    """What is wrong with the second and the third list: each program has one answer, and one that does not compile a snippet."""
    folder = HERE / "second"
    programs = set(re.findall(r"^// ([HI]\d+) \|", "".join(p.read_text() for p in folder.glob("*.inc")), re.M))
    answers = [[cell.strip() for cell in line.split("|", 3)] for line in (folder / "answers.txt").read_text().splitlines()
               if line.startswith(("H", "I"))]  # fmt: skip
    answer = {row[0]: row[1].removesuffix("!").strip() for row in answers}
    compiled = {row for row, what in answer.items() if what == "compile"}
    shown = {re.match(r"[hi]\d+", snippet)[0].upper() for snippet in snippets if re.match(r"[hi]\d+", snippet)}
    wrong = [f"{row}: {what} is no answer" for row, what in answer.items() if what not in ANSWERS]
    wrong += [f"{row}: program without answer, or the other way round" for row in sorted(programs ^ answer.keys())]
    wrong += [f"{row}: '{answer.get(row)}', but its snippets say otherwise" for row in sorted(compiled ^ shown)]
    if len(answer) != len(answers):
        wrong.append("a row of the second list has two answers")
    return wrong


def main():
    text = (HERE / "rows.txt").read_text()
    rows = [[cell.strip() for cell in line.split("|", 3)] for line in text.splitlines()
            if line and not line.startswith("#")]  # fmt: skip
    files = groups(HERE / "compile")
    names = [snippet.name for file in files for snippet in file.snippets]
    snippets = set(names)
    suites = {suite for path in HERE.rglob("*_test.cpp")
              for suite in re.findall(r"^TEST_F\((Misuse\w+),", path.read_text(), re.MULTILINE)}  # fmt: skip
    wrong, named = [f"{file.path.name}: {what}" for file in files for what in file.wrong], set()
    wrong += [f"two snippets {name}" for name in sorted(snippets) if names.count(name) > 1]
    if len({row[0] for row in rows}) != len(rows):
        wrong.append("two rows have one name")
    for name, moments, tests, why in rows:
        wrong += [f"{name}: no such moment: {m}" for m in moments.split(", ") if m not in MOMENTS]
        if not why:
            wrong.append(f"{name}: says no reason")
        for pattern in re.findall(r"[a-g]\d\d[a-z]?\*|Misuse\w+", tests):
            found = {test for test in snippets | suites if fnmatch(test, pattern)}
            if not found:
                wrong.append(f"{name}: there is no {pattern}")
            named |= found
        own = any(re.match(name.lower() + "[a-z]?_", source) for source in snippets)
        if own != ("compile" in moments and f"{name.lower()}*" in tests):
            wrong.append(f"{name}: '{moments}', but its snippets say otherwise")
    marks = {row[0]: row[2] for row in ([cell.strip() for cell in line.split("|", 3)] for line in
             (HERE / "page/mistakes.txt").read_text().splitlines() if line and not line.startswith("#"))}  # fmt: skip
    wrong += second_list(snippets)
    named |= {snippet for snippet in snippets if re.match(r"[hi]\d+|w\d", snippet)}
    kinds = [kind_of(moments, marks[name]) for name, moments, _, _ in rows]
    count = {kind: kinds.count(kind) for kind in ("caught", "warned", "avoidable", "never", "not yet")}
    if count["caught"] + count["warned"] + min(count["avoidable"], MAY_BE_AVOIDABLE) < BAR:
        wrong.append(f"{count}: at least {BAR} rows are to be caught, warned of or, {MAY_BE_AVOIDABLE} at most, avoidable")
    wrong += [f"no row names {test}" for test in sorted((snippets | suites) - named)]
    print("\n".join(wrong) or f"{len(rows)} rows, {len(snippets)} snippets, {len(suites)} suites: {count}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
