// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
//
// Makes a fixed list of CUDA runtime calls and writes one line per call, so that the stand-in
// runtime can be held to what a real device answered. A line is
//
//   <status> <last error after the call> <function>(<arguments>) <output>=<value>...
//
// with no addresses in it. The last-error slot is emptied after every line, except in the section
// that is about the slot. Nothing of warpsafe is used here. Build and run on a device:
//
//   nvcc -std=c++20 -arch=sm_90 -cudart static tests/record/record_cuda.cu -o record_cuda
//   ./record_cuda FILE
#include <cuda_runtime.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

extern "C" {
__global__ void empty() {}
__global__ void __launch_bounds__(256) bound_256() {}
__global__ void __launch_bounds__(1024) bound_1024() {}
__global__ void __launch_bounds__(64, 8) bound_64_min_8() {}
__global__ void __launch_bounds__(100) bound_100() {}
__global__ void arguments(int, double, char, const float*) {}

__global__ void static_1k(int* out) {
  __shared__ int values[256];
  values[threadIdx.x % 256] = *out;
  __syncthreads();
  out[threadIdx.x] = values[255 - threadIdx.x % 256];
}

__global__ void static_40k(int* out) {
  __shared__ int values[10240];
  values[threadIdx.x] = *out;
  __syncthreads();
  out[threadIdx.x] = values[10239 - threadIdx.x];
}

__global__ void static_48k(int* out) {
  __shared__ int values[12288];
  values[threadIdx.x] = *out;
  __syncthreads();
  out[threadIdx.x] = values[12287 - threadIdx.x];
}

__global__ void dynamic(int* out) {
  extern __shared__ int values[];
  if (out != nullptr) {
    values[threadIdx.x] = *out;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x ^ 1U];
  }
}

__global__ void many_registers(float* data) {
  if (data == nullptr) return;
  float values[120];
#pragma unroll
  for (int i = 0; i < 120; ++i) values[i] = data[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 120; ++i)
    data[(119 - i) * 1024 + threadIdx.x] = values[i] * values[(i * 7 + 3) % 120];
}

__global__ void __maxnreg__(64) registers_64(float* data) {
  if (data == nullptr) return;
  float values[120];
#pragma unroll
  for (int i = 0; i < 120; ++i) values[i] = data[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 120; ++i)
    data[(119 - i) * 1024 + threadIdx.x] = values[i] * values[(i * 7 + 3) % 120];
}

__global__ void local_array(int* data, int index) {
  if (data == nullptr) return;
  volatile int values[64];
  for (int i = 0; i < 64; ++i) values[i] = data[i];
  *data = values[index];
}

__constant__ int constants[300];
__global__ void constant_user(int* data) {
  if (data != nullptr) *data = constants[threadIdx.x];
}

__global__ void __cluster_dims__(2, 1, 1) cluster_2() {}
__global__ void __cluster_dims__(2, 2, 1) cluster_2_2() {}
__global__ void __cluster_dims__(16, 1, 1) cluster_16() {}

__global__ void fault_null() { *reinterpret_cast<volatile int*>(threadIdx.x) = 1; }
__global__ void fault_trap() { __trap(); }
__global__ void fault_misaligned(char* data) { *reinterpret_cast<volatile int*>(data + 1) = 1; }
__global__ void fault_assert() { assert(false); }
}

namespace {

// Writes the line; leaves the last-error slot as it is.
void keep_v(cudaError_t status, const char* format, va_list values) {
  std::printf("%d %d ", static_cast<int>(status), static_cast<int>(cudaPeekAtLastError()));
  std::vprintf(format, values);
  std::putchar('\n');
  std::fflush(stdout);
}

__attribute__((format(printf, 2, 3))) void keep(cudaError_t status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  keep_v(status, format, values);
  va_end(values);
}

// Writes the line and empties the last-error slot.
__attribute__((format(printf, 2, 3))) void note(cudaError_t status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  keep_v(status, format, values);
  va_end(values);
  static_cast<void>(cudaGetLastError());
}

void section(const char* name) {
  static_cast<void>(cudaGetLastError());
  std::printf("\n[%s]\n", name);
  std::fflush(stdout);
}

// A value that the enumeration does not have, which a conversion may not make.
template <class Enumeration>
Enumeration unlisted(int value) {
  static_assert(sizeof(Enumeration) == sizeof value);
  Enumeration made;
  std::memcpy(&made, &value, sizeof value);
  return made;
}

const char* set_or_null(const void* pointer) { return pointer == nullptr ? "null" : "set"; }

struct NamedKernel {
  const char* name;
  const void* function;
};

// `fault_` kernels are left out: naming them to the runtime is the children's business.
const std::vector<NamedKernel>& kernels() {
  static const std::vector<NamedKernel> all = {
      {"empty", reinterpret_cast<const void*>(&empty)},
      {"bound_256", reinterpret_cast<const void*>(&bound_256)},
      {"bound_1024", reinterpret_cast<const void*>(&bound_1024)},
      {"bound_64_min_8", reinterpret_cast<const void*>(&bound_64_min_8)},
      {"bound_100", reinterpret_cast<const void*>(&bound_100)},
      {"arguments", reinterpret_cast<const void*>(&arguments)},
      {"static_1k", reinterpret_cast<const void*>(&static_1k)},
      {"static_40k", reinterpret_cast<const void*>(&static_40k)},
      {"static_48k", reinterpret_cast<const void*>(&static_48k)},
      {"dynamic", reinterpret_cast<const void*>(&dynamic)},
      {"many_registers", reinterpret_cast<const void*>(&many_registers)},
      {"registers_64", reinterpret_cast<const void*>(&registers_64)},
      {"local_array", reinterpret_cast<const void*>(&local_array)},
      {"constant_user", reinterpret_cast<const void*>(&constant_user)},
      {"cluster_2", reinterpret_cast<const void*>(&cluster_2)},
      {"cluster_2_2", reinterpret_cast<const void*>(&cluster_2_2)},
      {"cluster_16", reinterpret_cast<const void*>(&cluster_16)},
  };
  return all;
}

const void* function_of(const char* name) {
  for (const NamedKernel& kernel : kernels()) {
    if (std::strcmp(kernel.name, name) == 0) return kernel.function;
  }
  std::fprintf(stderr, "no kernel '%s' in the table\n", name);
  std::exit(2);
}

void not_a_kernel() {}

void error_table() {
  section("errors");
  for (int code = 0; code < 1100; ++code) {
    const char* name = cudaGetErrorName(static_cast<cudaError_t>(code));
    const char* text = cudaGetErrorString(static_cast<cudaError_t>(code));
    if (std::strcmp(name, "unrecognized error code") == 0 && code != 1099) continue;
    note(cudaSuccess, "cudaGetErrorName(%d) name=%s text=%s", code, name, text);
  }
}

void devices() {
  section("devices");
  int value = 0;
  cudaError_t status = cudaGetDeviceCount(&value);
  note(status, "cudaGetDeviceCount() count=%d", value);
  const int count = value;
  status = cudaGetDeviceCount(nullptr);
  note(status, "cudaGetDeviceCount(null)");
  status = cudaRuntimeGetVersion(&value);
  note(status, "cudaRuntimeGetVersion() version=%d", value);
  status = cudaDriverGetVersion(&value);
  note(status, "cudaDriverGetVersion() version=%d", value);
  status = cudaGetDevice(&value);
  note(status, "cudaGetDevice() device=%d", value);
  status = cudaGetDevice(nullptr);
  note(status, "cudaGetDevice(null)");
  status = cudaSetDevice(0);
  note(status, "cudaSetDevice(0)");
  status = cudaSetDevice(-1);
  note(status, "cudaSetDevice(-1)");
  status = cudaSetDevice(count);
  note(status, "cudaSetDevice(count)");
  status = cudaGetDevice(&value);
  note(status, "cudaGetDevice() after refused sets device=%d", value);
  int low = -1;
  int high = -1;
  status = cudaDeviceGetStreamPriorityRange(&low, &high);
  note(status, "cudaDeviceGetStreamPriorityRange() least=%d greatest=%d", low, high);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  status = cudaMemGetInfo(&free_bytes, &total_bytes);
  note(status, "cudaMemGetInfo() total=%zu free_is_less=%d", total_bytes,
       free_bytes < total_bytes ? 1 : 0);

  section("device attributes");
  for (int attribute = 0; attribute <= 160; ++attribute) {
    value = -12345;
    status = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(attribute), 0);
    note(status, "cudaDeviceGetAttribute(%d, device 0) value=%d", attribute, value);
  }
  status = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1);
  note(status, "cudaDeviceGetAttribute(10, device -1)");
  status = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count);
  note(status, "cudaDeviceGetAttribute(10, device count)");
  status = cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0);
  note(status, "cudaDeviceGetAttribute(null, 10, device 0)");

  section("device properties");
  cudaDeviceProp p{};
  status = cudaGetDeviceProperties(&p, 0);
  note(status, "cudaGetDeviceProperties(device 0) name=%s", p.name);
  note(status,
       "cudaGetDeviceProperties(device 0) totalGlobalMem=%zu totalConstMem=%zu memPitch=%zu",
       p.totalGlobalMem, p.totalConstMem, p.memPitch);
  note(status,
       "cudaGetDeviceProperties(device 0) major=%d minor=%d warpSize=%d multiProcessorCount=%d",
       p.major, p.minor, p.warpSize, p.multiProcessorCount);
  note(
      status,
      "cudaGetDeviceProperties(device 0) maxThreadsPerBlock=%d maxThreadsDim=%d,%d,%d maxGridSize=%d,%d,%d",
      p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
      p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
  note(
      status,
      "cudaGetDeviceProperties(device 0) sharedMemPerBlock=%zu optin=%zu perMultiprocessor=%zu reserved=%zu",
      p.sharedMemPerBlock, p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor,
      p.reservedSharedMemPerBlock);
  note(
      status,
      "cudaGetDeviceProperties(device 0) regsPerBlock=%d regsPerMultiprocessor=%d maxThreadsPerMultiProcessor=%d maxBlocks=%d",
      p.regsPerBlock, p.regsPerMultiprocessor, p.maxThreadsPerMultiProcessor,
      p.maxBlocksPerMultiProcessor);
  note(
      status,
      "cudaGetDeviceProperties(device 0) cooperativeLaunch=%d clusterLaunch=%d concurrentKernels=%d unifiedAddressing=%d l2=%d",
      p.cooperativeLaunch, p.clusterLaunch, p.concurrentKernels, p.unifiedAddressing,
      p.l2CacheSize);
  note(
      status,
      "cudaGetDeviceProperties(device 0) managedMemory=%d concurrentManagedAccess=%d pageableMemoryAccess=%d memoryPools=%d",
      p.managedMemory, p.concurrentManagedAccess, p.pageableMemoryAccess, p.memoryPoolsSupported);
  status = cudaGetDeviceProperties(&p, count);
  note(status, "cudaGetDeviceProperties(device count)");
  status = cudaGetDeviceProperties(nullptr, 0);
  note(status, "cudaGetDeviceProperties(null)");
}

