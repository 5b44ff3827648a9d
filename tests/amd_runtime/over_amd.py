#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs a GoogleTest program over AMD's runtime and compares what fails with a list.

over_amd.py [--gpus N] [--interposer FOLDER] [--agent FOLDER] [--differences FILE] PROGRAM

With /dev/kfd, or under ROCm's emulator (rocjitsu --config FILE -- COMMAND), the runtime finds its own devices, and
the agent is left out. A program with the interposer keeps the
agent, because its tests need more devices than a machine has, and hold their work. FILE has a line for each test whose result
differs from the stand-in's: `name | fails or hangs | reason`. A test that is not in the list must pass. One that
`fails` must still fail, so that the list stays true; one that `hangs` is not run.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path


def differences(path):
    """The rows of FILE: name to kind."""
    rows = {}
    for line in Path(path).read_text().splitlines() if path else []:
        if not line or line.startswith("#"):
            continue
        name, kind, reason = (part.strip() for part in line.split("|"))
        if kind not in ("fails", "hangs") or not reason or name in rows:
            sys.exit(f"{path}: '{line}' is no row, or not the only one of its test")
        rows[name] = kind
    return rows


def has_devices():
    """Whether the runtime finds devices without the agent. The emulator is a preloaded library that answers for /dev/kfd."""
    return Path("/dev/kfd").exists() or "librocjitsu_kmd" in os.environ.get("LD_PRELOAD", "")


def run(program, environment, chosen):
    """The exit code and output of the program's tests that a filter chooses."""
    command = [program, f"--gtest_filter={chosen}", "--gtest_brief=1"]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    except subprocess.TimeoutExpired as late:
        return 1, f"{(late.stdout or b'').decode()}\n{command} did not end in 600 s"
    return done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", default="1")
    parser.add_argument("--agent")
    parser.add_argument("--interposer")
    parser.add_argument("--differences")
    parser.add_argument("program")
    args = parser.parse_args()
    environment = dict(os.environ)
    folders = [args.interposer] if args.interposer else []
    if args.agent and (args.interposer or not has_devices()):
        folders.append(args.agent)
        environment["SOFT_HSA_GPUS"] = args.gpus
    environment["LD_LIBRARY_PATH"] = ":".join(folders + [folder for folder in [os.environ.get("LD_LIBRARY_PATH")] if folder])
    rows = differences(args.differences)
    listed = subprocess.run([args.program, "--gtest_list_tests"], env=environment, capture_output=True, text=True, check=True)
    names, suite = [], ""
    for line in listed.stdout.splitlines():
        if line.startswith("  "):
            names.append(suite + line.split()[0])
        elif line.split("#")[0].strip().endswith("."):
            suite = line.split("#")[0].strip()
    if gone := set(rows) - set(names):
        sys.exit(f"{args.differences}: {args.program} has no test {', '.join(sorted(gone))}")
    code, output = run(args.program, environment, "*-" + ":".join(rows) if rows else "*")
    if code != 0:
        print(output)
        sys.exit(f"{args.program} fails over AMD's runtime")
    passing = [name for name, kind in rows.items() if kind == "fails" and run(args.program, environment, name)[0] == 0]
    if passing:
        sys.exit(f"{args.differences}: these pass now, remove them: {', '.join(passing)}")
    print(f"{len(names) - len(rows)} tests pass" + (f", {len(rows)} differ as {args.differences} says" if rows else ""))


main()
