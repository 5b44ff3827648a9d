#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that two plug-ins of one process may use two versions of the library: versions.py INCLUDE_FOLDER COMPILER

The object file of a program that uses most parts has no function and no variable that the other version's could share."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

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


def main():
    folder, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as scratch:
        first = functions(compiler, folder.parent, scratch)
        second = functions(compiler, as_version(folder, pathlib.Path(scratch), 7), scratch)
    shared = sorted(first & second)
    print(f"two versions share {len(shared)} of {len(first)} names", *shared[:5], sep="\n")
    return len(first) < 500 or bool(shared)


if __name__ == "__main__":
    sys.exit(main())
