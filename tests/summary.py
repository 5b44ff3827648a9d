#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Prints a table of the tests that ran: for each label its tests, failures, skips and seconds.

summary.py BUILD_FOLDER. Reads CTest's results.xml there, and the reports of GoogleTest programs in gtest/,
whose tests it counts separately. The seconds are the sum over the entries: entries that run side by side
count twice."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path


def labels_of(build):
    """The label of each entry, without gxx, which only says that g++ compiles it too. CTest before 3.26 omits labels from
    its JUnit file, and CTest sorts them."""
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    entries = json.loads(said.stdout)["tests"]
    properties = {entry["name"]: {one["name"]: one["value"] for one in entry.get("properties", [])} for entry in entries}
    return {name: next((label for label in its.get("LABELS", ()) if label != "gxx"), "no label") for name, its in properties.items()}


def main():
    build = Path(sys.argv[1])
    labels = labels_of(build)
    rows = defaultdict(lambda: [0, 0, 0, 0.0])
    for case in ElementTree.parse(build / "results.xml").getroot().iter("testcase"):
        name = case.get("name")
        row = rows[labels.get(name, "no label")]
        reports = [*(build / "gtest").glob(f"{name}.xml"), *(build / "gtest").glob(f"{name}.alone.*.xml")]
        if reports:
            tests = [test for report in reports for test in ElementTree.parse(report).getroot().iter("testcase")]
            ran = [test for test in tests if test.get("status") == "run"]
            row[0] += len(ran)
            row[1] += sum(test.find("failure") is not None for test in ran)
            row[2] += sum(test.get("result") == "skipped" for test in ran)
        else:
            row[0] += 1
            row[1] += case.get("status") == "fail"
            row[2] += case.get("status") in ("notrun", "disabled")
        row[3] += float(case.get("time") or 0)
    print(f"\n{'label':<12}{'tests':>8}{'failed':>8}{'skipped':>8}{'seconds':>9}")
    for label, (tests, failed, skipped, seconds) in sorted(rows.items(), key=lambda row: -row[1][3]):
        print(f"{label:<12}{tests:>8}{failed:>8}{skipped:>8}{seconds:>9.0f}")
    total = [sum(row[column] for row in rows.values()) for column in range(4)]
    print(f"{'all':<12}{total[0]:>8}{total[1]:>8}{total[2]:>8}{total[3]:>9.0f}\n")
    return not total[0]


if __name__ == "__main__":
    sys.exit(main())
