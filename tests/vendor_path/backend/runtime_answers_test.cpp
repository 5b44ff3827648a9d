// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the backend makes of the runtime's answers: attributes of kernels, captures and memory.

#include "../kernels.hpp"
#include "../stand_in.hpp"

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
#if defined(WARPSAFE_BACKEND_CUDA)
using testing::ElementsAre;
#endif

void runtime_answers_kernel() {}

class RuntimeAnswers : public VendorTest {
 protected:
  const ws::KernelEntry entry{reinterpret_cast<const void*>(&runtime_answers_kernel), nullptr,
                              nullptr, 0};
};

TEST_F(RuntimeAnswers, AStreamThatDoesNotCaptureHasNoTail) {
  const ws::Stream stream = make_stream();
  ws::CaptureInfo info{ws::CaptureState::broken, 7};
  ASSERT_EQ(Backend::capture_info(stream.native(), info), code::success);
  EXPECT_EQ(info.state, ws::CaptureState::none);
  EXPECT_EQ(info.tail, 0U);
}

TEST_F(RuntimeAnswers, EachAllocationHasItsKind) {
  const auto kind_of = [](const void* memory) {
    ws::MemoryKind kind{};
    int device = -5;
    EXPECT_EQ(Backend::pointer_kind(memory, kind, device), code::success);
    EXPECT_EQ(device, 0);
    return kind;
  };
  void* memory = nullptr;
  ASSERT_EQ(Backend::allocate_unordered(memory, 8), code::success);
  EXPECT_EQ(kind_of(memory), ws::MemoryKind::device);
  EXPECT_EQ(Backend::deallocate_unordered(memory), code::success);
  ASSERT_EQ(Backend::allocate_managed(memory, 8), code::success);
  EXPECT_EQ(kind_of(memory), ws::MemoryKind::managed);
  EXPECT_EQ(Backend::deallocate_unordered(memory), code::success);
  ASSERT_EQ(Backend::host_allocate(memory, 8), code::success);
  EXPECT_EQ(kind_of(memory), ws::MemoryKind::pinned);
  EXPECT_EQ(Backend::host_deallocate(memory), code::success);
}

