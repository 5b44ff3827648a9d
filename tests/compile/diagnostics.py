# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Reads the errors in a compiler's output, each with the places that led to it."""

import re
from dataclasses import dataclass, field

from compilers import ERROR

# file:line:column: error: … (g++, clang++, hipcc), file(line): error: … (nvcc's front end).
REPORT = re.compile(r"(?P<file>[^\s:(][^:(]*)(?::(?P<line>\d+):(?:\d+:)?|\((?P<row>\d+)\):) "
                    r"(?P<kind>(?:fatal |catastrophic )?error|warning|note)\b(?P<text>.*)")  # fmt: skip
# g++ prints the path to an error before it, and only if it differs from the previous error's path.
WAY = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? +(?:recursively )?(?:required from|in ')"
                 r"|    inlined from .* at (?P<caller>[^\s:]+):(?P<call>\d+):")  # fmt: skip
NEW_WAY = re.compile(r"(?:[^\s:][^:]*: )?(?:In|At) (?!file included)")
# nvcc's front end prints the path after the error. No file means the file of the error.
STEP = re.compile(r"\s.* at line (?P<line>\d+)(?: of (?P<file>\S+))?$")
# clang++ also prints the path after the error, in notes, and omits it if the previous error had the same.
# Its other notes point at declarations. g++ prints the uses of a macro in the same way.
STEP_NOTE = re.compile(r"in expansion of macro|requested here|in call to|in instantiation of|in evaluation of|: while ")
INCLUDED = re.compile(r"In file included from |  +from ")
# nvcc's front end reports the call of a deleted function, and then an assertion in the function's noexcept.
DELETED = "cannot be referenced -- it is a deleted function"
ASSERTION = "static assertion failed"
COUNT = re.compile(r"\d+ errors? (?:detected|generated)|Error limit reached")


@dataclass
class Error:
    """One error: its line of output, the places (file, line) from the error to what led to it, and
    its part of the output."""

    line: str
    places: list = field(default_factory=list)
    output: list = field(default_factory=list)


def errors_of(output):
    """Every error in a compiler's output, in order. One without a place has no `places`."""
    errors, current, way, way_lines, gcc = [], None, [], [], False
    for line in output.splitlines():
        report, step = REPORT.match(line), STEP.match(line)
        if report:
            place = (report["file"], int(report["line"] or report["row"]))
            if report["kind"] == "note":
                if current and STEP_NOTE.search(report["text"]):
                    current.places.append(place)
            elif report["kind"] == "warning":
                current = None
            else:
                edg = report["row"] is not None
                current = Error(line, [place, *([] if edg else way)], [] if edg else list(way_lines))
                errors.append(current)
        elif INCLUDED.match(line):
            current = None
        elif NEW_WAY.match(line):
            current, way, way_lines, gcc = None, [], [line], True
        elif found := WAY.match(line):
            way.append((found["file"] or found["caller"], int(found["line"] or found["call"])))
            way_lines.append(line)
        elif step and current:
            current.places.append((step["file"] or current.places[0][0], int(step["line"])))
        elif ERROR.search(line) and not line[:1].isspace() and not COUNT.match(line):
            current = Error(line)
            errors.append(current)
        if current:
            current.output.append(line)
    if not gcc:
        for before, error in zip(errors, errors[1:]):
            if len(error.places) == 1 and not re.match(r"[^:]*\(", error.line):
                error.places += before.places[1:]
    # These two are one refusal (core/detail/refused.hpp), and the assertion has its sentence.
    return [error for error, after in zip(errors, [*errors[1:], None])
            if not (DELETED in error.line and after and ASSERTION in after.line and error.places[0] in after.places)]  # fmt: skip
