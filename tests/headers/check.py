# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that each public header compiles on its own, and that common macros do not break it.

alone: every header by itself, by g++ without exceptions and RTTI. poisoned: all headers in one
translation unit, after macros that other code is known to define. kernel-side: kernel_api.hpp as
C++17. A header that needs a vendor's header which this compiler does not find is left out, by name.
"""

import re
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "compile"))
from compilers import first_error, parse_arguments  # noqa: E402
from quick import Quick  # noqa: E402

# The only headers that may be missing; a misspelt include of any other kind is an error.
VENDOR = re.compile(r"(cu[a-z]+(_[a-z0-9_]+)?\.h|nccl\.h|nvrtc\.h|nvtx3/.*|(hip|roc|rccl|thrust|cuda|"
                    r"rmm|cub|fmt|spdlog|ATen|c10|torch)[a-z]*/.*)")  # fmt: skip

# Names that widely used headers define as macros: <complex.h>, <termios.h>, <sys/sysmacros.h>,
# curses', X11's and Windows'. They are poisoned after the headers of Boost, the standard library and the vendors,
# which do not compile with them (Boost.Outcome does not compile with I).
POISON = """I small B0 B1 min max major minor Status Success None Bool True False Always Complex
far near interface CONST ERROR IN OUT OPTIONAL VOID DELETE NO_ERROR DIFFERENCE
_A _B _C _N _X""".split()

# Headers made for one vendor, by the beginning of their names, and those that each compiler skips. A host
# compiler reads both vendors' headers, though not in one unit.
CUDA, HIP = r"(^|/)(cu|nccl|nv)", r"(^|/)(hip|roc|rccl|miopen)"
# fmt 9, which spdlog includes too, does not compile under nvcc 13 in C++20, so nvcc skips both.
FOREIGN = {"nvcc": f"{HIP}|^(fmt|spdlog)/", "hipcc": CUDA}

# Here clang++ reads each header with exceptions; g++ does so in all other tests. Host compilers need a macro
# that names HIP's platform.
FLAGS = {
    "g++": ["-D__HIP_PLATFORM_AMD__=1", "-fno-exceptions", "-fno-rtti"],
    "clang++": ["-D__HIP_PLATFORM_AMD__=1"],
}

# A header from outside takes a compiler about as long as this many lines of the library, and precompiling a header
# about as long as reading it this often.
LINES_OUTSIDE = 300
PRECOMPILING = 2


def missing_vendor_header(said):
    """The vendor's header whose absence is the whole error, or None."""
    gone = re.search(r"fatal error: ([^\s':]+): No such file|fatal error: '([^']+)' file not found|"
                     r"could not open source file \"([^\"]+)\"", said)  # fmt: skip
    name = gone and next(filter(None, gone.groups()))
    return name if name and VENDOR.fullmatch(name) else None


def names_of(folder):
    """Every header of the library."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.hpp"))


def include(header):
    return f"#include <warpsafe/{header}>\n"


def begins_with(folder, header):
    """The header of the library's own that `header` includes before anything else, or None."""
    words = re.findall(r"^\s*#\s*(\w+)\s*(.*?)\s*$", (folder / header).read_text(), re.MULTILINE)
    word, what = next((found for found in words if found[0] != "pragma"), ("", ""))
    own = re.fullmatch(r"<warpsafe/([^>]+)>", what)
    return own[1] if word == "include" and own and (folder / own[1]).exists() else None


def beginnings(folder, headers):
    """{header: what is read of the library before its own text, the nearest first}."""
    first = {header: begins_with(folder, header) for header in headers}
    found = {}
    for header in headers:
        found[header] = []
        while (header_before := first.get((found[header] or [header])[-1])) is not None:
            found[header].append(header_before)
    return found


