# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks the extension against PyTorch: check.py [cpu|cuda]...; the default is every device of the machine.

Prints each check, and ends with 1 if one fails. If PyTorch or a requested device is missing, prints that
and skips the checks.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed (pip install torch)")
    sys.exit()

from swiglu import load, swiglu

failed = []


def check(what, good, why=""):
    print(f"  {'good ' if good else 'WRONG'} {what}{'' if good or not why else ': ' + why}")
    if not good:
        failed.append(what)


def check_error(what, kind, words, call):
    """Checks that `call` raises exactly this kind of error, with all words in its text. Returns the text."""
    try:
        call()
    except Exception as error:  # noqa: BLE001: its type is checked below
        text = str(error)
        missing = [word for word in words if word not in text]
        check(what, type(error) is kind and not missing,
              f"{type(error).__name__}: {text} (not in it: {missing})")  # fmt: skip
        return text
    check(what, False, "nothing was raised")
    return ""


def reference(gate, up):
    return torch.nn.functional.silu(gate) * up


def random(shape, dtype, device, seed=0):
    made = torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))
    return made.to(device)


def check_values(device):
    extension = load(device)
    for dtype in (torch.float32, torch.float64):
        for shape in ((1,), (3, 5), (17, 257), (0, 4), (64, 1024)):
            gate, up = (random(shape, dtype, device, seed) for seed in (1, 2))
            gate.requires_grad_(), up.requires_grad_()
            ours, theirs = swiglu(gate, up), reference(gate, up)
            upstream = random(shape, dtype, device, 3)
            what = f"{tuple(shape)} of {dtype}".replace("torch.", "")
            differs = extension.difference(ours, theirs)
            check(f"forward of {what} is what torch computes", not differs, differs)
            for name, mine, its in zip(("gate", "up"), torch.autograd.grad(ours, (gate, up), upstream),
                                       torch.autograd.grad(theirs, (gate, up), upstream)):  # fmt: skip
                differs = extension.difference(mine, its)
                check(f"gradient for {name} of {what}", not differs, differs)
    gate, up = (random((3, 7), torch.float64, device, seed).requires_grad_() for seed in (1, 2))
    check("gradcheck", torch.autograd.gradcheck(swiglu, (gate, up)))
    wrong = reference(gate, up).detach().clone()
    wrong[1, 2] += 0.5
    differs = extension.difference(wrong, reference(gate, up))
    check("a wrong number is found", "1 of 21 numbers" in differs and "first at [9]" in differs, differs)


def check_page(texts):
    """Checks that docs/guide/pytorch.md shows texts that were raised: one per line of its first block, one per later block."""
    page = Path(__file__).resolve().parents[2] / "docs/guide/pytorch.md"
    if not page.is_file():
        return  # this folder is a copy
    first, *others = re.findall(r"```text\n(.*?)\n```", page.read_text(), re.DOTALL)
    missing = [shown for shown in first.splitlines() + others if shown not in texts]
    check("what docs/guide/pytorch.md shows", not missing, "\n".join(missing))


def check_errors(device):
    extension = load(device)
    texts = []
    good = torch.ones(4, 6, device=device)

    def second_derivative():
        gate = good.clone().requires_grad_()
        first = torch.autograd.grad(swiglu(gate, good).square().sum(), gate, create_graph=True)[0]
        first.sum().backward()

    def raised(*what):
        texts.append(check_error(*what))

    elsewhere = torch.ones(4, 6, device="meta")
    forward = extension.forward
    raised("shape", ValueError, ["up has shape [4, 5] and gate [4, 6]", "expand_as"],
           lambda: forward(good, torch.ones(4, 5, device=device)))  # fmt: skip
    raised("dtype", TypeError, ["gate has dtype Half", "gate.float()"],
           lambda: forward(good.half(), good.half()))  # fmt: skip
    raised("two dtypes", TypeError, ["up has dtype Double and gate Float"],
           lambda: forward(good, good.double()))  # fmt: skip
    raised("not contiguous", ValueError, ["up is not contiguous", "strides [1, 4]", "up.contiguous()"],
           lambda: forward(good, torch.ones(6, 4, device=device).t()))  # fmt: skip
    raised("device", ValueError, ["gate is on meta", f"computes on {device}"],
           lambda: forward(elsewhere, elsewhere))  # fmt: skip
    raised("sparse", ValueError, ["gate is not a dense tensor", "gate.to_dense()"],
           lambda: forward(good.to_sparse(), good))  # fmt: skip
    raised("negative view", ValueError, ["up is a negative view", "up.resolve_neg()"],
           lambda: forward(good, torch._neg_view(good)))  # fmt: skip
    raised("no tensor", TypeError, ["incompatible function arguments"], lambda: forward(good, None))
    raised("another kind of device", ValueError, ["on meta", "cuda and cpu"], lambda: swiglu(elsewhere, elsewhere))
    raised("second derivative", RuntimeError, ["once_differentiable"], second_derivative)
    raised("two devices", ValueError, ["up is on meta and gate on " + device],
           lambda: forward(good, elsewhere))  # fmt: skip
    raised("a launch that is refused", extension.LaunchError,
           ["Kernel 'swiglu_forward", "not launched", "block.x 2048", "1..1024", "extension.cpp:"],
           lambda: forward(good, good, threads=2048))  # fmt: skip
    check_page(texts)


def check_switches(device):
    """Checks that the environment variables work from Python."""
    program = f"import torch, swiglu; a = torch.ones(1000, device='{device}'); swiglu.swiglu(a, a)"
    run = subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parent, capture_output=True, text=True,
                         env=os.environ | {"WARPSAFE_LOG": "debug", "WARPSAFE_SYNC": "all"})  # fmt: skip
    for words in ("Launch: kernel=swiglu_forward", "grid=(4,1,1), block=(256,1,1), shared=0 bytes", "WARPSAFE_SYNC=all: every launch waits"):
        check(f"WARPSAFE_LOG and WARPSAFE_SYNC: {words}", run.returncode == 0 and words in run.stderr, run.stderr)


def check_large():
    """Checks the last elements of a tensor with more than 2^31 elements."""
    size = 2**31 + 1000
    gate, up = torch.empty(size, device="cuda"), torch.empty(size, device="cuda")
    gate[-2000:], up[-2000:] = (random((2000,), torch.float32, "cuda", seed) for seed in (1, 2))
    out = swiglu(gate, up)
    differs = load("cuda").difference(out[-2000:], reference(gate[-2000:], up[-2000:]))
    check(f"the end of {size} elements", not differs, differs)


def check_streams():
    """Checks a stream other than the default one, and a stream that a graph captures."""
    extension = load("cuda")
    gate, up = (random((512, 1024), torch.float32, "cuda", seed) for seed in (1, 2))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        out = swiglu(gate, up)
    stream.synchronize()
    differs = extension.difference(out, reference(gate, up))
    check("on another stream than the default one", not differs, differs)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = swiglu(gate, up)
    gate.copy_(random((512, 1024), torch.float32, "cuda", 5))
    graph.replay()
    torch.cuda.synchronize()
    differs = extension.difference(out, reference(gate, up))
    check("in a CUDA graph", not differs, differs)


def main():
    for device in sys.argv[1:] or ["cpu", "cuda"]:
        if device == "cuda" and not torch.cuda.is_available():
            print("cuda: skipped: PyTorch finds no CUDA device")
            continue
        print(f"{device}: PyTorch {torch.__version__}")
        check_values(device)
        check_errors(device)
        check_switches(device)
        if device == "cuda":
            check_streams()
            check_large()
    print(f"{len(failed)} wrong" if failed else "all good")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
