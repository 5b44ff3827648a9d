#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The precompiled headers in the cache change no finding: check_prefix.py LINT

Runs warpsafe-lint with and without them, and with one that is damaged, out of date, hidden by a header of the program, or
that it may not write. Exit code 77: libclang or CUDA is not installed."""

import json
import os
import pathlib
import re
import sys
import tempfile

from linter import Linter

LINTER = Linter(sys.argv[1])
from warpsafe_lint import libclang, prefix  # noqa: E402  (the linter puts its folder on the path)

SOURCE = """#include <cuda_runtime.h>
template <class T> __global__ void fill(T* x) { x[threadIdx.x] = T(1); }
template <class T> void start(T* x) { fill<<<1, 2000>>>(x); }
__host__ __device__ double length(double x) { return rsqrt(x) + sqrt(x); }
int main() { start<float>(nullptr); start<int>(nullptr); }
#ifdef MORE
void more(float* x) { fill<<<1, 2000>>>(x); }
#endif
"""
ALONE, WITH_MORE = [3], [3, 7]
MOST = 8


def lines_of(source, cache, *flags, rows="B01"):
    """The lines with a finding."""
    done = LINTER.run(f"--rows={rows}", "--json", source, "--", *flags, env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    if re.search(r"not find (cuda_runtime|__clang\w*)\.h|cannot find CUDA", done.stderr):
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)
    if done.returncode not in (0, 1) or "not read completely" in done.stderr:
        return f"status {done.returncode}: {done.stderr}"
    return [item["line"] for item in json.loads(done.stdout)]


def check_system_header(folder):
    """A precompiled header is refused after a header of the system has changed."""
    system, precompiled = folder / "system/part.h", folder / "part.pch"
    system.parent.mkdir()
    system.write_text("struct Part {};\n")
    cindex = libclang.load()
    arguments = [*libclang.own_headers(), "-x", "c++", "-isystem", str(system.parent)]
    (folder / "part.cpp").write_text("#include <part.h>\n")
    cindex.Index.create().parse(str(folder / "part.cpp"), args=arguments, options=prefix.FOR_SERIALIZATION).save(str(precompiled))

    def is_taken():
        try:
            cindex.Index.create().parse("empty.cpp", args=[*prefix.USE, str(precompiled), *arguments], unsaved_files=[("empty.cpp", "")])
        except cindex.TranslationUnitLoadError:
            return False
        return True

    if not is_taken():
        yield "a system header that did not change: refused"
    system.write_text("struct Part { int number; };\n")
    if is_taken():
        yield "a system header that changed: not noticed"


def check(folder):
    source, cache = folder / "source.cu", folder / "cache"
    source.write_text(SOURCE)
    nowhere = folder / "file"
    nowhere.write_text("")

    def kept():
        return sorted(cache.rglob("*.pch"))

    def expect(what, wanted, *flags, where=cache):
        if (found := lines_of(source, where, *flags)) != wanted:
            yield f"{what}: findings in lines {found}, expected {wanted}"

    yield from expect("the first run", ALONE)
    if len(kept()) != 1:
        yield f"the first run leaves {kept()}"
        return
    changed = kept()[0].stat().st_ino
    yield from expect("the second run", ALONE)
    if [each.stat().st_ino for each in kept()] != [changed]:
        yield "the second run writes the precompiled header again"
    yield from expect("a macro", WITH_MORE, "-DMORE")
    for standard in ("c++14", "c++17", "c++20"):  # the first run of each writes the precompiled header, the second reads it
        for _ in range(2):
            yield from expect(standard, ALONE, f"-std={standard}")

    for content in (b"", b"damaged", kept()[0].read_bytes()[:1_000_000]):
        for each in kept():
            each.write_bytes(content)
        yield from expect(f"a precompiled header of {len(content)} bytes", ALONE)
    yield from expect("after the damage", ALONE)

    forced = folder / "forced.h"
    forced.write_text("\n")
    yield from expect("a forced header", ALONE, "-include", str(forced))
    forced.write_text("#define MORE\n")
    yield from expect("a forced header that changed", WITH_MORE, "-include", str(forced))

    # The declarations of a forced header count.
    forced.write_text("template <class T> __global__ void forced(T* x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x] = n; }\n")
    (folder / "uses.cu").write_text("void uses(int* x, int n) { forced<<<(n + 255) / 256, 256>>>(x, n); }\n")
    here = lines_of(folder / "uses.cu", cache, "-include", str(forced), rows="A10")
    if here != lines_of(folder / "uses.cu", nowhere, "-include", str(forced), rows="A10") or not here:
        yield f"a kernel of a forced header: findings in lines {here}"

    # A header of the program that hides one of the toolkit.
    hiding = folder / "hiding"
    hiding.mkdir()
    yield from expect("an empty folder", ALONE, "-I", str(hiding))
    (hiding / "limits.h").write_text("#include_next <limits.h>\n#define MORE\n")
    yield from expect("a header that hides the toolkit's", WITH_MORE, "-I", str(hiding))

    yield from expect("no cache", ALONE, where=nowhere)
    # A full cache gives up what was not used for the longest time.
    folder_of_cache = kept()[0].parent
    for each in kept():
        each.unlink()
    unused = [folder_of_cache / f"unused{number}.pch" for number in range(MOST + 2)]
    for number, each in enumerate(unused):
        for file in (each, each.with_suffix(".names")):
            file.touch()
            os.utime(file, (number, number))
    lines_of(source, cache, "-DNUMBER=1")
    stay = [each for each in unused if each.exists()]
    if len(kept()) != MOST or stay != unused[-(MOST - 1):] or list(cache.rglob("*.[0-9]*")):
        yield f"the cache has {kept()}, expected {MOST} precompiled headers, and {list(cache.rglob('*.[0-9]*'))}"
    if gone := [each for each in unused if not each.exists() and each.with_suffix(".names").exists()]:
        yield f"the lists of {gone} are still there"


with tempfile.TemporaryDirectory() as made:
    problems = [*check(pathlib.Path(made)), *check_system_header(pathlib.Path(made))]
print(*problems or ["as expected"], sep="\n")
sys.exit(bool(problems))