void function_line(const char* name, const void* function) {
  cudaFuncAttributes a{};
  const cudaError_t status = cudaFuncGetAttributes(&a, function);
  note(
      status,
      "cudaFuncGetAttributes(%s) shared=%zu const=%zu local=%zu max_threads=%d registers=%d ptx=%d binary=%d cache_mode_ca=%d "
      "max_dynamic=%d carveout=%d cluster_must=%d cluster=%d,%d,%d scheduling=%d non_portable=%d",
      name, a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock, a.numRegs,
      a.ptxVersion, a.binaryVersion, a.cacheModeCA, a.maxDynamicSharedSizeBytes,
      a.preferredShmemCarveout, a.clusterDimMustBeSet, a.requiredClusterWidth,
      a.requiredClusterHeight, a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
      a.nonPortableClusterSizeAllowed);
}

void set_function(const char* name, int attribute, int value) {
  const cudaError_t status =
      cudaFuncSetAttribute(function_of(name), static_cast<cudaFuncAttribute>(attribute), value);
  note(status, "cudaFuncSetAttribute(%s, attribute %d, %d)", name, attribute, value);
}

void functions() {
  section("function attributes");
  for (const NamedKernel& kernel : kernels()) function_line(kernel.name, kernel.function);
  function_line("host function", reinterpret_cast<const void*>(&not_a_kernel));
  function_line("null", nullptr);
  cudaError_t status = cudaFuncGetAttributes(nullptr, reinterpret_cast<const void*>(&empty));
  note(status, "cudaFuncGetAttributes(null, empty)");
  const char* text = nullptr;
  status = cudaFuncGetName(&text, reinterpret_cast<const void*>(&bound_256));
  note(status, "cudaFuncGetName(bound_256) name=%s", text == nullptr ? "null" : text);
  status = cudaFuncGetName(&text, reinterpret_cast<const void*>(&not_a_kernel));
  note(status, "cudaFuncGetName(host function)");
  cudaKernel_t handle = nullptr;
  status = cudaGetKernel(&handle, reinterpret_cast<const void*>(&bound_256));
  note(status, "cudaGetKernel(bound_256) kernel=%s", set_or_null(handle));
  function_line("kernel handle of bound_256", handle);
  status = cudaGetKernel(&handle, reinterpret_cast<const void*>(&not_a_kernel));
  note(status, "cudaGetKernel(host function)");
}

std::string text_of(dim3 d) {
  return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
}

// Every kernel that is launched with arguments takes at most four, and does nothing when the first
// is null.
struct Arguments {
  void* pointer = nullptr;
  void* zero[3] = {nullptr, nullptr, nullptr};
  void* list[4] = {&pointer, &zero[0], &zero[1], &zero[2]};
};

void* device_memory = nullptr;  // for the kernels that write: 120 * 1024 floats

// `dynamic` is launched with less shared memory than it would write, so it gets null and does
// nothing.
void* memory_for(const char* name) {
  return std::strcmp(name, "dynamic") == 0 ? nullptr : device_memory;
}

void launch_line(const char* name, dim3 grid, dim3 block, std::size_t shared,
                 cudaStream_t stream = nullptr, const char* where = "legacy") {
  Arguments arguments;
  arguments.pointer = memory_for(name);
  const cudaError_t status =
      cudaLaunchKernel(function_of(name), grid, block, arguments.list, shared, stream);
  note(status, "cudaLaunchKernel(%s, grid %s, block %s, shared %zu, stream %s)", name,
       text_of(grid).c_str(), text_of(block).c_str(), shared, where);
  if (status == cudaSuccess) {
    const cudaError_t done = cudaDeviceSynchronize();
    if (done != cudaSuccess) note(done, "cudaDeviceSynchronize()");
  }
}

void launch_limits() {
  section("launch limits");
  const unsigned negative = static_cast<unsigned>(-1);
  for (dim3 grid : {dim3(1), dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(0, 0, 0), dim3(2147483647U),
                    dim3(2147483648U), dim3(negative), dim3(1, 65535), dim3(1, 65536),
                    dim3(1, 1, 65535), dim3(1, 1, 65536), dim3(2, 65535, 3), dim3(65536, 65536, 1),
                    dim3(1, negative), dim3(1, 1, negative)}) {
    launch_line("empty", grid, 1, 0);
  }
  for (dim3 block :
       {dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(1024), dim3(1025), dim3(2048), dim3(1, 1024),
        dim3(1, 1025), dim3(1, 1, 64), dim3(1, 1, 65), dim3(32, 32), dim3(32, 33), dim3(16, 1, 64),
        dim3(17, 1, 64), dim3(65536, 65536), dim3(negative), dim3(4194304, 1024)}) {
    launch_line("empty", 1, block, 0);
  }
  launch_line("empty", 0, 0, 0);
  launch_line("empty", 0, 2048, 0);
  for (unsigned threads : {256U, 257U, 512U}) launch_line("bound_256", 1, threads, 0);
  for (unsigned threads : {1024U, 1025U}) launch_line("bound_1024", 1, threads, 0);
  for (unsigned threads : {64U, 65U, 128U}) launch_line("bound_64_min_8", 1, threads, 0);
  for (unsigned threads : {96U, 100U, 101U, 128U, 129U}) launch_line("bound_100", 1, threads, 0);
  cudaFuncAttributes attributes{};
  static_cast<void>(
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&many_registers)));
  const auto most = static_cast<unsigned>(attributes.maxThreadsPerBlock);
  for (unsigned threads : {most, most + 1, most + 32, 1024U, 1025U})
    launch_line("many_registers", 1, threads, 0);
  for (unsigned threads : {1024U, 1025U}) launch_line("registers_64", 1, threads, 0);

  section("launch shared memory");
  for (std::size_t bytes : {std::size_t{0}, std::size_t{49152}, std::size_t{49153},
                            std::size_t{65536}, std::size_t{232448}, std::size_t{232449},
                            std::size_t{4294967296}, std::size_t{4294967297}, ~std::size_t{0}}) {
    launch_line("dynamic", 1, 32, bytes);
  }
  launch_line("empty", 1, 32, 49152);
  launch_line("empty", 1, 32, 49153);
  for (std::size_t bytes : {std::size_t{48128}, std::size_t{48129}, std::size_t{49152}})
    launch_line("static_1k", 1, 32, bytes);
  for (std::size_t bytes : {std::size_t{8192}, std::size_t{8193}, std::size_t{16384}})
    launch_line("static_40k", 1, 32, bytes);
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1}})
    launch_line("static_48k", 1, 32, bytes);
  launch_line("dynamic", 0, 32, 49153);
  launch_line("bound_256", 1, 512, 49153);

  section("shared memory opt-in");
  for (int bytes : {-1, -2, 0, 1024, 49152, 49153, 232448, 232449, 2147483647})
    set_function("dynamic", 8, bytes);
  function_line("dynamic", reinterpret_cast<const void*>(&dynamic));
  launch_line("dynamic", 1, 32, 232448);
  launch_line("dynamic", 1, 32, 232449);
  set_function("dynamic", 8, 65536);
  launch_line("dynamic", 1, 32, 65536);
  launch_line("dynamic", 1, 32, 65537);
  set_function("dynamic", 8, 1024);
  function_line("dynamic", reinterpret_cast<const void*>(&dynamic));
  launch_line("dynamic", 1, 32, 1024);
  launch_line("dynamic", 1, 32, 1025);
  launch_line("dynamic", 1, 32, 2048);
  launch_line("dynamic", 1, 32, 49153);
  set_function("dynamic", 8, 49152);
  for (int bytes : {191488, 191489, 232448}) set_function("static_40k", 8, bytes);
  function_line("static_40k", reinterpret_cast<const void*>(&static_40k));
  launch_line("static_40k", 1, 32, 191488);
  launch_line("static_40k", 1, 32, 191489);
  set_function("static_40k", 8, 16384);
  launch_line("static_40k", 1, 32, 16384);
  launch_line("static_40k", 1, 32, 16385);
  set_function("static_40k", 8, 8192);
  set_function("empty", 8, 232448);
  set_function("empty", 8, 49152);
  set_function("empty", 9, 100);
  set_function("empty", 9, 101);
  set_function("empty", 9, -1);
  set_function("empty", 9, -2);
  for (int attribute : {0, 1, 7, 15, 16, 99}) set_function("empty", attribute, 0);
  set_function("empty", 14, 2);
  set_function("empty", 14, 0);
  set_function("cluster_2", 11, 2);
  set_function("cluster_2", 11, 4);
  for (int attribute : {11, 12, 13}) set_function("bound_1024", attribute, 2);
  function_line("bound_1024", reinterpret_cast<const void*>(&bound_1024));
  launch_line("bound_1024", 2, 32, 0);
  for (int attribute : {11, 12, 13}) set_function("bound_1024", attribute, 0);
  cudaError_t status = cudaFuncSetAttribute(reinterpret_cast<const void*>(&not_a_kernel),
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  note(status, "cudaFuncSetAttribute(host function, attribute 8, 1024)");
  status = cudaFuncSetAttribute(static_cast<const void*>(nullptr),
                                cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  note(status, "cudaFuncSetAttribute(null, attribute 8, 1024)");
  std::size_t available = 0;
  for (const char* name : {"empty", "dynamic", "static_40k", "static_48k"}) {
    for (int blocks : {1, 2, 3, 32, 33}) {
      available = 0;
      status = cudaOccupancyAvailableDynamicSMemPerBlock(&available, function_of(name), blocks, 64);
      note(status, "cudaOccupancyAvailableDynamicSMemPerBlock(%s, blocks %d, block 64) bytes=%zu",
           name, blocks, available);
    }
  }
}

void launch_forms() {
  section("launch forms");
  empty<<<1, 32>>>();
  note(cudaSuccess, "<<<1, 32>>>(empty)");
  empty<<<1, 2048>>>();
  note(cudaSuccess, "<<<1, 2048>>>(empty)");
  empty<<<0, 32>>>();
  note(cudaSuccess, "<<<0, 32>>>(empty)");
  bound_256<<<1, 512>>>();
  note(cudaSuccess, "<<<1, 512>>>(bound_256)");
  dynamic<<<1, 32, 49153>>>(nullptr);
  note(cudaSuccess, "<<<1, 32, 49153>>>(dynamic)");
  cudaError_t status =
      cudaLaunchKernel(reinterpret_cast<const void*>(&not_a_kernel), 1, 1, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(host function)");
  status = cudaLaunchKernel(static_cast<const void*>(nullptr), 1, 1, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(null)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(empty, no argument array)");
  cudaKernel_t handle = nullptr;
  static_cast<void>(cudaGetKernel(&handle, reinterpret_cast<const void*>(&bound_256)));
  status = cudaLaunchKernel(static_cast<const void*>(handle), 1, 256, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(kernel handle of bound_256, block 256)");
  status = cudaLaunchKernel(static_cast<const void*>(handle), 1, 512, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(kernel handle of bound_256, block 512)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0,
                            cudaStreamPerThread);
  note(status, "cudaLaunchKernel(empty, stream per thread)");
  status =
      cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, cudaStreamLegacy);
  note(status, "cudaLaunchKernel(empty, stream legacy handle)");

  section("cooperative launches");
  struct Cooperative {
    const char* name;
    dim3 grid;
    dim3 block;
    std::size_t shared;
  };
  for (const Cooperative& c :
       {Cooperative{"empty", 1, 1024, 0}, Cooperative{"empty", 264, 1024, 0},
        Cooperative{"empty", 265, 1024, 0}, Cooperative{"empty", 4224, 32, 0},
        Cooperative{"empty", 4225, 32, 0}, Cooperative{"empty", 1048576, 1024, 0},
        Cooperative{"empty", 0, 32, 0}, Cooperative{"empty", 1, 0, 0},
        Cooperative{"empty", 1, 2048, 0}, Cooperative{"empty", dim3(2, 66, 2), 1024, 0},
        Cooperative{"empty", dim3(2, 66, 3), 1024, 0}, Cooperative{"bound_256", 1056, 256, 0},
        Cooperative{"bound_256", 1057, 256, 0}, Cooperative{"bound_256", 1, 512, 0},
        Cooperative{"dynamic", 528, 32, 49152}, Cooperative{"dynamic", 529, 32, 49152},
        Cooperative{"dynamic", 1, 32, 49153}, Cooperative{"static_40k", 660, 32, 0},
        Cooperative{"static_40k", 661, 32, 0}}) {
    Arguments arguments;
    arguments.pointer = memory_for(c.name);
    status = cudaLaunchCooperativeKernel(function_of(c.name), c.grid, c.block, arguments.list,
                                         c.shared, nullptr);
    note(status, "cudaLaunchCooperativeKernel(%s, grid %s, block %s, shared %zu)", c.name,
         text_of(c.grid).c_str(), text_of(c.block).c_str(), c.shared);
    static_cast<void>(cudaDeviceSynchronize());
  }
  status = cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&not_a_kernel), 1, 1, nullptr,
                                       0, nullptr);
  note(status, "cudaLaunchCooperativeKernel(host function)");
}

cudaLaunchAttribute cluster_attribute(unsigned x, unsigned y, unsigned z) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = x;
  attribute.val.clusterDim.y = y;
  attribute.val.clusterDim.z = z;
  return attribute;
}

