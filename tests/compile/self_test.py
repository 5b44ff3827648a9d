# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks the checks: must_fail.py and must_compile.py report each thing that they are there for."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from must_fail import EVERY_LEVEL

HERE = Path(__file__).parent
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


def main():
    wrong = 0
    all_levels = any(f"--compiler {name}=" in " ".join(sys.argv) for name in EVERY_LEVEL)
    for shows, script, sources, accepts, words in CASES:
        if "check level 0" in words and not all_levels:
            continue
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / f"source_{i}.cpp" for i in range(len(sources))]
            for path, text in zip(paths, sources):
                path.write_text(text)
            done = subprocess.run([sys.executable, HERE / f"{script}.py", *sys.argv[1:], *paths],
                                  capture_output=True, text=True, env=os.environ)  # fmt: skip
        said = done.stdout + done.stderr
        if (done.returncode == 0) != accepts or words not in said:
            wrong += 1
            print(f"{script}: {shows}: exit code {done.returncode}, and not '{words}' but\n{said}")
    print(f"{len(CASES) - wrong} of {len(CASES)} cases as they should be")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