def leading_includes(folder, header):
    """What `header` includes before any text of its own, and outside any condition."""
    found = []
    for line in (folder / header).read_text().splitlines():
        if name := re.fullmatch(r"\s*#\s*include <([^>]+)>.*", line):
            found.append(name[1])
        elif line.strip() and not re.match(r"\s*(//|#\s*pragma once\b)", line):
            break
    return found


def read_before(folder, headers):
    """{header: {another header of the library: its weight}}: what each reads before any text of its own.

    The weight stands for the time that a compiler needs for the other header.
    """
    leading = {header: leading_includes(folder, header) for header in headers}
    own = {header: [name.removeprefix("warpsafe/") for name in names if name.removeprefix("warpsafe/") in leading]
           for header, names in leading.items()}  # fmt: skip
    reached = {}

    def reach(header):
        if header not in reached:
            reached[header] = set().union(*({name} | reach(name) for name in own[header]))
        return reached[header]

    lines = {header: (folder / header).read_text().count("\n") for header in headers}

    def weight(header):
        read = {header} | reach(header)
        outside = {name for one in read for name in leading[one] if not name.startswith("warpsafe/")}
        return sum(lines[one] for one in read) + LINES_OUTSIDE * len(outside)

    weights = {header: weight(header) for header in headers}
    return {header: {name: weights[name] for name in reach(header)} for header in headers}


def worth_precompiling(weights):
    """The headers whose precompiled forms save the most, as long as each saves more than it costs."""
    chosen, saved = [], dict.fromkeys(weights, 0)
    costs = {name: PRECOMPILING * weight for others in weights.values() for name, weight in others.items()}

    def gain(name):
        return sum(max(0, others.get(name, 0) - saved[header]) for header, others in weights.items()) - costs[name]

    while costs and gain(best := max(sorted(costs), key=gain)) > 0:
        chosen.append(best)
        saved = {header: max(saved[header], others.get(best, 0)) for header, others in weights.items()}
        del costs[best]
    return chosen


class Precompiled:
    """Chooses a header's precompiled beginning: the weightiest that it reads before any text of its own.

    This hides nothing: the header reads the other one first anyway, and what stands between them are headers, which
    are checked themselves.
    """

    def __init__(self, quick, folder, headers, wanted=None):
        """wanted: the headers to be compiled; all of them unless given."""
        weights = read_before(folder, headers)
        self.weights = {header: before for header, before in weights.items() if wanted is None or header in wanted}
        self.ready = {name for name in worth_precompiling(self.weights)
                      if quick.precompiled(f"<warpsafe/{name}>", 0)
                      and not quick.prepare([f"<warpsafe/{name}>"], [0])}  # fmt: skip

    def beginning(self, header):
        """What Quick.compile() is to read precompiled."""
        weights = self.weights.get(header, {})
        usable = sorted(self.ready & weights.keys())
        return f"<warpsafe/{max(usable, key=weights.get)}>" if usable else ""


def check_alone(compiler, folder, headers):
    """Complaints about headers that do not compile by themselves."""
    before = beginnings(folder, headers)
    with tempfile.TemporaryDirectory() as made:
        # nvcc runs only its front end here, without warnings; the unit with all headers covers the rest.
        nvcc = compiler.name == "nvcc"
        quick = Quick(compiler, made, lambda _: FLAGS.get(compiler.name, []), not nvcc, front_end=nvcc)
        complaints = list(filter(None, [quick.prepare([""], [0])]))
        if complaints:
            return complaints
        return compile_alone(quick, Path(made) / "generated.cpp", before, Precompiled(quick, folder, headers))


def compile_alone(quick, source, before, precompiled):
    good, complaints = set(), []
    for header in sorted(before, key=lambda name: -len(before[name])):
        if header in good:
            continue
        # Twice, so that a missing #pragma once shows, in this header and in its first include.
        source.write_text("".join(map(include, [header, *before[header], header])))
        compiles, said = quick.compile(source, 0, precompiled.beginning(header))
        if gone := missing_vendor_header(said):
            print(f"{header}: left out, this compiler finds no <{gone}>")
        elif not compiles:
            complaints.append(f"{header}: {first_error(said)}\n{said}")
        else:
            # nvcc precompiles nothing, so the headers that it read first are not checked again.
            good |= {header, *(before[header] if quick.front_end else [])} & before.keys()
    print(f"{len(good)} of {len(before)} headers compile alone")
    return complaints


