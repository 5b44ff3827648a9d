#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs each mode of gpu_program.cpp on a GPU, alone and under warpsafe-run: on_gpu.py WARPSAFE_RUN PROGRAM

A watched program prints what it prints alone, and warpsafe-run reports what REPORTS lists. With the further argument
"cost" it prints the time of a small product, alone, watched, and watched with --no-libraries. Exit code 77: no GPU."""

import concurrent.futures
import subprocess
import sys

# The function, the status and the remedy of each mode; None for no report at all.
REPORTS = {
    "right": None,
    "gemm_ldb": ("cublasSgemm failed: CUBLAS_STATUS_INVALID_VALUE", "ldb is 1, and must be at least k = 2"),
    "gemm_negative": ("cublasSgemm failed: CUBLAS_STATUS_INVALID_VALUE", "m is -2, and must not be negative"),
    "no_handle": ("cublasSgemm failed: CUBLAS_STATUS_NOT_INITIALIZED", "the handle is a null pointer"),
    "set_matrix": ("cublasSetMatrix failed: CUBLAS_STATUS_INVALID_VALUE", "elemSize is 0, and must be at least 1"),
    "plan_size": ("cufftPlan1d failed: CUFFT_INVALID_SIZE", "nx is -4, and must be at least 1"),
    "plan_type": ("cufftPlan1d failed: CUFFT_INVALID_", "type is 5, and is none of cufftType's values"),
    "no_plan": ("cufftExecC2C failed: CUFFT_INVALID_PLAN", "the plan was not made"),
    "normal_odd": ("curandGenerateNormal failed: CURAND_STATUS_LENGTH_NOT_MULTIPLE", "even for normal"),
}


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def judge(watch, program, mode):
    """What is wrong with this mode, alone and watched."""
    expected, problems = REPORTS[mode], []
    alone = run([program, mode])
    watched = run([watch, "--cuda", "--quiet", program, mode])
    if (alone.stdout, alone.returncode) != (watched.stdout, watched.returncode):
        problems.append(f"alone: {alone.returncode} {alone.stdout!r}, watched: {watched.returncode} {watched.stdout!r}")
    missing = [] if expected is None else [one for one in expected if one not in watched.stderr]
    if missing or (expected is None and "warpsafe" in watched.stderr):
        problems.append(f"expected {expected}, found {watched.stderr!r}")
    return problems


def main():
    watch, program, *rest = sys.argv[1:]
    if run([program, "right"]).returncode == 77:
        print("skipped: no GPU")
        return 77
    if rest:
        for options in ([], [watch, "--cuda", "--quiet"], [watch, "--cuda", "--quiet", "--no-libraries"]) * 3:
            print(*options[2:], run([*options, program, "cost"]).stdout.splitlines()[0])
        return 0
    # A process waits for most of its time until the driver has started.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda mode: judge(watch, program, mode), REPORTS))
    for mode, problems in zip(REPORTS, said):
        print(mode + ":", "; ".join(problems) or "right")
    return any(said)


if __name__ == "__main__":
    sys.exit(main())
