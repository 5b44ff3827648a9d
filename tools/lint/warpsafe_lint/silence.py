# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Comments that silence a finding: `// warpsafe-lint: ignore A07 reason`, and clang-tidy's `// NOLINT(warpsafe-A07)`."""

import re

from .lines import comments, lines_of, without_comments

IGNORE = re.compile(r"(?://|/\*)\s*warpsafe-lint:\s*ignore(-file)?\s+((?:[A-GL]\d\d|all)(?:\s*,\s*(?:[A-GL]\d\d|all))*)\b", re.I)
NOLINT = re.compile(r"NOLINT(NEXTLINE)?(\(([^)]*)\))?")


class Silence:
    """The rows that a source's comments silence: on a line, and in the whole file. A comment on lines without code counts for the
    next line of code."""

    def __init__(self, text):
        self.file, self.lines = set(), {}
        commented, own, following = set(), {}, {}  # lines of comments; rows that a line names for itself, and for the next one
        first, at = 1, 0
        for comment in comments(text):
            first, at = first + text.count("\n", at, comment.start()), comment.start()
            for number, line in enumerate(comment[0].split("\n"), first):
                commented.add(number)
                self._read(line, own.setdefault(number, set()), following.setdefault(number, set()))
        pending = set()
        for number, line in enumerate(lines_of(without_comments(text)) if commented else (), 1):
            here = own.get(number, set()) | pending
            if here:
                self.lines[number] = here
            pending = following.get(number, set()) | (here if number in commented and not line.strip() else set())

    def _read(self, line, own, following):
        for found in IGNORE.finditer(line):
            named = {row.upper() for row in re.split(r"\s*,\s*", found.group(2))}
            (self.file if found.group(1) else own).update(named)
        for found in NOLINT.finditer(line):
            named = {"ALL"} if found.group(2) is None or "*" in found.group(3) else {
                row.upper() for row in re.findall(r"warpsafe-([A-GLa-gl]\d\d)", found.group(3))}
            (following if found.group(1) else own).update(named)

    def covers(self, line, row):
        return bool({row, "ALL"} & (self.file | self.lines.get(line, set())))
