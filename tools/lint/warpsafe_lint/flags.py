# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The arguments for libclang: a file's language, the vendor's toolkit, and headers of ours that go before the vendor's."""

import functools
import os
import pathlib
import re
import shutil


def find_cuda():
    """The CUDA toolkit's folder, or None."""
    nvcc = shutil.which("nvcc")
    for place in (os.environ.get("CUDA_PATH"), nvcc and pathlib.Path(os.path.realpath(nvcc)).parents[1], "/usr/local/cuda"):
        if place and (pathlib.Path(place) / "include" / "cuda_runtime.h").is_file():
            return str(place)
    return None


HIP = re.compile(r"^\s*#\s*include\s*[<\"]hip/", re.M)
CUDA = re.compile(r"^\s*#\s*include\s*[<\"](cuda|ATen/cuda|c10/cuda)", re.M)
KERNELS = re.compile(r"<<<|\b__global__\b|\b__device__\b")


def language_of(file, text, compiler="", named=None):
    """cuda, hip or c++: what the command names, or else by the file's ending, its compiler and its text."""
    ending = pathlib.Path(file).suffix
    if named in ("cuda", "hip"):
        return named
    if ending == ".hip" or HIP.search(text) and not CUDA.search(text):
        return "hip"
    if ending in (".cu", ".cuh") or compiler == "nvcc":
        return "cuda"
    if KERNELS.search(text):
        # A header without an include of its own: the vendor by the names of the calls.
        calls = re.findall(r"\b(hip|cuda)[A-Z]\w+\s*\(", text)
        return "hip" if calls and calls.count("hip") > calls.count("cuda") else "cuda"
    return "c++"


def vendor_folders(language):
    """The include folders of the vendor's toolkit, in which a header is not searched further."""
    cuda = find_cuda() if language != "hip" else None
    return [cuda + "/include", cuda + "/include/cccl"] if cuda else []


def arguments(language, flags, shims, textures=False):
    """libclang's arguments for a file of that language. The host's view of a CUDA or HIP source also contains
    the kernels' bodies."""
    out = ["-fsyntax-only", "-ferror-limit=0", "-Wno-everything"]
    cuda = find_cuda()
    if language == "cuda":
        out += ["-x", "cuda", "--cuda-host-only", "-isystem", str(shims / "cuda13")]
        if cuda:
            out += ["--cuda-path=" + cuda, "-isystem", cuda + "/include", "-isystem", cuda + "/include/cccl"]
            out += ["-include", str(shims / "cuda13" / "missing_functions.h")]
            out += ["-include", str(shims / "cuda13" / "texture_references.h")] if textures else []
        else:
            out += ["-nocudainc", "-nocudalib"]
    elif language == "hip":
        out += ["-x", "hip", "--cuda-host-only", "-nogpulib", "-D__HIP_PLATFORM_AMD__"]
        out += ["--rocm-path=" + os.environ.get("ROCM_PATH", "/opt/rocm" if os.path.isdir("/opt/rocm") else "/usr")]
    else:
        out += ["-x", "c++"] + (["-isystem", cuda + "/include"] if cuda else [])
    # CUDA 13's headers need C++17, also for a program that was written for an older standard.
    old = [flag for flag in flags if re.fullmatch(r"-std=(c|gnu)\+\+(98|03|0x|1[0-4y])", flag)] if language == "cuda" else []
    flags = [flag for flag in flags if flag not in old]
    if not any(flag.startswith("-std=") for flag in flags):
        out.append("-std=c++17")
    return out + flags
