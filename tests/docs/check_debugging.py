#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares pages of docs/tools with the program: each block that begins with `$ [NAME=VALUE…] ./demo [WHAT]` must
show the output of that run. check_debugging.py PROGRAM PROJECT [--update]. Replaces addresses and times, which
differ from run to run."""
import os
import pathlib
import re
import signal
import subprocess
import sys

program, project = sys.argv[1], pathlib.Path(sys.argv[2])
PAGES = ("debugging", "hangs", "log")
RUN = re.compile(r"(```console\n\$ ((?:\w+=\S+ )*)\./demo ?(\S*)\n)(.*?)(?=^```$)", re.M | re.S)


def output(variables, what):
    environment = {name: value for name, value in os.environ.items() if "WARPSAFE" not in name}
    environment |= dict(word.split("=", 1) for word in variables.split())
    run = subprocess.Popen([program, *what.split()], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "WARPSAFE_BREAK" in environment and os.WIFSTOPPED(os.waitpid(run.pid, os.WUNTRACED)[1]):
        run.send_signal(signal.SIGCONT)
    text = re.sub(r"0x[0-9a-f]+", "0x55d0c8", "".join(run.communicate(timeout=600)))
    text = re.sub(r"ended after [0-9]+ ms", "ended after 1003 ms", text)
    return re.sub(r"[0-9]+\.[0-9] us", "3.1 us", text)


runs = []
for page in (project / f"docs/tools/{name}.md" for name in PAGES):
    text = page.read_text()
    if sys.argv[3:] == ["--update"]:
        page.write_text(text := RUN.sub(lambda run: run[1] + output(run[2], run[3]), text))
    on_page = list(RUN.finditer(text))
    if not on_page:
        sys.exit(f"{page.name} shows no run of the program")
    runs += on_page
problems = [f"{run[1]}prints\n{now}" for run in runs if (now := output(run[2], run[3])) != run[4]]
print("\n".join(problems) or f"{len(runs)} runs are as the pages show them")
sys.exit(1 if problems or len(runs) < 10 else 0)
