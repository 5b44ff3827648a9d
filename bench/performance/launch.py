# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Host instructions of one release launch, by each way, compiler and number of arguments.

Counted by callgrind as the test release.instructions counts (tests/release/count_instructions.py):
the caller's function with all that it calls, the runtime's functions left out, which do nothing.
"""

import sys

from common import *

sys.path.insert(0, str(ROOT / "tests/release"))
from count_instructions import instructions  # noqa: E402

NAMES = {
    "chevron": "`<<<>>>` and peek",
    "ggl": "`hipLaunchKernelGGL` and peek",
    "kernel_call": "`cudaLaunchKernel`",
    "kernel_ex": "`cudaLaunchKernelEx`",
    "by_hand": "`cudaLaunchKernel` into a `result`, by hand",
    "cccl": "`cuda::launch`",
    "wrappers": "cuda-api-wrappers",
    "alpaka_queue": "alpaka",
    "ours": "`launch`",
}
SHAPES = [
    (count, dims, result)
    for count in (0, 4, 16)
    for dims in ("static", "dynamic")
    for result in ("returned", "inlined")
]


def build_peers(folder, options):
    """The programs of the libraries whose folders were named and whose names clash with CCCL's."""
    peers = []
    if options.cuda_api_wrappers:
        peers.append(("wrappers", options.cuda_api_wrappers, []))
    if options.alpaka:
        peers.append(("alpaka", [f"{options.alpaka}/include"], ALPAKA_CUDA))
    for name, folders, flags in peers:
        source, compiled = HERE / f"launch_{name}.cu", folder / f"{name}.o"
        run(NVCC, *RELEASE, *flags, *(f"-I{here}" for here in folders), "-arch=sm_90", "-c", source, "-o", compiled)
        yield link(folder, f"launch_{name}", compiled)


def link(folder, name, *compiled):
    """A program with the runtime and driver that do nothing."""
    libraries = [folder / "runtime.o", folder / "libcuda.so.1", f"-Wl,-rpath={folder}", "-ldl", "-pthread"]
    run("g++", *compiled, *libraries, "-o", folder / name)
    return folder / name


def build(folder, options):
    """{compiler: programs}, for the compilers of this machine."""
    programs = {}
    source, cuda_runtime = HERE / "launch_ways.cpp", ROOT / "tests/release/do_nothing_runtime.cpp"
    if has(NVCC):
        cuda = [*RELEASE, "-DWARPSAFE_BACKEND_CUDA"]
        objects = {name: folder / f"{name}.o" for name in ("nvcc", "kernels", "runtime")}
        # Ahead of the toolkit's own CCCL, which has no launch.
        cccl = [f"-I{options.cccl}", "-DWITH_CCCL"] if options.cccl else []
        driver = folder / "libcuda.so.1"
        run("g++", "-O2", "-shared", "-fPIC", *cuda_includes(), HERE / "do_nothing_driver.cpp", "-o", driver)
        run(NVCC, *cccl, *cuda, "-arch=sm_90", "-x", "cu", "-c", source, "-o", objects["nvcc"])
        run(NVCC, *cuda, "-arch=sm_90", "-c", HERE / "launch_kernels.cu", "-o", objects["kernels"])
        run("g++", "-O2", *cuda_includes(), "-c", cuda_runtime, "-o", objects["runtime"])
        programs["nvcc"] = [link(folder, "launch_nvcc", objects["nvcc"]), *build_peers(folder, options)]
        for compiler in filter(has, ("g++", "clang++")):
            run(compiler, *cuda, *cuda_includes(), "-DKERNELS_ELSEWHERE", "-c", source, "-o", folder / f"{compiler}.o")
            programs[compiler] = [link(folder, f"launch_{compiler}", folder / f"{compiler}.o", objects["kernels"])]
    if has(HIPCC):
        run(
            HIPCC,
            *RELEASE,
            "-DWARPSAFE_BACKEND_HIP",
            "--offload-arch=gfx90a",
            "-x",
            "hip",
            "-c",
            source,
            "-o",
            folder / "hipcc.o",
        )
        run("g++", "-O2", "-D__HIP_PLATFORM_AMD__", "-c", HERE / "do_nothing_hip.cpp", "-o", folder / "hip_runtime.o")
        programs["hipcc"] = [folder / "launch_hipcc"]
        run("g++", folder / "hipcc.o", folder / "hip_runtime.o", "-o", programs["hipcc"][0])
    return programs


def measure(folder, options):
    rows = []
    for compiler, programs in build(folder, options).items():
        counted = {}
        for program in programs:
            counted |= instructions(program)
        for name, count in counted.items():
            way, arguments, dims, result = name.rsplit("_", 3)
            rows.append(
                {
                    "compiler": compiler,
                    "way": way,
                    "arguments": int(arguments),
                    "dims": dims,
                    "result": result,
                    "instructions": count,
                }
            )
    save("launch", rows)


def render():
    data = load("launch")
    if not data:
        return
    counts = {
        (row["compiler"], row["way"], row["arguments"], row["dims"], row["result"]): row["instructions"]
        for row in data["rows"]
    }
    text = ""
    for compiler in dict.fromkeys(key[0] for key in counts):
        ways = [way for way in NAMES if (compiler, way, 4, "static", "returned") in counts]
        base = "chevron" if "chevron" in ways else "kernel_call"
        names = [NAMES[way] for way in ways]
        if compiler == "hipcc":
            names = [name.replace("cuda", "hip") for name in names]
        rows = []
        for shape in SHAPES:
            numbers = [counts[compiler, way, *shape] for way in ways]
            ratio = counts[compiler, "ours", *shape] / counts[compiler, base, *shape]
            rows.append([f"{shape[0]} arguments, {shape[1]} dims, {shape[2]}", *numbers, f"{ratio:.2f}"])
        said = table([compiler, *names, "ratio"], rows)
        text += f"Compiled by {compiler}; the ratio is `launch` to {NAMES[base] if compiler != 'hipcc' else NAMES[base].replace('cuda', 'hip')}.\n\n{said}\n"
    into_page("launch", text.rstrip())
