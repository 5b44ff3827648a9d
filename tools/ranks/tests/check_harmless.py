#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Right programs that end in the same way with and without the recorder:
check_harmless.py LIBRARY HARMLESS RELOAD MODULE"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIBRARY, HARMLESS, RELOAD, MODULE = sys.argv[1:]
SOURCE = (pathlib.Path(__file__).parent / "programs/harmless.cpp").read_text()
MODES = re.findall(r'mode == "(\w+)"', SOURCE)
# Freed memory is overwritten, so that a use of it does not go unnoticed.
STRICT = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"}
# What the recorder says of its end. It never prints into a file of the program.
SAID = {
    "forked": r"warpsafe: collectives are not recorded: \S+[.]process: Not a directory\n",
    "own_files": r"warpsafe: collectives are no longer recorded: \S+: the program has closed the record's file\n",
    "file_limit": r"warpsafe: collectives are no longer recorded: \S+: File too large\n",
}


def run(words, folder, library):
    environment = {**os.environ, **STRICT, "RANK": "0", "WORLD_SIZE": "1"}
    if library:
        environment |= {"WARPSAFE_RANKS": f"{folder}/records", "LD_PRELOAD": library}
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600, check=False)


def main():
    problems = []
    programs = {mode: lambda folder, mode=mode: [HARMLESS, mode, folder] for mode in MODES}
    programs["reload"] = lambda folder: [RELOAD, MODULE]
    for name, words in programs.items():
        for library in ("", LIBRARY):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    done = run(words(folder), folder, library)
                except subprocess.TimeoutExpired:
                    problems.append(f"{name}, {'with' if library else 'without'} the recorder: does not end")
                    continue
                wanted = SAID.get(name, "") if library else ""
                if not re.fullmatch(wanted, done.stderr):
                    problems.append(f"{name}, {'with' if library else 'without'} the recorder, says: {done.stderr}")
                if done.returncode != 0:
                    problems.append(f"{name}, {'with' if library else 'without'} the recorder: status {done.returncode}\n{done.stderr}")
    print("\n".join(problems) or f"{len(programs)} programs: all undisturbed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
