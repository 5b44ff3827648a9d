# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Reads files of snippets that must not compile. Those of tests/misuse/compile are in rows of the catalogue.

A snippet begins with a comment `// A01: …` at the start of a line and ends where the next one begins. It
names itself in its function or namespace: a01_rounded_up_by_hand. The lines before the first snippet are
read with each. In a snippet:

#ifdef MISUSE                     the wrong code; what is outside or under #else is its compiling twin
// expected-error {{"…"}}         words of the first error; the wrong statement begins on the next line
// only: nvcc hipcc               the compilers that read the snippet; before the first #include, the file
// alone: g++                     these compilers read the snippet as a unit of its own, because they do not
                                  say which line led to the error, or cannot read on after it
// code: needed                   the error shows only where code is generated; alone too, for all compilers
"""

import re
from dataclasses import dataclass
from pathlib import Path

BEGIN = re.compile(r"// ([A-Z]\d\d\d?): ")
NAME = re.compile(r"\b([a-z]\d\d\d?[a-z]?_\w+)\b")
EXPECTED = re.compile(r'\s*// expected-error \{\{"(.+)"\}\}$')
INCLUDE = re.compile(r"\s*#\s*include\b")


def meant_for(compiler, lines):
    """Whether these lines want this compiler: `// only: nvcc hipcc` names the ones they want."""
    only = [line.removeprefix("// only:").split() for line in lines if line.startswith("// only:")]
    return all(compiler in names for names in only)


@dataclass
class Snippet:
    """path: its file; first and last: its lines, counted from 1; words: of the expected error; statement: the
    lines of the wrong statement; lines: its text."""

    path: Path
    name: str
    first: int
    last: int
    words: str
    statement: range
    lines: list

    @property
    def row(self):
        return re.match(r"[a-z]\d+", self.name)[0]

    @property
    def makes_code(self):
        return "// code: needed" in self.lines

    def is_alone(self, compiler):
        return self.makes_code or any(line.startswith("// alone:") and compiler in line.split() for line in self.lines)

    def holds(self, file, line):
        return file == str(self.path) and self.first <= line <= self.last


class Group:
    """A file of snippets. wrong: what is wrong with the file itself."""

    def __init__(self, path):
        self.path = Path(path)
        self.lines = self.path.read_text().splitlines()
        self.wrong = []
        begins = [i for i, line in enumerate(self.lines) if BEGIN.match(line)]
        self.head = self.lines[: begins[0] if begins else None]
        ends = [*begins[1:], len(self.lines)]
        self.snippets = list(filter(None, map(self.read, begins, ends)))
        names = [snippet.name for snippet in self.snippets]
        self.wrong += [f"two snippets {name}" for name in sorted({n for n in names if names.count(n) > 1})]
        if not begins:
            self.wrong.append("no snippet: each begins with a comment '// A01: …'")

    def read(self, begin, end):
        lines = self.lines[begin:end]
        row = BEGIN.match(lines[0])[1].lower()
        names = {name for line in lines if not line.startswith("//") for name in NAME.findall(line)}
        expected = [(i, EXPECTED.match(line)) for i, line in enumerate(lines) if "expected-error" in line]
        where = f"line {begin + 1}"
        if len(names) != 1 or not min(names).startswith(row):
            self.wrong.append(f"{where}: a snippet of {row.upper()} names itself in its function or "
                              f"namespace, once: {row}_…; found: {sorted(names)}")  # fmt: skip
        elif len(expected) != 1 or not expected[0][1]:
            self.wrong.append(f"{min(names)}: needs one line // expected-error {{{{\"…\"}}}} above the "
                              "wrong statement")  # fmt: skip
        elif not any(re.match(r"#\s*if.*\bMISUSE\b", line) for line in lines):
            self.wrong.append(f"{min(names)}: needs #ifdef MISUSE, and a twin that compiles without it")
        else:
            return Snippet(self.path, min(names), begin + 1, end, expected[0][1][1],
                           self.statement(begin + expected[0][0] + 1), lines)  # fmt: skip
        return None

    def statement(self, begin):
        """The lines of the statement that begins at an index."""
        depth = 0
        for end in range(begin, len(self.lines)):
            code = self.lines[end].split("//")[0].rstrip()
            depth += sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
            if depth <= 0 and code.endswith((";", "}")):
                break
        return range(begin + 1, end + 2)

    def meant_for(self, compiler):
        """The snippets that this compiler reads."""
        includes = [i for i, line in enumerate(self.lines) if INCLUDE.match(line)]
        if not meant_for(compiler, self.lines[: min(includes, default=0)]):
            return []
        return [snippet for snippet in self.snippets if meant_for(compiler, snippet.lines)]

    def keep_own(self, compiler):
        """Keeps only the snippets that this compiler alone reads."""
        if f"// only: {compiler}" not in self.head:
            self.snippets = [s for s in self.snippets if f"// only: {compiler}" in s.lines]

    def text(self, snippets):
        """The file with some snippets only: each line keeps its number."""
        kept = [line if i < len(self.head) or any(s.first <= i + 1 <= s.last for s in snippets) else ""
                for i, line in enumerate(self.lines)]  # fmt: skip
        return "\n".join(kept) + "\n"

    def unit(self, snippets, misuse):
        """A translation unit of some snippets, or of their twins."""
        return Files([self]).unit(snippets, misuse)


class Files:
    """Files of snippets that are read as one translation unit. Those that share a kernel include it."""

    def __init__(self, files):
        self.files = files
        self.wrong = [wrong for file in files for wrong in file.wrong]
        names = [snippet.name for file in files for snippet in file.snippets]
        if len(files) > 1:
            self.wrong += [f"two snippets {name}" for name in sorted({n for n in names if names.count(n) > 1})]

    def meant_for(self, compiler):
        return [snippet for file in self.files for snippet in file.meant_for(compiler)]

    def unit(self, snippets, misuse):
        """A translation unit of some snippets, or of their twins."""
        texts = ((file, [s for s in snippets if s.path == file.path]) for file in self.files)
        return ("#define MISUSE\n" if misuse else "") + "".join(
            f'#line 1 "{file.path}"\n{file.text(chosen)}' for file, chosen in texts if chosen)  # fmt: skip


def groups(folder):
    """The files of a folder, in order of their names."""
    return [Group(path) for path in sorted(Path(folder).glob("*.cpp"))]


def in_order(names):
    """Names of snippets in the order of the catalogue: a01_x, a01b_y, …, a03_z."""
    return sorted(names, key=lambda name: (name.split("_")[0], name))


def first_of_rows(folder, compiler):
    """The names of the first snippet of each row that a compiler reads."""
    first = {}
    names = (snippet.name for group in groups(folder) for snippet in group.meant_for(compiler))
    for name in in_order(names):
        first.setdefault(name[:3], name)
    return set(first.values())
