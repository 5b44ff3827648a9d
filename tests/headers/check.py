# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that each public header compiles on its own, and that common macros do not break it.

alone: every header by itself, with and without exceptions and RTTI. poisoned: all headers in one
translation unit, after macros that other code is known to define. kernel-side: kernel_api.hpp as
C++17. A header that needs a vendor's header which this compiler does not find is left out, by name.
"""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "compile"))
from compilers import first_error, parse_arguments  # noqa: E402

# The only headers that may be missing; a misspelt include of any other kind is an error.
VENDOR = re.compile(r"(cu[a-z]+(_[a-z0-9_]+)?\.h|nccl\.h|nvrtc\.h|nvtx3/.*|(hip|roc|rccl|thrust|cuda|"
                    r"rmm|cub|ATen|c10|torch)[a-z]*/.*)")  # fmt: skip

# Names that widely used headers define as macros: <complex.h>, <termios.h>, <sys/sysmacros.h>,
# curses', X11's, Windows' and Arduino's. They are poisoned after Boost, the standard library and the
# vendors' headers were read: those do not survive it (Boost.Outcome's own does not survive I).
POISON = """I small B0 B1 min max major minor Status Success None Bool True False Always Complex
far near interface CONST ERROR IN OUT OPTIONAL VOID DELETE NO_ERROR DIFFERENCE
F bit word PI EPS _A _B _C _N _X""".split()

# What a compiler does not read in the poisoned unit: the other vendor's headers, and ours that are made
# for them. Each of these is read by the compiler it is for.
FOREIGN = {
    "g++": r"(^|/)(cu|nccl|nv|hip|roc|rccl|miopen)",
    "clang++": r"(^|/)(cu|nccl|nv|hip|roc|rccl|miopen)",
    "nvcc": r"(^|/)(hip|roc|rccl|miopen)",
    "hipcc": r"(^|/)(cu|nccl|nv)",
}

FLAGS = {"exceptions": [], "no-exceptions": ["-fno-exceptions", "-fno-rtti"]}


def missing_vendor_header(said):
    """The vendor's header whose absence is the whole error, or None."""
    gone = re.search(r"fatal error: ([^\s':]+): No such file|fatal error: '([^']+)' file not found|"
                     r"could not open source file \"([^\"]+)\"", said)  # fmt: skip
    name = gone and next(filter(None, gone.groups()))
    return name if name and VENDOR.fullmatch(name) else None


def include(header):
    return f"#include <warpsafe/{header}>\n"


def check_alone(compiler, headers):
    """(headers that compile, complaints about those that do not)."""
    good, complaints = [], []
    for header in headers:
        for name, flags in FLAGS.items():
            # The device compilers are slow, and read the same text.
            if flags and compiler.name in ("nvcc", "hipcc"):
                continue
            # Twice, so that a missing #pragma once shows.
            compiles, said = compiler.compile_text(include(header) * 2, *flags)
            if gone := missing_vendor_header(said):
                print(f"{header}: left out, {compiler.name} finds no <{gone}>")
                break
            if not compiles:
                complaints.append(f"{header} ({name}): {first_error(said)}\n{said}")
                break
        else:
            good.append(header)
    return good, complaints


def includes(folder, header, seen=None):
    """Every header that `header` reaches, the library's own and others."""
    seen = set() if seen is None else seen
    for name in re.findall(r"^\s*#\s*include <([^>]+)>", (folder / header).read_text(), re.MULTILINE):
        own = name.removeprefix("warpsafe/")
        if name not in seen and seen.add(name) is None and own != name and (folder / own).exists():
            includes(folder, own, seen)
    return seen


def check_poisoned(compiler, folder, headers):
    """Complaints about headers that a poisoned name breaks."""
    foreign = re.compile(FOREIGN[compiler.name])
    reached = {header: includes(folder, header) for header in headers if not foreign.search(header)}
    while True:
        outside = sorted(name for name in set().union(*reached.values())
                         if not name.startswith("warpsafe/") and not foreign.match(name))  # fmt: skip
        text = "".join(f"#include <{name}>\n" for name in outside)
        text += "".join(f"#undef {word}\n#define {word} poisoned {word}\n" for word in POISON)
        good, said = compiler.compile_text(text + "".join(map(include, reached)))
        gone = missing_vendor_header(said)
        if not gone:
            return [] if good else [f"poisoned: {first_error(said)}\n{said}"]
        reached = {header: names for header, names in reached.items() if gone not in names}


def main():
    compiler, arguments = parse_arguments(
        __doc__,
        ("variant", {"choices": ["alone", "poisoned", "kernel-side"]}),
        ("folder", {"type": Path, "help": "include/warpsafe"}),
    )
    headers = sorted(str(path.relative_to(arguments.folder))
                     for path in arguments.folder.rglob("*.hpp"))  # fmt: skip
    if arguments.variant == "alone":
        good, complaints = check_alone(compiler, headers)
        print(f"{compiler.name}: {len(good)} of {len(headers)} headers compile alone")
    elif arguments.variant == "poisoned":
        complaints = check_poisoned(compiler, arguments.folder, headers)
    else:
        good, said = compiler.compile_text(include("kernel_api.hpp"), std="c++17")
        complaints = [] if good else [f"kernel_api.hpp as C++17: {first_error(said)}\n{said}"]
    print(*complaints, sep="\n")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
