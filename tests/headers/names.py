# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compiles each header outside of detail/ by itself; check.py compiles those inside too. If docs/reference/api.md has a
row for the header, it brings the row's names. Its types are complete there, or after warpsafe.hpp, which defines the default
backend.

A header that needs a vendor's header which this compiler does not find is left out, by name."""

import re
import sys
import tempfile
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("compile", "docs")]
from check import FLAGS, Precompiled, beginnings, missing_vendor_header, names_of  # noqa: E402
from compilers import first_error, parse_arguments  # noqa: E402
from declarations import readers_of  # noqa: E402
from diagnostics import errors_of  # noqa: E402
from quick import Quick  # noqa: E402

ROW = re.compile(r"^\| \[[^]]+\]\(\.\./\.\./include/([^)]+)\) \| (.*) \|$", re.MULTILINE)
# Types may be complete after this header only, which is precompiled.
WHOLE = "<warpsafe/warpsafe.hpp>"
# Names that are declared only where another library's header is installed.
OPTIONAL = {
    "debug::SpdlogSink": "__has_include(<spdlog/spdlog.h>)",
    "debug::NvtxRanges": "__has_include(<nvtx3/nvToolsExt.h>)",
    "debug::RoctxRanges": "__has_include(<rocprofiler-sdk-roctx/roctx.h>) || __has_include(<roctracer/roctx.h>)",
}


def uses(names):
    """Uses each name of a row."""
    lines = []
    for number, name in enumerate(names):
        if name.startswith("WARPSAFE_"):
            lines.append(f"#if !defined({name})\n#error {name} is no macro here\n#endif")
        else:
            # A namespace each, because two names may end alike.
            lines.append(f"#if {OPTIONAL.get(name, 1)}\nnamespace use_{number} {{ using warpsafe::{name}; }}\n#endif")
    return lines


class Rows:
    """Compiles headers with the names of their rows.

    precompiled: says what is precompiled of each header. before: what each reads before its own text.
    """

    def __init__(self, quick, precompiled, before, complete):
        self.quick = quick
        self.precompiled = precompiled
        self.before = before
        self.complete = complete
        self.source = quick.folder / "generated.cpp"

    def compile(self, beginning, *lines):
        self.source.write_text("\n".join([*lines, ""]))
        return self.quick.compile(self.source, 0, beginning)

    def attempt(self, header, names):
        """Whether a header alone brings the names, and whether the types are complete; what the compiler says."""
        beginning = self.precompiled.beginning(header)
        # Twice, so that a missing #pragma once shows, in this header and in those that it begins with.
        lines = [f"#include <warpsafe/{one}>" for one in (header, *self.before[header], header)] + uses(names)
        sizes = [f"static_assert(sizeof(warpsafe::{name}) > 0);" for name in names if name in self.complete and name not in OPTIONAL]
        good, said = self.compile(beginning, *lines, *sizes)
        if good or not sizes:
            return good, said
        # Some types are only declared, if nothing else is wrong.
        first, errors = "\n".join(lines).count("\n") + 2, errors_of(said)
        if errors and all(any(file == str(self.source) and line >= first for file, line in error.places) for error in errors):
            return self.compile(WHOLE, f"#include {WHOLE}", f"#include <warpsafe/{header}>", *sizes)
        return good, said


def main():
    compiler, arguments = parse_arguments(__doc__, ("project", {"type": Path}))
    readers = readers_of(arguments.project)
    templates = set().union(*(reader.templates for reader in readers))
    complete = {"::".join((*one.scope, one.name)).removeprefix("warpsafe::") for reader in readers
                for one in reader.found if one.kind == "type" and one[:2] not in templates
                and one.scope[-1:] != ("tool",)}  # namespace tool names types and functions alike; fmt: skip
    page = (arguments.project / "docs/reference/api.md").read_text(encoding="utf-8")
    found = ROW.findall(page.split("<!-- names:")[1].split("<!-- end -->")[0])
    rows = {header.removeprefix("warpsafe/"): re.findall(r"`([^`]+)`", names) for header, names in found}
    complaints, alone = [] if len(rows) > 20 else [f"api.md: {len(rows)} rows of names"], set()

    with tempfile.TemporaryDirectory() as made:
        folder = arguments.project / "include/warpsafe"
        quick = Quick(compiler, made, lambda _: FLAGS.get(compiler.name, []), warnings=True)
        if said := quick.prepare([WHOLE], [0]):
            sys.exit(said)
        every = names_of(folder)
        headers = [header for header in every if "/detail/" not in header]
        complaints += [f"{header}: no such header" for header in rows.keys() - set(headers)]
        before = beginnings(folder, every)
        checked = Rows(quick, Precompiled(quick, folder, every, set(headers)), before, complete)
        # The test itself: a name of another header, and a type that is only declared.
        for name in ("Stream", "hip_backend", "WARPSAFE_TRY"):
            if checked.attempt("kernel_api.hpp", [name])[0]:
                complaints.append(f"the test itself: kernel_api.hpp alone brings {name}")
        for header in sorted(headers, key=lambda name: -len(before[name])):
            # What another header reads before anything else compiles by itself.
            if header in alone and header not in rows:
                continue
            good, said = checked.attempt(header, rows.get(header, []))
            if gone := missing_vendor_header(said):
                print(f"{header}: left out, this compiler finds no <{gone}>")
            elif not good:
                complaints.append(f"{header}: {first_error(said)}\n{said}")
            else:
                alone |= {header, *before[header]}
    print(*complaints, f"{len(alone & set(headers))} of {len(headers)} headers compile by themselves", sep="\n")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
