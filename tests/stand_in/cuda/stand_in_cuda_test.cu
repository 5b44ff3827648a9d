// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Raw CUDA on the stand-in: its records, and its control functions. The test
// stand_in_cuda.transcript compares its answers with a device's.
#include <cuda_runtime.h>

namespace stand_in_kernels {

struct Triple {
  int a;
  double b;
  char c;
};

__global__ void take(int, double, char, Triple, const float*) {}
struct Large {
  char bytes[20000];
};
__global__ void take_large(int, Large, short) {}
__global__ void nothing() {}
__global__ void __launch_bounds__(256) bounded() {}
template <class T>
__global__ void typed(T) {}
// Both compilers must know the instances that the tests launch.
template __global__ void typed(int);
template __global__ void typed(double);
__global__ void with_static(int* out) {
  __shared__ int values[1500];
  values[threadIdx.x] = *out;
  __syncthreads();
  *out = values[1499 - threadIdx.x];
}
__device__ int device_variable[4];

}  // namespace stand_in_kernels

// Without this the device compiler would take most of its time for GoogleTest.
#if !defined(__CUDA_ARCH__)
#include "stand_in_cuda.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace stand_in_kernels;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StrEq;

class StandInCuda : public testing::Test {
 protected:
  void SetUp() override { stand_in_cuda_reset(); }
};

std::string name_of(const void* kernel) {
  const char* name = nullptr;
  EXPECT_EQ(cudaFuncGetName(&name, kernel), cudaSuccess);
  return name;
}

const void* address(void (*kernel)()) { return reinterpret_cast<const void*>(kernel); }

TEST_F(StandInCuda, RecordsLaunchWithArguments) {
  const float x = 0;
  take<<<dim3(1, 2, 3), dim3(4, 5, 6), 7>>>(-3, 2.5, 'c', Triple{1, 0.5, 'z'}, &x);
  const auto launches = stand_in_cuda::launches();
  ASSERT_EQ(launches.size(), 1U);
  const StandInCudaLaunch& launch = launches[0];
  EXPECT_STREQ(launch.function, "__cudaLaunchKernel");
  EXPECT_THAT(launch.kernel, HasSubstr("take"));
  EXPECT_EQ(launch.host_function, reinterpret_cast<const void*>(&take));
  EXPECT_EQ(launch.grid.y, 2U);
  EXPECT_EQ(launch.grid.z, 3U);
  EXPECT_EQ(launch.block.x, 4U);
  EXPECT_EQ(launch.block.z, 6U);
  EXPECT_EQ(launch.dynamic_shared_bytes, 7U);
  EXPECT_EQ(launch.stream, nullptr);
  EXPECT_EQ(launch.result, cudaSuccess);
  ASSERT_EQ(launch.arguments_known, 1);
  ASSERT_EQ(launch.argument_count, 5U);
  EXPECT_EQ(stand_in_cuda::argument<int>(launch, 0), -3);
  EXPECT_EQ(stand_in_cuda::argument<double>(launch, 1), 2.5);
  EXPECT_EQ(stand_in_cuda::argument<char>(launch, 2), 'c');
  EXPECT_EQ(launch.arguments[3].size, sizeof(Triple));
  EXPECT_EQ(stand_in_cuda::argument<Triple>(launch, 3).b, 0.5);
  EXPECT_EQ(stand_in_cuda::argument<const float*>(launch, 4), &x);
}

TEST_F(StandInCuda, EachInstantiationIsAKernelOfItsOwn) {
  typed<<<1, 1>>>(1);
  typed<<<1, 1>>>(2.0);
  const auto launches = stand_in_cuda::launches();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_THAT(launches[0].kernel, testing::Not(StrEq(launches[1].kernel)));
  EXPECT_EQ(launches[0].arguments[0].size, sizeof(int));
  EXPECT_EQ(launches[1].arguments[0].size, sizeof(double));
}

TEST_F(StandInCuda, RecordsLargeParameters) {
  Large large{};
  large.bytes[19999] = 'e';
  take_large<<<1, 1>>>(1, large, 9);
  const auto launches = stand_in_cuda::launches();
  ASSERT_EQ(launches.size(), 1U);
  ASSERT_EQ(launches[0].argument_count, 3U);
  EXPECT_EQ(launches[0].arguments[1].size, sizeof(Large));
  EXPECT_EQ(stand_in_cuda::argument<Large>(launches[0], 1).bytes[19999], 'e');
  EXPECT_EQ(stand_in_cuda::argument<short>(launches[0], 2), 9);
}

