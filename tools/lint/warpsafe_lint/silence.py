# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Comments that silence a finding: `// warpsafe-lint: ignore A07 reason`, and clang-tidy's `// NOLINT(warpsafe-A07)`."""

import re

IGNORE = re.compile(r"(?://|/\*)\s*warpsafe-lint:\s*ignore(-file)?\s+((?:[A-GL]\d\d|all)(?:\s*,\s*(?:[A-GL]\d\d|all))*)\b", re.I)
NOLINT = re.compile(r"NOLINT(NEXTLINE)?(\(([^)]*)\))?")


class Silence:
    """The rows that a file's comments silence: on a line, and in the whole file. A comment that has its line to itself
    counts for the next line of code."""

    def __init__(self, lines):
        self.file, self.lines = set(), {}
        pending = set()
        for number, line in enumerate(lines, 1):
            rows, following = set(), set()
            for found in IGNORE.finditer(line):
                named = {row.upper() for row in re.split(r"\s*,\s*", found.group(2))}
                if found.group(1):
                    self.file |= named
                else:
                    rows |= named
            for found in NOLINT.finditer(line):
                named = {"ALL"} if found.group(2) is None or "*" in found.group(3) else {
                    row.upper() for row in re.findall(r"warpsafe-([A-GLa-gl]\d\d)", found.group(3))}
                if found.group(1):
                    following |= named
                else:
                    rows |= named
            alone = re.match(r"\s*(//|/\*)", line) is not None
            here = rows | pending
            if here:
                self.lines[number] = here
            pending = here | following if alone else following

    def covers(self, line, row):
        return bool({row, "ALL"} & (self.file | self.lines.get(line, set())))
