# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that sources compile without a warning, many in one translation unit to save time.

With --snippets the sources are files of tests/misuse/compile, and their twins must compile. With --alone each
source is a translation unit of its own. With --front-end nvcc runs its front end alone, without warnings.
"""

import re
import sys
import tempfile
from pathlib import Path

from compilers import first_error, parse_arguments
from quick import Quick
from snippets import Group, meant_for


def standard_of(text):
    """The language a source is written in: `// std: c++17`, or C++20 by default."""
    std = re.search(r"^// std: (\S+)$", text, re.MULTILINE)
    return std[1] if std else "c++20"


def split(text):
    """(everything to the last #include, with the conditions around it closed; the rest; its line)."""
    depth, end, lines = 0, 0, text.splitlines(keepends=True)
    includes = [i for i, line in enumerate(lines) if re.match(r"\s*#\s*include", line)]
    for i, line in enumerate(lines if includes else []):
        depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
        end = i + 1
        if i >= includes[-1] and depth == 0:
            break
    return "".join(lines[:end]), "".join(lines[end:]), end + 1


def alone(text):
    """Whether a source must be a translation unit of its own: it sets a macro for the headers, or
    adds to a namespace that is not its own."""
    head, body, _ = split(text)
    return bool(re.search(r"^\s*#\s*(define|undef)\b", head, re.MULTILINE)
                or re.search(r"^namespace (warpsafe|std)\b|^template <>", body, re.MULTILINE)
                or standard_of(text) != "c++20")  # fmt: skip


def together(texts):
    """One translation unit of {source: text}: all includes first, then each body in its own namespace."""
    heads, bodies = [], []
    for number, (source, text) in enumerate(texts.items()):
        head, body, line = split(text)
        heads.append(head)
        bodies.append(f'namespace source_{number} {{\n#line {line} "{source}"\n{body}\n}}\n')
    return "".join(heads) + "".join(bodies)


def read(compiler, sources, snippets):
    """{source: what this compiler is to read of it}, without the sources that it is not to read."""
    if snippets:
        chosen = {group: group.meant_for(compiler.name) for group in map(Group, sources)}
        return {group.path: group.text(kept) for group, kept in chosen.items() if kept}
    texts = {source: source.read_text() for source in sources}
    return {source: text for source, text in texts.items() if meant_for(compiler.name, text.splitlines())}


def front_end(compiler, text, flags):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "generated.cpp"
        source.write_text(text)
        return Quick(compiler, folder, lambda _: flags, front_end=True).compile(source, 0, "")


def main():
    compiler, arguments = parse_arguments(
        __doc__, ("sources", {"nargs": "+", "type": Path}), ("--snippets", {"action": "store_true"}),
        ("--alone", {"action": "store_true"}), ("--front-end", {"action": "store_true"}))  # fmt: skip
    texts = read(compiler, arguments.sources, arguments.snippets)
    batch = {source: text for source, text in texts.items() if not arguments.alone and not alone(text)}
    single = [source for source in texts if source not in batch]
    failed = []
    # Sources include their neighbours by name alone.
    folders = [flag for folder in dict.fromkeys(source.parent for source in texts)
               for flag in ("-I", str(folder))]  # fmt: skip

    def compiles(text, std="c++20"):
        if arguments.front_end:
            return front_end(compiler, text, folders)
        return compiler.compile_text(text, *folders, std=std)

    in_one, said_of_one = compiles(together(batch)) if batch else (True, "")
    if not in_one:
        # The output names a source by its #line. Compiling that source alone confirms that it is at fault.
        single += [source for source in batch if str(source) in said_of_one] or batch
    for source in single:
        good, said = compiles(f'#line 1 "{source}"\n{texts[source]}', standard_of(texts[source]))
        if not good:
            failed.append(source)
            print(f"{source}: {first_error(said)}\n{said}")
    if not in_one and not failed:
        failed = batch
        print(f"Not in one translation unit, though those named compile alone:\n{said_of_one}")
    print(f"{compiler.name}: {len(texts) - len(failed)} of {len(texts)} sources compile")
    return bool(failed) or not texts


if __name__ == "__main__":
    sys.exit(main())