TEST_F(StandInCuda, RecordsLaunchAttributes) {
  cudaLaunchAttribute attributes[3] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 2;
  attributes[0].val.clusterDim.y = 1;
  attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = -2;
  attributes[2].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[2].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 4;
  config.blockDim = 32;
  config.attrs = attributes;
  config.numAttrs = 3;
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(address(nothing), 1, 32, nullptr, 0, nullptr), cudaSuccess);
  const auto launches = stand_in_cuda::launches();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_STREQ(launches[0].function, "cudaLaunchKernelExC");
  EXPECT_EQ(launches[0].cluster.x, 2U);
  EXPECT_EQ(launches[0].priority, -2);
  EXPECT_EQ(launches[0].programmatic_serialization, 1);
  EXPECT_EQ(launches[0].cooperative, 0);
  EXPECT_STREQ(launches[1].function, "cudaLaunchCooperativeKernel");
  EXPECT_EQ(launches[1].cooperative, 1);
  EXPECT_EQ(launches[1].cluster.x, 0U);
}

TEST_F(StandInCuda, RefusedLaunchIsRecordedReturnedAndLeftInTheSlot) {
  EXPECT_EQ(cudaLaunchKernel(address(bounded), 1, 257, nullptr, 0, nullptr), cudaErrorInvalidValue);
  ASSERT_EQ(stand_in_cuda_launch_count(), 1U);
  EXPECT_EQ(stand_in_cuda::launches()[0].result, cudaErrorInvalidValue);
  EXPECT_EQ(stand_in_cuda_last_error(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(stand_in_cuda_last_error(), cudaSuccess);
}

TEST_F(StandInCuda, RecordsCallsInOrderWithArgumentsAndResults) {
  int device = -1;
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  const auto calls = stand_in_cuda::calls();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_STREQ(calls[0].function, "cudaSetDevice");
  EXPECT_STREQ(calls[0].arguments, "99");
  EXPECT_EQ(calls[0].result, cudaErrorInvalidDevice);
  EXPECT_EQ(calls[0].sequence, 1U);
  EXPECT_STREQ(calls[2].function, "cudaGetDevice");
  EXPECT_EQ(calls[2].sequence, 3U);
  EXPECT_EQ(stand_in_cuda_count("cudaGetDevice"), 2U);
  EXPECT_EQ(stand_in_cuda_count("cudaMalloc"), 0U);
}

TEST_F(StandInCuda, ResetForgetsAndRestores) {
  stand_in_cuda_set_attribute(0, cudaDevAttrWarpSize, 64);
  stand_in_cuda_plant_last_error(cudaErrorInvalidValue);
  static_cast<void>(cudaSetDevice(1));
  stand_in_cuda_reset();
  EXPECT_EQ(stand_in_cuda_call_count(), 0U);
  EXPECT_EQ(stand_in_cuda_last_error(), cudaSuccess);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0), cudaSuccess);
  EXPECT_EQ(value, 32);
  EXPECT_EQ(cudaGetDevice(&value), cudaSuccess);
  EXPECT_EQ(value, 0);
}

TEST_F(StandInCuda, AttributesCanBeSet) {
  stand_in_cuda_set_device_count(3);
  stand_in_cuda_set_attribute(2, cudaDevAttrMaxThreadsPerBlock, 512);
  stand_in_cuda_set_device_name(2, "small");
  stand_in_cuda_set_memory(2, 1000, 2000);
  cudaDeviceProp properties{};
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 2), cudaSuccess);
  EXPECT_EQ(properties.maxThreadsPerBlock, 512);
  EXPECT_STREQ(properties.name, "small");
  EXPECT_EQ(properties.totalGlobalMem, 2000U);
  EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
  nothing<<<1, 513>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 1001), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  nothing<<<1, 513>>>();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(StandInCuda, CopyBeyondAnAllocationIsRefused) {
  void* device = nullptr;
  unsigned char host[8] = {};
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, device, 5, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device, 1, 5), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST_F(StandInCuda, NoDevice) {
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  stand_in_cuda_set_device_count(0);
  int count = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(cudaLaunchKernel(address(nothing), 1, 1, nullptr, 0, nullptr), cudaErrorNoDevice);
}

TEST_F(StandInCuda, VersionsCanBeSet) {
  stand_in_cuda_set_versions(12040, 12030);
  int driver = 0;
  int runtime = 0;
  EXPECT_EQ(cudaDriverGetVersion(&driver), cudaSuccess);
  EXPECT_EQ(cudaRuntimeGetVersion(&runtime), cudaSuccess);
  EXPECT_EQ(driver, 12040);
  EXPECT_EQ(runtime, 12030);
}

