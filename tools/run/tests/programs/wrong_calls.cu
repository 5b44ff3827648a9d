// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that does not use warpsafe: `wrong_calls MODE` launches what is no kernel, or in a way
// that no program should. It prints the status of each call. Some modes end in a fault, which is
// the program's own. Without an argument it lists its modes.

#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

__global__ void fill(float* y, float value) { y[threadIdx.x] = value; }
void host_function() {}

float* memory = nullptr;
cudaStream_t stream = nullptr;

void say(const char* what, cudaError_t status) {
  std::printf("%s: %s\n", what, cudaGetErrorName(status));
}
void say(const char* what, CUresult status) {
  const char* name = nullptr;
  cuGetErrorName(status, &name);
  std::printf("%s: %s\n", what, name == nullptr ? "?" : name);
}
/// A right launch, which shows whether the program still works.
void afterwards() {
  fill<<<1, 32, 0, stream>>>(memory, 1.0F);
  say("a right launch", cudaGetLastError());
  say("its end", cudaStreamSynchronize(stream));
}
void launch(const void* function) {
  float value = 2;
  void* arguments[] = {&memory, &value};
  say("cudaLaunchKernel", cudaLaunchKernel(function, dim3(1), dim3(32), arguments, 0, stream));
  cudaGetLastError();
}
void launch(CUfunction function, void** arguments, void** extra = nullptr) {
  say("cuLaunchKernel", cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, extra));
}
void launch(CUfunction function) {
  static float value = 2;
  static CUdeviceptr pointer = reinterpret_cast<CUdeviceptr>(memory);
  static void* arguments[] = {&pointer, &value};
  launch(function, arguments);
}

// fill, for the driver.
constexpr const char* text_of_module = R"(
.version 7.0
.target sm_50
.address_size 64
.visible .entry from_module(.param .u64 y, .param .f32 value) {
  .reg .u64 %p<3>;
  .reg .f32 %v;
  .reg .u32 %t;
  ld.param.u64 %p0, [y];
  ld.param.f32 %v, [value];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %p1, %t, 4;
  add.u64 %p2, %p0, %p1;
  st.global.f32 [%p2], %v;
  ret;
})";
CUmodule module_of_driver = nullptr;
CUfunction driver_function() {
  CUfunction function = nullptr;
  say("cuModuleLoadData", cuModuleLoadData(&module_of_driver, text_of_module));
  say("cuModuleGetFunction", cuModuleGetFunction(&function, module_of_driver, "from_module"));
  return function;
}
void* kept_text() {
  static char text[256];
  std::memset(text, 'x', sizeof text);
  return text;
}
void run_child(void (*body)()) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(stdout);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("the child: %d\n", status);
}
void on_thread(std::size_t stack, void* (*body)(void*)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, body, nullptr) == 0) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

struct AtEnd {
  ~AtEnd() {
    if (on) afterwards();
  }
  bool on = false;
};
AtEnd at_end;