cudaLaunchAttribute plain_attribute(cudaLaunchAttributeID id, int value) {
  cudaLaunchAttribute attribute{};
  attribute.id = id;
  attribute.val.cooperative = value;  // the int members of the union begin at the same byte
  return attribute;
}

void ex_line(const char* name, dim3 grid, dim3 block, std::size_t shared,
             std::vector<cudaLaunchAttribute> attributes, const char* words) {
  Arguments arguments;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  const cudaError_t status = cudaLaunchKernelExC(&config, function_of(name), arguments.list);
  note(status, "cudaLaunchKernelExC(%s, grid %s, block %s, shared %zu, %s)", name,
       text_of(grid).c_str(), text_of(block).c_str(), shared, words);
  if (status == cudaSuccess) {
    const cudaError_t done = cudaDeviceSynchronize();
    if (done != cudaSuccess) note(done, "cudaDeviceSynchronize()");
  }
}

void cluster_line(const char* name, dim3 grid, dim3 block, std::size_t shared, dim3 cluster) {
  ex_line(name, grid, block, shared, {cluster_attribute(cluster.x, cluster.y, cluster.z)},
          ("cluster " + text_of(cluster)).c_str());
}

void clusters() {
  section("cluster launches");
  launch_line("cluster_2", 2, 32, 0);
  launch_line("cluster_2", 3, 32, 0);
  launch_line("cluster_2", 0, 32, 0);
  launch_line("cluster_2", 2, 2048, 0);
  launch_line("cluster_2_2", dim3(2, 2), 32, 0);
  launch_line("cluster_2_2", dim3(2, 3), 32, 0);
  launch_line("cluster_16", 16, 32, 0);
  cluster_line("empty", 4, 32, 0, dim3(1));
  cluster_line("empty", 4, 32, 0, dim3(2));
  cluster_line("empty", 3, 32, 0, dim3(2));
  cluster_line("empty", 6, 32, 0, dim3(3));
  cluster_line("empty", 8, 32, 0, dim3(8));
  cluster_line("empty", 9, 32, 0, dim3(9));
  cluster_line("empty", 16, 32, 0, dim3(16));
  cluster_line("empty", 32, 32, 0, dim3(32));
  cluster_line("empty", dim3(4, 4), 32, 0, dim3(2, 4));
  cluster_line("empty", dim3(4, 4), 32, 0, dim3(4, 4));
  cluster_line("empty", dim3(4, 3), 32, 0, dim3(2, 2));
  cluster_line("empty", dim3(4, 4, 3), 32, 0, dim3(2, 2, 2));
  cluster_line("empty", 4, 32, 0, dim3(0, 0, 0));
  cluster_line("empty", 4, 32, 0, dim3(0, 1, 1));
  cluster_line("empty", 4, 32, 0, dim3(2, 0, 1));
  cluster_line("empty", 0, 32, 0, dim3(2));
  cluster_line("empty", 4, 2048, 0, dim3(2));
  cluster_line("empty", 4, 1024, 0, dim3(2));
  cluster_line("bound_256", 4, 512, 0, dim3(2));
  cluster_line("dynamic", 4, 32, 49153, dim3(2));
  cluster_line("cluster_2", 4, 32, 0, dim3(2));
  cluster_line("cluster_2", 4, 32, 0, dim3(4));
  set_function("empty", 14, 1);
  set_function("cluster_16", 14, 1);
  function_line("cluster_16", reinterpret_cast<const void*>(&cluster_16));
  launch_line("cluster_16", 16, 32, 0);
  launch_line("cluster_16", 8, 32, 0);
  launch_line("cluster_16", 17, 32, 0);
  cluster_line("empty", 9, 32, 0, dim3(9));
  cluster_line("empty", 16, 32, 0, dim3(16));
  cluster_line("empty", 16, 1024, 0, dim3(16));
  cluster_line("empty", 17, 32, 0, dim3(17));
  cluster_line("empty", 32, 32, 0, dim3(32));
  set_function("empty", 14, 0);
  cluster_line("empty", 16, 32, 0, dim3(16));

  set_function("bound_1024", 10, 1);
  function_line("bound_1024", reinterpret_cast<const void*>(&bound_1024));
  launch_line("bound_1024", 2, 32, 0);
  cluster_line("bound_1024", 2, 32, 0, dim3(2));
  set_function("bound_1024", 10, 0);

  section("launch attributes");
  ex_line("empty", 1, 32, 0, {}, "no attribute");
  ex_line("empty", 0, 32, 0, {}, "no attribute");
  ex_line("empty", 1, 2048, 0, {}, "no attribute");
  ex_line("bound_256", 1, 512, 0, {}, "no attribute");
  ex_line("dynamic", 1, 32, 49153, {}, "no attribute");
  ex_line("empty", 264, 1024, 0, {plain_attribute(cudaLaunchAttributeCooperative, 1)},
          "cooperative 1");
  ex_line("empty", 265, 1024, 0, {plain_attribute(cudaLaunchAttributeCooperative, 1)},
          "cooperative 1");
  ex_line("empty", 265, 1024, 0, {plain_attribute(cudaLaunchAttributeCooperative, 0)},
          "cooperative 0");
  ex_line("empty", 0, 1024, 0, {plain_attribute(cudaLaunchAttributeCooperative, 1)},
          "cooperative 1");
  ex_line("empty", 4, 32, 0,
          {plain_attribute(cudaLaunchAttributeCooperative, 1), cluster_attribute(2, 1, 1)},
          "cooperative 1, cluster 2,1,1");
  ex_line("empty", 3, 32, 0,
          {plain_attribute(cudaLaunchAttributeCooperative, 1), cluster_attribute(2, 1, 1)},
          "cooperative 1, cluster 2,1,1");
  ex_line("empty", 4, 32, 0, {cluster_attribute(2, 1, 1), cluster_attribute(4, 1, 1)},
          "cluster 2,1,1, cluster 4,1,1");
  for (int priority : {0, -1, -5, -6, 1, -100}) {
    ex_line("empty", 1, 32, 0, {plain_attribute(cudaLaunchAttributePriority, priority)},
            ("priority " + std::to_string(priority)).c_str());
  }
  for (int value : {0, 1, 2}) {
    ex_line("empty", 1, 32, 0,
            {plain_attribute(cudaLaunchAttributeProgrammaticStreamSerialization, value)},
            ("programmatic serialization " + std::to_string(value)).c_str());
  }
  ex_line("empty", 1, 32, 0, {plain_attribute(cudaLaunchAttributeIgnore, 0)}, "ignore");
  ex_line("empty", 1, 32, 0, {plain_attribute(unlisted<cudaLaunchAttributeID>(99), 1)},
          "attribute 99");
  ex_line("empty", 1, 32, 0, {plain_attribute(cudaLaunchAttributeMemSyncDomain, 1)},
          "memory domain 1");
  ex_line("empty", 1, 32, 0,
          {plain_attribute(cudaLaunchAttributePreferredSharedMemoryCarveout, 50)}, "carveout 50");
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 1;
  const cudaError_t status =
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&not_a_kernel), nullptr);
  note(status, "cudaLaunchKernelExC(host function)");
}

