#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Prints the CPU seconds of each entry of CTest: cpu_seconds.py BUILD_FOLDER [--label REGEX] [--name REGEX]

CTest runs the entries one after another, those that prepare others first. The seconds are those of the entry and of
all processes that it waits for, user and system: other processes on the machine change them less than they change the
time that passes. Ends with 1 if an entry fails. For changes that make the tests cheaper."""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import defaultdict


def entries(folder, name, label):
    """{name: labels} of the entries that match, first those that prepare others."""
    said = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    found = []
    for entry in json.loads(said.stdout)["tests"]:
        its = {one["name"]: one["value"] for one in entry.get("properties", [])}
        labels = its.get("LABELS", ["no label"])
        if re.search(name, entry["name"]) and any(re.search(label, one) for one in labels):
            found.append((len(its.get("DEPENDS", [])), entry["name"], " ".join(labels)))
    return {entry: labels for _, entry, labels in sorted(found, key=lambda one: one[0])}


def run(folder, name):
    """(whether it passed, CPU seconds, seconds). The CPU seconds include those of CTest, about 0.05."""
    began = time.monotonic()
    # Without the entries that prepare this one: these have run.
    ctest = subprocess.Popen(["ctest", "--test-dir", folder, "-FA", ".", "-R", f"^{re.escape(name)}$"], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(ctest.pid, 0)
    ctest.returncode = os.waitstatus_to_exitcode(status)
    return ctest.returncode == 0, used.ru_utime + used.ru_stime, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--label", default="", help="only entries with a label that matches")
    parser.add_argument("--name", default="", help="only entries whose name matches")
    asked = parser.parse_args()
    of_labels, failed = defaultdict(float), 0
    print(f"{'CPU':>8}{'time':>8}  entry, labels")
    for name, labels in entries(asked.folder, asked.name, asked.label).items():
        passed, used, lasted = run(asked.folder, name)
        failed += not passed
        of_labels[labels] += used
        print(f"{used:8.2f}{lasted:8.2f}  {name} ({labels}){'' if passed else ' FAILED'}", flush=True)
    for labels, used in sorted(of_labels.items(), key=lambda one: -one[1]):
        print(f"{used:8.2f}          all of {labels}")
    print(f"{sum(of_labels.values()):8.2f}          all")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
