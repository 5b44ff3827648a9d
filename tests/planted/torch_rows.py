#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The planted mistakes that PyTorch can express, under torch.cuda._sanitizer: torch_rows.py OUT.json

Adds to OUT.json, which on_gpu.py wrote, what the sanitizer reports for each mistake and its right twin. PyTorch can
express mistakes of streams and of memory that its allocator hands out again; it has no kernels of the program's own."""

import json
import os
import pathlib
import subprocess
import sys

NAME = "`torch.cuda._sanitizer`"


def order(first, then):
    then.wait_event(first.record_event())


def read_elsewhere(torch, one, other, wrong):
    with torch.cuda.stream(one):
        x = torch.ones(1024, device="cuda")
    order(one, other)
    with torch.cuda.stream(other):
        y = x * 2
    if not wrong:
        order(other, one)
    del x
    with torch.cuda.stream(one):
        z = torch.zeros(1024, device="cuda")
    return y, z


def producer(torch, one, other, wrong, early=False):
    x = torch.zeros(1024, device="cuda")
    torch.cuda.synchronize()
    if early and wrong:
        order(one, other)
    with torch.cuda.stream(one):
        x.add_(1)
    if not wrong:
        order(one, other)
    with torch.cuda.stream(other):
        return x, x * 2


def two_writers(torch, one, other, wrong):
    x = torch.zeros(1024, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(one):
        x.add_(1)
    if not wrong:
        order(one, other)
    with torch.cuda.stream(other):
        x.mul_(2)
    return x


def overwritten(torch, one, other, wrong, how):
    x = torch.zeros(1024, device="cuda")
    pinned = torch.zeros(1024).pin_memory()
    torch.cuda.synchronize()
    with torch.cuda.stream(other):
        y = x * 2
    if not wrong:
        order(other, one)
    with torch.cuda.stream(one):
        x.copy_(pinned, non_blocking=True) if how == "copy" else x.zero_()
    return x, y


def next_round(torch, one, other, wrong):
    x = torch.zeros(1024, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(one):
        x.add_(1)
    order(one, other)
    with torch.cuda.stream(other):
        y = x * 2
    if not wrong:
        order(other, one)
    with torch.cuda.stream(one):
        x.fill_(2)
    return x, y


ROWS = {
    "M01": read_elsewhere,
    "S01": producer,
    "S02": two_writers,
    "S03": lambda *of: overwritten(*of, "copy"),
    "S04": lambda *of: producer(*of, True),
    "S05": lambda *of: overwritten(*of, "fill"),
    "S06": next_round,
}

if len(sys.argv) == 3:
    import torch

    # The program's end would report nothing if the streams were destroyed first.
    kept = ROWS[sys.argv[1]](torch, torch.cuda.Stream(), torch.cuda.Stream(), sys.argv[2] == "wrong")
    torch.cuda.synchronize()
    sys.exit(0)


def reports(row, kind):
    done = subprocess.run([sys.executable, __file__, row, kind], capture_output=True, text=True, env={**os.environ, "TORCH_CUDA_SANITIZER": "1"})
    if done.returncode == 0:
        return False
    if "CSAN detected" in done.stderr or "CUDASanitizerErrors" in done.stderr:
        return True
    sys.exit(f"{row} {kind}: {done.stderr[-1000:]}")


path = pathlib.Path(sys.argv[1])
result = json.loads(path.read_text())
result["tools"][NAME] = {row: [reports(row, "wrong"), reports(row, "right")] for row in ROWS}
path.write_text(json.dumps(result, indent=1) + "\n")
