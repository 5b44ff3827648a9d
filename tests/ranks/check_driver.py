#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""How many calls of the driver a recorded collective needs, and whether its end is known although the recorder looks
seldom: check_driver.py LIBRARY PROGRAM"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools/ranks"))
from warpsafe_ranks.files import HEADER, RECORD  # noqa: E402

LIBRARY, PROGRAM = sys.argv[1:]
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


def end_times(folder):
    """Of the only communicator's collectives."""
    (path,) = pathlib.Path(folder).glob("*.collectives")
    data = path.read_bytes()[HEADER.size :]
    return [record[2] for record in RECORD.iter_unpack(data) if record[1]]


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "RANK": "0", "WORLD_SIZE": "1", "WARPSAFE_RANKS": folder, "LD_PRELOAD": LIBRARY}
        done = subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            print(f"status {done.returncode}\n{done.stderr}")
            return 1
        said = {words[0]: [float(word) for word in words[1:]] for words in map(str.split, done.stdout.splitlines())}
        ends = end_times(folder)
    # Before: the capture mode twice, whether the stream captures, its context, the current one, and the event.
    # Behind: the capture mode twice, the current context, and the event.
    expect(said["with_context"] == [10], f"calls of a thread with a context: {said['with_context']}")
    expect(said["without_context"] == [14], f"calls of a thread without one: {said['without_context']}")
    # Two times for each. A look every millisecond at most: the context, and a search.
    collectives, calls, milliseconds = said["watched"]
    most = 2 * collectives + 12 * milliseconds / 2
    expect(2 * collectives <= calls <= most, f"{calls} calls for {collectives} collectives in {milliseconds} ms, limit {most}")
    true_ends = said["ended"]
    late_ms = [(end - true_end) / 1e6 for end, true_end in zip(ends[-len(true_ends) :], true_ends)]
    settled = statistics.median(late_ms[len(late_ms) // 2 :])
    print(f"{calls:.0f} calls for {collectives:.0f} collectives; an end is recorded {settled:.3f} ms late, the first {late_ms[0]:.3f} ms")
    expect(-0.2 < settled < 0.5, f"ends are {settled} ms late")
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
