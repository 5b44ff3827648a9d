# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The rules, by row. A rule is a function that yields findings for a file's program."""

import dataclasses

from .launches import launches


@dataclasses.dataclass(frozen=True)
class Found:
    """One finding without its position: a node, one sentence, and what to do instead, in the imperative."""

    node: object
    says: str
    rewrite: str
    severity: str = ""  # that of the row, unless the rule knows better
    edits: tuple = ()  # for --fix=cuda: (start, end, text), as bytes of the source
    # All findings of a file with this kind are one mistake. "": those of a function are, if their texts differ only in names
    # and numbers.
    kind: str = ""
    # Which of the row's forms this is, if levels.py has a level of its own for it.
    form: str = ""
    # The entry of levels.py of another row's finding of the same mistake: where that one is shown, this one is a note.
    instead: str = ""


@dataclasses.dataclass(frozen=True)
class Rule:
    row: str
    title: str
    by_default: bool
    find: object
    severity: str


RULES = []
OF_LAUNCH = {}  # row -> its rule over one launch
SEVERITIES = ("note", "warning", "error")
# error: the launch, call or kernel cannot be right, whatever the program's numbers are. note: harmless for most programs,
# or slow, or wrong only on another vendor's GPU. All others are warnings: right or wrong depends on numbers and timing.
ERRORS = {"A04", "A05", "A11", "B01", "B03", "B05", "B08", "B13", "C01", "C02", "C04", "C05", "C07", "C08", "E13", "F04", "F14", "G04", "L01", "L02"}
NOTES = {"A01", "A02", "A03", "A12", "A14", "A16", "A21", "B04", "C03", "D11", "D12", "E04", "F03"}


def severity_of(row):
    return "error" if row in ERRORS else "note" if row in NOTES else "warning"


def rule(row, title, by_default=True):
    """Registers a rule over a whole program."""

    def add(find):
        RULES.append(Rule(row, title, by_default, find, severity_of(row)))
        return find

    return add


def function_rule(row, title, by_default=True):
    """Registers a rule over one function."""

    def add(find):
        @rule(row, title, by_default)
        def over_all(program):
            for function in program.functions:
                yield from find(program, function) or ()

        return find

    return add


def launch_rule(row, title, by_default=True, note_if=None):
    """Registers a rule over one launch. Its findings are notes where `note_if` accepts a function and a launch of it."""

    def add(find):
        OF_LAUNCH[row] = find

        @function_rule(row, title, by_default)
        def over_launches(program, function):
            for launch in all_launches(function):
                found = list(find(program, function, launch) or ())
                weak = bool(found) and note_if is not None and note_if(function, launch)
                yield from (dataclasses.replace(each, severity="note") if weak else each for each in found)

        return find

    return add


def all_launches(function):
    """A function's launches, found once."""
    if not hasattr(function, "found_launches"):
        function.found_launches = launches(function)
    return function.found_launches
