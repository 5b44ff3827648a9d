# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What one launch costs the compilers, and the object: seconds, preprocessed lines, bytes per launch.

The sources are those of bench/compile_time. A .cpp launches a kernel of another file, the raw one by
cudaLaunchKernel.
"""

import importlib.machinery
import importlib.util
import statistics
import time

from common import *

loader = importlib.machinery.SourceFileLoader("compile_time", str(ROOT / "bench/compile_time"))
sources = importlib.util.module_from_spec(importlib.util.spec_from_loader("compile_time", loader))
loader.exec_module(sources)

OUTCOME = sources.OUTCOME
CCCL = """#include <cuda/launch>
#include <cuda/stream>
__global__ void axpy(float a, const float* x, float* y, std::size_t n) {
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += std::size_t(gridDim.x) * blockDim.x) y[i] += a * x[i];
}
void run(cuda::stream_ref s, float a, const float* x, float* y, std::size_t n) {
  cuda::launch(s, cuda::distribute<256>(int(n)), axpy, a, x, y, n);
}
"""
WRAPPERS = """#include <cuda/api.hpp>
__global__ void axpy(float a, const float* x, float* y, std::size_t n) {
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += std::size_t(gridDim.x) * blockDim.x) y[i] += a * x[i];
}
void run(const cuda::stream_t& s, float a, const float* x, float* y, std::size_t n) {
  auto config = cuda::launch_config_builder().overall_size(n).block_size(256).build();
  s.enqueue.kernel_launch(axpy, config, a, x, y, n);
}
"""
ALPAKA = """#include <alpaka/alpaka.hpp>
#include <cstddef>
struct Axpy {
  ALPAKA_FN_ACC void operator()(const auto& acc, float a, const float* x, float* y, std::size_t n) const {
    for (auto [i] : alpaka::onAcc::makeIdxMap(acc, alpaka::onAcc::worker::threadsInGrid, alpaka::IdxRange{n}))
      y[i] += a * x[i];
  }
};
using Gpu = alpaka::onHost::Device<alpaka::api::Cuda, alpaka::deviceKind::NvidiaGpu>;
void run(const alpaka::onHost::Queue<Gpu, alpaka::queueKind::NonBlocking>& s, float a, const float* x, float* y,
         std::size_t n) {
  s.enqueue(alpaka::onHost::FrameSpec{(n + 255) / 256, alpaka::CVec<std::size_t, 256>{}, alpaka::exec::gpuCuda},
            Axpy{}, a, x, y, n);
}
"""
RAW_SITE = """cudaError_t run%d(cudaStream_t s, float a, const float* x, float* y, std::size_t n) {
  void* arguments[] = {&a, &x, &y, &n};
  return cudaLaunchKernel(reinterpret_cast<const void*>(axpy), dim3(unsigned((n + 255) / 256)), dim3(256), arguments, 0, s);
}
"""
RAW_HEAD = """#include <cuda_runtime.h>
#include <cstddef>
__global__ void axpy(float a, const float* x, float* y, std::size_t n);
"""
OUR_HEAD = """#include <warpsafe/warpsafe.hpp>
namespace ws = warpsafe;
WARPSAFE_KERNEL_EXTERN void axpy(float a, const float* x, float* y, std::size_t n);
"""
OUR_SITE = """ws::result<void> run%d(ws::StreamRef s, float a, ws::DeviceSpan<const float> x, ws::DeviceSpan<float> y) {
  return ws::launch(s, ws::SafeGrid<>::cover(x.size(), ws::block<256>), ws::kernel<axpy>, a, x, y, x.size());
}
"""
NAMES = {
    "raw": "raw",
    "kernel_api": "raw, with `kernel_api.hpp`",
    "outcome": "raw, with Outcome's `basic_result.hpp`",
    "include": "`warpsafe.hpp`, no launch",
    "off": "`launch`, checks off",
    "full": "`launch`, checks full",
    "separate": "`launch`, checks full, `WARPSAFE_SEPARATE`",
    "cccl": "`cuda::launch` of CCCL",
    "cuda_api_wrappers": "`enqueue.kernel_launch` of cuda-api-wrappers",
    "alpaka": "`enqueue` of alpaka",
}


def others(options):
    """{way: (source, flags)} of the libraries whose folders were named."""
    found = {}
    if options.cccl:
        found["cccl"] = (CCCL, [f"-I{options.cccl}"])
    if options.cuda_api_wrappers:
        found["cuda_api_wrappers"] = (WRAPPERS, [f"-I{folder}" for folder in options.cuda_api_wrappers])
    if options.alpaka:
        found["alpaka"] = (ALPAKA, [f"-I{options.alpaka}/include", *ALPAKA_CUDA])
    return found


def ways(kind, options):
    """{way: (source, level)} of a .cu or a .cpp."""
    if kind == "cu":
        raw = sources.source_of("", "__global__", sources.RAW, 1)
        ours = sources.source_of(sources.WARPSAFE, "WARPSAFE_KERNEL", sources.FUSED, 1)
        found = {
            "raw": (raw, 0),
            "kernel_api": ("#include <warpsafe/kernel_api.hpp>\n" + raw, 0),
            "outcome": (OUTCOME + raw, 0),
            "include": (sources.WARPSAFE, 1),
            "off": (ours, 0),
            "full": (ours, 1),
        }
        return found | {way: (source, 0) for way, (source, _) in others(options).items()}
    raw, ours = RAW_HEAD + RAW_SITE % 0, OUR_HEAD + OUR_SITE % 0
    return {
        "raw": (raw, 0),
        "outcome": (OUTCOME + raw, 0),
        "include": (sources.WARPSAFE, 1),
        "off": (ours, 0),
        "full": (ours, 1),
    }


def command(kind, way, level, options):
    flags = ["-std=c++20", f"-DWARPSAFE_CHECKS={level}", "-DWARPSAFE_BACKEND_CUDA", f"-I{INCLUDE}"]
    if kind == "cu":
        return [NVCC, "-arch=sm_90", *others(options).get(way, ("", []))[1], *flags]
    return ["g++", *cuda_includes(), *flags]


def lines(text):
    return sum(1 for line in text.splitlines() if line.strip() and not line.startswith("#"))


class Kind:
    """The measurement of one kind of file, cu or cpp, with the interface that run.py expects."""

    def __init__(self, kind):
        self.kind = kind

    def measure(self, folder, options):
        todo = ways(self.kind, options)
        wall, processor = {way: [] for way in todo}, {way: [] for way in todo}
        expanded = {}
        for done in range(1, options.rounds + 1):
            for way, (text, level) in todo.items():
                source = folder / f"{way}.{self.kind}"
                source.write_text(text)
                if way not in expanded:
                    expanded[way] = lines(run(*command(self.kind, way, level, options), "-E", source))
                before, start = sources.processor_seconds(), time.monotonic()
                run(*command(self.kind, way, level, options), "-c", source, "-o", folder / f"{self.kind}.o")
                wall[way].append(time.monotonic() - start)
                processor[way].append(sources.processor_seconds() - before)
            # Keeps the results after each round, because a round takes minutes on a busy machine.
            self.keep(expanded, wall, processor, done)

    def keep(self, expanded, wall, processor, rounds):
        rows = [
            {
                "way": way,
                "wall_s": statistics.median(wall[way]),
                "cpu_s": statistics.median(processor[way]),
                "lines": count,
                "all_cpu_s": processor[way],
            }
            for way, count in expanded.items()
        ]
        save(f"compile_{self.kind}", rows, rounds=rounds, load=os.getloadavg()[0])

    def render(self):
        name = f"compile_{self.kind}"
        data = load(name)
        if not data:
            return
        held = {row["way"]: row for row in data["rows"]}
        rows = [
            [
                NAMES[way],
                f"{row['lines']:,}",
                f"{row['wall_s']:.2f}",
                f"{row['cpu_s']:.2f}",
                f"{row['cpu_s'] / held['outcome']['cpu_s']:.2f}",
            ]
            for way, row in held.items()
        ]
        header = [f".{self.kind}, median of {data['rounds']}", "lines", "seconds", "CPU seconds", "ratio"]
        into_page(name, table(header, rows))


class ObjectSize:
    def measure(self, folder, options):
        found = sizes(folder, options)
        save("object_size", [{"way": way, **size} for way, size in found.items()])

    def render(self):
        data = load("object_size")
        if data:
            rows = [[NAMES[row["way"]], f"{row['text']:.0f}", f"{row['data']:.0f}"] for row in data["rows"]]
            into_page("object_size", table(["bytes per further launch", "code and constants", "data"], rows))


def sizes(folder, options, more=10):
    """Bytes that each further launch adds to an object, by what they are."""
    found = {}
    for way, head, site, level in (
        ("raw", RAW_HEAD, RAW_SITE, 0),
        ("off", OUR_HEAD, OUR_SITE, 0),
        ("full", OUR_HEAD, OUR_SITE, 1),
    ):
        seen = []
        for count in (1, 1 + more):
            source, out = folder / "size.cpp", folder / "size.o"
            source.write_text(head + "".join(site % i for i in range(count)))
            run(*command("cpp", way, level, options), "-O2", "-g0", "-c", source, "-o", out)
            text, data, bss = map(int, run("size", out).splitlines()[1].split()[:3])
            seen.append((text, data + bss))
        found[way] = {"text": (seen[1][0] - seen[0][0]) / more, "data": (seen[1][1] - seen[0][1]) / more}
    return found
