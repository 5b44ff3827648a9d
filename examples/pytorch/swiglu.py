# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""swiglu(gate, up) = gate * sigmoid(gate) * up for PyTorch, with its gradient, through warpsafe.

load("cuda") and load("cpu") build the extension with PyTorch's tools at the first call. nvcc builds it
for CUDA tensors. The host compiler builds it for CPU tensors, on warpsafe's model of a GPU: use that
for tests, it is not fast.
"""

import functools
import platform
from pathlib import Path

import torch
import torch.utils.cpp_extension

HERE = Path(__file__).resolve().parent
# In the project the headers are beside this folder. In a copy, install warpsafe or set CPATH.
INCLUDE = [str(path) for path in [HERE.parents[1] / "include"] if path.is_dir()]
# Of the host backend.
LIBRARIES = ["-pthread"] if platform.machine() == "x86_64" else ["-lboost_context", "-pthread"]


@functools.lru_cache(maxsize=None)
def load(device):
    """The extension's module for "cuda" or "cpu"."""
    if device not in ("cpu", "cuda"):
        raise ValueError(f"swiglu: the tensors are on {device}, and this extension computes on cuda and cpu")
    cuda = device == "cuda"
    flags = ["-std=c++20", "-O2", "-DWARPSAFE_CHECKS=1"]
    return torch.utils.cpp_extension.load(
        name=f"swiglu_{device}", sources=[str(HERE / ("extension.cu" if cuda else "extension.cpp"))],
        extra_include_paths=INCLUDE, extra_cflags=flags, extra_cuda_cflags=flags, with_cuda=cuda,
        extra_ldflags=[] if cuda else LIBRARIES)  # fmt: skip


class _SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        return load(gate.device.type).forward(gate, up)

    @staticmethod
    @torch.autograd.function.once_differentiable  # the gradient has no gradient of its own
    def backward(ctx, grad):
        gate, up = ctx.saved_tensors
        # grad may be an expanded tensor, in which one number stands for all elements, for instance from sum().
        return load(gate.device.type).backward(gate, up, grad.contiguous())


def swiglu(gate, up):
    """gate * sigmoid(gate) * up. Both contiguous, of one shape, float32 or float64, on one device."""
    return _SwiGLU.apply(gate, up)
