# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks the checks: must_fail.py and must_compile.py report each thing that they are there for, and
quick.py's compilers say what the compilers themselves say."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from compilers import first_error, parse_arguments
from must_fail import EVERY_LEVEL
from quick import Quick, begins_with, flags_for

HERE = Path(__file__).parent
MISUSES = HERE.parent / "misuse"
GOOD = "inline int twin() { return 1; }\n"


def misuse(bad, words="no such thing"):
    return f'{GOOD}#ifdef MISUSE\n{bad}  // expected-error {{{{"{words}"}}}}\n#endif\n'


STATIC_ASSERT = 'static_assert(sizeof(int) == 1, "no such thing");'

# (what the source shows, script, the sources, whether the script must accept them, words it must say)
CASES = [
    ("a refusal in the expected words", "must_fail", [misuse(STATIC_ASSERT)], True, "no such thing"),
    ("a misuse that compiles", "must_fail", [misuse("int x;")], False, "compiles at check level"),
    ("a refusal in other words", "must_fail", [misuse(STATIC_ASSERT, "another")], False,
     "does not say"),
    ("a typo, with the words in a comment only", "must_fail", [misuse("imt no_such_thing;")], False,
     "does not say"),
    ("the words on a later error line", "must_fail", [misuse("imt x; " + STATIC_ASSERT)], False,
     "does not say"),
    ("a missing include", "must_fail", [misuse("#include <no_such_header>\n" + STATIC_ASSERT)], False,
     "does not say"),
    ("no expectation", "must_fail", [GOOD], False, "needs #ifdef MISUSE"),
    ("a misuse at one check level only", "must_fail",
     [misuse("#if WARPSAFE_CHECKS == 2\n" + STATIC_ASSERT + "\n#endif\n//")], False,
     "at check level 0"),
    ("two good twins of one name", "must_compile", [GOOD, GOOD], True, "2 of 2"),
    ("a broken twin among good ones", "must_compile", [GOOD, "imt x;\n", GOOD], False, "2 of 3"),
    ("a twin with a warning", "must_compile", ["int f(long x) { return x; }\n"], False, "onversion"),
    ("includes and macros", "must_compile",
     ["#define LEVEL 1\n#include <cstddef>\n" + GOOD, "#include <cstddef>\n" + GOOD], True, "2 of 2"),
    ("a neighbour's header", "must_compile",
     ['#include "source_1.cpp"\n' + "inline int f() { return neighbour(); }\n",
      "#ifndef N\n#define N\ninline int neighbour() { return 1; }\n#endif\n"], True, "2 of 2"),
    ("an addition to the library's namespace", "must_compile",
     ["namespace warpsafe { struct S; }\nwarpsafe::S* s();\n", GOOD], True, "2 of 2"),
    ("nothing to compile", "must_compile", ["// only: no_such_compiler\n"], False, "0 of 0"),
]  # fmt: skip


# One that nvcc's own front end refuses, and one that only its host compiler does.
TOLD_ALIKE = ["b01_block_of_2048.cpp", "c03_int64_to_int.cpp"]


def check_case(shows, script, sources, accepts, words, folder, prepared):
    """Complaints about one of the CASES."""
    paths = [folder / f"source_{i}.cpp" for i in range(len(sources))]
    for path, text in zip(paths, sources):
        path.write_text(text)
    quick = ["--quick", prepared] if script == "must_fail" else []
    done = subprocess.run([sys.executable, "-S", HERE / f"{script}.py", *sys.argv[1:], *paths, *quick],
                          capture_output=True, text=True, env=os.environ)  # fmt: skip
    said = done.stdout + done.stderr
    if (done.returncode == 0) == accepts and words in said:
        return []
    return [f"{script}: {shows}: exit code {done.returncode}, and not '{words}' but\n{said}"]


def check_quick(quick, source):
    """Complaints about what a prepared Quick says of a misuse, and of one precompiled for another."""
    itself = quick.compiler.compile(source, *flags_for(2), quick=True)
    told = quick.compile(source, 2)
    wrong = []
    if itself[0] or told[0] or not first_error(told[1]) or first_error(told[1]) != first_error(itself[1]):
        wrong += [f"{source}: the compiler says\n{itself}\nand asked quickly\n{told}"]
    header = begins_with(source.read_text())
    harmless = quick.folder / "harmless.cpp"
    harmless.write_text(f"#include {header}\n{misuse('int x;')}\n")
    if not quick.compile(harmless, 2)[0]:
        wrong += [f"what compiles is refused after {header}:\n{quick.compile(harmless, 2)[1]}"]
    precompiled = quick.precompiled(header, 2)
    for path in [Path(f"{precompiled}{suffix}") for suffix in ("", ".gch")]:
        if precompiled and path.exists():
            path.write_text("none of that compiler's")
            good, said = quick.compile(source, 2)
            if good or first_error(said) == first_error(told[1]):
                wrong += [f"{source}: nobody noticed that {path} does not fit:\n{said}"]
    return wrong


def main():
    compiler, _ = parse_arguments(__doc__)
    compiler.command += ["-I", str(MISUSES)]
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        quick = Quick(compiler, folder)
        sources = [MISUSES / source for source in TOLD_ALIKE]
        headers = {begins_with(source.read_text()) for source in sources}
        wrong += [said for said in [quick.prepare([""]), quick.prepare(headers, [2])] if said]
        for case in CASES:
            if "check level 0" not in case[4] or compiler.name in EVERY_LEVEL:
                wrong += check_case(*case, folder, folder)
        for source in sources:
            wrong += check_quick(quick, source)
    print(*wrong, sep="\n")
    print(f"{len(wrong)} complaints about {len(CASES)} cases and {len(TOLD_ALIKE)} misuses told alike")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
