#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What recording costs a step of PyTorch's data-parallel training on two GPUs:
ranks_ddp.py WARPSAFE_RUN [PAIRS [MODE [STEPS]]]

Runs tests/ranks/programs/torch_job.py in turn without and with `warpsafe-run --ranks`. MODE is ddp (the default) or
transformer. Prints each median step, and the ratio of each pair."""

import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

WATCH = sys.argv[1]
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 8
MODE = sys.argv[3] if len(sys.argv) > 3 else "ddp"
STEPS = sys.argv[4] if len(sys.argv) > 4 else "320"
SCRIPT = pathlib.Path(__file__).parents[1] / "tests/ranks/programs/torch_job.py"


def median(*before):
    words = [*before, "torchrun", "--standalone", "--nproc-per-node", "2", SCRIPT, MODE, STEPS]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return float(re.search(r"median step (\S+) ms", done.stdout)[1])


def main():
    ratios = []
    for pair in range(PAIRS):
        with tempfile.TemporaryDirectory() as records:
            # The order alternates, so that a drift of the machine does not count for one of them.
            watched = (WATCH, "--quiet", "--ranks", records)
            first, second = ((), watched) if pair % 2 == 0 else (watched, ())
            times = {bool(first): median(*first), bool(second): median(*second)}
        ratios.append(times[True] / times[False])
        print(f"without {times[False]:.3f} ms, with {times[True]:.3f} ms, ratio {ratios[-1]:.3f}", flush=True)
    print(f"{MODE}: median ratio {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
