#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs a GoogleTest program over AMD's runtime.

over_amd.py [--gpus N] [--agent FOLDER] PROGRAM

With /dev/kfd, or under ROCm's emulator (rocjitsu --config FILE -- COMMAND), the runtime finds its own devices, and
the agent is left out.
"""

import argparse
import os
import sys
from pathlib import Path


def has_devices():
    """Whether the runtime finds devices without the agent. The emulator is a preloaded library that answers for /dev/kfd."""
    return Path("/dev/kfd").exists() or "librocjitsu_kmd" in os.environ.get("LD_PRELOAD", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", default="1")
    parser.add_argument("--agent")
    parser.add_argument("program")
    args = parser.parse_args()
    environment = dict(os.environ)
    if args.agent and not has_devices():
        folders = [args.agent, os.environ.get("LD_LIBRARY_PATH")]
        environment["LD_LIBRARY_PATH"] = ":".join(folder for folder in folders if folder)
        environment["SOFT_HSA_GPUS"] = args.gpus
    sys.stdout.flush()
    os.execve(args.program, [args.program, "--gtest_brief=1"], environment)


main()
