#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks what a wrong command says: toolchain.py INCLUDE_FOLDER COMPILER...

Every public header, compiled as C++17, gives one sentence of the library and nothing else; so do an older language, a
32-bit target, an old compiler, and a second version of the library in one translation unit."""

import pathlib
import re
import subprocess
import sys
import tempfile

from versions import as_version

LANGUAGE = "warpsafe needs C++20"
# What the include that ends the compilation adds, and the lines that show the places of both.
MOST_LINES = 24
CLEAN = ("kernel_api.hpp", "args/aligned_ptr.hpp", "args/device_ptr.hpp", "args/device_span.hpp", "core/config.hpp", "core/size_type.hpp",
         "core/toolchain.hpp", "dims/extent.hpp", "kernel/device_functions.hpp", "kernel/kernel_declaration.hpp")

folder, compilers = pathlib.Path(sys.argv[1]), sys.argv[2:]
problems = []


def said(compiler, folder, text, *flags):
    """What the compiler says of a text, and whether it accepts it."""
    name = pathlib.Path(compiler).name
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / ("a.cu" if name == "nvcc" else "a.cpp")
        source.write_text(text)
        only = ["-cuda", "-o", f"{scratch}/a.ii"] if name == "nvcc" else ["-fsyntax-only"]
        done = subprocess.run([compiler, *flags, *only, "-I", str(folder), str(source)], capture_output=True, text=True)
    return done.stdout + done.stderr, done.returncode == 0


def expect_sentence(what, compiler, folder, text, sentence, *flags):
    out, good = said(compiler, folder, text, *flags)
    errors = re.findall(r"^\S+:\d+(?::\d+)?: (?:fatal )?error: (.*)", out, re.M)
    if good or not errors or sentence not in errors[0] or len(out.splitlines()) > MOST_LINES:
        shown = "\n".join(out.splitlines()[:8])
        problems.append(f"{what}, {compiler} {' '.join(flags)}: {len(out.splitlines())} lines, expected '{sentence}':\n{shown}")


# A file of rows is no header to include by itself.
public = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.hpp")
                if "detail" not in path.parts and "#pragma once" in path.read_text())  # fmt: skip
for compiler in compilers:
    name = pathlib.Path(compiler).name
    # One host compiler reads each header; the check does not depend on the compiler.
    for header in public if compiler == compilers[0] else ("warpsafe.hpp", "memory.hpp", "debug.hpp", "launch/check.hpp"):
        if header in CLEAN:
            continue
        expect_sentence(header, compiler, folder.parent, f"#include <warpsafe/{header}>\n", LANGUAGE, "-std=c++17")
    if name == "nvcc":
        continue
    for header in CLEAN:
        out, good = said(compiler, folder.parent, f"#include <warpsafe/{header}>\n", "-std=c++17", "-Wall", "-Wextra", "-Werror")
        if not good:
            problems.append(f"{header} as C++17, {compiler}:\n{out[:500]}")
        expect_sentence(header, compiler, folder.parent, f"#include <warpsafe/{header}>\n", LANGUAGE, "-std=c++14")
    whole = "#include <warpsafe/warpsafe.hpp>\n"
    expect_sentence("a 32-bit target", compiler, folder.parent, whole, "warpsafe supports 64-bit Linux alone", "-std=c++20", "-m32")
    expect_sentence("another system", compiler, folder.parent, whole, "warpsafe supports 64-bit Linux alone", "-std=c++20", "-U__linux__")
    old = ("-U__clang_major__", "-D__clang_major__=13") if "clang" in name else ("-U__GNUC__", "-D__GNUC__=11")
    expect_sentence("an old compiler", compiler, folder.parent, whole, "or later", "-std=c++20", *old)
    expect_sentence("an old CUDA", compiler, folder.parent, whole, "warpsafe needs CUDA 12", "-std=c++20", "-D__CUDACC_VER_MAJOR__=11")
    for value in ("2", "full", ""):
        expect_sentence("a wrong check level", compiler, folder.parent, whole,
                        f"WARPSAFE_CHECKS is {value}, which is no check level; define it as 1 (all checks) or 0 (none)",
                        "-std=c++20", f"-DWARPSAFE_CHECKS={value}")  # fmt: skip
    with tempfile.TemporaryDirectory() as scratch:
        other = as_version(folder, pathlib.Path(scratch), 7)
        both = f'#include <warpsafe/warpsafe.hpp>\n#include "{other}/warpsafe/core/config.hpp"\n'
        expect_sentence("two versions", compiler, folder.parent, both, "two versions of warpsafe in one translation unit", "-std=c++20")
        out, _ = said(compiler, folder.parent, both, "-std=c++20")
        versions = re.search(r"two versions of warpsafe in one translation unit: (\S+) and (\S+);", out)
        own = ".".join(re.findall(r"#define WARPSAFE_VERSION_\w+ (\d+)", (folder / "core/config.hpp").read_text())[:3])
        if not versions or versions.groups() != (own, f"7.{own.partition('.')[2]}"):
            problems.append(f"two versions, {compiler}: they are not named:\n{out[:600]}")
print("\n".join(problems) or f"{len(public)} headers: one sentence each")
sys.exit(bool(problems))
