# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares the device code of kernels.cu's pairs: check.py --compiler name=program --arch ARCH...

nvcc: the PTX of each pair has as many instructions of each kind. hipcc: the assembly likewise.
"""

import argparse
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def assembly(name, program, includes, arch):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "kernels.s"
        mode = (["-ptx", f"-arch={arch}"] if name == "nvcc" else
                ["-S", "-O3", "--offload-device-only", f"--offload-arch={arch}", "-x", "hip",
                 "-Wno-unused-command-line-argument"])  # fmt: skip
        command = [program, "-std=c++17", *mode, *[f"-I{path}" for path in includes if path],
                   str(Path(__file__).with_name("kernels.cu")), "-o", str(out)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return out.read_text()


def kernels(text, ptx):
    """{kernel: how often each kind of instruction is in it}."""
    begin = r"\.entry (\w+)\(" if ptx else r"^(\w+):\s*; @"
    code = r"^\t(?:@\S+ )?([a-z][\w.]*)" if ptx else r"^\t([a-z]\w*)"
    end = r"^}" if ptx else r"^\ts_endpgm"
    found, name = {}, None
    for line in text.splitlines():
        if start := re.search(begin, line):
            name = start[1]
            found[name] = collections.Counter()
        elif name and (match := re.match(code, line)):
            found[name][match[1]] += 1
        if name and re.match(end, line):
            name = None
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--arch", action="append", required=True)
    arguments = parser.parse_args()
    name, program = arguments.compiler.split("=", 1)
    failed = False
    for arch in arguments.arch:
        found = kernels(assembly(name, program, arguments.include, arch), name == "nvcc")
        pairs = [kernel.removeprefix("ours_") for kernel in found if kernel.startswith("ours_")]
        for pair in pairs:
            ours, hand = found[f"ours_{pair}"], found[f"hand_{pair}"]
            same = ours == hand and ours.total() > 2
            good = same != (pair == "different")
            print(f"{arch} {pair}: {ours.total()} instructions, by hand {hand.total()}"
                  f"{'' if good else f': only ours {ours - hand}, only by hand {hand - ours}'}")
            failed |= not good
        failed |= len(pairs) != 5
    return failed


if __name__ == "__main__":
    sys.exit(main())
