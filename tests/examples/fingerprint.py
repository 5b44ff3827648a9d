#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs the fingerprint example on a file of so many bytes, and holds its report to Python's own
Adler-32 and counts: fingerprint.py PROGRAM BYTES"""
import collections
import random
import re
import subprocess
import sys
import tempfile
import zlib

program, size = sys.argv[1], int(sys.argv[2])
data = random.Random(size).choices(range(256), weights=range(1, 257), k=size)
data = bytes(data)
with tempfile.NamedTemporaryFile() as file:
    file.write(data)
    file.flush()
    run = subprocess.run([program, file.name], capture_output=True, text=True)
print(run.stdout, run.stderr)
if run.returncode == 2:
    sys.exit(2)

counts = collections.Counter(data)
reported = re.findall(r"^  0x([0-9a-f]{2}) .\s+(\d+)$", run.stdout, re.MULTILINE)
top = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:5]
expected = {
    "exit code": (run.returncode, 0),
    "bytes": (re.findall(r"bytes +(\d+)\n  Adler", run.stdout), [str(size)]),
    "Adler-32": (re.findall(r"Adler-32 +(\w+)", run.stdout), [f"{zlib.adler32(data):08x}"]),
    "values": (re.findall(r"values +(\d+) of", run.stdout), [str(len(counts))]),
    "most frequent": ([(int(value, 16), int(count)) for value, count in reported], top),
    "mistakes": ("not launched" in run.stdout, "checks off" not in run.stdout),
}
wrong = {name: pair for name, pair in expected.items() if pair[0] != pair[1]}
for name, (got, wanted) in wrong.items():
    print(f"{name}: {got}, expected {wanted}")
sys.exit(1 if wrong else 0)
