# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that a misuse does not compile, and that the first error line says why.

The source compiled with -DMISUSE must fail, and its first error line must hold the words of the
comment `// expected-error {{"…"}}` beside the bad line: a failure for any other reason is a failure of
the test. Whether the same source without -DMISUSE, the good twin, compiles is must_compile.py's.

With --results FOLDER that line is left in FOLDER/<source>.<compiler>.<check level>, for docs/misuse.md.
With --quick FOLDER the compiler is asked as quick.py does, which has to have prepared FOLDER.
"""

import re
import sys
from pathlib import Path

from compilers import first_error, parse_arguments
from must_compile import meant_for, standard_of
from quick import Quick, flags_for


# What a compiler refuses does not depend on the check level; the quickest shows it of every source.
EVERY_LEVEL = ("g++",)


def makes_code(text):
    """Whether the error shows only where code is made: `// code: needed`."""
    return bool(re.search(r"^// code: needed$", text, re.MULTILINE))


def is_first(compiler, source):
    """Whether it is the first source of its row that is meant for the compiler."""
    row = source.stem[:3]
    spellings = sorted(source.parent.glob(f"{row}_*")) + sorted(source.parent.glob(f"{row}[a-z]_*"))
    return [source] == [path for path in spellings if meant_for(compiler, path.read_text())][:1]


def is_first_of_its_group(source):
    """Whether it is the very first source of a letter of the catalogue."""
    return source == min(source.parent.glob(f"{source.stem[0]}[0-9]*"), default=None)


def refuse(compiler, source, level, folder):
    """Compiles a misuse, quickly where it may: (whether it did, what the compiler said first)."""
    text = source.read_text()
    # The first of each group is asked of the whole of nvcc: of all, that is minutes, and the quick way
    # is held to the whole one by its own test (self_test.py).
    whole = makes_code(text) or standard_of(text) != "c++20" or (
        compiler.name == "nvcc" and level == 2 and is_first_of_its_group(source))  # fmt: skip
    if folder and not whole:
        return Quick(compiler, folder).compile(source, level)
    return compiler.compile(source, *flags_for(level), std=standard_of(text), quick=True,
                            code=makes_code(text))  # fmt: skip


def main():
    compiler, arguments = parse_arguments(
        __doc__, ("source", {"type": Path}), ("--results", {"type": Path}), ("--quick", {"type": Path})
    )
    text = arguments.source.read_text()
    words = re.search(r'// expected-error \{\{"?(.+?)"?\}\}', text)
    if not words or "MISUSE" not in text:
        print(f"{arguments.source}: needs #ifdef MISUSE and an // expected-error {{{{\"…\"}}}} comment")
        return 1
    if not meant_for(compiler, text):
        print(f"{arguments.source}: not meant for {compiler.name}, see its '// only:' line")
        return 77
    first = is_first(compiler, arguments.source)
    # Without checks besides, where that is quick, and for the first source of each row.
    for level in (2, 0) if first or compiler.name in EVERY_LEVEL else (2,):
        left = None
        if arguments.results:
            arguments.results.mkdir(parents=True, exist_ok=True)
            left = arguments.results / f"{arguments.source.stem}.{compiler.name}.{level}"
            left.unlink(missing_ok=True)
        good, said = refuse(compiler, arguments.source, level, arguments.quick)
        if good:
            print(f"{arguments.source}: compiles at check level {level}, and must not")
            return 1
        if words[1] not in first_error(said):
            print(f"{arguments.source}: the first error line at check level {level} does not say\n"
                  f"  {words[1]}\nbut\n  {first_error(said)}\n\n{said}")  # fmt: skip
            return 1
        if left:
            left.write_text(first_error(said) + "\n")
    print(first_error(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