TEST_F(StandInCuda, RelaxedThreadMayAllocateBesideItsCapture) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaMalloc(&memory, 16), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&memory, 16), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(StandInCuda, KthCallFails) {
  stand_in_cuda_fail("cudaMalloc", 2, cudaErrorMemoryAllocation);
  void* first = nullptr;
  void* second = nullptr;
  void* third = nullptr;
  EXPECT_EQ(cudaMalloc(&first, 16), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&second, 16), cudaErrorMemoryAllocation);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(stand_in_cuda_last_error(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&third, 16), cudaSuccess);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(cudaFree(third), cudaSuccess);
}

TEST_F(StandInCuda, InjectedLaunchFailureIsNotALaunch) {
  stand_in_cuda_fail("cudaLaunchKernel", 1, cudaErrorLaunchOutOfResources);
  EXPECT_EQ(cudaLaunchKernel(address(nothing), 1, 1, nullptr, 0, nullptr),
            cudaErrorLaunchOutOfResources);
  EXPECT_EQ(stand_in_cuda_launch_count(), 0U);
  EXPECT_EQ(stand_in_cuda_count("cudaLaunchKernel"), 1U);
}

TEST_F(StandInCuda, PlantedErrorStaysWhereItIs) {
  stand_in_cuda_plant_last_error(cudaErrorInvalidPitchValue);
  nothing<<<1, 1>>>();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidPitchValue);
  cudaError_t elsewhere = cudaErrorUnknown;
  std::thread([&] { elsewhere = cudaPeekAtLastError(); }).join();
  EXPECT_EQ(elsewhere, cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidPitchValue);
}

TEST_F(StandInCuda, FaultOfAKernelIsSticky) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  stand_in_cuda_fault_kernel(name_of(address(nothing)).c_str(), cudaErrorIllegalAddress);
  stand_in_cuda_hold(stream);
  nothing<<<1, 1, 0, stream>>>();
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  stand_in_cuda_release(stream);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaLaunchKernel(address(bounded), 1, 1, nullptr, 0, stream), cudaErrorIllegalAddress);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "a fault is one device's";
  stand_in_cuda_reset();
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(StandInCuda, AsyncErrorThatIsNotStickyIsSeenOnce) {
  stand_in_cuda_post_async_error(0, cudaErrorLaunchTimeout, 0);
  nothing<<<1, 1>>>();
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(StandInCuda, HeldStreamKeepsItsWork) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  void* device = nullptr;
  unsigned char host[4] = {};
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  ASSERT_EQ(cudaMemset(device, 1, 4), cudaSuccess);
  stand_in_cuda_hold(stream);
  EXPECT_EQ(cudaMemsetAsync(device, 2, 4, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(host, ElementsAre(1, 1, 1, 1));
  stand_in_cuda_release(stream);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(host, ElementsAre(2, 2, 2, 2));
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(StandInCuda, SynchronisationWaitsForAHostFunction) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::atomic<int> steps{0};
  ASSERT_EQ(cudaLaunchHostFunc(
                stream,
                [](void* data) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(20));
                  ++*static_cast<std::atomic<int>*>(data);
                },
                &steps),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(StandInCuda, GraphReplaysLaunches) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  typed<<<1, 32, 0, stream>>>(41);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  const auto launches = stand_in_cuda::launches();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].captured, 1);
  EXPECT_EQ(launches[1].captured, 0);
  EXPECT_STREQ(launches[1].function, "cudaGraphLaunch");
  EXPECT_EQ(stand_in_cuda::argument<int>(launches[1], 0), 41);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// A device would use whatever is there.
TEST_F(StandInCuda, AGraphThatUsesFreedMemoryIsAFault) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (const bool is_freed : {false, true}) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    int* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, 400), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    with_static<<<1, 32, 0, stream>>>(memory + 10);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    if (is_freed) {
      ASSERT_EQ(cudaFree(memory), cudaSuccess);
    }
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), is_freed ? cudaErrorIllegalAddress : cudaSuccess);
  }
}

TEST_F(StandInCuda, MemoryOfAGraphExistsOnceTheGraphHasRun) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&memory, 400, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  with_static<<<1, 32, 0, stream>>>(static_cast<int*>(memory));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);

  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&memory, 400, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  with_static<<<1, 32, 0, stream>>>(static_cast<int*>(memory));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
}

TEST_F(StandInCuda, KernelInfoComesFromTheDeviceCodeAndCanBeOverridden) {
  const std::string name = name_of(reinterpret_cast<const void*>(&with_static));
  StandInCudaKernelInfo info{};
  ASSERT_EQ(stand_in_cuda_kernel_info(name.c_str(), &info), 0);
  EXPECT_EQ(info.static_shared_bytes, 6000);
  EXPECT_EQ(info.max_threads_per_block, -1);
  EXPECT_GT(info.registers, 0);
  const StandInCudaKernelInfo changed{-1, -1, -1, 255, 128, -1, -1, -1};
  ASSERT_EQ(stand_in_cuda_override_kernel(name.c_str(), &changed), 0);
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, with_static), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 6000U);
  EXPECT_EQ(attributes.numRegs, 255);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
  stand_in_cuda_reset();
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, with_static), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(stand_in_cuda_override_kernel("no such kernel", &changed), -1);
}

