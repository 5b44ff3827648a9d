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


@dataclasses.dataclass(frozen=True)
class Rule:
    row: str
    title: str
    by_default: bool
    find: object


RULES = []


def rule(row, title, by_default=True):
    """Registers a rule over a whole program."""

    def add(find):
        RULES.append(Rule(row, title, by_default, find))
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


def launch_rule(row, title, by_default=True):
    """Registers a rule over one launch."""

    def add(find):
        @function_rule(row, title, by_default)
        def over_launches(program, function):
            for launch in all_launches(function):
                yield from find(program, function, launch) or ()

        return find

    return add


def all_launches(function):
    """A function's launches, found once."""
    if not hasattr(function, "found_launches"):
        function.found_launches = launches(function)
    return function.found_launches
