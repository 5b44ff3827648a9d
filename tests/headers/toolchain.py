#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks what a wrong command says: toolchain.py INCLUDE_FOLDER COMPILER...

Every public header, compiled as C++17, gives one sentence of the library and nothing else; so do an older language, a
32-bit target, an old compiler, and a second version of the library in one translation unit. Two versions in one process
share no function."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LANGUAGE = "warpsafe needs C++20"
# What the include that ends the compilation adds, and the lines that show the places of both.
MOST_LINES = 24
CLEAN = ("kernel_api.hpp", "args/aligned_ptr.hpp", "args/device_ptr.hpp", "args/device_span.hpp", "core/config.hpp", "core/size_type.hpp",
         "core/toolchain.hpp", "dims/extent.hpp", "kernel/device_functions.hpp", "kernel/kernel_declaration.hpp")

# A program that uses most parts of the library.
USER = """
#include <warpsafe/debug.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/race.hpp>
#include <warpsafe/warpsafe.hpp>
#include <iostream>
WARPSAFE_KERNEL void set(warpsafe::DeviceSpan<float> x) { x[0] = 1; }
int user() {
  namespace ws = warpsafe;
  const auto stream = ws::Stream::create().value();
  auto x = ws::DeviceBuffer<float>::create(stream, 4).value();
  const auto launched = ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<1>}, ws::kernel<set>, x.view());
  if (!launched.has_value()) std::cout << launched.error();
  return static_cast<int>(x.to_host(stream).get().value().size());
}
"""

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


def as_version(source, to, major):
    """A copy of the library that says it is another version."""
    shutil.copytree(source, to / "warpsafe")
    config = to / "warpsafe/core/config.hpp"
    text = re.sub(r"(define WARPSAFE_VERSION_MAJOR) \d+", rf"\1 {major}", config.read_text())
    config.write_text(re.sub(r"(PATCH and )\d+", rf"\g<1>{major}", text))
    return to


def functions(compiler, include, scratch):
    """The library's functions and variables that an object file of that version could share with others."""
    source, made = pathlib.Path(scratch) / "user.cpp", pathlib.Path(scratch) / "user.o"
    source.write_text(USER)
    subprocess.run([compiler, "-std=c++20", "-O0", "-c", "-I", str(include), str(source), "-o", str(made)], check=True)
    listed = subprocess.run(["nm", "--defined-only", str(made)], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in listed.splitlines() if line.split()[-2] in "WVuTBD" and "warpsafe" in line}


public = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.hpp") if "detail" not in path.parts)
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
# Two plug-ins of one process may use two versions: they share no function and no variable.
with tempfile.TemporaryDirectory() as scratch:
    host = next(compiler for compiler in compilers if pathlib.Path(compiler).name != "nvcc")
    first = functions(host, folder.parent, scratch)
    second = functions(host, as_version(folder, pathlib.Path(scratch), 7), scratch)
    shared = first & second
    if len(first) < 500 or shared:
        problems.append(f"two versions in one process share {len(shared)} of {len(first)} names: {sorted(shared)[:5]}")
print("\n".join(problems) or f"{len(public)} headers: one sentence each")
sys.exit(bool(problems))
