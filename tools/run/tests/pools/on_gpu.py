#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Memory that PyTorch's and CuPy's pools hand out again too early, on a GPU: on_gpu.py WARPSAFE_RUN [OUT.json]

Each row is a program with the mistake, and the same program with the ways to avoid it. Prints what the program
computes, and what warpsafe-run --races reports. Fails if warpsafe-run reports a correct program, or misses a mistake that
its documentation says it finds. With OUT.json, which gets the results, each way to avoid the mistake is a program of
its own, and they run under torch.cuda._sanitizer too. CUPTI: the file of CUPTI's library, if it is not found by itself.
Exit code 77: no GPU, or neither PyTorch nor CuPy."""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

SIDE = 1024
BYTES = SIDE * SIDE * 4
WRONG = "wrong"
# Ways to avoid the mistake. The last two wait when the block is free already, or allocated again and not used yet.
RIGHT = ("record_stream", "wait before the free", "wait after the free", "wait after the allocation")
FOUND = re.compile(r"suspicion: nothing orders")
SANITIZER = re.compile(r"CSAN detected|CUDASanitizerErrors")


class Torch:
    """The block is the pool's for stream one; stream two uses it."""

    def __init__(self):
        import torch

        self.torch = torch
        self.one, self.two = torch.cuda.Stream(), torch.cuda.Stream()
        self.pinned = torch.zeros(SIDE, SIDE).pin_memory()
        self.eye = torch.eye(SIDE, device="cuda")
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.cuda.synchronize()

    def product(self, x):
        return x * 2

    def matmul(self, x):
        return x @ self.eye * 2

    def copy(self, x):
        self.pinned.copy_(x, non_blocking=True)
        return None

    def total(self, x):
        return x.sum(dim=1)

    def triton(self, x):
        y = self.torch.empty_like(x)
        kernel_of_triton()[(SIDE,)](x, y, BLOCK=SIDE)
        return y

    def run(self, use, kind):
        torch = self.torch
        for warm in (True, False):  # compiles the kernels, and fills the pool
            with torch.cuda.stream(self.one):
                x = torch.ones(SIDE, SIDE, device="cuda")
            self.two.wait_stream(self.one)
            with torch.cuda.stream(self.two):
                if not warm:
                    torch.cuda._sleep(200_000_000)
                y = use(x)
            if warm:
                torch.cuda.synchronize()
            elif kind == "record_stream":
                x.record_stream(self.two)
            elif kind == "wait before the free":
                self.one.wait_stream(self.two)
            address = x.data_ptr()
            del x
            if kind == "wait after the free":
                self.one.wait_stream(self.two)
            with torch.cuda.stream(self.one):
                z = torch.empty(SIDE, SIDE, device="cuda")
                if kind == "wait after the allocation":
                    self.one.wait_stream(self.two)
                z.fill_(5)
            again = z.data_ptr() == address
            torch.cuda.synchronize()
            del z
        wanted = {"copy": 1, "total": SIDE}.get(use.__name__, 2)
        got = self.pinned if y is None else y.cpu()
        return bool((got == wanted).all()), again


    def stress(self):
        """A correct program: random work on two streams, whose tensors are recorded or waited for."""
        torch, choose = self.torch, random.Random(1)
        streams, kept = (self.one, self.two), []
        layer = torch.nn.Sequential(torch.nn.Linear(SIDE, SIDE), torch.nn.GELU(), torch.nn.LayerNorm(SIDE), torch.nn.Dropout(0.1),
                                    torch.nn.Linear(SIDE, SIDE)).cuda()
        image = torch.nn.Conv2d(1, 4, 3, padding=1).cuda()
        torch.cuda.synchronize()
        works = (lambda x: x * 2, lambda x: x @ self.eye, lambda x: x.sum(dim=0), lambda x: torch.softmax(x, 1), lambda x: layer(x).sum().backward(),
                 lambda x: torch.cat([x, x]), lambda x: x[:, ::2].contiguous(), lambda x: (x.half() @ self.eye.half()).float(),
                 lambda x: image(x[None, None]).mean(), lambda x: x.bfloat16() @ self.eye.bfloat16(), lambda x: torch.topk(x, 8)[0],
                 lambda x: self.pinned.copy_(x, non_blocking=True))
        for step in range(600):
            here = choose.choice(streams)
            other = streams[here is self.one]
            with torch.cuda.stream(here):
                x = torch.ones(choose.choice((SIDE, SIDE // 2, 64)), SIDE, device="cuda")
                if x.shape[0] != SIDE:
                    kept.append(x + 1)
                    del x
                    continue
            other.wait_stream(here)
            with torch.cuda.stream(other):
                # The gradients belong to both streams, one after the other.
                other.wait_stream(here)
                kept.append(choose.choice(works)(x))
            if choose.random() < 0.5:
                x.record_stream(other)
            here.wait_stream(other)
            del x
            if len(kept) > 8:
                # Both streams have waited for what is dropped here.
                for one in (self.one, self.two):
                    one.wait_stream(self.two if one is self.one else self.one)
                del kept[: choose.randrange(8)]
        torch.cuda.synchronize()
        return True

    def checkpoint(self):
        """A correct program: PyTorch ends the recomputation of its checkpoints by an exception."""
        torch = self.torch
        from torch.utils.checkpoint import checkpoint

        torch.manual_seed(1)
        layers = [torch.nn.Sequential(torch.nn.Linear(SIDE, SIDE), torch.nn.GELU(), torch.nn.Linear(SIDE, SIDE)).cuda() for _ in range(4)]
        start = torch.randn(SIDE, SIDE, device="cuda")
        torch.cuda.synchronize()
        gradients, calls = [], []
        for keeps_all in (True, False):
            x, called = start.clone().requires_grad_(), 0

            def counted(module, inputs, output):
                nonlocal called
                called += 1

            hooks = [part.register_forward_hook(counted) for layer in layers for part in layer]
            y = x
            self.two.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.two):
                for layer in layers:
                    y = layer(y) if keeps_all else checkpoint(layer, y, use_reentrant=False)
                y.sum().backward()
            torch.cuda.current_stream().wait_stream(self.two)
            torch.cuda.synchronize()
            gradients.append(x.grad.clone())
            calls.append(called)
            for hook in hooks:
                hook.remove()
        # PyTorch alone recomputes 8 parts: it stops before the last part of each layer returns. The adapter lets all 12 run.
        return torch.equal(*gradients) and calls in ([12, 20], [12, 24])


def kernel_of_triton():
    global tl  # the compiler looks for it there
    import triton
    import triton.language as tl

    @triton.jit
    def double_row(x, y, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, tl.load(x + at) * 2)

    return double_row


class Cupy:
    def __init__(self):
        import cupy

        self.cupy = cupy
        self.one, self.two = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
        self.spin = cupy.RawKernel(r"""extern "C" __global__ void spin(long long cycles) {
            const long long from = clock64(); while (clock64() - from < cycles) {} }""", "spin")
        self.double = cupy.RawKernel(r"""extern "C" __global__ void twice(float* y, float* x) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = 2 * x[i]; }""", "twice")
        self.eye = cupy.eye(SIDE, dtype="f4")
        cupy.cuda.Device().synchronize()

    def product(self, x):
        return x * 2

    def matmul(self, x):
        return x @ self.eye * 2

    def raw(self, x):
        y = self.cupy.empty_like(x)
        self.double((SIDE,), (SIDE,), (y, x))
        return y

    def wait(self, first, second):
        second.wait_event(first.record())

    def run(self, use, kind):
        cupy = self.cupy
        for warm in (True, False):
            with self.one:
                x = cupy.ones((SIDE, SIDE), dtype="f4")
            self.wait(self.one, self.two)
            with self.two:
                if not warm:
                    self.spin((1,), (1,), (cupy.int64(200_000_000),))
                y = use(x)
            if warm:
                cupy.cuda.Device().synchronize()
            elif kind == "wait before the free":
                self.wait(self.two, self.one)
            address = x.data.ptr
            del x
            if kind == "wait after the free":
                self.wait(self.two, self.one)
            with self.one:
                z = cupy.empty((SIDE, SIDE), dtype="f4")
                if kind == "wait after the allocation":
                    self.wait(self.two, self.one)
                z.fill(5)
            again = z.data.ptr == address
            cupy.cuda.Device().synchronize()
            del z
        return bool((y.get() == 2).all()), again


# Library, use, ways to avoid the mistake, and whether the pages say that warpsafe-run finds it.
ROWS = [("torch", name, RIGHT, name != "total") for name in ("product", "matmul", "copy", "total", "triton")]
WHOLE = {"stress": ("recorded",), "checkpoint": ("stopped early",)}  # correct programs that choose no way
ROWS += [("torch", name, ways, True) for name, ways in WHOLE.items()]
ROWS += [("cupy", name, RIGHT[1:], True) for name in ("product", "matmul", "raw")]

if sys.argv[1] == "--row":
    library, use, *kinds = sys.argv[2:]
    made = {"torch": Torch, "cupy": Cupy}[library]()
    for kind in kinds:
        right, again = (getattr(made, use)(), True) if use in WHOLE else made.run(getattr(made, use), kind)
        print(f"numbers {'right' if right else 'wrong'}, memory {'again' if again else 'new'}")
    sys.exit(0)


def ran(before, row, **variables):
    done = subprocess.run([*before, sys.executable, __file__, "--row", *row], capture_output=True, text=True, errors="replace", timeout=300,
                          env={**os.environ, **variables})
    return done.returncode, done.stdout + done.stderr


def is_here(libraries, library, use):
    return library in libraries and (use != "triton" or importlib.util.find_spec("triton") is not None)


def judge(watch, whole, library, use, finds, kinds):
    """The result of one program, and what is wrong with it or None."""
    row, kind = (library, use, *kinds), " and ".join(kinds)
    name = f"{library} {use}, {kind}: "
    result = {"library": library, "use": use, "kind": kind, "alone": "fails", "warpsafe-run": None, "torch.cuda._sanitizer": None, "text": None}
    status, alone = ran([], row)
    if status != 0:
        return result, name + "fails by itself: " + alone[-600:]
    result["alone"] = "; ".join(line for line in alone.splitlines() if line.startswith("numbers"))
    status, watched = ran(watch, row)
    found = FOUND.search(watched)
    result["warpsafe-run"], result["text"] = bool(found), found and watched[found.start():][:1500]
    if library == "torch" and whole:
        result["torch.cuda._sanitizer"] = bool(SANITIZER.search(ran([], row, TORCH_CUDA_SANITIZER="1")[1]))
    if status != 0 or "not watched" in watched:
        return result, f"{name}warpsafe-run ends with {status}: {watched[-1500:]}"
    if kind == WRONG:
        if "memory again" not in alone:
            return result, name + "the pool did not hand the memory out again, so the row shows nothing"
        return result, name + "not found: " + watched[-1500:] if finds and not found else None
    for text in (alone, watched):
        if text.count("numbers right") != len(kinds):
            return result, f"{name}computes wrong numbers: {text[-1500:]}"
    return result, f"{name}reported though it is correct: {result['text']}" if found else None


def main():
    if not shutil.which("nvidia-smi") or subprocess.run(["nvidia-smi"], capture_output=True).returncode != 0:
        return 77
    libraries = [name for name in ("torch", "cupy") if importlib.util.find_spec(name)]
    if not libraries:
        return 77
    cupti = ["--cupti", os.environ["CUPTI"]] if os.environ.get("CUPTI") else []
    watch = [sys.argv[1], "--cuda", *cupti, "--races"]
    # Most of the time goes into imports, so several rows run at once.
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        whole = len(sys.argv) > 2
        made = [pool.submit(judge, watch, whole, library, use, finds, kinds) for library, use, ways, finds in ROWS if is_here(libraries, library, use)
                for kinds in ([] if use in WHOLE else [(WRONG,)]) + ([(way,) for way in ways] if whole else [ways])]
        results, failed = [], []
        for one in made:
            result, problem = one.result()
            print(f"{result['library']:6} {result['use']:10} {result['kind']:26} {result['alone']:32} warpsafe-run {result['warpsafe-run']!s:6} "
                  f"torch.cuda._sanitizer {result['torch.cuda._sanitizer']}", flush=True)
            results.append(result)
            failed += [problem] if problem else []
    for one in results:
        if one["kind"] == WRONG and one["text"]:
            print("\n" + one["text"])
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
    if whole:
        pathlib.Path(sys.argv[2]).write_text(json.dumps({"gpu": gpu, "rows": results}, indent=1) + "\n")
    for one in failed:
        print("FAILED: " + one)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
