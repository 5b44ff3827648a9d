# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that the catalogue tells the truth about this folder: no row is there twice, each test named there exists, and
each test here belongs to a row that names it, except for the slips of w_*.cpp; no two snippets have one name. And that the rows are as good as they have to be: at least
94 caught, reported by a warning or, for at most 6 of these, avoidable. A row that is checked only where a kernel declares it is
avoidable."""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "compile"))
from catalogue import mistakes, programs  # noqa: E402
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


def of_programs(snippets):
    """What is wrong with the programs: each has one answer, and one that does not compile a snippet."""
    rows, wrong = programs()
    compiled = {row[0] for row in rows if row[3] == "compile"}
    shown = {re.match(r"[hi]\d+", snippet)[0].upper() for snippet in snippets if re.match(r"[hi]\d+", snippet)}
    return wrong + [f"{row}: its snippets and its answer differ" for row in sorted(compiled ^ shown)]


def main():
    rows, wrong_rows = mistakes()
    files = groups(HERE / "compile")
    names = [snippet.name for file in files for snippet in file.snippets]
    snippets = set(names)
    suites = {suite for path in HERE.rglob("*_test.cpp")
              for suite in re.findall(r"^TEST_F\((Misuse\w+),", path.read_text(), re.MULTILINE)}  # fmt: skip
    wrong, named = wrong_rows + [f"{file.path.name}: {what}" for file in files for what in file.wrong], set()
    wrong += [f"two snippets {name}" for name in sorted(snippets) if names.count(name) > 1]
    for name, row in rows.items():
        moments, tests = row.get("moment", ""), row.get("tests", "")
        wrong += [f"{name}: no such moment: {m}" for m in moments.split(", ") if m not in MOMENTS]
        for pattern in re.findall(r"[a-g]\d\d[a-z]?\*|Misuse\w+", tests):
            found = {test for test in snippets | suites if fnmatch(test, pattern)}
            if not found:
                wrong.append(f"{name}: there is no {pattern}")
            named |= found
        own = any(re.match(name.lower() + "[a-z]?_", source) for source in snippets)
        if own != ("compile" in moments and f"{name.lower()}*" in tests):
            wrong.append(f"{name}: '{moments}', but its snippets say otherwise")
    wrong += of_programs(snippets)
    named |= {snippet for snippet in snippets if re.match(r"[hi]\d+|w\d", snippet)}
    kinds = [kind_of(row.get("moment", ""), row["mark"]) for row in rows.values()]
    count = {kind: kinds.count(kind) for kind in ("caught", "warned", "avoidable", "never", "not yet")}
    if count["caught"] + count["warned"] + min(count["avoidable"], MAY_BE_AVOIDABLE) < BAR:
        wrong.append(f"{count}: at least {BAR} rows are to be caught, warned of or, {MAY_BE_AVOIDABLE} at most, avoidable")
    wrong += [f"no row names {test}" for test in sorted((snippets | suites) - named)]
    print("\n".join(wrong) or f"{len(rows)} rows, {len(snippets)} snippets, {len(suites)} suites: {count}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