void null_attributes() {
  section("launch with null attributes");
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 1;
  config.numAttrs = 1;
  const cudaError_t status =
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&empty), nullptr);
  note(status, "cudaLaunchKernelExC(empty, 1 attribute at null)");
}

void occupancy() {
  section("occupancy");
  for (const char* name :
       {"empty", "bound_256", "bound_64_min_8", "static_1k", "static_40k", "static_48k", "dynamic",
        "many_registers", "registers_64", "local_array"}) {
    for (int block : {0, -1, 1, 32, 33, 64, 96, 128, 192, 256, 257, 384, 512, 768, 1024, 1025}) {
      int blocks = -1;
      const cudaError_t status =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of(name), block, 0);
      note(status,
           "cudaOccupancyMaxActiveBlocksPerMultiprocessor(%s, block %d, shared 0) blocks=%d", name,
           block, blocks);
    }
    for (std::size_t bytes :
         {std::size_t{1}, std::size_t{128}, std::size_t{129}, std::size_t{1024}, std::size_t{6000},
          std::size_t{16384}, std::size_t{30000}, std::size_t{49152}, std::size_t{49153},
          std::size_t{100000}, std::size_t{115712}, std::size_t{115713}, std::size_t{232448},
          std::size_t{232449}, std::size_t{1000000}, std::size_t{4294967296},
          std::size_t{4294967297}}) {
      int blocks = -1;
      const cudaError_t status =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of(name), 64, bytes);
      note(status,
           "cudaOccupancyMaxActiveBlocksPerMultiprocessor(%s, block 64, shared %zu) blocks=%d",
           name, bytes, blocks);
    }
  }
  int blocks = -1;
  cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, reinterpret_cast<const void*>(&not_a_kernel), 64, 0);
  note(status, "cudaOccupancyMaxActiveBlocksPerMultiprocessor(host function)");
  status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      nullptr, reinterpret_cast<const void*>(&empty), 64, 0);
  note(status, "cudaOccupancyMaxActiveBlocksPerMultiprocessor(null, empty)");
  for (unsigned flags : {0U, 1U, 2U}) {
    blocks = -1;
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, reinterpret_cast<const void*>(&empty), 128, 0, flags);
    note(
        status,
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(empty, block 128, shared 0, flags %u) blocks=%d",
        flags, blocks);
  }

  section("cluster occupancy");
  for (int allowed : {0, 1}) {
    set_function("empty", 14, allowed);
    set_function("dynamic", 14, allowed);
    set_function("dynamic", 8, 232448);
    for (unsigned cluster :
         {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 12U, 14U, 16U, 17U, 18U}) {
      cudaLaunchAttribute attribute = cluster_attribute(cluster, 1, 1);
      cudaLaunchConfig_t config{};
      config.gridDim = cluster * 2;
      config.attrs = &attribute;
      config.numAttrs = 1;
      struct Shape {
        const char* name;
        unsigned block;
        std::size_t shared;
      };
      for (const Shape& shape : {Shape{"empty", 1024, 0}, Shape{"empty", 32, 0},
                                 Shape{"dynamic", 128, 200000}, Shape{"dynamic", 128, 100000}}) {
        config.blockDim = shape.block;
        config.dynamicSmemBytes = shape.shared;
        int count = -1;
        status = cudaOccupancyMaxActiveClusters(&count, function_of(shape.name), &config);
        note(
            status,
            "cudaOccupancyMaxActiveClusters(%s, block %u, shared %zu, cluster %u, non_portable %d) clusters=%d",
            shape.name, shape.block, shape.shared, cluster, allowed, count);
      }
    }
    struct Potential {
      const char* name;
      unsigned grid;
      unsigned block;
      std::size_t shared;
    };
    for (const Potential& p :
         {Potential{"empty", 64, 32, 0}, Potential{"empty", 64, 1024, 0},
          Potential{"empty", 2, 32, 0}, Potential{"empty", 0, 32, 0}, Potential{"empty", 64, 0, 0},
          Potential{"empty", 64, 2048, 0}, Potential{"dynamic", 64, 32, 200000},
          Potential{"dynamic", 64, 32, 300000}}) {
      cudaLaunchConfig_t config{};
      config.gridDim = p.grid;
      config.blockDim = p.block;
      config.dynamicSmemBytes = p.shared;
      int size = -1;
      status = cudaOccupancyMaxPotentialClusterSize(&size, function_of(p.name), &config);
      note(
          status,
          "cudaOccupancyMaxPotentialClusterSize(%s, grid %u, block %u, shared %zu, non_portable %d) size=%d",
          p.name, p.grid, p.block, p.shared, allowed, size);
    }
  }
  set_function("empty", 14, 0);
  set_function("dynamic", 14, 0);
  set_function("dynamic", 8, 49152);
  cudaLaunchConfig_t config{};
  config.gridDim = 64;
  config.blockDim = 64;
  int count = -1;
  for (const char* name : {"cluster_2", "empty"}) {
    status = cudaOccupancyMaxActiveClusters(&count, function_of(name), &config);
    note(status, "cudaOccupancyMaxActiveClusters(%s, block 64, no attribute) clusters=%d", name,
         count);
  }
}

void hold(void* flag) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!static_cast<std::atomic<bool>*>(flag)->load() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void streams_and_events() {
  section("streams");
  cudaStream_t stream = nullptr;
  cudaError_t status = cudaStreamCreate(&stream);
  note(status, "cudaStreamCreate() stream=%s", set_or_null(stream));
  unsigned flags = 99;
  status = cudaStreamGetFlags(stream, &flags);
  note(status, "cudaStreamGetFlags(created) flags=%u", flags);
  status = cudaStreamDestroy(stream);
  note(status, "cudaStreamDestroy()");
  for (unsigned wanted : {0U, 1U, 2U}) {
    stream = nullptr;
    status = cudaStreamCreateWithFlags(&stream, wanted);
    note(status, "cudaStreamCreateWithFlags(%u) stream=%s", wanted, set_or_null(stream));
    if (status != cudaSuccess) continue;
    status = cudaStreamGetFlags(stream, &flags);
    note(status, "cudaStreamGetFlags() flags=%u", flags);
    status = cudaStreamDestroy(stream);
    note(status, "cudaStreamDestroy()");
  }
  for (int wanted : {0, -1, -5, -6, 1, -100}) {
    status = cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wanted);
    int priority = 99;
    if (status == cudaSuccess) static_cast<void>(cudaStreamGetPriority(stream, &priority));
    note(status, "cudaStreamCreateWithPriority(1, %d) priority=%d", wanted, priority);
    if (status == cudaSuccess) static_cast<void>(cudaStreamDestroy(stream));
  }
  status = cudaStreamCreate(nullptr);
  note(status, "cudaStreamCreate(null)");
  status = cudaStreamDestroy(nullptr);
  note(status, "cudaStreamDestroy(null)");
  status = cudaStreamDestroy(cudaStreamLegacy);
  note(status, "cudaStreamDestroy(legacy handle)");
  status = cudaStreamDestroy(cudaStreamPerThread);
  note(status, "cudaStreamDestroy(per thread handle)");
  struct Special {
    const char* name;
    cudaStream_t stream;
  };
  for (const Special& special : {Special{"null", nullptr}, Special{"legacy", cudaStreamLegacy},
                                 Special{"per thread", cudaStreamPerThread}}) {
    int value = 99;
    status = cudaStreamQuery(special.stream);
    note(status, "cudaStreamQuery(%s)", special.name);
    status = cudaStreamSynchronize(special.stream);
    note(status, "cudaStreamSynchronize(%s)", special.name);
    status = cudaStreamGetFlags(special.stream, &flags);
    note(status, "cudaStreamGetFlags(%s) flags=%u", special.name, flags);
    status = cudaStreamGetPriority(special.stream, &value);
    note(status, "cudaStreamGetPriority(%s) priority=%d", special.name, value);
    status = cudaStreamGetDevice(special.stream, &value);
    note(status, "cudaStreamGetDevice(%s) device=%d", special.name, value);
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusInvalidated;
    status = cudaStreamIsCapturing(special.stream, &capture);
    note(status, "cudaStreamIsCapturing(%s) status=%d", special.name, static_cast<int>(capture));
  }

  section("busy streams");
  cudaStream_t blocking = nullptr;
  cudaStream_t other = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreate(&blocking));
  cudaEvent_t event = nullptr;
  cudaEvent_t later = nullptr;
  cudaEvent_t untimed = nullptr;
  cudaEvent_t never = nullptr;
  static_cast<void>(cudaEventCreate(&event));
  static_cast<void>(cudaEventCreate(&later));
  static_cast<void>(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  static_cast<void>(cudaEventCreate(&never));
  std::atomic<bool> open{false};
  status = cudaLaunchHostFunc(stream, hold, &open);
  note(status, "cudaLaunchHostFunc(stream, hold)");
  status = cudaStreamQuery(stream);
  note(status, "cudaStreamQuery(held)");
  status = cudaStreamQuery(other);
  note(status, "cudaStreamQuery(other)");
  status = cudaEventRecord(event, stream);
  note(status, "cudaEventRecord(event, held)");
  status = cudaEventQuery(event);
  note(status, "cudaEventQuery(event on held)");
  status = cudaEventQuery(never);
  note(status, "cudaEventQuery(never recorded)");
  float milliseconds = -1;
  status = cudaEventElapsedTime(&milliseconds, event, event);
  note(status, "cudaEventElapsedTime(pending, pending)");
  status = cudaStreamWaitEvent(other, event, 0);
  note(status, "cudaStreamWaitEvent(other, event on held)");
  status = cudaStreamQuery(other);
  note(status, "cudaStreamQuery(other that waits)");
  status = cudaStreamWaitEvent(blocking, never, 0);
  note(status, "cudaStreamWaitEvent(blocking, never recorded)");
  status = cudaStreamQuery(blocking);
  note(status, "cudaStreamQuery(blocking)");
  status = cudaStreamQuery(nullptr);
  note(status, "cudaStreamQuery(null while a non-blocking stream is held)");
  empty<<<1, 1, 0, stream>>>();
  note(cudaSuccess, "<<<1, 1, 0, held>>>(empty)");
  open = true;
  status = cudaStreamSynchronize(other);
  note(status, "cudaStreamSynchronize(other)");
  status = cudaEventQuery(event);
  note(status, "cudaEventQuery(event)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(released)");
  open = false;
  status = cudaLaunchHostFunc(blocking, hold, &open);
  note(status, "cudaLaunchHostFunc(blocking, hold)");
  status = cudaStreamQuery(nullptr);
  note(status, "cudaStreamQuery(null while a blocking stream is held)");
  empty<<<1, 1>>>();
  note(cudaSuccess, "<<<1, 1>>>(empty)");
  status = cudaStreamQuery(nullptr);
  note(status, "cudaStreamQuery(null with work behind a held blocking stream)");
  empty<<<1, 1, 0, other>>>();
  status = cudaStreamSynchronize(other);
  note(status, "cudaStreamSynchronize(other, non-blocking)");
  open = true;
  status = cudaDeviceSynchronize();
  note(status, "cudaDeviceSynchronize()");
  status = cudaStreamQuery(nullptr);
  note(status, "cudaStreamQuery(null)");
  open = false;
  static_cast<void>(cudaLaunchHostFunc(stream, hold, &open));
  status = cudaStreamDestroy(stream);
  note(status, "cudaStreamDestroy(held)");
  open = true;
  status = cudaDeviceSynchronize();
  note(status, "cudaDeviceSynchronize()");

  section("events");
  for (unsigned wanted : {0U, 1U, 2U, 3U, 4U, 6U, 8U}) {
    cudaEvent_t made = nullptr;
    status = cudaEventCreateWithFlags(&made, wanted);
    note(status, "cudaEventCreateWithFlags(%u) event=%s", wanted, set_or_null(made));
    if (made != nullptr) static_cast<void>(cudaEventDestroy(made));
  }
  status = cudaEventCreate(nullptr);
  note(status, "cudaEventCreate(null)");
  status = cudaEventDestroy(nullptr);
  note(status, "cudaEventDestroy(null)");
  status = cudaEventRecord(nullptr, other);
  note(status, "cudaEventRecord(null, other)");
  status = cudaEventQuery(nullptr);
  note(status, "cudaEventQuery(null)");
  status = cudaEventSynchronize(nullptr);
  note(status, "cudaEventSynchronize(null)");
  status = cudaStreamWaitEvent(other, nullptr, 0);
  note(status, "cudaStreamWaitEvent(other, null)");
  status = cudaStreamWaitEvent(other, event, 7);
  note(status, "cudaStreamWaitEvent(other, event, flags 7)");
  status = cudaEventSynchronize(never);
  note(status, "cudaEventSynchronize(never recorded)");
  static_cast<void>(cudaEventRecord(event, other));
  static_cast<void>(cudaEventRecord(later, other));
  static_cast<void>(cudaEventRecord(untimed, other));
  status = cudaEventSynchronize(untimed);
  note(status, "cudaEventSynchronize(untimed)");
  status = cudaEventElapsedTime(&milliseconds, event, later);
  note(status, "cudaEventElapsedTime(event, later) at_least_zero=%d", milliseconds >= 0 ? 1 : 0);
  status = cudaEventElapsedTime(&milliseconds, event, untimed);
  note(status, "cudaEventElapsedTime(event, untimed)");
  status = cudaEventElapsedTime(&milliseconds, event, never);
  note(status, "cudaEventElapsedTime(event, never recorded)");
  status = cudaEventElapsedTime(nullptr, event, later);
  note(status, "cudaEventElapsedTime(null, event, later)");
  for (cudaEvent_t made : {event, later, untimed, never}) {
    status = cudaEventDestroy(made);
    note(status, "cudaEventDestroy()");
  }
  for (cudaStream_t made : {blocking, other}) {
    status = cudaStreamDestroy(made);
    note(status, "cudaStreamDestroy()");
  }
}

