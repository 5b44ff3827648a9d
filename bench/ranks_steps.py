#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What recording costs a step of PyTorch's training on all GPUs of this machine:
ranks_steps.py WARPSAFE_RUN [ROUNDS [MODE...]]

Runs tools/ranks/tests/programs/torch_job.py in turn alone, with `warpsafe-run --ranks`, and with `--ranks --checksums`. Prints
for each MODE (ddp-20, fsdp-20, ddp-200 and fsdp-200) the median step of each way in milliseconds, the median of the
rounds' ratios, and the size of the records of an hour of steps, extrapolated from the run."""

import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

WATCH = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
MODES = sys.argv[3:] or ["ddp-20", "fsdp-20", "ddp-200", "fsdp-200"]
STEPS, WARM_UP = 120, 20
SCRIPT = pathlib.Path(__file__).parents[1] / "tools/ranks/tests/programs/torch_job.py"
WAYS = {"alone": None, "recorded": [], "with checksums": ["--checksums"]}


def size(folder):
    return sum(file.stat().st_blocks * 512 for file in pathlib.Path(folder).rglob("*") if file.is_file())


def run(mode, options):
    """The median step in ms, and the bytes on the disk for each step."""
    with tempfile.TemporaryDirectory() as records:
        before = [] if options is None else [WATCH, "--quiet", "--ranks", records, *options]
        words = [*before, "torchrun", "--standalone", "--nproc-per-node", "gpu", SCRIPT, mode, str(STEPS)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        found = re.search(r"median step (\S+) ms", done.stdout)
        if done.returncode or not found:
            sys.exit(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return float(found[1]), size(records) / STEPS


def main():
    for mode in MODES:
        times, sizes = {way: [] for way in WAYS}, {way: 0 for way in WAYS}
        for turn in range(ROUNDS):
            ways = list(WAYS)
            # Each round begins with another way, so that a drift of the machine does not count for one of them.
            for way in ways[turn % 3:] + ways[: turn % 3]:
                step, sizes[way] = run(mode, WAYS[way])
                times[way].append(step)
        for way in WAYS:
            ratio = statistics.median(a / b for a, b in zip(times[way], times["alone"]))
            step = statistics.median(times[way])
            hour = sizes[way] * 3.6e6 / step / 1e6
            print(f"{mode:<9} {way:<15} {step:8.3f} ms ({min(times[way]):.3f} to {max(times[way]):.3f}), ratio {ratio:.4f}"
                  + (f", {hour:.0f} MB in an hour" if hour else ""), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
