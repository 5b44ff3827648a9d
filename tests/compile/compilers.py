# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""How the tests call each compiler: to learn whether a source compiles, and nothing more."""

import argparse
import os
import re
import subprocess
import tempfile
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]

# The options that stop each compiler as early as it can still report every error.
MODES = {
    "g++": ["-fsyntax-only", "-x", "c++"],
    "clang++": ["-fsyntax-only", "-x", "c++"],
    "nvcc": ["-arch=sm_90", "-c", "-o", os.devnull, "-x", "cu"],
    "hipcc": ["-fsyntax-only", "--cuda-host-only", "--offload-arch=gfx90a",
              "-Wno-unused-command-line-argument", "-x", "hip"],
}  # fmt: skip

# Modes that find the same errors sooner, but not every warning. All of nvcc's compilers run: its device
# compiler (-ptx alone) does not check the types of a launch, and its host compiler does.
QUICK_MODES = {**MODES, "nvcc": [*MODES["nvcc"], "-Xcompiler=-fsyntax-only"]}

# Modes that generate code. Calls of a function with an error attribute only fail there.
CODE_MODES = {name: ["-c" if option == "-fsyntax-only" else option for option in mode]
              + ([] if name == "nvcc" else ["-o", os.devnull]) for name, mode in MODES.items()}  # fmt: skip


def run(command, whole=False, **environment):
    """Runs a compiler: (whether it succeeded, its first lines of output, or the whole output)."""
    environment = {**os.environ, "LC_ALL": "C", **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    said = (done.stderr + done.stdout).splitlines(keepends=True)
    return done.returncode == 0, "".join(said if whole else said[:40])


class Compiler:
    """One compiler: its name as in MODES, its program, the include folders of the library."""

    def __init__(self, name, program, includes):
        self.name = name
        self.command = [program]
        for folder in dict.fromkeys(includes):
            own = (Path(folder) / "warpsafe").is_dir()
            # Naming a system folder again would put it too early for the #include_next of libstdc++.
            if own or Path(folder) != Path("/usr/include"):
                self.command += ["-I" if own else "-isystem", folder]

    def mode(self, quick=False, code=False):
        return (CODE_MODES if code else QUICK_MODES if quick else MODES)[self.name]

    def command_line(self, source, *flags, std="c++20", quick=False, code=False, warnings=None):
        """The command that compile() runs."""
        given = []
        if not quick if warnings is None else warnings:
            given = list(WARNINGS)
            if self.name == "nvcc":
                given = ["-Werror=all-warnings", "-Xcompiler=" + ",".join(WARNINGS)]
        mode = self.mode(quick, code)
        return [*self.command, f"-std={std}", *given, *flags, *mode, str(source)]

    def compile(self, source, *flags, whole=False, **how):
        """Compiles the file `source`: (whether it compiles, the compiler's output).

        std: the language. quick: errors only, no warnings. code: generates code too. warnings: whether
        they are on, and errors; by default, unless quick. whole: all of the output, not its beginning.
        """
        return run(self.command_line(source, *flags, **how), whole)

    def compile_text(self, text, *flags, **how):
        """Compiles a generated translation unit."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "generated.cpp"
            source.write_text(text)
            return self.compile(source, *flags, **how)


ERROR = re.compile(r"\berror\b[^a-z]*:")


def first_error(output):
    """The first line that reports an error, as a user meets it; '' if there is none."""
    return next((line for line in output.splitlines() if ERROR.search(line)), "")


def parse_arguments(description, *more):
    """The options that every script here takes; `more` are (name, options) of its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--compiler", required=True, help="name=program")
    parser.add_argument("--include", action="append", default=[])
    for name, options in more:
        parser.add_argument(name, **options)
    arguments = parser.parse_args()
    name, program = arguments.compiler.split("=", 1)
    return Compiler(name, program, [folder for folder in arguments.include if folder]), arguments
