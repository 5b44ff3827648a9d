#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares the tests of two configured build folders: compare_entries.py BEFORE AFTER

Prints each entry of CTest that is lost, new or has another label: its name, compiler and options. Ends with 1 if one
is lost. For changes that make the tests cheaper."""

import json
import subprocess
import sys


def entries(folder):
    """{(name, compiler, options): its labels}."""
    said = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    found = {}
    for entry in json.loads(said.stdout)["tests"]:
        words = [*entry.get("command", []), ""]
        compiler = next((after.split("=")[0] for word, after in zip(words, words[1:]) if word == "--compiler"), "")
        options = [f"{word} {after}" for word, after in zip(words, words[1:]) if word == "--level"]
        options += [word for word in words if word.startswith("--optimize")]
        labels = next((one["value"] for one in entry.get("properties", []) if one["name"] == "LABELS"), [])
        found[entry["name"], compiler, " ".join(options)] = " ".join(labels)
    return found


def main():
    before, after = map(entries, sys.argv[1:3])
    lost = sorted(before.keys() - after.keys())
    lines = [f"{len(before)} entries before, {len(after)} after"]
    lines += [f"lost: {' '.join(entry)}" for entry in lost]
    lines += [f"new: {' '.join(entry)}" for entry in sorted(after.keys() - before.keys())]
    lines += [f"{' '.join(entry)}: {before[entry]}, now {after[entry]}" for entry in sorted(before.keys() & after.keys())
              if before[entry] != after[entry]]  # fmt: skip
    print(*lines, sep="\n")
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main())
