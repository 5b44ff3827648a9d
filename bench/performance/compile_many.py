# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""How compile time and code grow with the launches in a file: n kernels with four arguments, each launched once
from a function of its own that returns the result. With nvcc and hipcc the file has the kernels too; with g++ and
clang++ they are in another file. -O2."""

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
DECLARED = "__global__ void axpy%(i)d(float a, const float* x, float* y, std::size_t n);\n"
RAW_HEAD = "#include <cuda_runtime.h>\n#include <cstddef>\n"
OUTCOME_HEAD = RAW_HEAD + """#include <boost/outcome/basic_result.hpp>
template <class T>
using result = BOOST_OUTCOME_V2_NAMESPACE::basic_result<T, cudaError_t, BOOST_OUTCOME_V2_NAMESPACE::policy::all_narrow>;
"""  # fmt: skip
RAW_BEGIN = "%(type)s run%%(i)d(cudaStream_t s, float a, const float* x, float* y, std::size_t n) {\n"
CHEVRON = """  axpy%(i)d<<<unsigned((n + 255) / 256), 256, 0, s>>>(a, x, y, n);
  const cudaError_t status = cudaGetLastError();
"""
CALL = """  void* arguments[] = {&a, &x, &y, &n};
  const cudaError_t status = cudaLaunchKernel(reinterpret_cast<const void*>(axpy%(i)d), dim3(unsigned((n + 255) / 256)),
                                              dim3(256), arguments, 0, s);