void end_capture(cudaStream_t stream, const char* words) {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &graph);
  std::size_t nodes = 0;
  if (graph != nullptr) static_cast<void>(cudaGraphGetNodes(graph, nullptr, &nodes));
  note(status, "cudaStreamEndCapture(%s) graph=%s nodes=%zu", words, set_or_null(graph), nodes);
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
}

void capture_line(cudaStream_t stream, const char* words) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaError_t status = cudaStreamIsCapturing(stream, &capture);
  note(status, "cudaStreamIsCapturing(%s) status=%d", words, static_cast<int>(capture));
  unsigned long long id = 0;
  status = cudaStreamGetCaptureInfo(stream, &capture, &id);
  note(status, "cudaStreamGetCaptureInfo(%s) status=%d", words, static_cast<int>(capture));
}

void captures() {
  section("capture");
  cudaStream_t stream = nullptr;
  cudaStream_t other = nullptr;
  cudaStream_t blocking = nullptr;
  cudaEvent_t event = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  static_cast<void>(cudaStreamCreate(&blocking));
  cudaEvent_t never = nullptr;
  static_cast<void>(cudaEventCreate(&event));
  static_cast<void>(cudaEventCreate(&never));
  cudaGraph_t graph = nullptr;

  cudaError_t status = cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
  note(status, "cudaStreamBeginCapture(null)");
  status = cudaStreamEndCapture(stream, &graph);
  note(status, "cudaStreamEndCapture(not capturing)");
  status = cudaStreamBeginCapture(stream, unlisted<cudaStreamCaptureMode>(7));
  note(status, "cudaStreamBeginCapture(stream, mode 7)");
  capture_line(stream, "stream");

  status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  note(status, "cudaStreamBeginCapture(stream, global)");
  capture_line(stream, "capturing");
  capture_line(other, "other");
  status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  note(status, "cudaStreamBeginCapture(capturing)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream);
  note(status, "cudaLaunchKernel(empty, capturing)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 2048, nullptr, 0, stream);
  note(status, "cudaLaunchKernel(empty, block 2048, capturing)");
  capture_line(stream, "after a refused launch");
  function_line("empty", reinterpret_cast<const void*>(&empty));
  set_function("empty", 8, 49152);
  int blocks = 0;
  status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, reinterpret_cast<const void*>(&empty), 128, 0);
  note(status, "cudaOccupancyMaxActiveBlocksPerMultiprocessor(empty) while capturing");
  int value = 0;
  status = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
  note(status, "cudaDeviceGetAttribute() while capturing");
  cudaPointerAttributes pointer{};
  status = cudaPointerGetAttributes(&pointer, device_memory);
  note(status, "cudaPointerGetAttributes() while capturing");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(empty, legacy) while a non-blocking stream captures");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, other);
  note(status, "cudaLaunchKernel(empty, other)");
  capture_line(stream, "capturing still");
  end_capture(stream, "one launch");
  capture_line(stream, "ended");

  // each call that a capture may not see, in a capture of its own
  struct Mode {
    const char* name;
    cudaStreamCaptureMode mode;
  };
  for (const Mode& mode : {Mode{"global", cudaStreamCaptureModeGlobal},
                           Mode{"thread local", cudaStreamCaptureModeThreadLocal},
                           Mode{"relaxed", cudaStreamCaptureModeRelaxed}}) {
    for (int call = 0; call < 30; ++call) {
      static_cast<void>(cudaDeviceSynchronize());
      static_cast<void>(cudaEventRecord(event, other));
      static_cast<void>(cudaStreamSynchronize(other));
      static_cast<void>(cudaGetLastError());
      static_cast<void>(cudaStreamBeginCapture(stream, mode.mode));
      static_cast<void>(
          cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream));
      void* memory = nullptr;
      cudaStream_t made = nullptr;
      cudaEvent_t other_event = nullptr;
      const char* words = "";
      int result = 0;
      unsigned flags = 0;
      std::size_t free_bytes = 0;
      std::size_t total_bytes = 0;
      switch (call) {
        case 0:
          words = "cudaStreamSynchronize(capturing)";
          status = cudaStreamSynchronize(stream);
          break;
        case 1:
          words = "cudaStreamQuery(capturing)";
          status = cudaStreamQuery(stream);
          break;
        case 2:
          words = "cudaDeviceSynchronize()";
          status = cudaDeviceSynchronize();
          break;
        case 3:
          words = "cudaMalloc()";
          status = cudaMalloc(&memory, 256);
          break;
        case 4:
          words = "cudaEventQuery(event of other)";
          status = cudaEventQuery(event);
          break;
        case 5:
          words = "cudaStreamSynchronize(other)";
          status = cudaStreamSynchronize(other);
          break;
        case 6:
          words = "cudaStreamQuery(other)";
          status = cudaStreamQuery(other);
          break;
        case 7:
          words = "cudaMemset(legacy)";
          status = cudaMemset(device_memory, 0, 16);
          break;
        case 8:
          words = "cudaMemcpy(legacy)";
          status = cudaMemcpy(&result, device_memory, sizeof result, cudaMemcpyDeviceToHost);
          break;
        case 9:
          words = "cudaStreamCreate()";
          status = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
          break;
        case 10:
          words = "cudaStreamSynchronize(null)";
          status = cudaStreamSynchronize(nullptr);
          break;
        case 11:
          words = "cudaMemsetAsync(capturing)";
          status = cudaMemsetAsync(device_memory, 0, 16, stream);
          break;
        case 12:
          words = "cudaMallocAsync(capturing)";
          status = cudaMallocAsync(&memory, 256, stream);
          break;
        case 13:
          words = "cudaStreamGetDevice(capturing)";
          status = cudaStreamGetDevice(stream, &result);
          break;
        case 14:
          words = "cudaEventSynchronize(event of other)";
          status = cudaEventSynchronize(event);
          break;
        case 15:
          words = "cudaFree(null)";
          status = cudaFree(nullptr);
          break;
        case 16:
          words = "cudaMallocHost()";
          status = cudaMallocHost(&memory, 256);
          break;
        case 17:
          words = "cudaEventCreate()";
          status = cudaEventCreate(&other_event);
          break;
        case 18:
          words = "cudaMemGetInfo()";
          status = cudaMemGetInfo(&free_bytes, &total_bytes);
          break;
        case 19:
          words = "cudaLaunchHostFunc(capturing)";
          status = cudaLaunchHostFunc(
              stream, [](void*) {}, nullptr);
          break;
        case 20:
          words = "cudaStreamWaitEvent(capturing, never recorded)";
          status = cudaStreamWaitEvent(stream, never, 0);
          break;
        case 21:
          words = "cudaStreamGetPriority(capturing)";
          status = cudaStreamGetPriority(stream, &result);
          break;
        case 22:
          words = "cudaStreamGetFlags(capturing)";
          status = cudaStreamGetFlags(stream, &flags);
          break;
        case 23:
          words = "cudaStreamGetDevice(other)";
          status = cudaStreamGetDevice(other, &result);
          break;
        case 24:
          words = "cudaEventRecord(other event, other)";
          status = cudaEventRecord(event, other);
          break;
        case 25:
          words = "cudaMemcpyAsync(capturing, pageable host)";
          status = cudaMemcpyAsync(&result, device_memory, sizeof result, cudaMemcpyDeviceToHost,
                                   stream);
          break;
        case 26:
          words = "cudaStreamBeginCapture(other)";
          status = cudaStreamBeginCapture(other, mode.mode);
          break;
        case 27:
          words = "cudaDeviceGetStreamPriorityRange()";
          status = cudaDeviceGetStreamPriorityRange(&result, nullptr);
          break;
        case 28:
          words = "cudaPointerGetAttributes()";
          status = cudaPointerGetAttributes(&pointer, device_memory);
          break;
        case 29:
          words = "cudaStreamGetPriority(other)";
          status = cudaStreamGetPriority(other, &result);
          break;
      }
      note(status, "%s in a %s capture", words, mode.name);
      capture_line(stream, "stream");
      end_capture(stream, "stream");
      if (call == 26) end_capture(other, "other");
      if (other_event != nullptr) static_cast<void>(cudaEventDestroy(other_event));
      if (made != nullptr) static_cast<void>(cudaStreamDestroy(made));
      if (memory != nullptr && call == 3) static_cast<void>(cudaFree(memory));
      if (memory != nullptr && call == 16) static_cast<void>(cudaFreeHost(memory));
    }
  }

  section("capture and the legacy stream");
  status = cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed);
  note(status, "cudaStreamBeginCapture(blocking, relaxed)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(empty, legacy) while a blocking stream captures");
  capture_line(blocking, "blocking");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, blocking);
  note(status, "cudaLaunchKernel(empty, blocking)");
  end_capture(blocking, "blocking");
  capture_line(nullptr, "null");

  section("capture across streams");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  status = cudaEventRecord(event, stream);
  note(status, "cudaEventRecord(event, capturing)");
  status = cudaEventQuery(event);
  note(status, "cudaEventQuery(captured)");
  end_capture(stream, "after the query of a captured event");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  static_cast<void>(
      cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream));
  static_cast<void>(cudaEventRecord(event, stream));
  status = cudaStreamWaitEvent(other, event, 0);
  note(status, "cudaStreamWaitEvent(other, captured)");
  capture_line(other, "other");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, other);
  note(status, "cudaLaunchKernel(empty, other)");
  status = cudaStreamEndCapture(other, &graph);
  note(status, "cudaStreamEndCapture(other, not the origin)");
  end_capture(stream, "stream with an unjoined fork");
  capture_line(other, "other");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  static_cast<void>(cudaEventRecord(event, stream));
  static_cast<void>(cudaStreamWaitEvent(other, event, 0));
  static_cast<void>(
      cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, other));
  static_cast<void>(cudaEventRecord(event, other));
  status = cudaStreamWaitEvent(stream, event, 0);
  note(status, "cudaStreamWaitEvent(stream, joins other)");
  end_capture(stream, "stream with a joined fork");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  static_cast<void>(cudaEventRecord(event, other));
  status = cudaStreamWaitEvent(stream, event, 0);
  note(status, "cudaStreamWaitEvent(capturing, event outside the capture)");
  end_capture(stream, "stream");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::thread([&] {
    const cudaError_t code = cudaStreamEndCapture(stream, &graph);
    note(code, "cudaStreamEndCapture(thread local, on another thread)");
  }).join();
  end_capture(stream, "stream");

  section("graphs");
  static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  static_cast<void>(
      cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream));
  static_cast<void>(cudaMemsetAsync(device_memory, 0x5a, 16, stream));
  status = cudaStreamEndCapture(stream, &graph);
  note(status, "cudaStreamEndCapture(stream)");
  cudaGraphExec_t exec = nullptr;
  status = cudaGraphInstantiate(&exec, graph, 0);
  note(status, "cudaGraphInstantiate() exec=%s", set_or_null(exec));
  unsigned char bytes[16] = {};
  static_cast<void>(cudaMemset(device_memory, 0, 16));
  static_cast<void>(cudaMemcpy(bytes, device_memory, 16, cudaMemcpyDeviceToHost));
  note(cudaSuccess, "before the graph byte=%d", bytes[15]);
  status = cudaGraphLaunch(exec, stream);
  note(status, "cudaGraphLaunch(stream)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(stream)");
  static_cast<void>(cudaMemcpy(bytes, device_memory, 16, cudaMemcpyDeviceToHost));
  note(cudaSuccess, "after the graph byte=%d", bytes[15]);
  status = cudaGraphLaunch(nullptr, stream);
  note(status, "cudaGraphLaunch(null)");
  status = cudaGraphInstantiate(&exec, nullptr, 0);
  note(status, "cudaGraphInstantiate(null)");
  status = cudaGraphExecDestroy(exec);
  note(status, "cudaGraphExecDestroy()");
  status = cudaGraphDestroy(graph);
  note(status, "cudaGraphDestroy()");
  static_cast<void>(cudaEventDestroy(event));
  static_cast<void>(cudaEventDestroy(never));
  for (cudaStream_t made : {stream, other, blocking}) static_cast<void>(cudaStreamDestroy(made));
}

