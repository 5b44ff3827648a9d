#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The PTX in tools/ranks/nccl/checksum_ptx.hpp is what nvcc makes of checksum_kernel.cu, and ptxas assembles it for each
GPU that it knows: check_kernel.py PROJECT NVCC [--update]

nvcc writes the newest version of PTX, which older drivers refuse. The text here names the oldest version that has all of
its instructions. Exit code 77: another release of nvcc wrote the text, so that it may differ."""

import pathlib
import re
import subprocess
import sys
import tempfile

PROJECT, NVCC = pathlib.Path(sys.argv[1]), sys.argv[2]
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


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def made():
    with tempfile.TemporaryDirectory() as folder:
        run(NVCC, "-std=c++17", "-ptx", "-arch=compute_75", "-O3", PROJECT / "tools/ranks/nccl/checksum_kernel.cu", "-o", f"{folder}/kernel.ptx")
        text = pathlib.Path(folder, "kernel.ptx").read_text()
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"(?m)^\.version .*$", f".version {VERSION}", text)
    text = re.sub(r"(?m)^\.target .*$", f".target {TARGET}", text)
    return re.sub(r"\n\s*\n+", "\n", text)


def main():
    release = re.search(r"release [\d.]+", run(NVCC, "--version"))[0]
    text = made()
    wanted = TEMPLATE.format(release=release, text=text)
    if "--update" in sys.argv:
        HEADER.write_text(wanted)
    problems = []
    have = HEADER.read_text()
    ptx = have.partition('R"(')[2].partition(')"')[0]
    ptxas = pathlib.Path(NVCC).resolve().parent / "ptxas"
    gpus = re.findall(r"sm_\d+\b", run(NVCC, "--list-gpu-code"))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "kernel.ptx").write_text(ptx)
        for gpu in gpus:
            done = subprocess.run([ptxas, f"-arch={gpu}", f"{folder}/kernel.ptx", "-o", f"{folder}/kernel.cubin"], capture_output=True, text=True, check=False)
            if done.returncode:
                problems.append(f"{gpu}: {done.stdout}{done.stderr}")
    is_same_release = f"nvcc: {release}." in have
    if is_same_release and have != wanted:
        problems.append("checksum_ptx.hpp is not what nvcc makes of checksum_kernel.cu: run check_kernel.py --update")
    print("\n".join(problems) or f"assembled for {', '.join(gpus)}")
    return 1 if problems else 0 if is_same_release else 77


if __name__ == "__main__":
    sys.exit(main())
