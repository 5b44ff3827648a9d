#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The ends of collectives over AMD's HIP runtime, with a stand-in for RCCL: check_rccl.py WARPSAFE_RANKS LIBRARY PROGRAM AGENT

AGENT is the folder of the software HSA agent, which is used without a GPU."""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from jobs import Asked

TOOL, LIBRARY, PROGRAM, AGENT = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from warpsafe_ranks.files import HEADER, RECORD, STATE, State  # noqa: E402


def run(folder, **variables):
    environment = {**os.environ, "RANK": "0", "WORLD_SIZE": "1", **variables}
    if not os.path.exists("/dev/kfd"):
        environment |= {"SOFT_HSA_GPUS": "2", "LD_LIBRARY_PATH": ":".join(filter(None, (AGENT, os.environ.get("LD_LIBRARY_PATH"))))}
    if folder:
        environment |= {"WARPSAFE_RANKS": folder, "LD_PRELOAD": LIBRARY}
    return subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, timeout=600, check=False)


def check(folder):
    alone = run("")
    if alone.returncode:
        return f"without the recorder: status {alone.returncode}\n{alone.stderr}"
    done = run(folder, WARPSAFE_RANKS_CHECKSUMS="1")
    if done.returncode:
        return f"status {done.returncode}\n{done.stderr}"
    if done.stdout.splitlines()[0] != alone.stdout.splitlines()[0]:
        return f"the runtime's last error: {done.stdout.splitlines()[0]}, and {alone.stdout.splitlines()[0]} without the recorder"
    true_ends = [int(word) for word in done.stdout.splitlines()[1].split()[1:]]
    (path,) = pathlib.Path(folder).glob("*.collectives")
    records = [record for record in RECORD.iter_unpack(path.read_bytes()[HEADER.size :]) if record[STATE]]
    states = [State(record[STATE]).name for record in records]
    if states != ["ENDED", "ENDED", "UNWATCHED", *["ENDED"] * len(true_ends)]:
        return f"{len(records)} collectives, with the states {states[:3]} and {sorted(set(states[3:]))}"
    records = records[3:]
    late_ms = [(record[2] - end) / 1e6 for record, end in zip(records, true_ends)]
    settled = statistics.median(late_ms[len(late_ms) // 2 :])
    on_device = statistics.median(record[13] for record in records)
    print(f"an end is recorded {settled:.3f} ms late, the first {late_ms[0]:.3f} ms; {on_device:.0f} us on the device")
    if not -1 < settled < 1:
        return f"ends are {settled} ms late"
    asked = Asked(TOOL, folder)
    if asked.kinds() or not any("there are no checksums: they need CUDA's driver" in one for one in asked.said["problems"]):
        return f"{asked.said}"
    return ""


def main():
    with tempfile.TemporaryDirectory() as folder:
        problem = check(f"{folder}/records")
    print(problem or "all as expected")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
