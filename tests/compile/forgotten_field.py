# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A field that is added to a structure, and forgotten elsewhere, does not compile.

Adds one to each structure in a copy of its header, and expects an error in each place that has to
know every field: its checks, its prints, its journal. Each place binds all fields to names. The names must
all be used: in the place's work, or in left_out() if the place needs no such field."""

import re
import sys
import tempfile
from pathlib import Path

from compilers import Compiler, parse_arguments, run

# The structure, its header, the headers that must not compile, and other text that a program needs.
PLACES = [
    ("LaunchError", "error/error.hpp", ["error/format.hpp"], ""),
    ("LaunchRecord", "core/launch_record.hpp", ["debug/run/journal_file.hpp"], ""),
]  # fmt: skip
FIELD = re.compile(r"^  (?! )[\w:* ]+ \w+(?:\[\d+\])?(?: = [^;(]*|\{\})?;.*\n(?: +///<.*\n)*", re.MULTILINE)
ERROR = re.compile(r"([^\s:]+/warpsafe/)?(\S+?\.hpp)\b.*error.*(?:names? (?:were )?provided|decomposes into|too (?:few|many))")

BINDING = re.compile(r"auto& \[([^\]]+)\]\s*=")


def unused_names(text):
    """The names of structured bindings that the rest of the function does not use."""
    unused = []
    for binding in BINDING.finditer(text):
        rest = re.sub(r"//.*", "", text[binding.end() : text.index("\n}", binding.end())])
        names = [name.strip() for name in binding[1].split(",")]
        unused += [name for name in names if not re.search(rf"(?<![\w.]){name}\b", rest)]
    return unused


def with_a_field(text, name):
    """The header with one field more behind the last of the structure."""
    start = re.search(rf"^struct {name} \{{\n", text, re.MULTILINE).end()
    end = text.index("\n};", start)
    last = list(FIELD.finditer(text, start, end))[-1].end()
    return f"{text[:last]}  unsigned char forgotten;\n{text[last:]}"


def main():
    compiler, arguments = parse_arguments(__doc__)
    include = next(Path(folder) for folder in arguments.include if (Path(folder) / "warpsafe").is_dir())
    problems = []
    for place in sorted({place for _, _, places, _ in PLACES for place in places}):
        text = (include / "warpsafe" / place).read_text()
        if not BINDING.search(text):
            problems.append(f"{place} has no structured binding of all fields")
        problems += [f"{place} binds {name} and does not use it" for name in unused_names(text)]
    for name, header, places, more in PLACES:
        source_text = "".join(f"#include <warpsafe/{place}>\n" for place in places) + more
        with tempfile.TemporaryDirectory() as folder:
            source, changed = Path(folder) / "all.cpp", Path(folder) / "warpsafe" / header
            source.write_text(source_text)
            changed.parent.mkdir(parents=True)
            text = (include / "warpsafe" / header).read_text()
            changed.write_text(text)
            with_copy = Compiler(compiler.name, compiler.command[0], [folder, *arguments.include])
            good, said = run(with_copy.command_line(source), whole=True)
            if not good:
                problems.append(f"{name}: as it is, it does not compile\n{said}")
                continue
            changed.write_text(with_a_field(text, name))
            good, said = run(with_copy.command_line(source), whole=True)
            found = {found[2] for found in map(ERROR.match, said.splitlines()) if found}
            problems += [f"{name}: {place} compiles with a field more\n{said}" for place in places if place not in found]
    print("\n".join(problems) or f"{compiler.name}: {len(PLACES)} structures")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
