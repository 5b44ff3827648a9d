// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A HIP program whose work faults. Each argument names one thing to do.

#include <hip/hip_runtime.h>

#include <cstdio>
#include <string>

namespace demo {
__global__ void scatter(float* to) { to[threadIdx.x] = 1; }
}  // namespace demo

// HIP's headers of 5.2 declare it; the tests link it.
extern "C" hipError_t hipGraphAddEmptyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*,
                                           size_t);

namespace {

hipStream_t streams[2];
float* memory = nullptr;
float* wrong = reinterpret_cast<float*>(16);

int scatter(float* to, unsigned grid, hipStream_t on) {
  demo::scatter<<<grid, 32, 0, on>>>(to);
  return hipGetLastError();
}
int graph(int bad) {
  hipGraph_t made = nullptr;
  hipGraphNode_t last = nullptr;
  int failed = hipGraphCreate(&made, 0) + hipGraphAddEmptyNode(&last, made, nullptr, 0);
  for (int i = 1; i <= 5; ++i) {
    void* values[] = {i == bad ? &wrong : &memory};
    hipKernelNodeParams of{};
    of.func = reinterpret_cast<void*>(&demo::scatter);
    of.gridDim = dim3(100 + i);
    of.blockDim = dim3(32);
    of.kernelParams = values;
    const hipGraphNode_t before = last;
    failed += hipGraphAddKernelNode(&last, made, &before, 1, &of);
  }
  hipGraphExec_t executable = nullptr;
  failed += hipGraphInstantiate(&executable, made, nullptr, nullptr, 0) + hipGraphDestroy(made);
  return failed + hipGraphLaunch(executable, streams[0]);
}
int act(const std::string& what) {
  if (what == "good") return scatter(memory, 1, streams[0]);
  if (what == "bad") return scatter(wrong, 1, streams[0]);
  if (what == "bad_own") return scatter(wrong, 3, hipStreamPerThread);
  if (what == "good_own") return scatter(memory, 3, hipStreamPerThread);
  if (what == "other") return scatter(memory, 2, streams[1]);
  if (what == "destroy_other") return hipStreamDestroy(streams[1]);
  if (what == "graph") return graph(4);
  if (what == "graph_good") return graph(0);
  if (what == "sync") return hipDeviceSynchronize();
  if (what == "many") {
    int failed = 0;
    for (unsigned i = 1; i <= 20; ++i) {
      demo::scatter<<<i, 32, 0, streams[i % 2]>>>(i == 12 ? wrong : memory);
    }
    return failed;
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  for (hipStream_t& one : streams) {
    if (hipStreamCreateWithFlags(&one, hipStreamNonBlocking) != hipSuccess) return 77;
  }
  if (hipMalloc(reinterpret_cast<void**>(&memory), 4096) != hipSuccess) return 1;
  for (int i = 1; i < argc; ++i) {
    std::printf("%s: %d\n", argv[i], act(argv[i]));
    std::fflush(stdout);
  }
}
