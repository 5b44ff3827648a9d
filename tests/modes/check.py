# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compiles program.cpp in a mode that users have, without a warning, and runs it: it prints nothing and ends with 0.

The exit code is 77 if the compiler cannot link any program in that mode, as without its sanitizers.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compile"))
from compilers import WARNINGS, parse_arguments, run  # noqa: E402
from host_libraries import host_libraries  # noqa: E402

# The warnings of common templates for C++ projects.
TEMPLATE = ["-Wsign-conversion", "-Wnull-dereference", "-Wformat=2", "-Wold-style-cast", "-Wdouble-promotion",
            "-Wcast-align", "-Woverloaded-virtual", "-Wpedantic", "-Wnon-virtual-dtor", "-Wunused"]  # fmt: skip
# Those that clang++ does not know.
ONLY_GXX = ["-Wuseless-cast", "-Wduplicated-cond", "-Wlogical-op"]
SANITIZER = ["-g1", "-fno-sanitize-recover=all"]

MODES = {
    "warnings": ["-O2", *TEMPLATE],
    "warnings-release": ["-O3", "-DNDEBUG", *TEMPLATE],
    "O0": ["-O0"],
    "Og": ["-Og", "-g"],
    "lto": ["-O2", "-flto=auto"],
    "no-exceptions": ["-O1", "-fno-exceptions", "-fno-rtti"],
    "library-debug": ["-O0", "-D_GLIBCXX_DEBUG", "-D_GLIBCXX_ASSERTIONS"],
    "c++23": ["-O0", "-std=c++2b"],
    "address": ["-O1", "-fsanitize=address", *SANITIZER],
    "undefined": ["-O1", "-fsanitize=undefined", *SANITIZER],
    "null": ["-O0", "-fsanitize=null", *SANITIZER],
    "thread": ["-O1", "-fsanitize=thread", *SANITIZER],
}  # fmt: skip


def build(compiler, source, flags, program):
    return run([*compiler.command, "-std=c++20", *flags, str(source), "-o", str(program), *host_libraries(compiler.command[0])])


def main():
    compiler, arguments = parse_arguments(__doc__, ("mode", {"choices": MODES}))
    flags = [*WARNINGS, *MODES[arguments.mode]]
    if compiler.name == "g++" and arguments.mode.startswith("warnings"):
        flags += ONLY_GXX
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        empty = Path(folder) / "empty.cpp"
        empty.write_text("int main() { return 0; }\n")
        if not build(compiler, empty, flags, program)[0]:
            print(f"{compiler.name} links no program with {' '.join(MODES[arguments.mode])}")
            return 77
        built, said = build(compiler, Path(__file__).parent / "program.cpp", flags, program)
        if not built or said:
            print(f"{' '.join(compiler.command)} {' '.join(flags)}:\n{said}")
            return 1
        done = subprocess.run([program], capture_output=True, text=True, timeout=600)
        said = done.stdout + done.stderr
        if done.returncode != 0 or said:
            print(f"the program ended with {done.returncode} and said:\n{said}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