void pointer_line(const char* words, const void* pointer) {
  cudaPointerAttributes a{};
  const cudaError_t status = cudaPointerGetAttributes(&a, pointer);
  note(status, "cudaPointerGetAttributes(%s) type=%d device=%d device_pointer=%s host_pointer=%s",
       words, static_cast<int>(a.type), a.device, set_or_null(a.devicePointer),
       set_or_null(a.hostPointer));
}

void memory() {
  section("memory");
  void* device = nullptr;
  cudaError_t status = cudaMalloc(&device, 1024);
  note(status, "cudaMalloc(1024) pointer=%s", set_or_null(device));
  pointer_line("device", device);
  pointer_line("device + 1023", static_cast<char*>(device) + 1023);
  void* pinned = nullptr;
  status = cudaMallocHost(&pinned, 1024);
  note(status, "cudaMallocHost(1024) pointer=%s", set_or_null(pinned));
  pointer_line("pinned", pinned);
  void* alias = nullptr;
  status = cudaHostGetDevicePointer(&alias, pinned, 0);
  note(status, "cudaHostGetDevicePointer(pinned) same=%d", alias == pinned ? 1 : 0);
  void* managed = nullptr;
  status = cudaMallocManaged(&managed, 1024);
  note(status, "cudaMallocManaged(1024) pointer=%s", set_or_null(managed));
  pointer_line("managed", managed);
  std::vector<char> host(1024, 7);
  pointer_line("host vector", host.data());
  pointer_line("null", nullptr);
  status = cudaPointerGetAttributes(nullptr, device);
  note(status, "cudaPointerGetAttributes(null, device)");
  status = cudaHostGetDevicePointer(&alias, host.data(), 0);
  note(status, "cudaHostGetDevicePointer(host vector)");
  status = cudaHostRegister(host.data(), host.size(), cudaHostRegisterDefault);
  note(status, "cudaHostRegister(host vector)");
  pointer_line("registered host vector", host.data());
  status = cudaHostUnregister(host.data());
  note(status, "cudaHostUnregister(host vector)");
  void* none = &none;
  status = cudaMalloc(&none, 0);
  note(status, "cudaMalloc(0) pointer=%s", set_or_null(none));
  none = nullptr;
  status = cudaMalloc(&none, std::size_t{1} << 46);
  note(status, "cudaMalloc(2^46)");
  status = cudaMalloc(nullptr, 16);
  note(status, "cudaMalloc(null, 16)");
  status = cudaMallocHost(&none, 0);
  note(status, "cudaMallocHost(0) pointer=%s", set_or_null(none));

  section("copies");
  status = cudaMemset(device, 0x11, 1024);
  note(status, "cudaMemset(device, 0x11, 1024)");
  status = cudaMemcpy(host.data(), device, 1024, cudaMemcpyDeviceToHost);
  note(status, "cudaMemcpy(host, device, 1024, device to host) last=%d", host[1023]);
  host[1023] = 3;
  status = cudaMemcpy(device, host.data(), 1024, cudaMemcpyHostToDevice);
  note(status, "cudaMemcpy(device, host, 1024, host to device)");
  status = cudaMemcpy(pinned, device, 1024, cudaMemcpyDefault);
  note(status, "cudaMemcpy(pinned, device, 1024, default) last=%d",
       static_cast<char*>(pinned)[1023]);
  status = cudaMemcpy(host.data(), device, 0, cudaMemcpyDeviceToHost);
  note(status, "cudaMemcpy(host, device, 0)");
  status = cudaMemcpy(host.data(), device, 16, unlisted<cudaMemcpyKind>(9));
  note(status, "cudaMemcpy(host, device, 16, kind 9)");
  status = cudaMemcpy(device, host.data(), 16, cudaMemcpyDeviceToHost);
  note(status, "cudaMemcpy(device, host, 16, device to host)");
  status = cudaMemcpy(host.data(), nullptr, 16, cudaMemcpyDeviceToHost);
  note(status, "cudaMemcpy(host, null, 16)");
  status = cudaMemset(nullptr, 0, 16);
  note(status, "cudaMemset(null, 0, 16)");
  status = cudaMemset(host.data(), 0, 16);
  note(status, "cudaMemset(host, 0, 16)");
  status = cudaMemset(device, 0, 0);
  note(status, "cudaMemset(device, 0, 0)");
  status = cudaMemcpy2D(pinned, 64, device, 64, 32, 4, cudaMemcpyDefault);
  note(status, "cudaMemcpy2D(pinned, 64, device, 64, 32, 4)");
  status = cudaMemcpy2D(pinned, 16, device, 64, 32, 4, cudaMemcpyDefault);
  note(status, "cudaMemcpy2D(pinned, pitch 16, device, 64, 32, 4)");
  status = cudaMemset2D(device, 64, 1, 32, 4);
  note(status, "cudaMemset2D(device, 64, 1, 32, 4)");
  cudaStream_t stream = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  status = cudaMemcpyAsync(device, host.data(), 1024, cudaMemcpyHostToDevice, stream);
  note(status, "cudaMemcpyAsync(device, host, 1024, stream)");
  status = cudaMemsetAsync(device, 0x22, 512, stream);
  note(status, "cudaMemsetAsync(device, 0x22, 512, stream)");
  status = cudaMemcpyAsync(pinned, device, 1024, cudaMemcpyDeviceToHost, stream);
  note(status, "cudaMemcpyAsync(pinned, device, 1024, stream)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(stream) first=%d last=%d", static_cast<char*>(pinned)[0],
       static_cast<char*>(pinned)[1023]);

  section("memory pools");
  cudaMemPool_t pool = nullptr;
  status = cudaDeviceGetDefaultMemPool(&pool, 0);
  note(status, "cudaDeviceGetDefaultMemPool(0) pool=%s", set_or_null(pool));
  cudaMemPool_t current = nullptr;
  status = cudaDeviceGetMemPool(&current, 0);
  note(status, "cudaDeviceGetMemPool(0) default=%d", current == pool ? 1 : 0);
  unsigned long long threshold = 99;
  status = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  note(status, "cudaMemPoolGetAttribute(release threshold) value=%llu", threshold);
  void* pooled = nullptr;
  status = cudaMallocAsync(&pooled, 1024, stream);
  note(status, "cudaMallocAsync(1024, stream) pointer=%s", set_or_null(pooled));
  pointer_line("pooled", pooled);
  status = cudaMemsetAsync(pooled, 1, 1024, stream);
  note(status, "cudaMemsetAsync(pooled)");
  status = cudaFreeAsync(pooled, stream);
  note(status, "cudaFreeAsync(pooled, stream)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(stream)");
  status = cudaMallocAsync(&pooled, 0, stream);
  note(status, "cudaMallocAsync(0, stream)");
  status = cudaMallocAsync(&pooled, std::size_t{1} << 46, stream);
  note(status, "cudaMallocAsync(2^46, stream)");
  status = cudaFreeAsync(nullptr, stream);
  note(status, "cudaFreeAsync(null, stream)");
  status = cudaMallocAsync(&pooled, 512, nullptr);
  note(status, "cudaMallocAsync(512, null stream)");
  status = cudaFree(pooled);
  note(status, "cudaFree(pooled)");
  status = cudaMallocFromPoolAsync(&pooled, 512, pool, stream);
  note(status, "cudaMallocFromPoolAsync(512, stream)");
  status = cudaFreeAsync(pooled, stream);
  note(status, "cudaFreeAsync(pooled, stream)");
  status = cudaMemPoolTrimTo(pool, 0);
  note(status, "cudaMemPoolTrimTo(pool, 0)");

  section("frees");
  status = cudaFreeAsync(host.data(), stream);
  note(status, "cudaFreeAsync(host vector)");
  status = cudaFree(host.data());
  note(status, "cudaFree(host vector)");
  status = cudaFreeHost(host.data());
  note(status, "cudaFreeHost(host vector)");
  status = cudaFree(static_cast<char*>(device) + 16);
  note(status, "cudaFree(device + 16)");
  status = cudaFree(device);
  note(status, "cudaFree(device)");
  pointer_line("freed", device);
  status = cudaFree(device);
  note(status, "cudaFree(device, again)");
  status = cudaFree(managed);
  note(status, "cudaFree(managed)");
  status = cudaFreeHost(pinned);
  note(status, "cudaFreeHost(pinned)");
  status = cudaFree(nullptr);
  note(status, "cudaFree(null)");
  status = cudaFreeHost(nullptr);
  note(status, "cudaFreeHost(null)");
  static_cast<void>(cudaStreamDestroy(stream));
}

