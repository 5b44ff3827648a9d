#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks which findings warpsafe-lint shows by default: check_levels.py LINT LINT-LEVELS.MD

The table of levels names rows that exist, forms that a rule gives, and the rows that the page says are shown. Each form is shown
with one source and a note with another. Exit code 77: libclang or CUDA is not installed."""
import json
import pathlib
import re
import sys
import tempfile

from linter import Linter

linter, page = Linter(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
from warpsafe_lint import registry  # noqa: E402  (the linter puts its folder on the path)
from warpsafe_lint.rules import levels  # noqa: E402

problems = []


def expect(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {found!r}, expected {wanted!r}")


BEFORE = """#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
"""
# What is shown, and a source whose finding of the row is a note although its rule says more of it.
CASES = {
    "D01 input": ("int main(int argc, char** argv) { float* x = nullptr; scale<<<1, atoi(argv[1])>>>(x, 5); }",
                  "void f(float* x, int num_items) { scale<<<1, num_items / 2>>>(x, num_items); }"),
    "D01 block input": ("int main(int argc, char** argv) { float* x = nullptr; scale<<<1, atoi(argv[1])>>>(x, 5); }",
                        "int main(int argc, char** argv) { float* x = nullptr; scale<<<dim3(1, atoi(argv[1])), 5>>>(x, 5); }"),
    "F04": ("void f(float* x) { cudaFree(x); cudaFree(x); }",
            "void f(float* x) { cudaError_t e = cudaFreeAsync(x, nullptr); if (e == cudaErrorNotSupported) cudaFree(x); }"),
    "A07 constants": ("void f(float* x) { scale<<<1000 / 256, 256>>>(x, 1000); }", "void f(float* x, int n) { scale<<<n / 256, 256>>>(x, n); }"),
}
# What fresh code has not proven right: notes, unless the row is named.
OF_NOTES = {
    "A19 input": "void f(float* x, int n) { scale<<<1, n>>>(x, n); }\nint main(int argc, char** argv) { f(nullptr, atoi(argv[1])); }",
    "D10": "void f(float* x) { if (cudaFree(x) != cudaSuccess) exit(0); }",
    "F05 multiplied": "void f(float* x, const float* y, int n) { cudaMalloc(&x, n * sizeof(float)); cudaMemcpy(x, y, n, cudaMemcpyHostToDevice); }",
    "L01": "void f(int n) { float *x, *y = (float*)malloc(n * sizeof(float)); cudaMalloc(&x, n * sizeof(float)); cudaMemcpy(x, y, n * sizeof(float), cudaMemcpyDeviceToHost); }",
}
rules = {rule.row: rule for rule in registry.RULES}
expect("rows of the table that have no rule", {key.split()[0] for key in (*levels.SHOWN, *levels.NOTES)} - set(rules), set())
expect("rows that are always notes, in the table of what is shown", [key for key in levels.SHOWN if rules[key.split()[0]].severity == "note"], [])
source = "".join(path.read_text() for path in pathlib.Path(levels.__file__).parent.glob("*.py"))
expect("forms that no rule gives", [key for key in (*levels.SHOWN, *levels.NOTES) if " " in key and f'"{key.partition(" ")[2]}"' not in source], [])
expect("what the page says is shown", dict(re.findall(r"^\| ([A-GL]\d\d(?: [a-z ]+)?) \| (?:error|warning) \| (.*) \|$", page, re.M)),
       levels.SHOWN)

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)

    def found(file, text, row, *words):
        """The severities of a row's findings in a source that has a tree of its own."""
        path = folder / f"tree{len(list(folder.iterdir()))}" / file
        path.parent.mkdir()
        path.write_text(text)
        done = linter.run("--json", *words, str(path))
        if "not find cuda_runtime.h" in done.stderr or "cannot find CUDA" in done.stderr:
            print("skipped: no CUDA toolkit here")
            sys.exit(77)
        return [item["severity"] for item in json.loads(done.stdout) if item["row"] == row]

    for key, (shown, note) in CASES.items():
        row = key.split()[0]
        own = rules[row].severity
        expect(f"{key}, by default", found("a.cu", BEFORE + shown, row), [own])
        expect(f"another {row}, by default", found("a.cu", BEFORE + note, row), [])
        expect(f"another {row}, --level=note", found("a.cu", BEFORE + note, row, "--level=note"), ["note"])
        expect(f"another {row}, by name", found("a.cu", BEFORE + note, row, f"--rows={row}"), [own])
        expect(f"{key}, in a lesson", found("wrong_size.cu", BEFORE + shown, row), [])
        expect(f"{key}, without a header", found("a.cu", '#include "gone.h"\n' + BEFORE + shown, row), [])
    for key, text in OF_NOTES.items():
        row = key.split()[0]
        expect(f"{key}, by default", found("a.cu", BEFORE + text, row), [])
        expect(f"{key}, by name", found("a.cu", BEFORE + text, row, f"--rows={row}"), [rules[row].severity])
    # A fill: an error if no byte is that number, and a note if each byte may be meant.
    for value, shown in (("1.0f", ["error"]), ("1", [])):
        expect(f"F14 of {value}", found("a.cu", BEFORE + f"void f(float* x) {{ cudaMemset(x, {value}, 4096); }}", "F14"), shown)
    # A launch of which two rows say the same: the one that is shown by default, and one of them if both are named.
    expect("D01 beside a note of A19", found("a.cu", BEFORE + OF_NOTES["A19 input"], "D01"), ["warning"])
    for rows in ("A19,D01", "default,A19"):
        expect(f"D01 beside A19, --rows={rows}", found("a.cu", BEFORE + OF_NOTES["A19 input"], "D01", f"--rows={rows}", "--level=note"), ["note"])
    expect("D01 beside B01", found("a.cu", BEFORE + "void f(float* x) { scale<<<1, 2000>>>(x, 5); }", "D01"), [])
    expect("B01 beside D01", found("a.cu", BEFORE + "void f(float* x) { scale<<<1, 2000>>>(x, 5); }", "B01"), ["error"])
    # The names of the folders below the tree's, and of no folder above it.
    (folder / "bug/mine/.git").mkdir(parents=True)
    for file, lesson in (("src/a.cu", False), ("data_overflow/a.cu", True), ("src/ErrorInjected/deep/er/a.cu", True), ("wrong/src/a.cu", True), ("terrain/abadi.cu", False),
                         ("overflowing/injection.cu", False), ("a.cu", False), ("debug/../a.cu", False)):
        expect(f"a lesson: {file}", levels.is_lesson(folder / "bug/mine" / file), lesson)
    expect("a lesson by the folder of a file without a tree", levels.is_lesson("/none/of/failures/bad/a.cu"), True)
    expect("a name that only contains a word", levels.is_lesson("/tests/terrain/abadi.cu"), False)
for row, shown in (("D01", "warning  a launch whose result nobody reads  (constant, input; others: note)"), ("C04", "note     a host pointer passed to a kernel"),
                   ("B01", "error    more than 1024 threads in a block")):
    expect(f"--list-rows of {row}", f"{row}  {shown}\n" in linter.run("--list-rows").stdout, True)
said = linter.run("--explain=A07").stdout
expect("--explain's levels", ["by default constants: warning, because: " in said, "by default others: note, because: " in said], [True, True])
if problems:
    sys.exit("\n".join(problems))
