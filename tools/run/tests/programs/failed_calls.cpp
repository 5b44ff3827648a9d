// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program whose calls fail, or only ask. Each argument names one thing to do. It prints the
// status of the last call, and the line of the call that a report should name.

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

/// A function of the stand-in for a library (stand_in/library.cpp) that tries what the device has.
extern "C" int stand_in_try();

namespace {
int launch_through_stub();

CUstream stream = nullptr;
int line = 0;
/// The line of the call whose failure should be reported.
#define HERE(call) (line = __LINE__, static_cast<int>(call))

CUdeviceptr allocated(std::size_t bytes) {
  CUdeviceptr memory = 0;
  return cuMemAlloc(&memory, bytes) == CUDA_SUCCESS ? memory : 0;
}
void* pointer(CUdeviceptr memory) { return reinterpret_cast<void*>(memory); }
CUfunction function_of(const char* name) {
  CUfunction function = nullptr;
  return cuModuleGetFunction(&function, nullptr, name) == CUDA_SUCCESS ? function : nullptr;
}
int launch(CUfunction function, void** values, CUstream on = stream) {
  return HERE(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, on, values, nullptr));
}
[[gnu::noinline]] int free_twice() {
  const CUdeviceptr memory = allocated(4096);
  cuMemFree(memory);
  return HERE(cuMemFree(memory));
}
/// True: while the watch asks the loader for the first time from now on, another thread finds a
/// kernel, as a library's constructor does, which has the loader's lock.
bool loads_beside = false;
constexpr std::size_t more_than_there_is = std::size_t{1} << 40;
int free_typed();
constexpr const char* of_module = "_ZN4demo9of_moduleEPf";
constexpr const char* without_types = "of_module_in_c";

int act(const char* what) {
  const auto is = [&](const char* one) { return std::strcmp(what, one) == 0; };
  if (is("free_twice")) return free_twice();
  if (is("free_typed")) return free_typed();
  if (is("launch_graph")) {
    CUgraphExec graph = nullptr;
    cuGraphInstantiateWithFlags(&graph, nullptr, 0);
    return HERE(cuGraphLaunch(graph, stream));
  }
  if (is("free_inside")) return HERE(cuMemFree(allocated(4096) + 256));
  if (is("free_host")) return HERE(cudaFree(&line));
  if (is("copy_too_much")) {
    static char host[8192];
    void* memory = nullptr;
    cudaMalloc(&memory, 4096);
    return HERE(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice));
  }
  if (is("copy_swapped")) {
    static char host[64];
    return HERE(cudaMemcpy(host, pointer(allocated(64)), 64, cudaMemcpyHostToDevice));
  }
  if (is("copy_past")) {
    static char host[64];
    return HERE(cudaMemcpy(pointer(allocated(64) + 64), host, 64, cudaMemcpyHostToDevice));
  }
  if (is("copy_to_null")) {
    static char host[64];
    return HERE(cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice));
  }
  if (is("no_direction")) {
    return HERE(cudaMemcpy(&line, &line, 4, static_cast<cudaMemcpyKind>(7)));
  }
  if (is("too_much_shared")) {
    return HERE(cudaFuncSetAttribute(nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 262144));
  }
  if (is("no_device")) return HERE(cudaSetDevice(7));
  if (is("no_memory")) {
    void* memory = nullptr;
    return HERE(cudaMalloc(&memory, more_than_there_is));
  }
  if (is("negative")) {
    CUdeviceptr memory = 0;
    return HERE(cuMemAlloc(&memory, static_cast<std::size_t>(-4)));
  }
  if (is("retry")) return allocated(more_than_there_is) == 0 && allocated(64) != 0 ? 0 : 1;
  if (is("no_function")) {
    CUfunction function = nullptr;
    return HERE(cuModuleGetFunction(&function, nullptr, "axpy\x1b[2J"));
  }
  if (is("elapsed")) {
    float milliseconds = 0;
    return HERE(cuEventElapsedTime(&milliseconds, nullptr, nullptr));
  }
  // What programs and frameworks do to ask, and expect to fail.
  if (is("ask")) {
    cudaPointerAttributes attributes{};
    CUevent event = nullptr;
    CUdeviceptr variable = 0;
    std::size_t bytes = 0;
    cuEventCreate(&event, 0);
    int failed = 0;
    for (int i = 0; i < 1000; ++i) failed += cuEventQuery(event) != CUDA_SUCCESS ? 1 : 0;
    failed += cudaPointerGetAttributes(&attributes, &line) != cudaSuccess ? 1 : 0;
    failed += cuCtxEnablePeerAccess(nullptr, 0) != CUDA_SUCCESS ? 1 : 0;
    failed += cuModuleGetGlobal(&variable, &bytes, nullptr, "only_in_some") != CUDA_SUCCESS ? 1 : 0;
    return failed;
  }
  if (is("library_tries")) return stand_in_try();
  if (is("loop")) {
    int failed = 0;
    for (int i = 0; i < 100; ++i) failed += HERE(cudaSetDevice(7)) != 0 ? 1 : 0;
    return failed;
  }
  if (is("broken_capture")) {
    CUgraph graph = nullptr;
    void* memory = nullptr;
    cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    HERE(cudaMalloc(&memory, 64));
    const int at = line;
    launch(function_of("_ZN4demo7boundedEPf"), nullptr);
    line = at;
    return cuStreamEndCapture(stream, &graph);
  }
  if (is("null_argument") || is("null_argument_in_c")) {
    void* values[] = {nullptr};
    return launch(function_of(is("null_argument") ? of_module : without_types), values);
  }
  // A kernel that faults, and the pointer that it receives.
  if (std::strncmp(what, "fault_", 6) == 0) {
    CUdeviceptr memory = std::strncmp(what, "fault_null", 10) == 0 ? 0
                         : is("fault_host")  ? reinterpret_cast<CUdeviceptr>(&line)
                         : is("fault_short") ? allocated(64)
                                             : allocated(4096);
    if (is("fault_misaligned")) memory += 2;
    if (is("fault_past")) memory += 4096 + 64;
    if (is("fault_freed")) HERE(cuMemFree(memory));
    const int at = line;
    void* values[] = {&memory};
    launch(function_of("_ZN4demo13out_of_boundsEPf"), values);
    const int status = cuCtxSynchronize();
    if (is("fault_null_then_handles")) {
      float time = 0;
      cuEventElapsedTime(&time, nullptr, nullptr);
      launch(nullptr, values);
    }
    line = at;
    return status;
  }
  if (is("no_arguments")) return launch(function_of(of_module), nullptr);
  if (is("stub")) return HERE(launch_through_stub());
  if (is("no_arguments_in_c")) return launch(function_of(without_types), nullptr);
  if (is("unloaded") || is("unloaded_beside_loading")) {
    const CUfunction function = function_of(of_module);
    HERE(cuModuleUnload(nullptr));
    const int at = line;
    loads_beside = is("unloaded_beside_loading");
    const int status = launch(function, nullptr);
    line = at;
    return status;
  }
  if (is("other_context")) {
    CUcontext context = nullptr;
    const CUfunction function = function_of(of_module);
    cuCtxCreate(&context, nullptr, 0, 0);
    const int status = launch(function, nullptr, nullptr);
    cuCtxSetCurrent(nullptr);
    return status;
  }
  return -1;
}

}  // namespace