struct Mode {
  const char* name;
  void (*run)();
};
const Mode modes[] = {
    {"host_function", [] { launch(reinterpret_cast<const void*>(&host_function)); }},
    {"text_as_function", [] { launch(kept_text()); }},
    {"null_function", [] { launch(static_cast<const void*>(nullptr)); }},
    {"stream_as_function", [] { launch(static_cast<const void*>(stream)); }},
    {"device_memory_as_function", [] { launch(static_cast<const void*>(memory)); }},
    {"null_arguments",
     [] {
       say("cudaLaunchKernel", cudaLaunchKernel(reinterpret_cast<const void*>(&fill), dim3(1),
                                                dim3(32), nullptr, 0, stream));
     }},
    {"null_argument",
     [] {
       float value = 2;
       void* arguments[] = {nullptr, &value};
       say("cudaLaunchKernel", cudaLaunchKernel(reinterpret_cast<const void*>(&fill), dim3(1),
                                                dim3(32), arguments, 0, stream));
     }},
    {"argument_without_memory",
     [] {
       float value = 2;
       void* arguments[] = {reinterpret_cast<void*>(16), &value};
       say("cudaLaunchKernel", cudaLaunchKernel(reinterpret_cast<const void*>(&fill), dim3(1),
                                                dim3(32), arguments, 0, stream));
     }},
    {"destroyed_stream",
     [] {
       cudaStream_t other = nullptr;
       cudaStreamCreate(&other);
       cudaStreamDestroy(other);
       fill<<<1, 32, 0, other>>>(memory, 1.0F);
       say("launch", cudaGetLastError());
     }},
    {"after_reset",
     [] {
       say("cudaDeviceReset", cudaDeviceReset());
       cudaMalloc(&memory, 4096);
       stream = nullptr;
     }},
    {"broken_capture",
     [] {
       cudaGraph_t graph = nullptr;
       say("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
       say("cudaDeviceSynchronize", cudaDeviceSynchronize());
       fill<<<1, 32, 0, stream>>>(memory, 1.0F);
       say("launch", cudaGetLastError());
       say("end", cudaStreamEndCapture(stream, &graph));
     }},
    {"fork", [] { run_child([] { afterwards(); }); }},
    {"driver_host_function", [] { launch(reinterpret_cast<CUfunction>(&host_function)); }},
    {"driver_text", [] { launch(static_cast<CUfunction>(kept_text())); }},
    {"driver_null", [] { launch(static_cast<CUfunction>(nullptr)); }},
    {"driver_stream", [] { launch(reinterpret_cast<CUfunction>(stream)); }},
    {"driver_number", [] { launch(reinterpret_cast<CUfunction>(0x1234)); }},
    {"driver_right", [] { launch(driver_function()); }},
    {"unloaded_module",
     [] {
       const CUfunction function = driver_function();
       launch(function);
       say("cuModuleUnload", cuModuleUnload(module_of_driver));
       launch(function);
     }},
    {"function_of_lost_device",
     [] {
       const CUfunction function = driver_function();
       say("reset", cuDevicePrimaryCtxReset(0));
       launch(function);
       cudaSetDevice(0);
       cudaMalloc(&memory, 4096);
       stream = nullptr;
     }},
    {"destroyed_context",
     [] {
       CUcontext context = nullptr;
       say("cuCtxCreate", cuCtxCreate(&context, nullptr, 0, 0));
       const CUfunction function = driver_function();
       say("cuCtxDestroy", cuCtxDestroy(context));
       launch(function);
       cudaSetDevice(0);
     }},
    {"other_context",
     [] {
       const CUfunction function = driver_function();
       CUcontext context = nullptr;
       say("cuCtxCreate", cuCtxCreate(&context, nullptr, 0, 0));
       launch(function);
       say("cuCtxDestroy", cuCtxDestroy(context));
       cudaSetDevice(0);
     }},
    {"no_parameters", [] { launch(driver_function(), nullptr); }},
    {"null_parameter",
     [] {
       float value = 2;
       void* arguments[] = {nullptr, &value};
       launch(driver_function(), arguments);
     }},
    {"both_parameters",
     [] {
       float value = 2;
       CUdeviceptr pointer = reinterpret_cast<CUdeviceptr>(memory);
       void* arguments[] = {&pointer, &value};
       char buffer[12];
       std::memcpy(buffer, &pointer, 8);
       std::memcpy(buffer + 8, &value, 4);
       std::size_t size = sizeof buffer;
       void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                        CU_LAUNCH_PARAM_END};
       const CUfunction function = driver_function();
       launch(function, nullptr, extra);
       launch(function, arguments, extra);
       size = 4;
       launch(function, nullptr, extra);
     }},
    {"attributes_without_memory",
     [] {
       CUlaunchConfig config{};
       config.gridDimX = config.gridDimY = config.gridDimZ = 1;
       config.blockDimX = 32;
       config.blockDimY = config.blockDimZ = 1;
       config.numAttrs = 3;
       float value = 2;
       CUdeviceptr pointer = reinterpret_cast<CUdeviceptr>(memory);
       void* arguments[] = {&pointer, &value};
       say("cuLaunchKernelEx", cuLaunchKernelEx(&config, driver_function(), arguments, nullptr));
     }},
    {"unknown_attribute",
     [] {
       CUlaunchAttribute attribute{};
       attribute.id = static_cast<CUlaunchAttributeID>(12345);
       CUlaunchConfig config{};
       config.gridDimX = config.gridDimY = config.gridDimZ = 1;
       config.blockDimX = 32;
       config.blockDimY = config.blockDimZ = 1;
       config.attrs = &attribute;
       config.numAttrs = 1;
       float value = 2;
       CUdeviceptr pointer = reinterpret_cast<CUdeviceptr>(memory);
       void* arguments[] = {&pointer, &value};
       say("cuLaunchKernelEx", cuLaunchKernelEx(&config, driver_function(), arguments, nullptr));
     }},
    {"no_config",
     [] {
       float value = 2;
       void* arguments[] = {&memory, &value};
       say("cuLaunchKernelEx", cuLaunchKernelEx(nullptr, driver_function(), arguments, nullptr));
     }},
    {"node_of_text",
     [] {
       CUgraph graph = nullptr;
       cuGraphCreate(&graph, 0);
       CUDA_KERNEL_NODE_PARAMS node{};
       node.func = static_cast<CUfunction>(kept_text());
       node.gridDimX = node.gridDimY = node.gridDimZ = 1;
       node.blockDimX = 32;
       node.blockDimY = node.blockDimZ = 1;
       float value = 2;
       void* arguments[] = {&memory, &value};
       node.kernelParams = arguments;
       CUgraphNode added = nullptr;
       say("cuGraphAddKernelNode", cuGraphAddKernelNode(&added, graph, nullptr, 0, &node));
     }},
    {"null_graph", [] { say("cuGraphLaunch", cuGraphLaunch(nullptr, nullptr)); }},
    {"cooperative_host_function",
     [] {
       float value = 2;
       void* arguments[] = {&memory, &value};
       say("cudaLaunchCooperativeKernel",
           cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&host_function), dim3(1),
                                       dim3(32), arguments, 0, stream));
       cudaGetLastError();
     }},
    {"stack_of_64_kB",
     [] {
       on_thread(65536, [](void*) -> void* {
         afterwards();
         fill<<<1, 2048, 0, stream>>>(memory, 1.0F);
         say("launch", cudaGetLastError());
         return nullptr;
       });
     }},
    {"own_handler",
     [] {
       std::signal(SIGSEGV, [](int) {
         std::puts("the program's own handler");
         std::fflush(stdout);
         _exit(9);
       });
       fill<<<1, 2048, 0, stream>>>(memory, 1.0F);
       *static_cast<volatile int*>(nullptr) = 1;
     }},
    {"free_twice",
     [] {
       float* other = nullptr;
       cudaMalloc(&other, 4096);
       say("cudaFree", cudaFree(other));
       say("cudaFree", cudaFree(other));
       cudaGetLastError();
     }},
    {"free_host",
     [] {
       static float host[16];
       say("cudaFree", cudaFree(host));
       cudaGetLastError();
     }},
    {"copy_too_much",
     [] {
       static char host[1 << 26];
       float* other = nullptr;
       cudaMalloc(&other, 4096);
       say("cudaMemcpy", cudaMemcpy(other, host, sizeof host, cudaMemcpyHostToDevice));
       cudaGetLastError();
     }},
    {"no_direction",
     [] {
       float host = 0;
       say("cudaMemcpy", cudaMemcpy(memory, &host, 4, static_cast<cudaMemcpyKind>(7)));
       cudaGetLastError();
     }},
    {"wrong_device",
     [] {
       say("cudaSetDevice", cudaSetDevice(70));
       cudaGetLastError();
     }},
    {"elapsed_without_record",
     [] {
       cudaEvent_t begin = nullptr;
       cudaEvent_t end = nullptr;
       float milliseconds = 0;
       cudaEventCreate(&begin);
       cudaEventCreate(&end);
       say("cudaEventElapsedTime", cudaEventElapsedTime(&milliseconds, begin, end));
       cudaGetLastError();
     }},
    // So much memory is unmapped when it is freed, and the access faults.
    {"freed_argument",
     [] {
       float* other = nullptr;
       constexpr std::size_t bytes = std::size_t{1} << 28;
       say("cudaMalloc", cudaMalloc(&other, bytes));
       say("cudaFree", cudaFree(other));
       fill<<<1, 32, 0, stream>>>(other, 1.0F);
       say("launch", cudaGetLastError());
       say("wait", cudaStreamSynchronize(stream));
     }},
    {"no_function",
     [] {
       CUfunction function = nullptr;
       driver_function();
       say("cuModuleGetFunction", cuModuleGetFunction(&function, module_of_driver, "none"));
     }},
    {"asks",
     [] {
       static float host[16];
       cudaPointerAttributes attributes{};
       cudaEvent_t event = nullptr;
       void* most = nullptr;
       cudaEventCreate(&event);
       cudaEventRecord(event, stream);
       say("cudaPointerGetAttributes", cudaPointerGetAttributes(&attributes, host));
       while (cudaEventQuery(event) == cudaErrorNotReady) {
       }
       while (cudaStreamQuery(stream) == cudaErrorNotReady) {
       }
       say("cudaMalloc", cudaMalloc(&most, std::size_t{1} << 50));
       cudaGetLastError();
     }},
    {"at_end", [] { at_end.on = true; }},
    {"leaves_at_once",
     [] {
       fill<<<1, 2048, 0, stream>>>(memory, 1.0F);
       std::fflush(stdout);
       _exit(5);
     }},
    {"thread_at_end",
     [] {
       std::thread([] {
         for (;;) fill<<<1, 32, 0, stream>>>(memory, 1.0F);
       }).detach();
       usleep(20000);
     }},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const Mode& mode : modes) std::puts(mode.name);
    return 0;
  }
  if (cudaMalloc(&memory, 4096) != cudaSuccess) {
    std::puts("no device");
    return 77;
  }
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (const Mode& mode : modes) {
    if (std::strcmp(argv[1], mode.name) != 0) continue;
    mode.run();
    std::fflush(stdout);
    if (std::strcmp(mode.name, "thread_at_end") != 0) afterwards();
  }
  return 0;
}
