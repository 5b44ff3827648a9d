#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Converts a header for Doxygen: doxygen_filter.py HEADER

In a comment, `<` is a character and begins no HTML tag; `Errc::a, ::b` names two codes. Each header gets a page.
The enumerators of Errc and the limits get the comments of their rows."""
import pathlib
import re
import sys

import error_rows


def comment(found):
    # Doxygen leaves text between backquotes unchanged, also across the end of a line.
    parts = found[0].split("`")
    parts[::2] = [
        re.sub(r"(?<![\w>])::([a-z]\w*)", r"Errc::\1", re.sub(r"(?<!//)(?=[<>])", r"\\", part))
        for part in parts[::2]]
    return "`".join(parts)


def enumerators(include):
    """The enumerators with the whole comments of their rows; the links are of another page."""
    for section in error_rows.sections(include):
        for row in section.rows:
            said = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", f"{row.cause} Remedy: {row.remedy}".strip())
            yield f"/// {row.sentence()} {said}\n{row.name} = {row.number},\n"


def limits(found):
    """What a macro of limit_rows.hpp makes of the rows, with their comments."""
    macro, parameters, body = found.groups()
    rows = (header.parents[1] / "core/limit_rows.hpp").read_text(encoding="utf-8").partition("#if defined")[2]
    out = []
    for said, row in re.findall(rf"(?ms)^((?://[^\n]*\n)*){macro}\(([^)]*)\)", rows):
        values = dict(zip(re.split(r",\s*", parameters), re.split(r",\s*", row)))
        out.append(said.replace("//", "///") + re.sub(r"\w+", lambda word: values.get(word[0], word[0]), body.replace("\\\n", "")))
    return "\n".join(out) + "\n"


header = pathlib.Path(sys.argv[1])
text = header.read_text(encoding="utf-8")
if header.name == "errc.hpp":
    text = text.replace("#define WARPSAFE_ERROR", "".join(enumerators(header.parents[1])) + "#define WARPSAFE_ERROR", 1)
if header.name == "limits.hpp":
    text = re.sub(r"(?m)^#define (\w+)\(([^()]*)\)((?:.*\\\n)*.*)\n#include <.*limit_rows\.hpp>\n#undef \1\n", limits, text)
# Inside a function the rows mean nothing to Doxygen, and it does not find their files.
text = re.sub(r"(?m)^#include <warpsafe/(?:error/detail/\w+|core/limit)_rows\.hpp>\n", "", text)
text = text.replace("#pragma once", "/** @file */", 1)
# The version is no part of a name that a user writes.
text = text.replace("::inline WARPSAFE_DETAIL_VERSION", "")
text = re.sub(r"(?m)^(inline namespace|\}  // namespace) WARPSAFE_DETAIL_VERSION.*\n", "", text)
# Doxygen skips these namespaces, and then misses the targets of their comments.
text = re.sub(r"(?ms)^namespace [\w:]*detail \{$.*?^\}", lambda found: found[0].replace("///", "//"), text)
text = re.sub(r"(?m)^template <.*>\ninline constexpr bool detail::.*;$", "\n", text)
sys.stdout.reconfigure(encoding="utf-8")
sys.stdout.write(re.sub(r"(?m)///.*(\n *///.*)*", comment, text))