TEST_F(StandInCuda, DeclaredKernelCanBeLaunched) {
  static const int key = 0;  // stands for a host stub
  const StandInCudaArgument arguments[] = {{0, 4}, {8, 8}};
  const StandInCudaKernelInfo info{0, 0, 0, 32, 128, 0, 0, 0};
  stand_in_cuda_declare_kernel(&key, "declared", arguments, 2, &info);
  int first = 7;
  double second = 0.25;
  void* list[] = {&first, &second};
  EXPECT_EQ(cudaLaunchKernel(&key, 1, 128, list, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(&key, 1, 129, list, 0, nullptr), cudaErrorInvalidValue);
  const auto launches = stand_in_cuda::launches();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_STREQ(launches[0].kernel, "declared");
  EXPECT_EQ(launches[0].argument_byte_count, 16U);
  EXPECT_EQ(stand_in_cuda::argument<int>(launches[0], 0), 7);
  EXPECT_EQ(stand_in_cuda::argument<double>(launches[0], 1), 0.25);
}

// The device code of this very program, as the linker left it.
std::string own_device_code() {
  std::ostringstream stream;
  stream << std::ifstream("/proc/self/exe", std::ios::binary).rdbuf();
  const std::string all = stream.str();
  Elf64_Ehdr header;
  std::memcpy(&header, all.data(), sizeof header);
  const auto section = [&](unsigned index) {
    Elf64_Shdr read;
    std::memcpy(&read, all.data() + header.e_shoff + index * sizeof read, sizeof read);
    return read;
  };
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const char* name = all.data() + section(header.e_shstrndx).sh_offset + section(i).sh_name;
    if (std::strcmp(name, ".nv_fatbin") == 0)
      return all.substr(section(i).sh_offset, section(i).sh_size);
  }
  return {};
}

TEST_F(StandInCuda, KernelOfALibraryIsFoundByNameAndLaunched) {
  const std::string code = own_device_code();
  ASSERT_FALSE(code.empty());
  cudaLibrary_t library = nullptr;
  ASSERT_EQ(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaSuccess);
  unsigned count = 0;
  EXPECT_EQ(cudaLibraryGetKernelCount(&count, library), cudaSuccess);
  EXPECT_GE(count, 6U);
  cudaKernel_t kernel = nullptr;
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "no such kernel"), cudaErrorSymbolNotFound);
  const std::string name = name_of(address(bounded));
  ASSERT_EQ(cudaLibraryGetKernel(&kernel, library, name.c_str()), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(kernel, 1, 256, nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(kernel, 1, 257, nullptr, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(stand_in_cuda::launches()[0].host_function, nullptr);
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(kernel, 1, 256, nullptr, 0, nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(StandInCuda, KernelIsForgottenWithItsSharedObject) {
  void* plugin = dlopen(STAND_IN_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << dlerror();
  using Find = const void* (*)();
  const auto find = reinterpret_cast<Find>(dlsym(plugin, "kernel_of_plugin"));
  ASSERT_NE(find, nullptr);
  const void* kernel = find();
  EXPECT_EQ(cudaLaunchKernel(kernel, 1, 32, nullptr, 0, nullptr), cudaSuccess);
  ASSERT_EQ(dlclose(plugin), 0);
  EXPECT_EQ(cudaLaunchKernel(kernel, 1, 32, nullptr, 0, nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(StandInCuda, VariablesLiveOnTheHost) {
  const int written[4] = {1, 2, 3, 4};
  int read[4] = {};
  EXPECT_EQ(cudaMemcpyToSymbol(device_variable, written, sizeof written), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(read, device_variable, sizeof read), cudaSuccess);
  EXPECT_THAT(read, ElementsAre(1, 2, 3, 4));
}

TEST_F(StandInCuda, CountsWhatIsAlive) {
  const auto before = stand_in_cuda_live_objects();
  cudaStream_t stream = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&memory, 64, stream), cudaSuccess);
  EXPECT_EQ(stand_in_cuda_live_objects(), before + 2);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(stand_in_cuda_live_objects(), before);
}

using StandInCudaDeathTest = StandInCuda;

TEST_F(StandInCudaDeathTest, DestroyedStreamCrashesAsOnADevice) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EXIT(static_cast<void>(cudaLaunchKernel(address(nothing), 1, 1, nullptr, 0, stream)),
              testing::KilledBySignal(SIGSEGV), "destroyed or never made");
}

}  // namespace
#endif
