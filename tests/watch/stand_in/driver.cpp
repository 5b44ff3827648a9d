// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcuda.so.1 for the tests of the watch: a few functions, with the limits and answers of
// an H200 with driver 580. It loads the injection library as the driver does, and reports each call
// to the CUPTI beside it (cupti.cpp). No kernel runs.

#include "driver.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

struct CUfunc_st {
  const char* name;
  int max_threads;
  int static_shared;
};
struct CUstream_st {
  unsigned flags;
};
struct CUevent_st {};
struct CUctx_st {};

namespace {

const std::string long_name = "_Z900" + std::string(900, 'a') + "v";
CUfunc_st functions[] = {{"_ZN4demo4axpyEfPKfPfi", 1024, 0},
                         {"_ZN4demo7boundedEPf", 256, 0},
                         {"_ZN4demo4tileIfEEvPT_", 1024, 40000},
                         {"_ZN4demo13out_of_boundsEPf", 1024, 0},
                         {long_name.c_str(), 1024, 0}};
CUctx_st context;
bool lost = false;
bool faulty = false;  // work in flight is going to fail

/// The driver's log, which STAND_IN_NO_LOG turns off as before CUDA 12.9.
std::vector<std::string> log_lines;
std::mutex log_mutex;
void log(const std::string& text) {
  const std::lock_guard lock(log_mutex);
  log_lines.push_back("[12:00:00.000][" +
                      std::to_string(static_cast<unsigned long>(pthread_self())) + "][CUDA][E] " +
                      text + '\n');
}
void log_other_thread() {
  const std::lock_guard lock(log_mutex);
  log_lines.push_back(
      "[12:00:00.000][1][CUDA][E] a reason of another thread\n"
      "[12:00:00.000][1][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from "
      "cuLaunchKernel\n");
}

const pid_t first_process = getpid();

bool is_function(const CUfunc_st* function) {
  return function >= std::begin(functions) && function < std::end(functions);
}

CUresult judge(const CUfunc_st* function, const cuLaunchKernel_params& of) {
  if (lost) return CUDA_ERROR_ILLEGAL_ADDRESS;
  if (getpid() != first_process) return CUDA_ERROR_NOT_INITIALIZED;
  if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
  const unsigned grid[] = {of.gridDimX, of.gridDimY, of.gridDimZ};
  const unsigned block[] = {of.blockDimX, of.blockDimY, of.blockDimZ};
  unsigned long long threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] == 0 || block[i] == 0 || grid[i] > (i == 0 ? 2147483647U : 65535U) ||
        block[i] > (i == 2 ? 64U : 1024U)) {
      if (i == 1 && grid[i] > 65535) {
        log("Grid Dimension Y of " + std::to_string(grid[i]) + " exceeds maximum value of 65535");
      }
      return CUDA_ERROR_INVALID_VALUE;
    }
    threads *= block[i];
  }
  if (threads > static_cast<unsigned>(function->max_threads)) {
    log("Requested block size of " + std::to_string(threads) +
        " threads exceeds maximum set at compilation of " + std::to_string(function->max_threads));
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (of.sharedMemBytes + static_cast<unsigned>(function->static_shared) > 49152) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (std::strstr(function->name, "out_of_bounds") != nullptr) faulty = true;
  return CUDA_SUCCESS;
}
CUresult settle() {
  if (faulty) lost = true;
  return lost ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

/// Makes one call of the program, reported before and after. `body` returns its status.
template <class Body>
CUresult traced_call(CUpti_driver_api_trace_cbid id, const void* parameters, const char* symbol,
                     const Body& body) {
  CUresult status = CUDA_SUCCESS;
  std::uint64_t shared = 0;
  CUpti_CallbackData data{};
  for (const StandInCall& call : stand_in_calls) {
    if (call.id == id) data.functionName = call.name;
  }
  data.functionParams = parameters;
  data.functionReturnValue = &status;
  data.symbolName = symbol;
  data.context = &context;
  data.contextUid = 1;
  data.correlationData = &shared;
  data.callbackSite = CUPTI_API_ENTER;
  stand_in_tell(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  status = body();
  data.callbackSite = CUPTI_API_EXIT;
  stand_in_tell(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  return status;
}

}  // namespace

StandInTell stand_in_tell = [](CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};

extern "C" {

CUresult cuInit(unsigned) {
  static bool begun = false;
  if (begun) return CUDA_SUCCESS;
  begun = true;
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return CUDA_SUCCESS;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "stand-in: %s\n", dlerror());
    return CUDA_ERROR_UNKNOWN;
  }
  auto* const initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  return initialize != nullptr && initialize() == 1 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "NVIDIA H200");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  struct Row {
    CUdevice_attribute attribute;
    int value;
  };
  static const Row rows[] = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                             {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
                             {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
                             {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
                             {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
                             {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
                             {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
                             {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                             {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                             {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                             {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                             {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                             {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
                             {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1}};
  *value = 0;
  for (const Row& row : rows) {
    if (row.attribute == attribute) *value = row.value;
  }
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_ERROR_INVALID_VALUE     ? "CUDA_ERROR_INVALID_VALUE"
          : error == CUDA_ERROR_INVALID_HANDLE  ? "CUDA_ERROR_INVALID_HANDLE"
          : error == CUDA_ERROR_NOT_INITIALIZED ? "CUDA_ERROR_NOT_INITIALIZED"
          : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                : nullptr;
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_ERROR_INVALID_VALUE     ? "invalid argument"
          : error == CUDA_ERROR_INVALID_HANDLE  ? "invalid resource handle"
          : error == CUDA_ERROR_NOT_INITIALIZED ? "initialization error"
          : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                                : nullptr;
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? function->max_threads
           : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES   ? function->static_shared
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 10
           : attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
               ? 49152 - function->static_shared
               : 0;
  return CUDA_SUCCESS;
}
/// Reads the handle unchecked, as the driver does.
CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = function->name;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  for (CUfunc_st& one : functions) {
    if (std::strcmp(one.name, name) != 0) continue;
    *function = &one;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  const cuStreamCreate_params of{stream, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamCreate, &of, nullptr, [&] {
    *stream = new CUstream_st{flags};
    CUpti_ResourceData data{};
    data.context = &context;
    data.resourceHandle.stream = *stream;
    stand_in_tell(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED, &data);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemAlloc(CUdeviceptr* memory, std::size_t bytes) {
  const cuMemAlloc_v2_params of{memory, bytes};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &of, nullptr, [&] {
    static CUdeviceptr next = 0x7f0000000000;
    *memory = next;
    next += (bytes + 511) / 512 * 512;
    return CUDA_SUCCESS;
  });
}
CUresult cuMemFree(CUdeviceptr memory) {
  const cuMemFree_v2_params of{memory};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &of, nullptr, [] { return settle(); });
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  const cuMemcpyHtoD_v2_params of{to, from, bytes};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, &of, nullptr,
                     [] { return settle(); });
}
CUresult cuMemsetD32Async(CUdeviceptr memory, unsigned value, std::size_t count, CUstream stream) {
  const cuMemsetD32Async_params of{memory, value, count, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async, &of, nullptr,
                     [] { return CUDA_SUCCESS; });
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
  const cuEventCreate_params of{event, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuEventCreate, &of, nullptr, [&] {
    *event = new CUevent_st;
    return CUDA_SUCCESS;
  });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  const cuEventRecord_params of{event, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuEventRecord, &of, nullptr,
                     [] { return CUDA_SUCCESS; });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  const cuStreamWaitEvent_params of{stream, event, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent, &of, nullptr,
                     [] { return CUDA_SUCCESS; });
}
/// The parameters of axpy are float, const float*, float* and int; all other kernels have one
/// pointer.
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t number, std::size_t* offset,
                            std::size_t* bytes) {
  if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
  static constexpr std::size_t axpy[][2] = {{0, 4}, {8, 8}, {16, 8}, {24, 4}};
  static constexpr std::size_t other[][2] = {{0, 8}};
  const bool is_axpy = std::strstr(function->name, "axpy") != nullptr;
  if (number >= (is_axpy ? std::size(axpy) : std::size(other))) return CUDA_ERROR_INVALID_VALUE;
  *offset = is_axpy ? axpy[number][0] : other[number][0];
  *bytes = is_axpy ? axpy[number][1] : other[number][1];
  return CUDA_SUCCESS;
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  *flags = stream->flags;
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream) { return settle(); }
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream, void** values,
                        void** extra) {
  const cuLaunchKernel_params of{f, gx, gy, gz, bx, by, bz, shared, stream, values, extra};
  // As CUPTI: the word where a function has the address of its name, unchecked.
  const char* const symbol = f != nullptr ? f->name : nullptr;
  const CUresult status = traced_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &of, symbol, [&] {
    const CUresult answer = judge(f, of);
    if (answer != CUDA_SUCCESS) log_other_thread();
    return answer;
  });
  if (status != CUDA_SUCCESS) {
    log("Returning " + std::to_string(static_cast<int>(status)) +
        " (CUDA_ERROR) from cuLaunchKernel");
  }
  return status;
}
/// Reads the attributes of no launch, so that a garbage number of them is accepted or refused
/// without a fault.
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** values, void** extra) {
  const cuLaunchKernelEx_params of{config, f, values, extra};
  const char* const symbol = f != nullptr ? f->name : nullptr;
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &of, symbol, [&] {
    return config->numAttrs > 64 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  const cuGraphAddKernelNode_v2_params of{node, graph, before, count, parameters};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2, &of, nullptr,
                     [] { return CUDA_ERROR_INVALID_VALUE; });
}
CUresult cuGraphGetNodes(CUgraph, CUgraphNode*, std::size_t* count) {
  *count = 0;
  return CUDA_SUCCESS;
}
/// No two graphs have one handle.
CUresult cuGraphInstantiateWithFlags(CUgraphExec* graph, CUgraph from, unsigned long long flags) {
  const cuGraphInstantiateWithFlags_params of{graph, from, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, &of, nullptr, [&] {
    static std::uintptr_t next = 0x10000;
    *graph = reinterpret_cast<CUgraphExec>(next += 64);
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  const cuGraphExecDestroy_params of{graph};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, &of, nullptr,
                     [] { return CUDA_SUCCESS; });
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  const cuGraphLaunch_params of{graph, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &of, nullptr,
                     [&] { return graph == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; });
}
CUresult cuLogsDumpToMemory(CUlogIterator* position, char* text, std::size_t* bytes, unsigned) {
  if (std::getenv("STAND_IN_NO_LOG") != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const std::lock_guard lock(log_mutex);
  std::string all;
  for (std::size_t i = *position; i < log_lines.size(); ++i) all += log_lines[i];
  *position = static_cast<CUlogIterator>(log_lines.size());
  if (all.size() >= *bytes) all = all.substr(all.size() - *bytes + 1);
  std::memcpy(text, all.c_str(), all.size() + 1);
  *bytes = all.size();
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  const cuStreamSynchronize_params of{stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, &of, nullptr, [] {
    const char* const slow = std::getenv("STAND_IN_SLOW");
    if (slow != nullptr) {
      const timespec pause{0, std::atol(slow) * 1'000'000};
      nanosleep(&pause, nullptr);
    }
    return settle();
  });
}
CUresult cuCtxSynchronize() {
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, nullptr, nullptr,
                     [] { return settle(); });
}

}  // extern "C"
