#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks models with Spin: models.py FILE...

Spin visits every state of a model, and of each `//@ part NAME`: the model with that macro defined. Then
it checks each `//@ variant NAME...`: the model with a macro that plants a mistake. Spin must find an
error there: a model that accepts a mistake proves nothing. prove.py compares the statements that the
models quote with the headers.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def check(path, variant):
    """(the number of errors, what was wrong, the number of states) that Spin finds."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in path.parent.glob("*.pml"):
            shutil.copy(source, folder)
        defined = [f"-D{word}" for word in variant.split()]
        steps = [["spin", *defined, "-a", path.name],
                 ["gcc", "-w", "-O2", "-DSAFETY", "-DCOLLAPSE", "-DNOFAIR", "-DVECTORSZ=4096", "-DMEMLIM=6000",
                  "-o", "pan", "pan.c"]]
        for step in steps:
            done = subprocess.run(step, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{path.name}: {' '.join(step)} fails:\n{done.stdout}{done.stderr}")
        # -E: a writer that stops for want of a number is no error.
        run = subprocess.run(["./pan", "-E", "-m200000", "-w22"], cwd=folder, capture_output=True, text=True,
                             check=False)
    text = run.stdout + run.stderr
    errors = re.search(r"errors: (\d+)", text)
    states = re.search(r"(\S+) states, stored", text)
    if errors is None or "max search depth too small" in text or "out of memory" in text:
        sys.exit(f"{path.name} {variant}: Spin did not visit every state:\n{text}")
    why = re.search(r"pan:1: (.*)", text)
    return int(errors[1]), why[1] if why else "", int(float(states[1]))


def main():
    failed = False
    for path in map(pathlib.Path, sys.argv[1:]):
        variants = re.findall(r"^//@ variant ([\w ]+)$", path.read_text(), re.M)
        parts = ["", *re.findall(r"^//@ part (\w+)$", path.read_text(), re.M)]
        if not variants:
            sys.exit(f"{path}: no variant plants a mistake")
        for part in parts:
            errors, why, states = check(path, part)
            failed = failed or errors != 0
            print(" ".join(f"{path.stem} {part}".split()) + f": {states} states, " +
                  (f"FAILED: {why}" if errors else "no error"), flush=True)
        for variant in variants:
            errors, why, states = check(path, variant)
            failed = failed or errors == 0
            print(f"{path.stem} with {variant}: " + (why if errors else "NO ERROR FOUND"), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