void last_error() {
  section("last error slot");
  cudaError_t status = cudaSetDevice(-1);
  keep(status, "cudaSetDevice(-1)");
  int value = 0;
  status = cudaGetDevice(&value);
  keep(status, "cudaGetDevice()");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, nullptr);
  keep(status, "cudaLaunchKernel(empty)");
  status = cudaDeviceSynchronize();
  keep(status, "cudaDeviceSynchronize()");
  status = cudaStreamSynchronize(nullptr);
  keep(status, "cudaStreamSynchronize(null)");
  std::thread([] { keep(cudaSuccess, "another thread"); }).join();
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 0, 32, nullptr, 0, nullptr);
  keep(status, "cudaLaunchKernel(empty, grid 0)");
  status = cudaPeekAtLastError();
  keep(status, "cudaPeekAtLastError()");
  status = cudaSetDevice(-1);
  keep(status, "cudaSetDevice(-1)");
  status = cudaGetLastError();
  keep(status, "cudaGetLastError()");
  status = cudaGetLastError();
  keep(status, "cudaGetLastError()");
  std::atomic<bool> open{false};
  cudaStream_t stream = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static_cast<void>(cudaSetDevice(-1));
  static_cast<void>(cudaLaunchHostFunc(stream, hold, &open));
  status = cudaStreamQuery(stream);
  keep(status, "cudaStreamQuery(held) over 101");
  open = true;
  static_cast<void>(cudaStreamDestroy(stream));
  static_cast<void>(cudaDeviceSynchronize());
  static_cast<void>(cudaGetLastError());
}

void two_devices() {
  int count = 0;
  static_cast<void>(cudaGetDeviceCount(&count));
  if (count < 2) return;
  section("two devices");
  cudaStream_t stream0 = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream0, cudaStreamNonBlocking));
  cudaError_t status = cudaSetDevice(1);
  note(status, "cudaSetDevice(1)");
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  int device = -1;
  status = cudaGetDevice(&device);
  note(status, "cudaGetDevice() device=%d", device);
  std::thread([] {
    int value = -1;
    const cudaError_t code = cudaGetDevice(&value);
    note(code, "cudaGetDevice() on another thread device=%d", value);
  }).join();
  status = cudaStreamGetDevice(stream0, &device);
  note(status, "cudaStreamGetDevice(stream of 0, current 1) device=%d", device);
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, stream0);
  note(status, "cudaLaunchKernel(empty, stream of 0, current 1)");
  status = cudaStreamSynchronize(stream0);
  note(status, "cudaStreamSynchronize(stream of 0, current 1)");
  status = cudaStreamQuery(stream0);
  note(status, "cudaStreamQuery(stream of 0, current 1)");
  pointer_line("memory of 0, current 1", device_memory);
  status = cudaStreamIsCapturing(stream0, &capture);
  note(status, "cudaStreamIsCapturing(stream of 0, current 1)");
  cudaEvent_t event1 = nullptr;
  static_cast<void>(cudaEventCreate(&event1));
  status = cudaEventRecord(event1, stream0);
  note(status, "cudaEventRecord(event of 1, stream of 0)");
  status = cudaMemsetAsync(device_memory, 0, 16, stream0);
  note(status, "cudaMemsetAsync(memory of 0, stream of 0, current 1)");
  void* pooled = nullptr;
  status = cudaMallocAsync(&pooled, 256, stream0);
  note(status, "cudaMallocAsync(stream of 0, current 1)");
  if (pooled != nullptr) pointer_line("pooled on stream of 0", pooled);
  if (pooled != nullptr) static_cast<void>(cudaFreeAsync(pooled, stream0));
  status = cudaStreamWaitEvent(stream0, event1, 0);
  note(status, "cudaStreamWaitEvent(stream of 0, event of 1)");
  set_function("dynamic", 8, 100000);
  launch_line("dynamic", 1, 32, 100000);
  launch_line("dynamic", 1, 32, 100000, stream0, "of 0, opted in on 1");
  function_line("dynamic", reinterpret_cast<const void*>(&dynamic));
  status = cudaStreamDestroy(stream0);
  note(status, "cudaStreamDestroy(stream of 0, current 1)");
  static_cast<void>(cudaSetDevice(0));
  launch_line("dynamic", 1, 32, 100000);
  static_cast<void>(cudaEventDestroy(event1));
}

// The calls after an asynchronous fault. The first is the one that meets the fault; the others meet
// a context that is lost.
const std::vector<const char*>& after_fault() {
  static const std::vector<const char*> calls = {"cudaDeviceSynchronize",
                                                 "cudaStreamSynchronize",
                                                 "cudaStreamQuery",
                                                 "cudaEventQuery",
                                                 "cudaEventSynchronize",
                                                 "cudaEventRecord",
                                                 "cudaStreamWaitEvent",
                                                 "cudaMalloc",
                                                 "cudaFree",
                                                 "cudaFree(null)",
                                                 "cudaMemcpy",
                                                 "cudaMemset",
                                                 "cudaMemsetAsync",
                                                 "cudaMallocAsync",
                                                 "cudaLaunchKernel",
                                                 "cudaLaunchKernel(grid 0)",
                                                 "<<<>>>",
                                                 "cudaFuncGetAttributes",
                                                 "cudaFuncSetAttribute",
                                                 "cudaDeviceGetAttribute",
                                                 "cudaGetDevice",
                                                 "cudaSetDevice",
                                                 "cudaGetDeviceCount",
                                                 "cudaStreamCreate",
                                                 "cudaEventCreate",
                                                 "cudaStreamIsCapturing",
                                                 "cudaStreamGetDevice",
                                                 "cudaStreamGetPriority",
                                                 "cudaPointerGetAttributes",
                                                 "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                                                 "cudaMemGetInfo",
                                                 "cudaDriverGetVersion",
                                                 "cudaStreamBeginCapture",
                                                 "cudaLaunchHostFunc",
                                                 "cudaPeekAtLastError",
                                                 "cudaGetLastError",
                                                 "cudaGetLastError",
                                                 "cudaEventDestroy",
                                                 "cudaStreamDestroy"};
  return calls;
}

