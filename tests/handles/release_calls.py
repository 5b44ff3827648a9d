# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks the cost of StreamBound::call in the object code. In a release build it is the bare call and a
comparison of its status; no other function except the one that creates an error, and no atomic instruction. A
checked build has both, which shows that the check looks at the right place."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "compile"))
from compilers import parse_arguments  # noqa: E402

ATOMIC = re.compile(r"\tlock |\txchg .*\(")


def disassemble(compiler, source, level):
    """{function: its lines of objdump -dr}, including the function's cold part."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "release_calls.o"
        subprocess.run([*compiler.command, "-std=c++20", "-O2", "-DNDEBUG", f"-DWARPSAFE_CHECKS={level}",
                        "-c", str(source), "-o", str(target)], check=True)  # fmt: skip
        said = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", str(target)], check=True,
                              capture_output=True, text=True).stdout  # fmt: skip
    functions, lines = {}, []
    for line in said.splitlines():
        if start := re.match(r"[0-9a-f]+ <(\w+)(\.cold)?>:", line):
            lines = functions.setdefault(start[1], [])
        else:
            lines.append(line)
    return functions


def called(lines):
    """The called functions, in order, from the relocations of calls and jumps."""
    targets = (re.search(r"R_X86_64_PLT32\t([^\s+-]+)", line) for line in lines)
    return [target[1] for target in targets if target and not target[1].startswith(".")]


def instructions(lines):
    return sum(bool(re.match(r"\s+[0-9a-f]+:\t(?!nop|data16|cs nop)", line)) and "R_X86" not in line
               for line in lines)  # fmt: skip


def main():
    compiler, arguments = parse_arguments(__doc__, ("source", {"type": Path}))
    wrong = []
    for level in (0, 1):
        functions = disassemble(compiler, arguments.source, level)
        bare, bound = functions["bare"], functions["bound"]
        everywhere = [line for lines in functions.values() for line in lines]
        library = [name for name in called(bound) if "library_axpy" in name]
        others = [name for name in called(bound) if name not in library and "library_error" not in name
                  and "__stack_chk_fail" not in name]  # fmt: skip
        print(f"{compiler.name}, check level {level}: {instructions(bare)} instructions bare, "
              f"{instructions(bound)} bound, which calls {called(bound)}")  # fmt: skip
        if level == 0 and (len(library) != 1 or called(bare) != library):
            wrong.append("a release build does not call the library's function once")
        if level == 0 and (others or any(map(ATOMIC.search, bound))):
            wrong.append(f"a release build has more than the bare call: {others}")
        if level == 1 and not any(map(ATOMIC.search, everywhere)):
            wrong.append("a checked build has no atomic instruction")
        if level == 1 and not any("library_get_stream" in name for name in called(everywhere)):
            wrong.append("a checked build does not ask for the handle's stream")
    print(*wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
