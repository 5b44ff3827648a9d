#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The PTX in tools/ranks/nccl/checksum_ptx.hpp is what nvcc makes of checksum_kernel.cu, ptxas assembles it for each GPU
that it knows, and it computes the checksum that is written down here: check_kernel.py NVCC [--update]

nvcc writes the newest version of PTX, which older drivers refuse. The text here names the oldest version that has all of
its instructions. Exit code 77: another release of nvcc wrote the text, so that it may differ."""

import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import ptx

PROJECT = pathlib.Path(__file__).resolve().parents[2]
HEADER = PROJECT / "tools/ranks/nccl/checksum_ptx.hpp"
# PTX ISA 6.3 is of CUDA 10, and sm_70 of Volta.
VERSION, TARGET = "6.3", "sm_70"
TEMPLATE = '''// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Made of checksum_kernel.cu by tests/ranks/check_kernel.py --update. nvcc: {release}.

namespace warpsafe::ranks {{

inline constexpr char checksum_function[] = "warpsafe_checksum";
inline constexpr char checksum_ptx[] = R"({text})";

}}  // namespace warpsafe::ranks
'''


ALL = (1 << 64) - 1
# Of each format of checksum.hpp: bits of an element, and the bits that are ones in a NaN or infinity, and in a NaN.
FORMATS = ((0, 0, 0), (64, 0x7FF << 52, (1 << 52) - 1), (32, 0x7F800000, 0x7FFFFF), (16, 0x7C00, 0x3FF), (16, 0x7F80, 0x7F), (8, 0x7F, 0x7F),
           (8, 0x7C, 0x03))
THREADS = 512


def checksum(data, number):
    """(sum, NaNs, infinities, first of both), as checksum.hpp describes it."""
    width, exponent, mantissa = FORMATS[number]
    total = nans = infinities = 0
    first = ALL
    for index in range((len(data) + 7) // 8):
        word = int.from_bytes(data[index * 8 : index * 8 + 8], "little")
        for shift in range(0, 64, width) if width else ():
            element = word >> shift & ((1 << width) - 1)
            if element & exponent == exponent:
                is_nan = element & mantissa != 0
                nans, infinities = nans + is_nan, infinities + (not is_nan)
                first = min(first, (index * 64 + shift) // width)
                word |= (((1 << width) - 1) << shift) * is_nan
            elif element == 1 << (width - 1):
                word ^= element << shift
        word = word + (index + 1) * 0x9E3779B97F4A7C15 & ALL
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & ALL
        word = (word ^ word >> 27) * 0x94D049BB133111EB & ALL
        total += word ^ word >> 31
    return total & ALL, nans, infinities, first


def computed(text, data, number, blocks, shift):
    """The same by the kernel."""
    kernel = ptx.Kernel(text)
    parts = bytearray(32 * blocks)
    kernel.memory.add(0x1000_0000 + shift, bytearray(data))
    kernel.memory.add(0x2000_0000, parts)
    kernel.run(blocks, THREADS, (0x1000_0000 + shift, len(data), number, 0x2000_0000))
    rows = list(struct.iter_unpack("<4Q", parts))
    return (sum(row[0] for row in rows) & ALL, *(sum(row[place] for row in rows) for place in (1, 2)), min(row[3] for row in rows))


def check_numbers(text):
    chance = random.Random(11)
    special = (0x7FF0000000000001, 0x7F8000007F800001, 0x8000000080000000, 0x7C00FC007C018000, 0x7F80FF807F818000, 0x7F78807F7C7D80FF, 1 << 63, 0)
    for number in range(len(FORMATS)):
        # The last one needs the loop of four loads, and the loop behind it. An odd address has loads of bytes.
        sizes = ((7, 1, 3), (64, 1, 0), (4096 + 5, 2, 0), (500, 1, 1), (THREADS * 8 * 5 + 24, 1, 0))
        for size, blocks, shift in sizes[: 5 if number in (0, 2) else 3 + number % 2]:
            words = [special[chance.randrange(len(special))] if chance.random() < 0.05 else chance.getrandbits(64) for _ in range(size // 8 + 1)]
            data = struct.pack(f"<{len(words)}Q", *words)[:size]
            expected, found = checksum(data, number), computed(text, data, number, blocks, shift)
            if found != expected:
                yield f"format {number}, {size} bytes, {blocks} blocks, address {shift}: {found}, expected {expected}"


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def made(nvcc):
    with tempfile.TemporaryDirectory() as folder:
        run(nvcc, "-std=c++17", "-ptx", "-arch=compute_75", "-O3", PROJECT / "tools/ranks/nccl/checksum_kernel.cu", "-o", f"{folder}/kernel.ptx")
        text = pathlib.Path(folder, "kernel.ptx").read_text()
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"(?m)^\.version .*$", f".version {VERSION}", text)
    text = re.sub(r"(?m)^\.target .*$", f".target {TARGET}", text)
    return re.sub(r"\n\s*\n+", "\n", text)


def main():
    nvcc = sys.argv[1]
    release = re.search(r"release [\d.]+", run(nvcc, "--version"))[0]
    text = made(nvcc)
    wanted = TEMPLATE.format(release=release, text=text)
    if "--update" in sys.argv:
        HEADER.write_text(wanted)
    problems = []
    have = HEADER.read_text()
    ptx_text = have.partition('R"(')[2].partition(')"')[0]
    ptxas = pathlib.Path(nvcc).resolve().parent / "ptxas"
    gpus = re.findall(r"sm_\d+\b", run(nvcc, "--list-gpu-code"))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "kernel.ptx").write_text(ptx_text)
        for gpu in gpus:
            done = subprocess.run([ptxas, f"-arch={gpu}", f"{folder}/kernel.ptx", "-o", f"{folder}/kernel.cubin"], capture_output=True, text=True, check=False)
            if done.returncode:
                problems.append(f"{gpu}: {done.stdout}{done.stderr}")
    problems += check_numbers(ptx_text)
    is_same_release = f"nvcc: {release}." in have
    if is_same_release and have != wanted:
        problems.append("checksum_ptx.hpp is not what nvcc makes of checksum_kernel.cu: run check_kernel.py --update")
    print("\n".join(problems) or f"assembled for {', '.join(gpus)}")
    return 1 if problems else 0 if is_same_release else 77


if __name__ == "__main__":
    sys.exit(main())
