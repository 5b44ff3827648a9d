#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compiles the two programs of README.md by its command for the CPU, and compares what they print with the page:
check_readme.py PROJECT COMPILER"""
import pathlib
import re
import subprocess
import sys
import tempfile

project, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(project / "tests/compile"))
from host_libraries import host_libraries  # noqa: E402

readme = (project / "README.md").read_text()
programs = [code for code in re.findall(r"^```cpp\n(.*?)^```", readme, re.M | re.S) if "int main()" in code]
outputs = re.findall(r"^```text\n(.*?)^```", readme, re.M | re.S)
command = re.search(r"^g\+\+ (.*) -Iinclude scaled\.cpp -o scaled(.*)$", readme, re.M)


def run(*words, folder, status=0):
    ran = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=folder)
    if ran.returncode != status:
        sys.exit(f"{' '.join(words)} ends with {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout + ran.stderr


if len(programs) != 2 or len(outputs) != 2 or command is None:
    sys.exit(f"README.md has {len(programs)} programs, {len(outputs)} outputs and this command of g++: {command}")
problems = []
with tempfile.TemporaryDirectory() as folder:
    # The page's command is for x86-64.
    libraries = command[2].split() + [word for word in host_libraries(compiler) if word != "-pthread"]
    # The output of the first is whole; the report of the second begins so, and its status tells of it.
    for name, code, shown, status in zip(("scaled", "race"), programs, outputs, (0, 1)):
        (pathlib.Path(folder) / f"{name}.cpp").write_text(code)
        run(compiler, *command[1].split(), f"-I{project}/include", f"{name}.cpp", "-o", name, *libraries, folder=folder)
        printed = run(f"./{name}", folder=folder, status=status)
        if printed != shown if name == "scaled" else not printed.startswith(shown) or printed.count("Race:") != 1:
            problems.append(f"README.md, {name}.cpp:\n{shown}\nand the program prints\n{printed}")
print("\n".join(problems) or "README.md shows what the programs print")
sys.exit(1 if problems else 0)
