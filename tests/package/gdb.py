#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that gdb shows each variable of every_type.hpp as the program prints it, and that the variables
cover every public type: gdb.py SOURCE FOLDER CXX

Exit code 77: gdb is missing, has no Python, or may not trace."""
import pathlib
import re
import shutil
import subprocess
import sys

import printed_fields
import public_types

source, folder, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
sys.path.insert(0, str(source / "tests/compile"))
from host_libraries import host_libraries  # noqa: E402

folder.mkdir(parents=True, exist_ok=True)
program = folder / "shown"
subprocess.run(
    [compiler, "-std=c++20", "-g", "-O0", "-DWARPSAFE_BACKEND_HOST=1", f"-I{source / 'include'}", source / "tests/package/gdb/shown.cpp", "-o", program,
     *host_libraries(compiler)],
    check=True,
)
run = subprocess.run([program], capture_output=True, text=True, timeout=600)
printed = {name: (kind, text) for name, kind, text in re.findall(r"^PRINTED (\w+) OF [^\n]*T = ([^\n]*)\]\n(.*?)\nEND$", run.stdout, re.M | re.S)}
types = {re.sub(r"<.*|(?<=warpsafe::)v\d+_\d+_\d+::", "", kind).removeprefix("warpsafe::") for kind, _ in printed.values()}
problems = public_types.problems(source / "include" / "warpsafe", types | {"LaunchError"})
problems += printed_fields.problems(source)
if run.returncode != 0:
    problems.append(f"{program} ends with {run.returncode}: {run.stdout[-1000:]}{run.stderr}")


def finish(said=""):
    print("\n".join([said, *problems]) if problems else f"{len(printed)} variables of {len(types)} types")
    sys.exit(1 if problems else 0)


gdb = shutil.which("gdb")
if problems:
    finish()
if not gdb:
    print("skipped: no gdb here")
    sys.exit(77)

# Each function of every_type.hpp stops after its variables; errors are in shown.cpp.
text = (source / "tests/unit/print/every_type.hpp").read_text()
stops = [re.findall(r"^  SHOW\((\w+)\);", part, re.M) for part in text.split("stop_here();")[:-1]]
# Keeps address randomisation, because containers forbid switching it off.
commands = ["set disable-randomization off", "set debuginfod enabled off", f"source {source / 'packaging/gdb/warpsafe_gdb.py'}", "break stopped", "run"]
for names in [*stops, ["refused"]]:
    commands += ["up 2", *(command for name in names for command in (f"echo SHOWN {name}\\n", f"print {name}", "echo END\\n")), "continue"]
script = folder / "commands"
script.write_text("\n".join(commands) + "\n")
run = subprocess.run([gdb, "-nx", "-batch", "-x", script, program], capture_output=True, text=True, timeout=240)
said = run.stdout + run.stderr
if re.search("Operation not permitted|Python scripting is not supported", said):
    print(said, "\nskipped: gdb may not trace here, or has no Python")
    sys.exit(77)

shown = dict(re.findall(r"^SHOWN (\w+)\n\$\d+ = (.*?)\nEND$", said, re.M | re.S))
# The stopped program is another run than the one above, so its addresses differ.
printed |= {name: (kind, text) for name, kind, text in re.findall(r"PRINTED (\w+) OF [^\n]*T = ([^\n]*)\]\n(.*?)\nEND$", run.stdout, re.M | re.S)}
for name in (name for names in stops for name in names):
    if name not in printed:
        problems.append(f"{name}: the program does not print it")
    elif shown.get(name) != printed[name][1]:
        problems.append(f"{name}: gdb shows '{shown.get(name)}', the program prints '{printed[name][1]}'")
refused = "block_too_large, block=(64,64,1), 4096 against 1024, at shown.cpp:"
if not shown.get("refused", "").startswith(refused):
    problems.append(f"refused: gdb shows '{shown.get('refused')}', not '{refused}…'")
finish(said[-4000:])