TEST_F(RuntimeAnswers, ACaptureModeIsPassed) {
  // In mode global a wait of the thread breaks the capture; in mode relaxed it does not.
  for (const auto mode :
       {ws::CaptureMode::global, ws::CaptureMode::thread, ws::CaptureMode::relaxed}) {
    const ws::Stream stream = make_stream();
    const ws::Stream other = make_stream();
    ASSERT_EQ(Backend::capture_begin(stream.native(), mode), code::success);
    bool capturing = false;
    EXPECT_EQ(Backend::stream_capturing(stream.native(), capturing), code::success);
    EXPECT_TRUE(capturing);
    void* memory = nullptr;
    const int status = Backend::allocate_unordered(memory, 8);
    EXPECT_EQ(status == code::success, mode == ws::CaptureMode::relaxed) << static_cast<int>(mode);
    if (status == code::success) {
      EXPECT_EQ(Backend::deallocate_unordered(memory), code::success);
    }
    Backend::native_graph graph = nullptr;
    static_cast<void>(Backend::capture_end(stream.native(), graph));
    if (graph != nullptr) {
      EXPECT_EQ(Backend::graph_destroy(graph), code::success);
    }
  }
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(RuntimeAnswers, AKernelsAttributesAreThoseOfItsCode) {
  const StandInCudaKernelInfo info{11, 12, 13, 14, 256, 0, 0, 0};
  stand_in_cuda_declare_kernel(entry.function, "runtime_answers_kernel", nullptr, 0, &info);
  ws::KernelLimits limits{true, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};
  ASSERT_EQ(Backend::attributes_of(entry, limits), code::success);
  cudaFuncAttributes own{};
  ASSERT_EQ(cudaFuncGetAttributes(&own, entry.function), cudaSuccess);
  EXPECT_EQ(limits.static_shared, 11U);
  EXPECT_EQ(limits.local_bytes, 12U);
  EXPECT_EQ(limits.constant_bytes, 13U);
  EXPECT_EQ(limits.registers, 14U);
  EXPECT_EQ(limits.max_threads_per_block, static_cast<std::uint32_t>(own.maxThreadsPerBlock));
  EXPECT_EQ(limits.max_dynamic_shared, static_cast<std::uint64_t>(own.maxDynamicSharedSizeBytes));
  EXPECT_EQ(limits.binary_version, static_cast<std::uint32_t>(own.binaryVersion));
  EXPECT_EQ(limits.ptx_version, static_cast<std::uint32_t>(own.ptxVersion));
  EXPECT_NE(own.binaryVersion, 0);
}

TEST_F(RuntimeAnswers, AQuestionAboutAccessLeavesTheDeviceCurrent) {
  void* memory = nullptr;
  ASSERT_EQ(Backend::allocate_unordered(memory, 8), code::success);
  bool answer = false;
  const auto ask = [&](int device) {
    return calls_of([&] { static_cast<void>(Backend::can_access(device, memory, 0, answer)); });
  };
  EXPECT_THAT(ask(0), ElementsAre("GetDevice", "PointerGetAttributes"));
  EXPECT_TRUE(answer);
  EXPECT_THAT(ask(1), ElementsAre("GetDevice", "SetDevice", "PointerGetAttributes", "SetDevice"));
  EXPECT_FALSE(answer);
  int device = -1;
  EXPECT_EQ(Backend::current_device(device), code::success);
  EXPECT_EQ(device, 0);
  fail("GetDevice", 1, code::unknown);
  EXPECT_THAT(ask(1), ElementsAre("GetDevice")) << "nothing is known to go back to";
  fail("SetDevice", 1, code::unknown);
  EXPECT_THAT(ask(1), ElementsAre("GetDevice", "SetDevice x2"));
  EXPECT_EQ(Backend::deallocate_unordered(memory), code::success);
}

#else
TEST_F(RuntimeAnswers, ACooperativeLaunchHasLessThan2To32Threads) {
  struct Case {
    std::uint32_t blocks, rows, threads;
    bool fits;
  };
  for (const Case& one :
       {Case{1, 1, 1, true}, Case{65536, 1, 65535, true}, Case{4294967295, 1, 1, true},
        Case{65536, 1, 65536, false}, Case{65536, 2, 32768, false},
        Case{4294967295, 4294967295, 2, false}, Case{2147483648, 2147483648, 4, false}}) {
    ws::LaunchShape shape;
    const std::uint32_t grid[3] = {one.blocks, one.rows, 1};
    const std::uint32_t block[3] = {one.threads, 1, 1};
    for (int axis = 0; axis < 3; ++axis) {
      shape.grid[axis] = grid[axis];
      shape.block[axis] = block[axis];
    }
    EXPECT_EQ(ws::detail::hip_cooperative_fits(shape), one.fits) << one.blocks;
    shape.cooperative = true;
    if (!one.fits) {
      EXPECT_EQ(Backend::launch(entry, shape, nullptr, nullptr), code::cooperative_too_large);
    }
  }
}

TEST_F(RuntimeAnswers, AnOptionThatHipDoesNotHaveIsRefused) {
  for (bool ws::LaunchShape::*const option :
       {&ws::LaunchShape::has_priority, &ws::LaunchShape::has_cluster,
        &ws::LaunchShape::programmatic}) {
    ws::LaunchShape shape;
    shape.*option = true;
    EXPECT_EQ(Backend::launch(entry, shape, nullptr, nullptr), code::not_supported);
  }
#if HIP_VERSION < 50600000
  int device = 0;
  EXPECT_EQ(Backend::stream_device(nullptr, device), code::not_supported);
#endif
  int blocks = 5;
  EXPECT_EQ(Backend::max_cluster_blocks(entry, ws::LaunchShape{}, blocks), code::not_supported);
  EXPECT_EQ(blocks, 0);
}

TEST_F(RuntimeAnswers, AnInvalidDeviceWithoutAnyDeviceIsNoDevice) {
  EXPECT_EQ(Backend::classify(code::invalid_device), ws::Errc::device_invalid);
  set_device_count(1);
  EXPECT_EQ(Backend::classify(code::invalid_device), ws::Errc::device_invalid);
  set_device_count(0);
  EXPECT_EQ(Backend::classify(code::invalid_device), ws::Errc::no_device);
  EXPECT_EQ(Backend::classify(code::out_of_memory), ws::Errc::out_of_memory);
}

TEST_F(RuntimeAnswers, PlainMemoryIsNoFailure) {
  int on_the_stack = 0;
  int device = -5;
  ws::MemoryKind kind = ws::MemoryKind::device;
  EXPECT_EQ(Backend::pointer_kind(&on_the_stack, kind, device), code::success);
  EXPECT_EQ(kind, ws::MemoryKind::unregistered);
  fail("PointerGetAttributes", 1, code::invalid_value);
  kind = ws::MemoryKind::device;
  EXPECT_EQ(Backend::pointer_kind(&on_the_stack, kind, device), code::success);
  EXPECT_EQ(kind, ws::MemoryKind::unregistered);
}

TEST_F(RuntimeAnswers, AccessIsWhatTheRuntimeSaysOfPeers) {
  bool answer = false;
  EXPECT_EQ(Backend::can_access(0, nullptr, 1, answer), code::success);
  EXPECT_TRUE(answer);
  amd_control_set_peers(0);
  EXPECT_EQ(Backend::can_access(0, nullptr, 1, answer), code::success);
  EXPECT_FALSE(answer);
}

TEST_F(RuntimeAnswers, AKernelsAttributesAreThoseOfItsCode) {
  const ws::KernelEntry& known = ws::kernel<with_static>.entry();
  ws::KernelLimits limits{true, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};
  ASSERT_EQ(Backend::attributes_of(known, limits), code::success);
  hipFuncAttributes own{};
  ASSERT_EQ(hipFuncGetAttributes(&own, known.function), hipSuccess);
  EXPECT_EQ(limits.static_shared, 6000U);
  EXPECT_EQ(limits.local_bytes, own.localSizeBytes);
  EXPECT_EQ(limits.constant_bytes, own.constSizeBytes + 1 == 0 ? 0 : own.constSizeBytes);
  EXPECT_EQ(limits.registers, static_cast<std::uint32_t>(own.numRegs));
  EXPECT_EQ(limits.max_threads_per_block, static_cast<std::uint32_t>(own.maxThreadsPerBlock));
  EXPECT_EQ(limits.max_dynamic_shared, static_cast<std::uint64_t>(own.maxDynamicSharedSizeBytes));
  EXPECT_EQ(limits.binary_version, static_cast<std::uint32_t>(own.binaryVersion));
  EXPECT_EQ(limits.ptx_version, static_cast<std::uint32_t>(own.ptxVersion));
}
#endif

}  // namespace
}  // namespace vendor_test
