# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Asks a compiler for every error of one source after another, in a fraction of the time.

g++, clang++ and hipcc read the header that a source begins with precompiled. hipcc, a script that starts a
dozen programs, tells once which compiler it runs. nvcc's device compiler is left out: nvcc runs it after
cudafe++, which knows all that it knows, and before the host compiler.

As a script: prepares FOLDER for one compiler and the snippets of tests/misuse, at each check level or at one.
"""

import json
import re
import shlex
import sys
import tempfile
from pathlib import Path

from compilers import parse_arguments, run

# The includes that files of snippets begin with. "" stands for what a compiler reads before any source,
# which takes hipcc most of its time.
HEADERS = ['"launches.hpp"', '"handles.hpp"', '"data.hpp"']
LEVELS = (1, 0)

# A precompiled header that does not fit must be an error, never a fallback to text: clang reports it, and
# g++ finds no header of that name. With C++20 modules, clang 15 cannot read back a precompiled header with
# overloads for host and device.
FITS = {"g++": ["-Winvalid-pch"], "clang++": [], "hipcc": ["-Xclang", "-fno-cxx-modules"]}

# No limit for the number of errors, nor for the length of their paths.
GCC_ERRORS = ["-fmax-errors=0", "-ftemplate-backtrace-limit=0"]
CLANG_ERRORS = ["-ferror-limit=0", "-ftemplate-backtrace-limit=0"]
ERRORS = {"g++": GCC_ERRORS, "clang++": CLANG_ERRORS, "hipcc": CLANG_ERRORS,
          "nvcc": ["-Xcompiler=" + ",".join(GCC_ERRORS)]}  # fmt: skip
CUDAFE_ERRORS = ["--error_limit", "100000", "--context_limit", "1000"]


def flags_for(level):
    return [f"-DWARPSAFE_CHECKS={level}"]


def begins_with(text):
    """The header that a source includes first, before any macro and condition; "" for one of no note."""
    words = [found for found in re.findall(r"^\s*#\s*(\w+)\s*(.*?)\s*$", text, re.MULTILINE)
             if found not in (("define", "MISUSE"),) and found[0] != "line"]  # fmt: skip
    return words[0][1] if words and words[0][0] == "include" and words[0][1] in HEADERS else ""


class Quick:
    """A compiler (as in compilers.py), and the folder that prepare() fills for it.

    flags: those for a check level. warnings: they are errors. front_end: of nvcc, that alone.
    """

    def __init__(self, compiler, folder, flags=flags_for, warnings=False, front_end=False):
        self.compiler = compiler
        self.flags = flags
        self.warnings = warnings
        self.front_end = front_end
        self.folder = Path(folder).absolute() / compiler.name
        self.placeholder = self.folder / "placeholder.cpp"

    def precompiled(self, header, level):
        """Where a header lies precompiled; None where it does not."""
        if self.compiler.name not in FITS or (not header and self.compiler.name != "hipcc"):
            return None
        return self.folder / (re.sub(r"\W", "_", header) + f"_{level}")

    def prepare(self, headers=("", *HEADERS), levels=LEVELS):
        """What went wrong; "" if nothing did."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for level in levels:
            if self.compiler.name == "hipcc":
                self.asked(level).write_text(json.dumps(self.ask(level)))
            for header in headers:
                out = self.precompiled(header, level)
                said = out and self.precompile(header, out, level)
                if said:
                    return said
        return ""

    def precompile(self, header, out, level):
        source = Path(f"{out}.hpp")
        source.write_text(f"#include {header}\n" if header else "")
        if self.compiler.name == "g++":
            mode = ["-x", "c++-header", "-o", f"{out}.gch"]
        else:
            mode = [*self.compiler.mode(quick=True)]
            mode += [word for option in ["-emit-pch", "-o", out] for word in ["-Xclang", str(option)]]
        given = [*self.flags(level), *FITS[self.compiler.name]]
        done, said = run([*self.compiler.command, "-std=c++20", *given, *mode, str(source)])
        return "" if done else said

    def asked(self, level):
        return self.folder / f"asked_{level}{'_warnings' if self.warnings else ''}.json"

    def ask(self, level):
        """The one command that hipcc runs for the source self.placeholder."""
        self.placeholder.touch()
        given = [*self.flags(level), *ERRORS["hipcc"], *FITS["hipcc"], "-###"]
        command = self.compiler.command_line(self.placeholder, *given, quick=True, warnings=self.warnings)
        _, said = run(command, whole=True)
        commands = [shlex.split(line) for line in said.splitlines() if '"-cc1"' in line]
        if len(commands) != 1 or commands[0][1] != "-cc1":
            raise SystemExit(f"hipcc runs no single compiler:\n{said}")
        return commands[0]

    def compile(self, source, level, header=None, code=False):
        """Compiles a source: (whether it compiles, the whole output).

        header: which of the prepared ones it begins with; by default, what begins_with() says. code:
        generates code, which of these only nvcc and hipcc do.
        """
        out = self.precompiled(begins_with(source.read_text()) if header is None else header, level)
        given = [*self.flags(level), *ERRORS[self.compiler.name]]
        if self.compiler.name == "nvcc":
            return self.without_device_compiler(source, given, code)
        if self.compiler.name == "hipcc" and not code:
            program, mode, *rest = json.loads(self.asked(level).read_text())
            names = {str(self.placeholder): str(source), self.placeholder.name: source.name}
            rest = [names.get(word, word) for word in rest]
            return run([program, mode, "-include-pch", str(out), *rest], whole=True)
        if out and not code:
            use = "-include" if self.compiler.name == "g++" else "-include-pch"
            given += [*FITS[self.compiler.name], use, str(out)]
        return self.compiler.compile(source, *given, quick=True, code=code, warnings=self.warnings, whole=True)

    def without_device_compiler(self, source, given, code):
        """Runs the steps that nvcc names, without the device compiler and what reads its output."""
        command = self.compiler.command_line(source, *given, quick=True, code=code, warnings=self.warnings)
        with tempfile.TemporaryDirectory() as folder:
            _, said = run([*command, "--dryrun", "--keep", "--keep-dir", folder], whole=True)
            lines = re.findall(r"^#\$ (.*)$", said, re.MULTILINE)
            path = [line[5:] for line in lines if line.startswith("PATH=")]
            steps = [shlex.split(line) for line in lines if re.match(r"(gcc|cudafe\+\+) ", line)
                     and not (" -E " in line and " -D__CUDA_ARCH__=" in line)]  # fmt: skip
            if len(path) != 1 or len(steps) != 3:
                raise SystemExit(f"nvcc's steps are not those known here:\n{said}")
            # The device compiler's part of the host's source. Without it, the declarations that it defines
            # have no definitions.
            stub = steps[1][steps[1].index("--stub_file_name") + 1]
            (Path(folder) / stub).touch()
            steps[2].append("-Wno-unused-function")
            steps[1][1:1] = CUDAFE_ERRORS
            for step in steps[:2] if self.front_end else steps:
                good, said = run(step, whole=True, PATH=path[0])
                if not good:
                    return good, said
        return good, said


def main():
    compiler, arguments = parse_arguments(__doc__, ("folder", {"type": Path}), ("--level", {"type": int, "choices": LEVELS}))
    levels = LEVELS if arguments.level is None else [arguments.level]
    said = Quick(compiler, arguments.folder).prepare(levels=levels)
    # The same precompiled headers work with warnings on, except for hipcc, which is prepared again.
    said = said or Quick(compiler, arguments.folder, warnings=True).prepare([], levels)
    print(said)
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