"""
RAW_END = "  return status;\n}\n"
OUTCOME_END = "  if (status != cudaSuccess) return status;\n  return BOOST_OUTCOME_V2_NAMESPACE::success();\n}\n"
OUR_HEAD = "#include <warpsafe/warpsafe.hpp>\n#include <cstddef>\nnamespace ws = warpsafe;\n"
OURS = """ws::result<void> run%(i)d(ws::StreamRef s, float a, ws::DeviceSpan<const float> x, ws::DeviceSpan<float> y) {
  return ws::launch(s, ws::SafeGrid<>::cover(x.size(), ws::block<256>), ws::kernel<axpy%(i)d>, a, x, y, x.size());
}
"""
CCCL = ("#include <cuda/launch>\n#include <cuda/stream>\n", """void run%(i)d(cuda::stream_ref s, float a, const float* x, float* y, std::size_t n) {
  cuda::launch(s, cuda::distribute<256>(int(n)), axpy%(i)d, a, x, y, n);
}
""")  # fmt: skip
WRAPPERS = ("#include <cuda/api.hpp>\n", """void run%(i)d(const cuda::stream_t& s, float a, const float* x, float* y, std::size_t n) {
  auto config = cuda::launch_config_builder().overall_size(n).block_size(256).build();
  s.enqueue.kernel_launch(axpy%(i)d, config, a, x, y, n);
}
""")  # fmt: skip


def compilers():
    """{compiler: its command without a file}, of those installed."""
    own = ["-std=c++20", "-O2", f"-I{INCLUDE}"]
    found = {}
    if has(NVCC):
        found["nvcc"] = [NVCC, "-arch=sm_90", *own]
    if has(HIPCC):
        found["hipcc"] = [HIPCC, "--offload-arch=gfx90a", "-x", "hip", *own]
    for compiler in ("g++", "clang++"):
        if has(NVCC) and has(compiler):
            found[compiler] = [compiler, *cuda_includes(), "-DWARPSAFE_BACKEND_CUDA", *own]
    return found


def ways(compiler, options):
    """{way: (head, text of one launch and its kernel, flags)}"""
    with_kernels = compiler in ("nvcc", "hipcc")
    kernel = KERNEL if with_kernels else DECLARED
    launch = CHEVRON if with_kernels else CALL
    our_kernel = KERNEL if with_kernels else DECLARED.replace("__global__", "WARPSAFE_KERNEL_EXTERN")
    found = {
        "raw": (RAW_HEAD, kernel + RAW_BEGIN % {"type": "cudaError_t"} + launch + RAW_END, []),
        "outcome": (OUTCOME_HEAD, kernel + RAW_BEGIN % {"type": "result<void>"} + launch + OUTCOME_END, []),
        "off": (OUR_HEAD, our_kernel + OURS, ["-DWARPSAFE_CHECKS=0"]),
        "full": (OUR_HEAD, our_kernel + OURS, ["-DWARPSAFE_CHECKS=1"]),
        # Another file of the program, warpsafe/separate.cpp, has the checks.
        "separate": (OUR_HEAD, our_kernel + OURS, ["-DWARPSAFE_CHECKS=1", "-DWARPSAFE_SEPARATE"]),
    }
    if compiler == "hipcc":
        named = {way: (head.replace("cuda_runtime.h", "hip/hip_runtime.h").replace("cuda", "hip"), text.replace("cuda", "hip"), flags)
                 for way, (head, text, flags) in found.items()}  # fmt: skip
        return named
    if compiler == "nvcc":
        flags = {way: its for way, (_, its) in others(options).items()}
        for way, (head, text) in (("cccl", CCCL), ("cuda_api_wrappers", WRAPPERS)):
            if way in flags:
                found[way] = (head, KERNEL + text, flags[way])
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
        out = Path(place) / "many.o"
        for done in range(1, options.rounds + 1):
            for compiler, command in compilers().items():
                source = Path(place) / ("many.cu" if compiler == "nvcc" else "many.cpp")
                for way, (head, text, flags) in ways(compiler, options).items():
                    for count in COUNTS:
                        source.write_text(head + "".join(text % {"i": i} for i in range(count)))
                        before = processor_seconds()
                        run(*command, *flags, "-c", source, "-o", out)
                        key = compiler, way, count
                        seconds.setdefault(key, []).append(processor_seconds() - before)
                        code[key] = code_bytes(out)
            # Keeps the results after each round, because a round takes minutes.
            rows = [{"compiler": compiler, "way": way, "launches": count, "cpu_s": statistics.median(its),
                     "text": code[compiler, way, count]}
                    for (compiler, way, count), its in seconds.items()]  # fmt: skip
            save("compile_many", rows, rounds=done, load=os.getloadavg()[0])


class Growth:
    """The results of one compiler."""

    def __init__(self, rows):
        self.held = {(row["way"], row["launches"]): row for row in rows}
        self.ways = list(dict.fromkeys(row["way"] for row in rows))

    def each_further(self, way, what):
        """The slope between the fewest and the most launches."""
        return (self.held[way, COUNTS[-1]][what] - self.held[way, COUNTS[0]][what]) / (COUNTS[-1] - COUNTS[0])

    def ratio(self, way, count):
        """The time to that of raw with Outcome."""
        return self.held[way, count]["cpu_s"] / self.held["outcome", count]["cpu_s"]

    def ratio_of_further(self, way):
        return self.each_further(way, "cpu_s") / self.each_further("outcome", "cpu_s")


def growths():
    """{compiler: its Growth}"""
    data = load("compile_many")
    rows = data["rows"] if data else []
    return {
        compiler: Growth([row for row in rows if row["compiler"] == compiler])
        for compiler in dict.fromkeys(row["compiler"] for row in rows)
    }


def render():
    text = ""
    for compiler, growth in growths().items():
        rows = []
        for count in COUNTS:
            cells = (f"{growth.held[way, count]['cpu_s']:.2f} ({growth.ratio(way, count):.2f})" for way in growth.ways)
            rows.append([str(count), *cells])
        further = (f"{1000 * growth.each_further(way, 'cpu_s'):.1f} ({growth.ratio_of_further(way):.2f})" for way in growth.ways)
        rows.append(["each further, ms", *further])
        rows.append(["each further, bytes of code", *(f"{growth.each_further(way, 'text'):,.0f}" for way in growth.ways)])
        rounds = load("compile_many")["rounds"]
        head = [f"{compiler}: launches, CPU seconds, median of {rounds} (to Outcome's)", *(NAMES[way] for way in growth.ways)]
        text += table(head, rows) + "\n"
    if text:
        into_page("compile_many", text)
