#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Faulty programs on a GPU, under warpsafe-run --rerun and --stop-at-fault:
on_gpu.py WARPSAFE_RUN PROGRAM [PROGRAMS [SECONDS [AT_ONCE [FIRST]]]]

PROGRAM is suspects.cu, with a seed for each of PROGRAMS programs, from FIRST on. No program begins after SECONDS. Prints a line for
each program, and then how long the lists of suspects are, and how often each report names the launch that faults.
Exit code 77: no GPU."""

import concurrent.futures
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

WATCH, PROGRAM = sys.argv[1:3]
GIVEN = list(map(int, sys.argv[3:7]))
PROGRAMS, SECONDS, AT_ONCE, FIRST = GIVEN + [8, 300, 2, 0][len(GIVEN):]
BEGUN = time.monotonic()


def run(option, seed, folder):
    begun = time.monotonic()
    try:
        done = subprocess.run([WATCH, option, *(["--quiet"] if option == "--rerun" else []), PROGRAM, str(seed)],
                              env={**os.environ, "TMPDIR": folder}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        return done.stdout, time.monotonic() - begun
    except subprocess.TimeoutExpired as over:
        return (over.stdout or b"").decode(errors="replace") + "\nTIMEOUT\n", time.monotonic() - begun


def verdict(text, culprit):
    """What a report says: right, wrong, a list, or nothing."""
    found = re.search(r"^warpsafe: .*faulted: .*\n((?:  .*\n)*)", text, re.MULTILINE)
    if "TIMEOUT" in text:
        return "timeout"
    if found:
        grid = re.search(r"grid=\(\d+,\d+,\d+\)", found[0])
        if not grid and "thread and block are not known" in found[0]:
            return "only the kernel and the line"
        return "right" if grid and grid[0] == culprit else "wrong"
    return "list" if "no single launch can be named" in text else "no report"


def check(seed, folder):
    if time.monotonic() - BEGUN > SECONDS:
        return None
    text, seconds = run("--rerun", seed, folder)
    culprit = re.search(r"^culprit: (grid=\S+)( in a graph)?", text, re.MULTILINE)
    if not culprit:
        return {"seed": seed, "rerun": "the program did not start", "text": text}
    length = re.search(r"suspects?: (\d+) launch", text)
    made = {"seed": seed, "culprit": culprit[1], "graph": bool(culprit[2]), "list": int(length[1]) if length else 0,
            "rerun": verdict(text, culprit[1]), "rerun_seconds": seconds, "text": text}
    return made


def check_stop(made, folder):
    if time.monotonic() - BEGUN > SECONDS:
        return
    text, made["stop_seconds"] = run("--stop-at-fault", made["seed"], folder)
    # warpsafe-faults writes after the program's end, into the pipe that `run` reads to its end.
    made["stop"] = verdict(text, made["culprit"])
    made["stop_text"] = text


def count(all_made, key):
    values = [one[key] for one in all_made if key in one]
    return ", ".join(f"{values.count(value)} {value}" for value in sorted(set(values))) + f" of {len(values)}"


def summary(all_made):
    lists = [one["list"] for one in all_made if one.get("list")]
    lines = [f"programs: {len(all_made)}, with the culprit in a graph {sum(one.get('graph', False) for one in all_made)}"]
    if lists:
        lines.append(f"list of suspects without --rerun: median {statistics.median(lists):g}, longest {max(lists)}")
    lines.append(f"--rerun: {count(all_made, 'rerun')}")
    for graph in False, True:
        some = [one for one in all_made if one.get("graph") == graph]
        lines.append(f"  {'in a graph' if graph else 'a launch'}: {count(some, 'rerun')}")
    ends = [1 if one["rerun"] == "right" else one["list"] for one in all_made if "list" in one]
    if ends:
        lines.append(f"list with --rerun: median {statistics.median(ends):g}, longest {max(ends)}")
    lines.append(f"--stop-at-fault: {count(all_made, 'stop')}")
    return "\n".join(lines)


def main():
    if subprocess.run("nvidia-smi -L", shell=True, capture_output=True, check=False).returncode:
        print("skipped: no NVIDIA GPU")
        return 77
    made = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for one in pool.map(lambda seed: check(seed, folder), range(FIRST, FIRST + PROGRAMS)):
            if one is None:
                continue
            # One at a time: with several, the driver can hang at a fault in a graph.
            if "culprit" in one and one["seed"] % 4 in (0, 3):
                check_stop(one, folder)
            made.append(one)
            print(f"seed {one['seed']}: {one.get('culprit')}{' in a graph' if one.get('graph') else ''}, "
                  f"list of {one.get('list')}; --rerun: {one['rerun']} ({one.get('rerun_seconds', 0):.1f} s)"
                  + (f"; --stop-at-fault: {one['stop']} ({one['stop_seconds']:.1f} s)" if "stop" in one else ""), flush=True)
            if one["rerun"] != "right":
                print(one["text"], flush=True)
            if one.get("stop", "right") != "right":
                print(one["stop_text"], flush=True)
            if len(made) % 25 == 0:
                print(summary(made), flush=True)
        if left := os.listdir(folder):
            print(f"left behind: {left}")
    print(summary(made))
    return 0 if made and all(one["rerun"] == "right" for one in made) and not left else 1


if __name__ == "__main__":
    sys.exit(main())
