# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that each wrong snippet of some files does not compile, for the reason it names, and that its twin does.

snippets.py says what a file holds. The snippets of all files are compiled as one translation unit, which begins with
the largest of the headers in quick.py; a file that sets something before it is a unit of its own. Each must be
refused: the first error that belongs to it must be at the wrong statement, or lead to it, and hold the
expected words. Any error that belongs to no snippet fails the test. The twins of all snippets together must
compile without a warning.

A compiler reports an error of a template once, however many snippets cause it. So the snippets that were
not refused as expected are compiled again without the others, until a unit refuses none as expected.

With --results FOLDER the error line of each snippet is left in FOLDER/<snippet>.<compiler>.<check level>,
for docs/reference/misuse.md. With --quick FOLDER the compiler is asked as quick.py does, which must have prepared
FOLDER. With --alone each snippet is a unit of its own: this takes long, and finds a first error that a neighbour
hides. With --own only the snippets that no other compiler reads.
With --level only that check level; the twins are compiled at level 1.
"""

import sys
import tempfile
from pathlib import Path

from compilers import parse_arguments
from diagnostics import errors_of
from quick import ERRORS, HEADERS, LEVELS, Quick, begins_with, flags_for
from snippets import Files, Group, first_of_rows

# The refusals do not depend on the check level. Only g++, the fastest, checks that for every snippet.
EVERY_LEVEL = ("g++",)

# With --quick, must_compile.py --snippets checks their twins instead: all files at once.
TWINS_ELSEWHERE = ("nvcc",)


def at_level(compiler, group, level):
    """The snippets to compile at a level. Without checks most compilers read the first of each row."""
    snippets = group.meant_for(compiler)
    if level == LEVELS[0] or compiler in EVERY_LEVEL:
        return snippets
    first = set().union(*(first_of_rows(folder, compiler) for folder in {s.path.parent for s in snippets}))
    return [snippet for snippet in snippets if snippet.name in first]


class Test:
    """Files of snippets and one compiler. complaints: what is wrong, in words."""

    def __init__(self, compiler, group, quick=None, alone=False):
        self.compiler = compiler
        self.group = group
        self.paths = {str(file.path) for file in group.files}
        self.quick = quick
        self.alone = alone
        self.complaints = list(group.wrong)
        self.units = 0

    def compile(self, snippets, level, misuse, code=False):
        """Compiles some snippets together: (whether they compile, the output)."""
        self.units += 1
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / f"{self.group.files[0].path.stem}.cpp"
            source.write_text(self.group.unit(snippets, misuse))
            if self.quick:
                return Quick(self.compiler, self.quick, warnings=not misuse).compile(source, level, code=code)
            return self.compiler.compile(source, *flags_for(level), *ERRORS[self.compiler.name],
                                         quick=misuse, code=code, whole=True)  # fmt: skip

    def twins(self, snippets):
        """Checks that the twins of some snippets compile."""
        good, said = self.compile(snippets, LEVELS[0], misuse=False)
        if not good:
            errors = errors_of(said)
            names = sorted({owner.name for owner in (self.owner(e, snippets) for e in errors) if owner})
            text = "\n".join("\n".join(error.output) for error in errors) or said
            self.complaints.append(f"the twins do not compile ({', '.join(names) or 'the file'}):\n{text}")

    def owner(self, error, snippets):
        """The snippet that an error belongs to: at its own place, or the last on the way that led to it."""
        places = [place for place in error.places if place[0] in self.paths]
        own = error.places and error.places[0][0] in self.paths
        for place in [*places[: bool(own)], *reversed(places)]:
            for snippet in snippets:
                if snippet.holds(*place):
                    return snippet
        alone = len(snippets) == 1 and not places and error.places
        return snippets[0] if alone and snippets[0].is_alone(self.compiler.name) else None

    def refused(self, snippets, level, code):
        """Compiles wrong snippets together: {name: its errors}."""
        good, said = self.compile(snippets, level, misuse=True, code=code)
        found = {}
        errors = [] if good else errors_of(said)
        for error in errors:
            owner = self.owner(error, snippets)
            if owner:
                found.setdefault(owner.name, []).append(error)
            else:
                self.complain(f"an error at check level {level} belongs to no snippet:", error)
        if not good and not errors:
            self.complaints.append(f"no error in what the compiler says at check level {level}:\n{said}")
        return found

    def misuses(self, snippets, level):
        """Checks wrong snippets at a level: {name: the line of its first error}."""
        lines = {}
        for code in (False, True):
            chosen = [snippet for snippet in snippets if snippet.makes_code == code]
            single = [s for s in chosen if self.alone or s.is_alone(self.compiler.name)]
            for unit in [[s for s in chosen if s not in single], *([s] for s in single)]:
                while unit:
                    found = self.refused(unit, level, code)
                    good = {s.name: found[s.name][0].line for s in unit if s.name in found
                            and not self.problem(s, found[s.name][0], level)}  # fmt: skip
                    lines |= good
                    # If no snippet fails as expected, the errors of some may hide those of the others.
                    wrong = [] if good else [s for s in unit if s.name in found] or unit
                    for snippet in wrong:
                        self.report(snippet, found.get(snippet.name), level)
                    unit = [s for s in unit if s.name not in good and s not in wrong]
        return lines

    def problem(self, snippet, first, level):
        """What is wrong with the first error of a snippet; "" if nothing is."""
        if snippet.words not in first.line:
            return f"does not say\n  {snippet.words}\nbut\n  {first.line}\n"
        lines = {line for file, line in first.places if file == str(snippet.path)}
        if not lines & set(snippet.statement) and (lines or not snippet.is_alone(self.compiler.name)):
            return f"is not at this line, but at {sorted(lines)}:"
        return ""

    def report(self, snippet, errors, level):
        """Complains about a snippet that was not refused as it expects."""
        if not errors:
            self.complaints.append(f"{snippet.path}: {snippet.name} compiles at check level {level}, and must not")
            return
        where = f"{snippet.path}: {snippet.name}, line {snippet.statement[0]}"
        self.complain(f"{where}: the first error at check level {level} "
                      f"{self.problem(snippet, errors[0], level)}", errors[0])  # fmt: skip

    def complain(self, what, error):
        self.complaints.append("\n".join([what, *error.output[:30]]))

    def run(self, results=None, levels=LEVELS, twins=True):
        """Checks everything, or only some levels, or no twins. Leaves the lines in the folder `results`."""
        name, checked = self.compiler.name, 0
        meant = self.group.meant_for(name)
        if meant and twins and not (self.quick and name in TWINS_ELSEWHERE):
            self.twins(meant)
        for level in levels:
            chosen = at_level(name, self.group, level)
            lines = self.misuses(chosen, level)
            checked += len(chosen)
            for snippet in chosen if results else []:
                left = results / f"{snippet.name}.{name}.{level}"
                left.unlink(missing_ok=True)
                if snippet.name in lines:
                    left.write_text(lines[snippet.name] + "\n")
        # Without checks, a compiler that is not the first may have none.
        if not any(at_level(name, self.group, level) for level in LEVELS):
            self.complaints.append(f"{name} reads no snippet of {', '.join(sorted(self.paths))}")
        return checked


def units(groups, compiler):
    """The files that a compiler reads: those that begin with an #include together, the largest of HEADERS first."""
    groups = [group for group in groups if group.meant_for(compiler)] or groups
    first = {group: next((line for line in group.head if line.startswith("#")), "") for group in groups}
    together = [group for header in ("", *HEADERS)[::-1] for group in groups
                if first[group].startswith("#include") and begins_with(first[group]) == header]  # fmt: skip
    return [Files(files) for files in [together, *([g] for g in groups if g not in together)] if files]


def main():
    compiler, arguments = parse_arguments(
        __doc__, ("sources", {"nargs": "+", "type": Path}), ("--results", {"type": Path}), ("--quick", {"type": Path}),
        ("--alone", {"action": "store_true"}), ("--own", {"action": "store_true"}),
        ("--level", {"action": "append", "type": int, "choices": LEVELS}))  # fmt: skip
    if arguments.results:
        arguments.results.mkdir(parents=True, exist_ok=True)
    groups = list(map(Group, arguments.sources))
    for group in groups if arguments.own else []:
        group.keep_own(compiler.name)
    tests = [Test(compiler, files, arguments.quick, arguments.alone) for files in units(groups, compiler.name)]
    levels = tuple(arguments.level or LEVELS)
    checked = sum(test.run(arguments.results, levels, twins=LEVELS[0] in levels) for test in tests)
    complaints = [complaint for test in tests for complaint in test.complaints]
    print(*complaints, sep="\n")
    print(f"{compiler.name}: {checked} snippets and levels in {sum(test.units for test in tests)} units, "
          f"{len(complaints)} complaints")  # fmt: skip
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
