# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""How compile time and code grow with the launches in a file: n kernels with four arguments, each launched once
from a function of its own that returns the result. nvcc -O2."""

import os
import resource
import statistics
import tempfile

from common import *
from compile_weight import NAMES, others

COUNTS = (1, 5, 20, 60, 200)
KERNEL = """__global__ void axpy%(i)d(float a, const float* x, float* y, std::size_t n) {
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += std::size_t(gridDim.x) * blockDim.x) y[i] += a * x[i] + %(i)d;
}
"""
RAW = ("""#include <cuda_runtime.h>
#include <boost/outcome/basic_result.hpp>
#include <cstddef>
template <class T>
using result = BOOST_OUTCOME_V2_NAMESPACE::basic_result<T, cudaError_t, BOOST_OUTCOME_V2_NAMESPACE::policy::all_narrow>;
""", """result<void> run%(i)d(cudaStream_t s, float a, const float* x, float* y, std::size_t n) {
  axpy%(i)d<<<unsigned((n + 255) / 256), 256, 0, s>>>(a, x, y, n);
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) return status;
  return BOOST_OUTCOME_V2_NAMESPACE::success();
}
""")  # fmt: skip
OURS = ("""#include <warpsafe/warpsafe.hpp>
#include <cstddef>
namespace ws = warpsafe;
""", """ws::result<void> run%(i)d(ws::StreamRef s, float a, ws::DeviceSpan<const float> x, ws::DeviceSpan<float> y) {
  return ws::launch(s, ws::SafeGrid<>::cover(x.size(), ws::block<256>), ws::kernel<axpy%(i)d>, a, x, y, x.size());
}
""")  # fmt: skip
CCCL = ("""#include <cuda/launch>
#include <cuda/stream>
""", """void run%(i)d(cuda::stream_ref s, float a, const float* x, float* y, std::size_t n) {
  cuda::launch(s, cuda::distribute<256>(int(n)), axpy%(i)d, a, x, y, n);
}
""")  # fmt: skip
WRAPPERS = ("#include <cuda/api.hpp>\n", """void run%(i)d(const cuda::stream_t& s, float a, const float* x, float* y, std::size_t n) {
  auto config = cuda::launch_config_builder().overall_size(n).block_size(256).build();
  s.enqueue.kernel_launch(axpy%(i)d, config, a, x, y, n);
}
""")  # fmt: skip


def ways(options):
    """{way: (head, launch, flags)}"""
    ours = [f"-I{INCLUDE}"]
    found = {
        "outcome": (*RAW, []),
        "off": (*OURS, [*ours, "-DWARPSAFE_CHECKS=0"]),
        "full": (*OURS, [*ours, "-DWARPSAFE_CHECKS=2"]),
    }
    flags = {way: its for way, (_, its) in others(options).items()}
    if "cccl" in flags:
        found["cccl"] = (*CCCL, flags["cccl"])
    if "cuda_api_wrappers" in flags:
        found["cuda_api_wrappers"] = (*WRAPPERS, flags["cuda_api_wrappers"])
    return found


def code_bytes(path):
    """Bytes of all sections .text of an object."""
    sections = re.findall(r"^\.text\S*\s+(\d+)", run("size", "-A", path), re.M)
    return sum(map(int, sections))


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(folder, options):
    seconds, code = {}, {}
    with tempfile.TemporaryDirectory() as place:
        source, out = Path(place) / "many.cu", Path(place) / "many.o"
        for _ in range(options.rounds):
            for way, (head, launch, flags) in ways(options).items():
                for count in COUNTS:
                    source.write_text(head + "".join((KERNEL + launch) % {"i": i} for i in range(count)))
                    before = processor_seconds()
                    run(NVCC, "-std=c++20", "-O2", "-arch=sm_90", *flags, "-c", source, "-o", out)
                    seconds.setdefault((way, count), []).append(processor_seconds() - before)
                    code[way, count] = code_bytes(out)
    rows = [{"way": way, "launches": count, "cpu_s": statistics.median(its), "text": code[way, count]}
            for (way, count), its in seconds.items()]  # fmt: skip
    save("compile_many", rows, rounds=options.rounds, load=os.getloadavg()[0])


def each_further(held, way, what):
    """The slope between the fewest and the most launches."""
    return (held[way, COUNTS[-1]][what] - held[way, COUNTS[0]][what]) / (COUNTS[-1] - COUNTS[0])


def render():
    data = load("compile_many")
    if not data:
        return
    held = {(row["way"], row["launches"]): row for row in data["rows"]}
    names = list(dict.fromkeys(row["way"] for row in data["rows"]))
    rows = []
    for count in COUNTS:
        base = held["outcome", count]["cpu_s"]
        cells = [f"{held[way, count]['cpu_s']:.2f} ({held[way, count]['cpu_s'] / base:.2f})" for way in names]
        rows.append([str(count), *cells])
    base = each_further(held, "outcome", "cpu_s")
    slopes = {way: each_further(held, way, "cpu_s") for way in names}
    rows.append(["each further, ms", *(f"{1000 * slopes[way]:.1f} ({slopes[way] / base:.2f})" for way in names)])
    rows.append(["each further, bytes of code", *(f"{each_further(held, way, 'text'):,.0f}" for way in names)])
    head = [f"launches, CPU seconds, median of {data['rounds']} (to raw)", *(NAMES[way] for way in names)]
    into_page("compile_many", table(head, rows))
