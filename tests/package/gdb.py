#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""gdb shows each variable of gdb/shown.cpp as the program prints it: gdb.py SOURCE FOLDER CXX

Exit code 77: no gdb here, one without Python, or one that may not trace."""
import pathlib
import re
import shutil
import subprocess
import sys

source, folder, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
gdb = shutil.which("gdb")
if not gdb:
    print("skipped: no gdb here")
    sys.exit(77)
folder.mkdir(parents=True, exist_ok=True)
program = folder / "shown"
text = source / "tests" / "package" / "gdb" / "shown.cpp"
subprocess.run(
    [compiler, "-std=c++20", "-g", "-O0", "-DWARPSAFE_BACKEND_HOST=1", f"-I{source / 'include'}", text, "-o", program, "-lboost_context", "-pthread"],
    check=True,
)


def in_gdb(*commands):
    """What gdb says, stopped in the function whose variables are looked at."""
    # Without switching address randomization off, which containers forbid.
    before = ["set disable-randomization off", "set debuginfod enabled off", f"source {source / 'packaging/gdb/warpsafe_gdb.py'}", "break stop_here", "run", "up"]
    arguments = [argument for command in (*before, *commands) for argument in ("-ex", command)]
    run = subprocess.run([gdb, "-nx", "-batch", *arguments, program], capture_output=True, text=True, timeout=120)
    said = run.stdout + run.stderr
    if re.search("Operation not permitted|Python scripting is not supported", said):
        print(said, "\nskipped: gdb may not trace here, or has no Python")
        sys.exit(77)
    return said


names = re.findall(r"^  SHOW\((\w+)\);", text.read_text(), re.M)
said = in_gdb(*(command for name in [*names, "refused"] for command in (f"echo SHOWN {name}\\n", f"print {name}")))
printed = dict(re.findall(r"^(\w+) = (.*)$", said, re.M))
shown = dict(re.findall(r"^SHOWN (\w+)\n\$\d+ = (.*)$", said, re.M))
problems = [
    f"{name}: gdb shows '{shown.get(name)}', the program prints '{printed.get(name)}'"
    for name in names
    if name not in shown or shown[name] != printed.get(name)
]
refused = "block_too_large, block=(64,64,1), 4096 against 1024, at shown.cpp:"
if not shown.get("refused", "").startswith(refused):
    problems.append(f"refused: gdb shows '{shown.get('refused')}', not '{refused}…'")
print(said if problems else f"{len(shown)} variables")
print("\n".join(problems))
sys.exit(1 if problems else 0)
