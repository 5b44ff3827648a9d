#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""How many calls of the driver a recorded collective needs, and whether its end is known although the recorder looks
seldom: check_driver.py LIBRARY PROGRAM"""

import concurrent.futures
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
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


def run(*words, **variables):
    """What the program says, and the recorded ends."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "RANK": "0", "WORLD_SIZE": "1", "WARPSAFE_RANKS": folder, "LD_PRELOAD": LIBRARY, **variables}
        done = subprocess.run([PROGRAM, *words], env=environment, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            problems.append(f"status {done.returncode}\n{done.stderr}")
            return None, []
        return {words[0]: [float(word) for word in words[1:]] for words in map(str.split, done.stdout.splitlines())}, end_times(folder)


def lateness(said, ends):
    """By how many ms each recorded end is late."""
    return [(end - true_end) / 1e6 for end, true_end in zip(ends[-len(said["ended"]) :], said["ended"])]


def check_drift(ppm):
    """A device's clock that drifts makes no end wrong by more than the drift of some seconds."""
    said, ends = run("4000", STAND_IN_DRIFT_PPM=str(ppm))
    if not said:
        return
    late_ms = lateness(said, ends)
    seconds = (said["ended"][-1] - said["ended"][0]) / 1e9
    settled = statistics.median(late_ms[-1000:])
    print(f"a drift of {ppm} ppm: after {seconds:.0f} s an end is recorded {settled:.3f} ms late")
    expect(seconds > 10 and abs(settled) < 5, f"with a drift of {ppm} ppm, ends are {settled} ms late after {seconds} s")


def main():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(check_drift, (-1000, 1000)))
    check_calls()
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


def check_calls():
    said, ends = run()
    if not said:
        return
    # Before: the capture mode twice, and whether the stream captures, for its number; the same again, its context and the
    # context's number, the current one, and the event. Behind: the capture mode twice, the current context, and the event.
    expect(said["with_context"] == [15], f"calls of a thread with a context: {said['with_context']}")
    expect(said["without_context"] == [19], f"calls of a thread without one: {said['without_context']}")
    # Two times for each. A look every millisecond at most: the context, and a search.
    collectives, calls, milliseconds = said["watched"]
    most = 2 * collectives + 12 * milliseconds / 2
    expect(2 * collectives <= calls <= most, f"{calls} calls for {collectives} collectives in {milliseconds} ms, limit {most}")
    late_ms = lateness(said, ends)
    settled = statistics.median(late_ms[len(late_ms) // 2 :])
    print(f"{calls:.0f} calls for {collectives:.0f} collectives; an end is recorded {settled:.3f} ms late, the first {late_ms[0]:.3f} ms")
    expect(-0.2 < settled < 0.5, f"ends are {settled} ms late")


if __name__ == "__main__":
    sys.exit(main())