struct FaultScene {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  void* memory = nullptr;
};

cudaError_t call_by_name(const std::string& name, const FaultScene& scene) {
  int value = 0;
  std::size_t a = 0;
  std::size_t b = 0;
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaPointerAttributes pointer{};
  cudaFuncAttributes attributes{};
  const void* kernel = reinterpret_cast<const void*>(&empty);
  if (name == "cudaDeviceSynchronize") return cudaDeviceSynchronize();
  if (name == "cudaStreamSynchronize") return cudaStreamSynchronize(scene.stream);
  if (name == "cudaStreamQuery") return cudaStreamQuery(scene.stream);
  if (name == "cudaEventQuery") return cudaEventQuery(scene.event);
  if (name == "cudaEventSynchronize") return cudaEventSynchronize(scene.event);
  if (name == "cudaEventRecord") return cudaEventRecord(scene.event, scene.stream);
  if (name == "cudaStreamWaitEvent") return cudaStreamWaitEvent(scene.stream, scene.event, 0);
  if (name == "cudaMalloc") return cudaMalloc(&memory, 64);
  if (name == "cudaFree") return cudaFree(scene.memory);
  if (name == "cudaFree(null)") return cudaFree(nullptr);
  if (name == "cudaMemcpy")
    return cudaMemcpy(&value, scene.memory, sizeof value, cudaMemcpyDeviceToHost);
  if (name == "cudaMemset") return cudaMemset(scene.memory, 0, 4);
  if (name == "cudaMemsetAsync") return cudaMemsetAsync(scene.memory, 0, 4, scene.stream);
  if (name == "cudaMallocAsync") return cudaMallocAsync(&memory, 64, scene.stream);
  if (name == "cudaLaunchKernel") return cudaLaunchKernel(kernel, 1, 32, nullptr, 0, scene.stream);
  if (name == "cudaLaunchKernel(grid 0)")
    return cudaLaunchKernel(kernel, 0, 32, nullptr, 0, scene.stream);
  if (name == "<<<>>>") {
    empty<<<1, 32, 0, scene.stream>>>();
    return cudaSuccess;
  }
  if (name == "cudaFuncGetAttributes") return cudaFuncGetAttributes(&attributes, kernel);
  if (name == "cudaFuncSetAttribute")
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  if (name == "cudaDeviceGetAttribute")
    return cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
  if (name == "cudaGetDevice") return cudaGetDevice(&value);
  if (name == "cudaSetDevice") return cudaSetDevice(0);
  if (name == "cudaGetDeviceCount") return cudaGetDeviceCount(&value);
  if (name == "cudaStreamCreate") return cudaStreamCreate(&stream);
  if (name == "cudaEventCreate") return cudaEventCreate(&event);
  if (name == "cudaStreamIsCapturing") return cudaStreamIsCapturing(scene.stream, &capture);
  if (name == "cudaStreamGetDevice") return cudaStreamGetDevice(scene.stream, &value);
  if (name == "cudaStreamGetPriority") return cudaStreamGetPriority(scene.stream, &value);
  if (name == "cudaPointerGetAttributes") return cudaPointerGetAttributes(&pointer, scene.memory);
  if (name == "cudaOccupancyMaxActiveBlocksPerMultiprocessor")
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, kernel, 64, 0);
  if (name == "cudaMemGetInfo") return cudaMemGetInfo(&a, &b);
  if (name == "cudaDriverGetVersion") return cudaDriverGetVersion(&value);
  if (name == "cudaStreamBeginCapture")
    return cudaStreamBeginCapture(scene.stream, cudaStreamCaptureModeRelaxed);
  if (name == "cudaLaunchHostFunc")
    return cudaLaunchHostFunc(
        scene.stream, [](void*) {}, nullptr);
  if (name == "cudaPeekAtLastError") return cudaPeekAtLastError();
  if (name == "cudaGetLastError") return cudaGetLastError();
  if (name == "cudaEventDestroy") return cudaEventDestroy(scene.event);
  if (name == "cudaStreamDestroy") return cudaStreamDestroy(scene.stream);
  std::fprintf(stderr, "no call '%s'\n", name.c_str());
  std::exit(2);
}

// In a process of its own: a fault, then `first` (or every call in turn when it is "all"). Writes
// to standard output.
int child(const std::string& fault, const std::string& first) {
  FaultScene scene;
  static_cast<void>(cudaStreamCreateWithFlags(&scene.stream, cudaStreamNonBlocking));
  static_cast<void>(cudaEventCreate(&scene.event));
  static_cast<void>(cudaMalloc(&scene.memory, 64));
  static_cast<void>(cudaEventRecord(scene.event, scene.stream));
  static_cast<void>(cudaStreamSynchronize(scene.stream));
  static_cast<void>(cudaGetLastError());
  cudaError_t status = cudaSuccess;
  if (fault == "fault_null")
    status = cudaLaunchKernel(reinterpret_cast<const void*>(&fault_null), 1, 1, nullptr, 0,
                              scene.stream);
  if (fault == "fault_trap")
    status = cudaLaunchKernel(reinterpret_cast<const void*>(&fault_trap), 1, 1, nullptr, 0,
                              scene.stream);
  if (fault == "fault_assert")
    status = cudaLaunchKernel(reinterpret_cast<const void*>(&fault_assert), 1, 1, nullptr, 0,
                              scene.stream);
  if (fault == "fault_misaligned") {
    void* list[] = {&scene.memory};
    status = cudaLaunchKernel(reinterpret_cast<const void*>(&fault_misaligned), 1, 1, list, 0,
                              scene.stream);
  }
  note(status, "cudaLaunchKernel(%s)", fault.c_str());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (first != "all") {
    status = call_by_name(first, scene);
    keep(status, "%s after %s", first.c_str(), fault.c_str());
    status = cudaGetLastError();
    keep(status, "cudaGetLastError() after %s after %s", first.c_str(), fault.c_str());
    return 0;
  }
  for (const char* name : after_fault()) {
    status = call_by_name(name, scene);
    keep(status, "%s once %s is known", name, fault.c_str());
    static_cast<void>(cudaGetLastError());
  }
  status = cudaDeviceReset();
  note(status, "cudaDeviceReset()");
  void* memory = nullptr;
  status = cudaMalloc(&memory, 64);
  note(status, "cudaMalloc() after cudaDeviceReset()");
  status = cudaDeviceSynchronize();
  note(status, "cudaDeviceSynchronize() after cudaDeviceReset()");
  return 0;
}

void header() {
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  cudaDeviceProp properties{};
  int driver = 0;
  int runtime = 0;
  static_cast<void>(cudaGetDeviceProperties(&properties, 0));
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  std::printf("# recorded: device %s, driver %d, runtime %d, %s\n", properties.name, driver,
              runtime, date);
  std::printf(
      "# command: nvcc -std=c++20 -arch=sm_90 -cudart static tests/record/record_cuda.cu -o record_cuda "
      "&& ./record_cuda FILE\n");
}

struct Section {
  const char* name;
  void (*run)();
};

const Section sections[] = {{"header", header},
                            {"devices", devices},
                            {"functions", functions},
                            {"launch_limits", launch_limits},
                            {"launch_forms", launch_forms},
                            {"clusters", clusters},
                            {"null_attributes", null_attributes},
                            {"occupancy", occupancy},
                            {"streams_and_events", streams_and_events},
                            {"captures", captures},
                            {"memory", memory},
                            {"last_error", last_error},
                            {"two_devices", two_devices},
                            {"error_table", error_table}};

// In a process of its own, so that a crash in one section leaves the others.
int run_section(const char* name) {
  const cudaError_t made = cudaMalloc(&device_memory, 120 * 1024 * sizeof(float));
  if (made != cudaSuccess) {
    std::fprintf(stderr, "no device memory: %s\n", cudaGetErrorString(made));
    return 1;
  }
  for (const Section& each : sections) {
    if (std::strcmp(each.name, name) != 0) continue;
    each.run();
    return 0;
  }
  return 2;
}

// Runs this program with `arguments` and copies what it writes. False when it could not run to its
// end.
bool copy_child(const std::string& self, const std::string& arguments, std::FILE* file) {
  const std::string command = "'" + self + "' " + arguments;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  char line[1024];
  while (std::fgets(line, sizeof line, pipe) != nullptr) std::fputs(line, file);
  const int code = pclose(pipe);
  if (code != 0) std::fprintf(file, "# the process ended with wait status %d\n", code);
  std::fflush(file);
  return code == 0;
}

}  // namespace

int main(int argc, char** argv) {
  // Loaded lazily, a kernel's first launch would be measured together with the loading of its
  // module.
  static_cast<void>(setenv("CUDA_MODULE_LOADING", "EAGER", 0));
  if (argc == 4 && std::strcmp(argv[1], "--fault") == 0) return child(argv[2], argv[3]);
  if (argc == 3 && std::strcmp(argv[1], "--section") == 0) return run_section(argv[2]);
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  std::fprintf(
      file,
      "# What the CUDA runtime answered to tests/record/record_cuda.cu: <status> <last error> <call> <outputs>\n");
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 2;
  bool whole = true;
  for (const Section& each : sections)
    whole = copy_child(self, std::string("--section ") + each.name, file) && whole;

  std::vector<std::pair<std::string, std::string>> cases;
  for (const char* fault : {"fault_null", "fault_trap", "fault_misaligned", "fault_assert"})
    cases.emplace_back(fault, "cudaStreamSynchronize");
  for (const char* fault : {"fault_null", "fault_trap"}) cases.emplace_back(fault, "all");
  for (const char* first :
       {"cudaStreamQuery", "cudaEventQuery", "cudaMalloc", "cudaLaunchKernel", "<<<>>>",
        "cudaPeekAtLastError", "cudaGetDevice", "cudaFuncGetAttributes", "cudaEventRecord",
        "cudaStreamDestroy", "cudaFree"}) {
    cases.emplace_back("fault_null", first);
  }
  for (const auto& [fault, first] : cases) {
    std::fprintf(file, "\n[%s, then %s]\n", fault.c_str(), first.c_str());
    whole = copy_child(self, "--fault " + fault + " '" + first + "' 2>/dev/null", file) && whole;
  }
  std::fprintf(file, "# %s\n", whole ? "end" : "end: not every process ran to its end");
  return std::fclose(file) == 0 ? 0 : 1;
}
