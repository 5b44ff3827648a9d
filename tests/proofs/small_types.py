#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs the grid arithmetic for all values of small integer types: small_types.py --compiler CXX --include FOLDER

Takes the functions below from the headers as they are, replaces the names of the integer types and the
limits, and compiles them with small_types.cpp. So the text that the compiler sees is the library's.
Then it breaks single statements, and expects that the program notices each.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# (header, first words, end) of each function or class.
PARTS = [
    ("dims/detail/cover.hpp", "template <int Along, class Rules, std::uint32_t Items, bool Capped>", "\n}\n"),
    ("kernel/device_functions.hpp", "class StrideRange {", "\n};\n"),
    ("kernel/device_functions.hpp", "[[nodiscard]] WARPSAFE_DETAIL_KERNEL_CODE Index3 thread_index() {", "\n}\n"),
    ("kernel/device_functions.hpp",
     "[[nodiscard]] WARPSAFE_DETAIL_KERNEL_CODE StrideRange grid_stride(size_type n) {", "\n}\n"),
]
# Larger expressions first. Each must occur.
REPLACED = [
    ("std::uint32_t{1} << 31", "(u32{1} << (BITS / 2 - 1))"),
    ("0xffffffffU", "u32{most_32}"),
    ("n.bits >> 63U", "n.bits.value >> (BITS - 1)"),
    ("std::uint64_t", "u64"),
    ("std::uint32_t", "u32"),
    ("size_type", "u64"),
    ("WARPSAFE_DETAIL_KERNEL_CODE", "inline"),
    ("WARPSAFE_FN", ""),
]
# What the program must notice: a statement of the headers, and a wrong one.
MISTAKES = [
    ("(n.bits + (per_block - 1)) / per_block", "(n.bits + per_block) / per_block"),
    ("n.bits % per_block != 0;", "1 < n.bits % per_block;"),
    ("by_threads < most ? by_threads : most", "most"),
    ("impossible |= n.negative;", ""),
    ("(n.bits >> 63U) != 0;", "(n.bits >> 63U) == 2;"),
    ("cap = cap < by_stride ? cap : by_stride;", ""),
    ("needed - less < most + 1 - less", "needed - less < most + 1"),
    ("index += step;", "index += step + 1;"),
    ("return index < end;", "return index <= end;"),
    ("block_index().x) * size + thread_in_block().x", "block_index().x) * size"),
    ("if constexpr (Items <= 1 && !Capped", "if constexpr (!Capped"),
    ("? width * Items : std::uint64_t{1};", "? width * Items : std::uint64_t{2};"),
]


def extract(include):
    texts = []
    for header, first, end in PARTS:
        source = (include / header).read_text()
        if source.count(first) != 1:
            sys.exit(f"{header} no longer has: {first}")
        begin = source.index(first)
        texts.append(source[begin:source.index(end, begin) + len(end)])
    return "\n".join(texts)


def run(compiler, include, text, bits, folder):
    """The exit code and the output of the program for this text."""
    for old, new in REPLACED:
        if old not in text and "1 << 31" not in old:
            sys.exit(f"the extracted functions have no {old}")
        text = text.replace(old, new)
    # A number of 32 or 64 bits that is left would be a limit that is not scaled.
    if left := re.findall(r"\b(?:0x[0-9a-fA-F]{5,}|\d{4,})", text):
        sys.exit(f"the extracted functions contain unscaled numbers: {left}")
    (folder / "extracted.hpp").write_text(text)
    program = folder / "small_types"
    build = subprocess.run([compiler, "-std=c++20", "-O2", f"-DBITS={bits}", f"-I{include.parent}", f"-I{folder}",
                            str(HERE / "small_types.cpp"), "-o", str(program)],
                           capture_output=True, text=True, check=False)
    if build.returncode != 0:
        sys.exit(f"does not compile:\n{build.stderr}")
    ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=300, check=False)
    return ran.returncode, ran.stdout


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compiler", required=True)
    arguments.add_argument("--include", type=pathlib.Path, required=True)
    given = arguments.parse_args()
    text = extract(given.include)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for bits in (8, 16):
            code, output = run(given.compiler, given.include, text, bits, folder)
            print(output, end="")
            failed += code != 0
        for old, new in MISTAKES:
            if text.count(old) != 1:
                sys.exit(f"`{old}` occurs {text.count(old)} times, not once")
            code, _ = run(given.compiler, given.include, text.replace(old, new), 8, folder)
            print(f"{'noticed' if code == 1 else 'NOT NOTICED'}: {old} => {new}")
            failed += code != 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
