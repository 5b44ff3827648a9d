#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks the code that `warpsafe-lint --explain ROW` shows: check_rows.py LINT

Each row that has a rule must have an explanation. The rule must find the wrong code, and must be silent for the right
code. Exit code 77: libclang, CUDA or HIP is not installed."""
import json
import pathlib
import re
import sys
import tempfile

from linter import Linter

linter = Linter(sys.argv[1])
from warpsafe_lint import registry  # noqa: E402  (the linter puts its folder on the path)
from warpsafe_lint.explain import explained, explanations  # noqa: E402

BEFORE = {"cuda": """#include <cuda_runtime.h>
#include <algorithm>
#include <cstdlib>
#include <vector>
typedef struct cublasContext* cublasHandle_t;
int cublasCreate(cublasHandle_t*);
int cublasDestroy(cublasHandle_t);
int cublasSetStream(cublasHandle_t, cudaStream_t);
__global__ void scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void scale_all(float* x, long n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void unguarded(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void __launch_bounds__(256) bounded(float* x) { x[threadIdx.x] = 1; }
__global__ void count_up(int* x) { ++*x; }
__global__ void matrix(float* x, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) x[row * cols + col] = 1;
}
__global__ void tile(float* x) {
  extern __shared__ float values[];
  values[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = values[0];
}
__global__ void both(float* x) {
  __shared__ float fixed[64];
  extern __shared__ float values[];
  fixed[threadIdx.x % 64] = values[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = values[0] + fixed[1];
}
unsigned checked_blocks(long n);
void check(cudaError_t status);
""", "hip": """#include <hip/hip_runtime.h>
typedef struct rocblas* rocblas_handle;
int rocblas_set_stream(rocblas_handle, hipStream_t);
"""}
AROUND = {"cuda": "void example(float* x, float* host, int* numbers, int n, long count, int rows, int cols, void** arguments, "
                  "cudaStream_t stream) {\n%s}\n",
          "hip": "void example(rocblas_handle handle, hipStream_t* streams) {\n%s}\n"}

# Rows whose rule looks at a whole file: their code has a file of its own.
ALONE = {"B07", "B11", "D01", "E01"}
WHOLE = r"(__global__|struct \w+ \{|(void|bool|float|cudaError_t) \w+\()"

problems = []
rules = {rule.row for rule in registry.RULES}
problems += [f"{row}: no explanation in rows.txt" for row in sorted(rules - set(explanations()))]
problems += [f"{row}: explained, but no rule has this name" for row in sorted(set(explanations()) - rules)]
with tempfile.TemporaryDirectory() as name:
    texts, places = {}, {}
    for row, text in explanations().items():
        if row in rules and f"wrong:\n    {text.wrong.splitlines()[0]}" not in explained(row):
            problems.append(f"{row}: --explain does not show its code")
        for kind in ("wrong", "right"):
            code = getattr(text, kind)
            # Each file has a tree of its own, because some rules read the whole tree.
            file = f"{name}/{kind}{row if row in ALONE else ''}/source.{'cu' if text.language == 'cuda' else 'hip'}"
            before = texts.setdefault(file, BEFORE[text.language])
            code = code if re.match(WHOLE, code) else AROUND[text.language] % code
            texts[file] = f"{before}namespace {row}_{kind} {{\n{code}}}\n"
            places[row, kind] = file, range(before.count("\n") + 1, texts[file].count("\n") + 1)
    for file, text in texts.items():
        pathlib.Path(file).parent.mkdir(exist_ok=True)
        pathlib.Path(file).write_text(text)
    done = linter.run("--rows=all", "--json", *texts)
    if re.search("not find \\S*(cuda|hip)_runtime(_wrapper)?.h|cannot find (CUDA|HIP)", done.stderr):
        print(f"skipped: {done.stderr.splitlines()[0]}")
        sys.exit(77)
    problems += done.stderr.splitlines()
    found = json.loads(done.stdout)
    for (row, kind), (file, lines) in places.items():
        is_found = any(item["file"] == file and item["row"] == row and item["line"] in lines for item in found)
        if is_found != (kind == "wrong"):
            problems.append(f"{row}: the rule {'does not find' if kind == 'wrong' else 'reports'} the {kind} code")
if problems:
    sys.exit("\n".join(problems))
