#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Which devices over_amd.py gives a program: over_amd_test.py OVER_AMD"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

if Path("/dev/kfd").exists():
    print("skipped: this machine has an AMD GPU")
    sys.exit(77)
PROGRAM = """#!/bin/sh
echo "$LD_LIBRARY_PATH" > "$0.folders"
"""
EMULATOR = "/nowhere/librocjitsu_kmd.so"
wrong = []
with tempfile.TemporaryDirectory() as folder:
    program = Path(folder, "program")
    program.write_text(PROGRAM)
    program.chmod(0o755)
    for preloaded, expected in (("", "agent"), (EMULATOR, "")):
        environment = {"PATH": os.environ["PATH"], "LD_PRELOAD": preloaded}
        subprocess.run([sys.executable, "-S", sys.argv[1], "--agent", "agent", program],
                       env=environment, check=True, stderr=subprocess.DEVNULL)  # fmt: skip
        found = Path(f"{program}.folders").read_text().strip()
        if found != expected:
            wrong.append(f"preloaded '{preloaded}': '{found}', not '{expected}'")
print(*wrong, sep="\n")
sys.exit(bool(wrong))
