#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs examples/replay and examples/bisect as their first lines say: replay.py REPLAY BISECT [PAGE…]. The
27th of 40 launches is wrong: the shadow names it, the bisection finds it, and its dump does the same
again. Each block of a PAGE (docs/tools/compare.md) that begins with `$ [NAME=VALUE…] ./replay` or
`./bisect` shows what that prints, addresses replaced; --update after the pages writes them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

replay, bisect = (os.path.abspath(name) for name in sys.argv[1:3])
pages = [pathlib.Path(name).resolve() for name in sys.argv[3:] if name and name != "--update"]
BLOCK = re.compile(r"(```console\n\$ ((?:\w+=\S+ )*)(\./(?:replay|bisect)[^\n]*)\n)(.*?)(?=^```$)", re.M | re.S)


def run(*command, **switches):
    environment = {name: value for name, value in os.environ.items() if "WARPSAFE" not in name}
    done = subprocess.run(command, env=environment | switches, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def expect(what, outcome, code, *texts):
    missing = [text for text in texts if text not in outcome[1]]
    if outcome[0] != code or missing:
        sys.exit(f"{what}: ended with {outcome[0]}, not {code}; lacks {missing}\n{outcome[1]}")


plain = run(replay)
if "no device was found" in plain[1]:
    sys.exit("no device was found")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    expect("the run", plain, 1, "the sum was 49500 before and is ")
    expect("with references", run(replay, WARPSAFE_REFERENCE="all"), 0, "is 49500\n")
    expect("beside references", run(replay, WARPSAFE_SHADOW="all"), 3, "launch 27, kernel 'diffuse': argument 2 ",
           "1 of 1000 numbers (float32) differ", "first at [500]")  # fmt: skip
    expect("the trace", run(replay, WARPSAFE_TRACE="diffuse:26:1"), 1, "written to warpsafe-trace/000027-diffuse")
    expect("the replay", run(replay, "warpsafe-trace/000027-diffuse"), 0, "compared with the recorded results: 1000 numbers",
           "compared with the reference: 1 of 1000 numbers")  # fmt: skip
    expect("the bisection", run(bisect, replay), 0, "40 launches, with all kernels: wrong",
           "the first wrong launch is number 27:\n  Launch: kernel=diffuse, grid=(8,1,1)")  # fmt: skip
    expect("a run that is right", run(bisect, "env", "WARPSAFE_REFERENCE=all", replay), 1, "right")
    for program in (replay, bisect):
        os.symlink(program, os.path.basename(program).removesuffix("_host"))
    for page in pages:
        as_run = BLOCK.sub(lambda block: block[1] + re.sub(
            r"0x[0-9a-f]+", "0x55d0c8",
            run(*block[3].split(), **dict(word.split("=", 1) for word in block[2].split()))[1]), page.read_text())
        if "--update" in sys.argv:
            page.write_text(as_run)
        if as_run != page.read_text() or len(BLOCK.findall(as_run)) < 3:
            sys.exit(f"{page.name} shows something else than\n{as_run}")
print("the wrong launch is found three ways, and replayed")
