// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

namespace {

/// What HIP 5 calls memoryType is called type from HIP 6 on.
template <class Attributes>
hipMemoryType type_of(const Attributes& attributes) {
  if constexpr (requires { attributes.memoryType; }) {
    return attributes.memoryType;
  } else {
    return attributes.type;
  }
}

TEST_F(StandInHipHost, CopiesAndFillsWithinBounds) {
  void* device = nullptr;
  ASSERT_EQ(hipMalloc(&device, 16), hipSuccess);
  std::array<unsigned char, 16> in{1, 2, 3};
  std::array<unsigned char, 16> out{};
  EXPECT_EQ(hipMemcpy(device, in.data(), 16, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(hipMemcpy(out.data(), device, 16, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(out, in);
  EXPECT_EQ(hipMemcpy(device, in.data(), 17, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(out.data(), in.data(), 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(device, in.data(), 16, static_cast<hipMemcpyKind>(7)),
            hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemset(device, 5, 17), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(out.data(), 5, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(device, 8, 9, 2, 2), hipSuccess);
  EXPECT_EQ(hipMemcpy2D(out.data(), 2, device, 8, 2, 2, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(out[0] + out[1] + out[2] + out[3], 36);
  EXPECT_EQ(hipMemcpy2D(out.data(), 1, device, 8, 2, 2, hipMemcpyDeviceToHost),
            hipErrorInvalidPitchValue);
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(hipFree(device), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(nullptr), hipSuccess);
  EXPECT_EQ(hipFreeAsync(nullptr, nullptr), hipErrorInvalidValue);
}

TEST_F(StandInHipHost, TellsHostFromDeviceMemory) {
  void* device = nullptr;
  void* host = nullptr;
  ASSERT_EQ(hipMalloc(&device, 64), hipSuccess);
  ASSERT_EQ(hipHostMalloc(&host, 64, hipHostMallocDefault), hipSuccess);
  hipPointerAttribute_t attributes{};
  ASSERT_EQ(hipPointerGetAttributes(&attributes, static_cast<char*>(device) + 63), hipSuccess);
  EXPECT_EQ(type_of(attributes), hipMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  ASSERT_EQ(hipPointerGetAttributes(&attributes, host), hipSuccess);
  EXPECT_EQ(type_of(attributes), hipMemoryTypeHost);
  int local = 0;
  EXPECT_EQ(hipPointerGetAttributes(&attributes, &local), hipSuccess);
  EXPECT_EQ(attributes.device, -2);
  EXPECT_EQ(hipPointerGetAttributes(&attributes, nullptr), hipErrorInvalidValue);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(hipPointerGetAttributes(&attributes, nullptr), hipSuccess);
  stand_in_hip_set_release(STAND_IN_HIP_5_7);
  EXPECT_EQ(hipPointerGetAttributes(&attributes, &local), hipErrorInvalidValue);
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(hipMemGetInfo(&free, &total), hipSuccess);
  EXPECT_EQ(total - free, 64u);
  EXPECT_EQ(hipMalloc(&device, total + 1), hipErrorOutOfMemory);
}

TEST_F(StandInHipHost, CopiesRowsOnAStream) {
  const hipStream_t stream = make_stream();
  void* memory = make_memory(16);
  ASSERT_EQ(hipMemset2DAsync(memory, 8, 3, 4, 2, stream), hipSuccess);
  std::array<char, 8> rows{};
  ASSERT_EQ(hipMemcpy2DAsync(rows.data(), 4, memory, 8, 4, 2, hipMemcpyDeviceToHost, stream),
            hipSuccess);
  EXPECT_EQ(rows, (std::array<char, 8>{3, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(hipMemset2DAsync(memory, 8, 3, 4, 3, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy2DAsync(rows.data(), 4, memory, 8, 4, 3, hipMemcpyDeviceToHost, stream),
            hipErrorInvalidValue);
}

TEST_F(StandInHipHost, WaitsForACopyOnAStreamWhenAskedTo) {
  stand_in_hip_set_deferred(1);
  const hipStream_t stream = make_stream();
  void* memory = make_memory(4);
  ASSERT_EQ(hipMemsetAsync(memory, 1, 4, stream), hipSuccess);
  int value = 0;
  ASSERT_EQ(hipMemcpyWithStream(&value, memory, 4, hipMemcpyDeviceToHost, stream), hipSuccess);
  EXPECT_EQ(value, 0x01010101);
}

TEST_F(StandInHipHost, FreesTheAllocationAroundAnAddress) {
  char* memory = static_cast<char*>(make_memory(64));
  EXPECT_EQ(hipFree(memory + 16), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipErrorInvalidValue);
  EXPECT_EQ(stand_in_hip_live_objects(), 0u);
}

TEST_F(StandInHipHost, CapturesACopyBetweenDevicesIn5_2Alone) {
  stand_in_hip_set_device_count(2);
  char* memory = static_cast<char*>(make_memory(8));
  for (const auto release : {STAND_IN_HIP_5_2, STAND_IN_HIP_5_7, STAND_IN_HIP_6_4}) {
    stand_in_hip_set_release(release);
    const hipStream_t stream = make_stream();
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(hipMemcpyPeerAsync(memory + 4, 1, memory, 0, 4, stream), hipSuccess);
    hipGraph_t graph = nullptr;
    ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    std::size_t nodes = 7;
    ASSERT_EQ(hipGraphGetNodes(graph, nullptr, &nodes), hipSuccess);
    EXPECT_EQ(nodes, release == STAND_IN_HIP_5_2 ? 1u : 0u);
  }
  EXPECT_EQ(hipMemcpyPeerAsync(memory, 2, memory, 0, 4, nullptr), hipErrorInvalidDevice);
}

TEST_F(StandInHipHost, RefusesACopyOnADestroyedStream) {
  const hipStream_t stream = make_stream();
  void* memory = make_memory(4);
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  int value = 0;
  EXPECT_EQ(hipMemcpyAsync(&value, memory, 4, hipMemcpyDeviceToHost, stream),
            hipErrorContextIsDestroyed);
  EXPECT_EQ(hipMallocAsync(&memory, 4, stream), hipErrorInvalidHandle);
  EXPECT_EQ(hipFreeAsync(memory, stream), hipErrorInvalidHandle);
}

TEST_F(StandInHipHost, RunsOutOfMemory) {
  stand_in_hip_set_memory(0, 1000, 4000);
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(hipMemGetInfo(&free, &total), hipSuccess);
  EXPECT_EQ(free, 1000u);
  EXPECT_EQ(total, 4000u);
  void* memory = make_memory(600);
  ASSERT_EQ(hipMemGetInfo(&free, nullptr), hipSuccess);
  EXPECT_EQ(free, 400u);
  void* more = nullptr;
  EXPECT_EQ(hipMalloc(&more, 401), hipErrorOutOfMemory);
  EXPECT_EQ(hipMallocAsync(&more, 401, nullptr), hipErrorOutOfMemory);
  EXPECT_EQ(hipFree(memory), hipSuccess);
  EXPECT_EQ(hipMalloc(&more, 1000), hipSuccess);
}

TEST_F(StandInHipHost, EndsAnAllocationAfterItsLastByte) {
  char* memory = static_cast<char*>(make_memory(64));
  hipPointerAttribute_t attributes{};
  ASSERT_EQ(hipPointerGetAttributes(&attributes, memory + 63), hipSuccess);
  EXPECT_EQ(attributes.device, 0);
  ASSERT_EQ(hipPointerGetAttributes(&attributes, memory + 64), hipSuccess);
  EXPECT_EQ(attributes.device, -2);
  EXPECT_EQ(hipMemset(memory + 60, 1, 4), hipSuccess);
  EXPECT_EQ(hipMemset(memory + 60, 1, 5), hipErrorInvalidValue);
}

TEST_F(StandInHipHost, RegistersHostMemory) {
  std::array<char, 64> memory{};
  ASSERT_EQ(hipHostRegister(memory.data(), memory.size(), 0), hipSuccess);
  hipPointerAttribute_t attributes{};
  ASSERT_EQ(hipPointerGetAttributes(&attributes, &memory[8]), hipSuccess);
  EXPECT_EQ(attributes.hostPointer, &memory[8]);
  EXPECT_EQ(hipFree(memory.data()), hipErrorInvalidValue);
  EXPECT_EQ(hipHostUnregister(memory.data()), hipSuccess);
  EXPECT_EQ(hipHostUnregister(memory.data()), hipErrorHostMemoryNotRegistered);
  EXPECT_EQ(hipHostRegister(memory.data(), 0, 0), hipErrorInvalidValue);
}

}  // namespace
