#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The recorder's kernel of checksums, compiled by the machine's NVRTC as the recorder compiles it:
check_kernel.py COMPILE_KERNEL CHECKSUMS_JOB LIBRARY

NVRTC makes code for each GPU of a list. Its PTX, interpreted, computes the checksum that is written down here. A process
over the stand-in of CUDA's driver compiles it, too. Exit code 77: there is no NVRTC, or its PTX has other instructions."""

import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import ptx

# A device that is newer than NVRTC gets PTX.
DEVICES, NEWER = ("75", "80", "86", "89", "90"), "990"

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


def check_code(program, folder):
    """Compiles into files of `folder`. Yields what is wrong."""
    for device in (*DEVICES, NEWER):
        done = subprocess.run([program, device, f"{folder}/{device}"], capture_output=True, text=True, check=False)
        if done.returncode == 77:
            print(done.stderr)
            sys.exit(77)
        if done.returncode:
            yield f"{device}: {done.stderr}"
            continue
        print(f"compiled for {device} in {done.stdout.strip()} ms")
        image = pathlib.Path(folder, device).read_bytes()
        if b"warpsafe_checksum" not in image or image.startswith(b"\x7fELF") != (device != NEWER):
            yield f"{device}: {image[:40]}"


def check_recorder(program, library, folder):
    """The recorder loads NVRTC itself and gives its code to the driver."""
    nvrtc = next((line.split()[-1] for line in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False).stdout.splitlines()
                  if re.match(r"\s*libnvrtc\.so\.1[1-9]\S* ", line)), None)
    if nvrtc is None:
        return ""
    environment = {**os.environ, "RANK": "0", "WORLD_SIZE": "1", "WARPSAFE_RANKS": f"{folder}/records", "WARPSAFE_RANKS_CHECKSUMS": "1",
                   "LD_PRELOAD": f"{library}:{nvrtc}"}
    done = subprocess.run([program, folder, "right_steps"], env=environment, capture_output=True, text=True, timeout=300, check=False)
    (checksums,) = pathlib.Path(folder, "records").glob("*.1.checksums")
    known = sum(record[7] & 1 for record in struct.iter_unpack("<8Q", checksums.read_bytes()[64:]))
    return "" if done.returncode == 0 and done.stderr == "" and known > 0 else f"{nvrtc}: {known} checksums, {done}"


def main():
    program, job, library = sys.argv[1:]
    unknown = ""
    with tempfile.TemporaryDirectory() as folder:
        problems = list(check_code(program, folder))
        if not problems:
            problems.append(check_recorder(job, library, folder))
            try:
                problems += check_numbers(re.sub(r"//.*", "", pathlib.Path(folder, NEWER).read_text().rstrip("\0")))
            except ptx.UnknownInstruction as instruction:
                unknown = f"the numbers were not checked: ptx.py does not know the instruction {instruction}"
    print("\n".join(filter(None, problems)) or unknown or "all as expected")
    return 1 if any(problems) else 77 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
