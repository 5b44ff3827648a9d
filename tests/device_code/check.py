# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares the device code of kernels.cu's pairs: check.py --compiler name=program --arch ARCH...

nvcc: the PTX of each pair has as many instructions of each kind, and so has its machine code (SASS).
hipcc: the assembly likewise, except for one copy of a register.
"""

import argparse
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def machine_code(ptx, program, arch):
    """{kernel: the bytes of its SASS}."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder) / "kernels.ptx", Path(folder) / "kernels.cubin"
        source.write_text(ptx)
        subprocess.run([program, f"-arch={arch}", "-cubin", source, "-o", cubin], check=True)
        sections = subprocess.run(["readelf", "-SW", cubin], check=True, capture_output=True, text=True).stdout
        held = cubin.read_bytes()
    # [ 9] .text.name  PROGBITS  address  offset  size
    found = re.findall(r"\] \.text\.(\w+)\s+PROGBITS\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", sections)
    return {name: held[int(at, 16) : int(at, 16) + int(size, 16)] for name, at, size in found}


def sass_instructions(code):
    """How often each opcode is in it. Read without a disassembler, which not every toolkit has: since
    Volta an instruction is 16 bytes, its opcode the lowest 12 bits; 0x918 is NOP, the padding."""
    opcodes = (int.from_bytes(code[at : at + 2], "little") & 0xFFF for at in range(0, len(code), 16))
    return collections.Counter(opcode for opcode in opcodes if opcode != 0x918)


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


def is_same(ours, hand):
    # clang 21's register allocator copies a register in ours_index that it does not copy in hand_index, or in
    # variants of ours_index. Those of Debian 12 and 13 do not.
    return (ours - hand) + (hand - ours) in (collections.Counter(), collections.Counter(v_mov_b32_e32=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--arch", action="append", required=True)
    arguments = parser.parse_args()
    name, program = arguments.compiler.split("=", 1)
    failed = False
    for arch in arguments.arch:
        text = assembly(name, program, arguments.include, arch)
        found = kernels(text, name == "nvcc")
        sass = machine_code(text, program, arch) if name == "nvcc" else {}
        pairs = [kernel.removeprefix("ours_") for kernel in found if kernel.startswith("ours_")]
        for pair in pairs:
            ours, hand = found[f"ours_{pair}"], found[f"hand_{pair}"]
            same = is_same(ours, hand) and ours.total() > 2
            said = f"{arch} {pair}: {ours.total()} instructions, by hand {hand.total()}"
            if sass:
                code, by_hand = sass[f"ours_{pair}"], sass[f"hand_{pair}"]
                counts = sass_instructions(code), sass_instructions(by_hand)
                same = same and counts[0] == counts[1]
                said += (f"; SASS {counts[0].total()}, by hand {counts[1].total()}"
                         f"{', byte for byte the same' if code == by_hand else ''}")  # fmt: skip
            good = same != (pair == "different")
            print(said + ("" if good else f": only ours {ours - hand}, only by hand {hand - ours}"))
            failed |= not good
        failed |= len(pairs) != (7 if name == "nvcc" else 6)
    return failed


if __name__ == "__main__":
    sys.exit(main())