def includes(folder, header, seen=None):
    """Every header that `header` reaches, the library's own and others."""
    seen = set() if seen is None else seen
    for name in re.findall(r"^\s*#\s*include <([^>]+)>", (folder / header).read_text(), re.MULTILINE):
        own = name.removeprefix("warpsafe/")
        if name not in seen and seen.add(name) is None and own != name and (folder / own).exists():
            includes(folder, own, seen)
    return seen


def required(folder, header, seen=None):
    """Every header that `header` reaches by includes at its beginning, before any text and outside of any condition."""
    seen = set() if seen is None else seen
    for name in leading_includes(folder, header):
        own = name.removeprefix("warpsafe/")
        if name not in seen and seen.add(name) is None and own != name and (folder / own).exists():
            required(folder, own, seen)
    return seen


def absent_vendor_headers(compiler, names):
    """Those of `names` that the compiler does not find."""
    names = sorted(filter(VENDOR.fullmatch, names))
    text = "".join(f"#if !__has_include(<{name}>)\n#error there is no <{name}>\n#endif\n" for name in names)
    _, said = compiler.compile_text(text, whole=True)
    return set(re.findall(r"there is no <([^>]+)>", said))


def check_poisoned(compiler, folder, headers):
    """Complaints about headers that a poisoned name breaks."""
    foreign = re.compile(FOREIGN.get(compiler.name, f"{CUDA}|{HIP}"))
    reached = {header: includes(folder, header) for header in headers if not foreign.search(header)}
    # Asking finds most vendors' headers that are missing; each of the others stops the compiler once more.
    needs = {header: required(folder, header) for header in reached}
    absent = absent_vendor_headers(compiler, set().union(*needs.values()))
    reached = {header: names for header, names in reached.items() if not needs[header] & absent}
    while True:
        outside = sorted(name for name in set().union(*reached.values())
                         if not name.startswith("warpsafe/") and not foreign.match(name))  # fmt: skip
        # Includes those that exist. `alone` shows which ones a header needs.
        text = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n"
                       for name in outside)  # fmt: skip
        text += "".join(f"#undef {word}\n#define {word} poisoned {word}\n" for word in POISON)
        text += "".join(map(include, reached))
        good, said = compiler.compile_text(text)
        gone = missing_vendor_header(said)
        if not gone:
            print(f"{len(reached)} headers in one unit")
            return [] if good else [f"poisoned: {first_error(said)}\n{said}"]
        reached = {header: names for header, names in reached.items() if gone not in names}


def main():
    compiler, arguments = parse_arguments(
        __doc__,
        ("variant", {"choices": ["alone", "poisoned", "kernel-side"]}),
        ("folder", {"type": Path, "help": "include/warpsafe"}),
    )
    headers = names_of(arguments.folder)
    if foreign := FOREIGN.get(compiler.name):
        # The public headers include the internal parts. Some of these are only for host compilers, and those
        # of the CPU model take a device compiler seconds each.
        headers = [header for header in headers if not re.search(foreign, header)
                   and not header.startswith("backend/host/") and "/detail/" not in header]  # fmt: skip
    if arguments.variant == "alone":
        complaints = check_alone(compiler, arguments.folder, headers)
    elif arguments.variant == "poisoned":
        complaints = check_poisoned(compiler, arguments.folder, headers)
    else:
        good, said = compiler.compile_text(include("kernel_api.hpp"), std="c++17")
        complaints = [] if good else [f"kernel_api.hpp as C++17: {first_error(said)}\n{said}"]
    print(*complaints, sep="\n")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