/// Replaces the loader's function, for the watch too.
extern "C" __attribute__((visibility("default"))) int dladdr1(const void* address, Dl_info* info,
                                                              void** extra, int flags) noexcept {
  static auto* const next = reinterpret_cast<decltype(&dladdr1)>(::dlsym(RTLD_NEXT, "dladdr1"));
  if (std::exchange(loads_beside, false)) {
    CUcontext context = nullptr;
    cuCtxGetCurrent(&context);
    std::packaged_task<bool()> find([context] {
      cuCtxSetCurrent(context);
      return function_of("_ZN4demo7boundedEPf") != nullptr;
    });
    std::future<bool> done = find.get_future();
    std::thread other(std::move(find));
    const bool is_found = done.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    is_found ? other.join() : other.detach();
    std::printf(is_found && done.get() ? "a kernel is found beside\n" : "no kernel\n");
  }
  return next(address, info, extra, flags);
}

// As nvcc compiles `demo::bounded<<<...>>>(nullptr)`: a function of the host with the kernel's
// name, which calls a stub.
namespace demo {
namespace {
// NOLINTNEXTLINE(bugprone-reserved-identifier): nvcc's name
[[gnu::noinline]] int __device_stub__bounded() {
  return cuLaunchKernel(function_of("_ZN4demo7boundedEPf"), 1, 1, 1, 512, 1, 1, 0, stream, nullptr,
                        nullptr);
}
}  // namespace
[[gnu::noinline]] static int bounded(float*) { return __device_stub__bounded(); }
}  // namespace demo
namespace {
int launch_through_stub() { return demo::bounded(nullptr); }
}  // namespace

// As the runtime's header has it: a function for typed pointers, which is inlined.
#line 879 "/usr/local/cuda/include/cuda_runtime.h"
template <class T>
[[gnu::always_inline]] inline cudaError_t typed_free(T* memory) {
  return cudaFree(memory);
}
#line 300 "failed_calls.cpp"
[[gnu::always_inline]] inline int free_floats(float* memory) { return HERE(typed_free(memory)); }
namespace {
[[gnu::noinline]] int free_typed() {
  static float memory = 0;
  return free_floats(&memory);
}
}  // namespace

int main(int argc, char** argv) {
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return 1;
  for (int i = 1; i < argc; ++i) {
    const int status = act(argv[i]);
    std::printf("%s: %d, line %d\n", argv[i], status, line);
    std::fflush(stdout);
  }
}
