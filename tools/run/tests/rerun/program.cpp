// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program of the driver API whose work faults. Each argument names one thing to do.

#include <cuda.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

extern "C" int stand_in_node_runs();
extern "C" void stand_in_release();
extern "C" void stand_in_orphan(CUstream);

namespace {

CUstream streams[2];
CUdeviceptr memory = 0;
CUdeviceptr wrong = 16;
CUgraphExec last_graph = nullptr;
std::thread other;
int thread_failed = 0;

CUfunction function_of(const char* name) {
  CUfunction function = nullptr;
  if (cuModuleGetFunction(&function, nullptr, name) != CUDA_SUCCESS) std::abort();
  return function;
}
/// Kernel scatter faults with a wrong address. The grid tells the launches apart.
int scatter(CUdeviceptr& to, unsigned grid, CUstream on) {
  void* values[] = {&to};
  return cuLaunchKernel(function_of("_ZN4demo7scatterEPf"), grid, 1, 1, 32, 1, 1, 0, on, values,
                        nullptr);
}
/// A graph of `count` kernels, one after another, of which number `bad` faults. `bad` 0: none.
CUgraphExec graph(int count, int bad, bool with_host_node, bool destroys, bool with_copy = false,
                  bool is_ordered = true) {
  CUgraph made = nullptr;
  if (cuGraphCreate(&made, 0) != CUDA_SUCCESS) std::abort();
  CUgraphNode last = nullptr;
  for (int i = 1; i <= count; ++i) {
    void* values[] = {i == bad ? &wrong : &memory};
    CUDA_KERNEL_NODE_PARAMS of{};
    of.func = function_of("_ZN4demo7scatterEPf");
    of.gridDimX = static_cast<unsigned>(100 + i);
    of.gridDimY = of.gridDimZ = of.blockDimX = of.blockDimY = of.blockDimZ = 1;
    of.kernelParams = values;
    const CUgraphNode before = last;
    if (cuGraphAddKernelNode(&last, made, &before, before == nullptr ? 0 : 1, &of) !=
        CUDA_SUCCESS) {
      std::abort();
    }
  }
  if (with_copy) {
    CUDA_MEMCPY3D of{};
    of.dstDevice = memory;
    const CUgraphNode before = last;
    const std::size_t earlier = is_ordered ? 1 : 0;
    if (cuGraphAddMemcpyNode(&last, made, &before, earlier, &of, nullptr) != CUDA_SUCCESS) {
      std::abort();
    }
  }
  if (with_host_node) {
    const CUDA_HOST_NODE_PARAMS of{};
    const CUgraphNode before = last;
    if (cuGraphAddHostNode(&last, made, &before, 1, &of) != CUDA_SUCCESS) std::abort();
  }
  CUgraphExec executable = nullptr;
  if (cuGraphInstantiateWithFlags(&executable, made, 0) != CUDA_SUCCESS) std::abort();
  if (destroys && cuGraphDestroy(made) != CUDA_SUCCESS) std::abort();
  return executable;
}

int act(const std::string& what) {
  const auto begins = [&](const char* text) { return what.rfind(text, 0) == 0; };
  if (what == "good") return scatter(memory, 1, streams[0]);
  if (what == "bad") return scatter(wrong, 1, streams[0]);
  if (what == "other") return scatter(memory, 2, streams[1]);
  if (what == "bad_other") return scatter(wrong, 2, streams[1]);
  if (what == "bad_fill") return cuMemsetD32Async(wrong, 0, 1, streams[0]);
  if (what == "bad_fill_other") return cuMemsetD32Async(wrong, 0, 1, streams[1]);
  // A fill that takes long.
  if (what == "hold_fill") return cuMemsetD32Async(memory, 77, 1, streams[1]);
  // A kernel that waits for the host.
  if (what == "hold") return scatter(memory, 77, streams[1]);
  if (what == "orphan_other") return stand_in_orphan(streams[1]), 0;
  if (what == "destroy_other") return cuStreamDestroy(streams[1]);
  // A kernel that runs until `release`, and then faults.
  if (what == "late_bad_other") return scatter(wrong, 78, streams[1]);
  if (what == "late_bad_own") return scatter(wrong, 78, CU_STREAM_PER_THREAD);
  // The new stream has the handle of the destroyed one, whose work may still run.
  if (what == "remake_other") {
    const CUstream old = streams[1];
    const int failed =
        cuStreamDestroy(streams[1]) + cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING);
    return streams[1] == old ? failed : -1;
  }
  // Another thread launches on its own default stream and waits for it.
  if (what == "thread_own") {
    int failed = 0;
    std::thread([&] {
      failed = scatter(memory, 2, CU_STREAM_PER_THREAD) + cuStreamSynchronize(CU_STREAM_PER_THREAD);
    }).join();
    return failed;
  }
  // Another thread destroys the stream, or captures it, while the watch waits for it.
  if (what == "hold_and_destroy" || what == "hold_and_capture") {
    const int failed = scatter(memory, 77, streams[1]);
    other.join();
    return failed + thread_failed;
  }
  if (what == "destroy_soon") {
    other = std::thread([] {
      ::usleep(200'000);
      cuStreamDestroy(streams[1]);
    });
    return 0;
  }
  if (what == "capture_soon") {
    other = std::thread([] {
      ::usleep(200'000);
      CUgraph made = nullptr;
      thread_failed = cuStreamBeginCapture(streams[1], CU_STREAM_CAPTURE_MODE_RELAXED);
      ::usleep(200'000);
      thread_failed += cuStreamEndCapture(streams[1], &made);
    });
    return 0;
  }
  if (what == "release") return stand_in_release(), 0;
  if (what == "sync") return cuCtxSynchronize();
  if (what == "wait_first") {
    while (cuStreamQuery(streams[0]) == CUDA_SUCCESS) {
    }
    return cuCtxSynchronize();
  }
  if (what == "wait_other") return cuStreamSynchronize(streams[1]);
  if (what == "refused") return scatter(memory, 0, streams[0]);
  // Twenty launches, of which the twelfth faults.
  if (what == "many") {
    int failed = 0;
    for (unsigned i = 1; i <= 20; ++i) {
      failed += scatter(i == 12 ? wrong : memory, i, streams[i % 2]) != CUDA_SUCCESS ? 1 : 0;
    }
    return failed;
  }
  // The capture forbids ordinary allocations of all threads.
  if (what == "launches_graph_while_it_captures") {
    const CUgraphExec executable = graph(5, 0, false, false);
    if (cuStreamBeginCapture(streams[1], CU_STREAM_CAPTURE_MODE_GLOBAL) != CUDA_SUCCESS) return -1;
    const int failed = cuGraphLaunch(executable, streams[0]);
    CUgraph made = nullptr;
    return failed + cuStreamEndCapture(streams[1], &made);
  }
  if (what == "free") return cuMemFree(memory);
  if (what == "destroy_last_graph") return cuGraphExecDestroy(last_graph);
  if (what == "launch_last_graph") return cuGraphLaunch(last_graph, streams[0]);
  if (begins("graph")) {
    static CUgraphExec executable;
    const bool copies = begins("graph_copies");
    const int bad = what == "graph_good" || copies ? 0 : 4;
    executable = graph(5, bad, what == "graph_host", what != "graph_kept", copies,
                       what != "graph_copies_beside");
    CUgraphExecUpdateResultInfo result{};
    if (what == "graph_updated") cuGraphExecUpdate(executable, nullptr, &result);
    last_graph = executable;
    return cuGraphLaunch(executable, streams[0]);
  }
  if (what == "second_context") {
    CUcontext second = nullptr;
    return cuCtxCreate(&second, nullptr, 0, 0);
  }
  if (what == "node_runs") return stand_in_node_runs();
  if (what == "launches_while_it_captures") {
    if (cuStreamBeginCapture(streams[1], CU_STREAM_CAPTURE_MODE_GLOBAL) != CUDA_SUCCESS) return -1;
    const int failed = scatter(memory, 1, streams[1]) + scatter(memory, 1, streams[0]);
    CUgraph made = nullptr;
    return failed + cuStreamEndCapture(streams[1], &made);
  }
  // Each thread has its own default stream.
  if (what == "own_streams") {
    int failed = scatter(memory, 1, CU_STREAM_PER_THREAD);
    std::thread([&] { failed += scatter(memory, 2, CU_STREAM_PER_THREAD); }).join();
    return failed + scatter(wrong, 3, CU_STREAM_PER_THREAD);
  }
  // On the legacy default stream.
  if (what == "default_streams") {
    return scatter(memory, 1, nullptr) + scatter(memory, 2, nullptr) + scatter(wrong, 3, nullptr) +
           scatter(memory, 4, nullptr);
  }
  if (what == "own_stream") return scatter(wrong, 3, CU_STREAM_PER_THREAD);
  if (what == "two_threads") {
    std::thread one([] {
      for (unsigned i = 1; i < 50; ++i) scatter(memory, i, streams[0]);
    });
    std::thread two([] {
      for (unsigned i = 1; i < 50; ++i) scatter(i == 40 ? wrong : memory, 1000 + i, streams[1]);
    });
    one.join();
    two.join();
    return 0;
  }
  if (what == "read") {
    char line[64] = "";
    if (std::fgets(line, sizeof line, stdin) == nullptr) return -1;
    return std::atoi(line);
  }
  if (what == "term") return std::raise(SIGTERM);
  if (what == "abort") std::abort();
  if (what == "pause") return ::usleep(10'000'000);
  if (begins("exit_")) std::exit(std::atoi(what.c_str() + 5));
  if (what == "process") {
    std::printf("process %d\n", static_cast<int>(::getpid()));
    return 0;
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  for (CUstream& one : streams) {
    if (cuStreamCreate(&one, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return 1;
  }
  if (cuMemAlloc(&memory, 4096) != CUDA_SUCCESS) return 1;
  for (int i = 1; i < argc; ++i) {
    std::printf("%s: %d\n", argv[i], act(argv[i]));
    std::fflush(stdout);
  }
}
