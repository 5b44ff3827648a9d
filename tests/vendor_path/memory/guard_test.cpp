// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "../stand_in.hpp"

#if defined(WARPSAFE_BACKEND_CUDA)
#include "guard_fixture.hpp"

#include <cuda.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

// A sanitizer leaves the signal of a fault to the program, whose end by it these tests expect.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "handle_segv=0"; }
extern "C" const char* __tsan_default_options() { return "handle_segv=0"; }
// NOLINTEND(bugprone-reserved-identifier)

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::ExitedWithCode;
using testing::KilledBySignal;

using ws::detail::GuardDriver;
// The library declares the driver's types itself, so that it does not need cuda.h.
static_assert(sizeof(GuardDriver::Properties) == sizeof(CUmemAllocationProp));
static_assert(offsetof(GuardDriver::Properties, handle_types) ==
              offsetof(CUmemAllocationProp, requestedHandleTypes));
static_assert(offsetof(GuardDriver::Properties, location) ==
              offsetof(CUmemAllocationProp, location));
static_assert(offsetof(GuardDriver::Properties, flags) ==
              offsetof(CUmemAllocationProp, allocFlags));
static_assert(offsetof(GuardDriver::Properties, flags) + 1 ==
              offsetof(CUmemAllocationProp, allocFlags.gpuDirectRDMACapable));
static_assert(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED == 110);
static_assert(sizeof(GuardDriver::Location) == sizeof(CUmemLocation));
static_assert(sizeof(GuardDriver::Access) == sizeof(CUmemAccessDesc));
static_assert(offsetof(GuardDriver::Access, flags) == offsetof(CUmemAccessDesc, flags));
static_assert(CU_MEM_ALLOCATION_TYPE_PINNED == 1 && CU_MEM_LOCATION_TYPE_DEVICE == 1 &&
              CU_MEM_HANDLE_TYPE_NONE == 0 && CU_MEM_ACCESS_FLAGS_PROT_READWRITE == 3 &&
              CU_MEM_ALLOC_GRANULARITY_MINIMUM == 0);
static_assert(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED == 102 &&
              CU_STREAM_NON_BLOCKING == 1 && CU_EVENT_DISABLE_TIMING == 2);
static_assert(int{CUDA_ERROR_NOT_READY} == int{cudaErrorNotReady} &&
              int{CUDA_ERROR_ILLEGAL_ADDRESS} == int{cudaErrorIllegalAddress});
static_assert(std::is_same_v<CUstream, cudaStream_t> && std::is_same_v<CUevent, cudaEvent_t> &&
              std::is_same_v<CUdeviceptr, GuardDriver::Address>);

TEST_F(GuardDeathTest, AnAccessPastTheEndFaults) {
  const auto write = [](std::ptrdiff_t at) {
    run("1", [at] {
      const auto stream = make_stream();
      auto x = make<float>(stream, 100);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address(x)) % 16, 0U);
      touch(address(x) + at);
    });
  };
  EXPECT_EXIT(write(99), ExitedWithCode(0), "^$");
  EXPECT_EXIT(write(100), KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(write(std::ptrdiff_t{200} << 18U), KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(write(-3), ExitedWithCode(0),
              "^warpsafe: memory guard: something wrote bytes 12 to 9 before the beginning of 400 "
              "bytes that were allocated at guard_test.cpp:[0-9]+\n$");
}

TEST_F(GuardDeathTest, AnAccessBeforeTheBeginningFaults) {
  const auto write = [](std::ptrdiff_t at) {
    run("before", [at] {
      const auto stream = make_stream();
      auto x = make<float>(stream, 100);
      touch(address(x) + at);
    });
  };
  EXPECT_EXIT(write(0), ExitedWithCode(0), "^$");
  EXPECT_EXIT(write(-1), KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(write(100), ExitedWithCode(0),
              "^warpsafe: memory guard: something wrote bytes 400 to 403 of 400 bytes that were "
              "allocated at guard_test.cpp:[0-9]+\n$");
}

TEST_F(GuardDeathTest, TheRestOfSixteenBytesIsComparedAtTheFree) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    auto x = make<char>(stream, 10);
                    address(x)[11] = 7;
                  }),
              ExitedWithCode(0), "wrote bytes 11 to 11 of 10 bytes");
}

TEST_F(GuardDeathTest, NewMemoryIsNotANumberAndFreedMemoryIsGone) {
  const auto body = [](bool after) {
    run("1", [after] {
      const auto stream = make_stream();
      auto x = make<float>(stream, 100);
      float* const at = address(x);
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(std::isnan(at[i])) << i;
      ASSERT_THAT(x.zero(stream), Succeeds());
      EXPECT_EQ(at[99], 0);
      ASSERT_THAT(x.close(), Succeeds());
      // Other allocations do not get its addresses.
      auto next = make<float>(stream, 100);
      EXPECT_NE(address(next), at);
      if (after) touch(at);
    });
  };
  EXPECT_EXIT(body(false), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body(true), KilledBySignal(SIGSEGV), "^$");
}

TEST_F(GuardDeathTest, AFreeWaitsForNothing) {
  const auto body = [](bool write, bool after) {
    run("1", [write, after] {
      const auto stream = make_stream();
      auto x = make<float>(stream, 100);
      float* const at = address(x);
      stand_in_cuda_hold(stream.native());
      ASSERT_THAT(x.zero(stream), Succeeds());
      ASSERT_THAT(x.close(), Succeeds());
      touch(at);  // the stream still works
      stand_in_cuda_release(stream.native());
      EXPECT_TRUE(std::isnan(*at)) << "overwritten in the order of the stream";
      if (write) touch(at + 50);
      auto next = make<float>(stream, 100);
      if (after) touch(at);
    });
  };
  EXPECT_EXIT(body(false, false), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body(false, true), KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(body(true, false), ExitedWithCode(0),
              "wrote bytes 200 to 203 of 400 bytes that were allocated at guard_test.cpp:[0-9]+, "
              "after their free");
}

TEST_F(GuardDeathTest, AFreeComesAfterTheWorkOfOtherStreams) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    const auto other = make_stream();
                    auto x = make<float>(stream, 100);
                    float* const at = address(x);
                    stand_in_cuda_hold(other.native());
                    ASSERT_THAT(x.zero(other), Succeeds());
                    ASSERT_THAT(x.close(), Succeeds());
                    ASSERT_TRUE(stream.query().has_value());
                    auto next = make<float>(stream, 100);
                    touch(at);
                    stand_in_cuda_release(other.native());
                    ASSERT_THAT(stream.synchronize(), Succeeds());
                    ASSERT_THAT(next.close(), Succeeds());
                    EXPECT_EQ(count("FreeAsync"), 0U);
                    touch(at);
                  }),
              KilledBySignal(SIGSEGV), "^$");
}

TEST_F(GuardDeathTest, OneAllocationInN) {
  const auto body = [](const char* value, std::uint64_t guarded) {
    run(value, [guarded] {
      const auto stream = make_stream();
      std::vector<ws::DeviceBuffer<float>> all;
      for (int i = 0; i < 7; ++i) all.push_back(make<float>(stream, 100));
      EXPECT_EQ(stand_in_cuda_count("cuMemMap"), guarded);
      EXPECT_EQ(count("MallocAsync"), 7 - guarded);
      all.clear();
      EXPECT_EQ(stand_in_cuda_count("cuMemUnmap"), guarded);
      EXPECT_EQ(count("FreeAsync"), 7 - guarded);
      EXPECT_EQ(ws::memory_info(ws::DeviceId(0)).value().held, 0U);
    });
  };
  EXPECT_EXIT(body("", 0), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body("0", 0), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body("1", 7), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body("3", 3), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body("before", 7), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body("1x\n", 0), ExitedWithCode(0),
              "^warpsafe: WARPSAFE_GUARD=1x.x0a is neither a number, nor before, nor kernel names; "
              "0 is used\n$");
  EXPECT_EXIT(body("captured,app::other<3>", 7), ExitedWithCode(0),
              "^warpsafe: WARPSAFE_GUARD=captured,app::other<3>: each launch of these kernels "
              "waits for its kernel[^\n]*\n$");
  const auto* const hooks = std::exchange(ws::detail::debug_hooks_in_use, nullptr);
  EXPECT_EXIT(body("captured", 7), ExitedWithCode(0),
              "^warpsafe: WARPSAFE_GUARD: a launch waits only if the program includes "
              "<warpsafe/debug.hpp>\n$");
  ws::detail::debug_hooks_in_use = hooks;
}

TEST_F(GuardDeathTest, AnAllocationThatCannotBeGuardedIsAnOrdinaryOne) {
  const auto body = [](const auto& prepare) {
    run("1", [&] {
      prepare();
      const auto stream = make_stream();
      const std::uint64_t before = stand_in_cuda_live_objects();
      auto x = make<float>(stream, 100);
      const auto y = make<float>(stream, 100);
      EXPECT_EQ(count("MallocAsync"), 2U);
      ASSERT_THAT(x.zero(stream), Succeeds());
      ASSERT_THAT(x.close(), Succeeds());
      EXPECT_EQ(stand_in_cuda_live_objects(), before + 1);
    });
  };
  EXPECT_EXIT(body([] { stand_in_cuda_set_attribute(0, static_cast<cudaDeviceAttr>(102), 0); }),
              ExitedWithCode(0),
              "^warpsafe: WARPSAFE_GUARD: this device has no virtual memory management; nothing is "
              "guarded\n$");
  EXPECT_EXIT(body([] { stand_in_cuda_set_memory(0, 200 << 20U, std::uint64_t{1} << 36U); }),
              ExitedWithCode(0),
              "^warpsafe: WARPSAFE_GUARD: the device has too little memory left; some allocations "
              "are not guarded\n$");
  for (const char* call : {"cuStreamGetCtx", "cuMemAddressReserve", "cuMemCreate", "cuMemMap",
                           "cuMemSetAccess", "cuDeviceGetAttribute", "cuMemGetInfo"}) {
    EXPECT_EXIT(body([call] {
                  // Twice for each allocation, because the access is tried twice.
                  for (int i = 0; i < 4; ++i) {
                    stand_in_cuda_fail(call, 1, cudaErrorMemoryAllocation);
                  }
                }),
                ExitedWithCode(0), "^$")
        << call;
  }
}

TEST_F(GuardDeathTest, MemoryWithoutItsPatternsIsNotCompared) {
  for (unsigned k = 1; k <= 2; ++k) {
    EXPECT_EXIT(run("1",
                    [k] {
                      const auto stream = make_stream();
                      stand_in_cuda_fail("cuMemsetD32Async", k, cudaErrorUnknown);
                      auto x = make<float>(stream, 100);
                      EXPECT_EQ(stand_in_cuda_count("cuMemMap"), 1U);
                      ASSERT_THAT(x.zero(stream), Succeeds());
                      EXPECT_EQ(*address(x), 0);
                    }),
                ExitedWithCode(0), "^$")
        << k;
  }
}

TEST_F(GuardDeathTest, TheGuardLeavesMemoryToTheProgram) {
  EXPECT_EXIT(run("1",
                  [] {
                    // A quarter of 64 MiB is the most that the guard takes: 8 pages.
                    stand_in_cuda_set_memory(0, std::uint64_t{1} << 32U, 64 << 20U);
                    const auto stream = make_stream();
                    std::vector<ws::DeviceBuffer<float>> all;
                    for (int i = 0; i < 20; ++i) all.push_back(make<float>(stream, 100));
                    EXPECT_EQ(count("MallocAsync"), 12U);
                    all.clear();
                    const auto again = make<float>(stream, 100);
                    EXPECT_EQ(count("MallocAsync"), 12U);
                  }),
              ExitedWithCode(0), "too little memory left");
}

TEST_F(GuardDeathTest, AnAllocationGetsTheMemoryThatIsBeingFreed) {
  EXPECT_EXIT(run("1",
                  [] {
                    constexpr std::size_t mebibyte = std::size_t{1} << 20U;
                    stand_in_cuda_set_memory(0, 600 * mebibyte, 600 * mebibyte);
                    const auto stream = make_stream();
                    auto x = make<char>(stream, 300 * mebibyte);
                    stand_in_cuda_hold(stream.native());
                    ASSERT_THAT(x.zero(stream), Succeeds());
                    ASSERT_THAT(x.close(), Succeeds());
                    std::thread end([&stream] {
                      std::this_thread::sleep_for(std::chrono::milliseconds(50));
                      stand_in_cuda_release(stream.native());
                    });
                    stand_in_cuda_plant_last_error(code::success);
                    // A pool would have reused the memory.
                    const auto next = ws::DeviceBuffer<char>::create(stream, 400 * mebibyte);
                    end.join();
                    EXPECT_THAT(next, Succeeds());
                    EXPECT_EQ(count("MallocAsync"), 2U);
                    EXPECT_EQ(last_error(), code::success);
                    stand_in_cuda_plant_last_error(code::unknown);
                  }),
              ExitedWithCode(0), "too little memory left");
}

TEST_F(GuardDeathTest, NoCaptureIsBroken) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    const auto other = make_stream();
                    auto x = make<float>(stream, 100);
                    float* const at = address(x);
                    ASSERT_EQ(begin_capture(stream.native()), code::success);
                    ASSERT_THAT(x.zero(stream), Succeeds());
                    {
                      const auto y = make<float>(other, 100);
                      const auto captured = make<float>(stream, 100);
                      EXPECT_EQ(count("MallocAsync"), 1U) << "the capture's own";
                    }
                    ASSERT_THAT(x.close(), Succeeds());
                    EXPECT_EQ(*at, *at) << "freed after the capture";
                    EXPECT_EQ(end_capture(stream.native()), 3);
                    const auto next = make<float>(other, 100);
                    *const_cast<volatile float*>(at) = 1;
                  }),
              KilledBySignal(SIGSEGV), "^$");
}

TEST_F(GuardDeathTest, AFaultNamesTheGuardedMemory) {
  const auto body = [](cudaError_t status, const char* text) {
    run("1", [status, text] {
      stand_in_cuda_fault_kernel("_ZN11vendor_test7countedEPKfj", status);
      const auto stream = make_stream();
      const auto first = make<float>(stream, 25);
      const auto second = make<float>(stream, 50);
      const auto unused = make<float>(stream, 75);
      static_cast<void>(make<float>(stream, 100));
      const ws::LaunchConfig one{ws::grid<1>, ws::block<1>};
      ASSERT_THAT(ws::launch(stream, one, ws::kernel<captured>, first.view()), Succeeds());
      ASSERT_THAT(ws::launch(stream, one, ws::kernel<counted>, second.view(), 50U), Succeeds());
      const auto waited = stream.synchronize();
      ASSERT_FALSE(waited.has_value());
      EXPECT_THAT(ws::message(waited.error()), testing::ContainsRegex(text));
      finish();  // the runtime's own errors of a lost context follow
    });
  };
  EXPECT_EXIT(body(cudaErrorIllegalAddress,
                   "an illegal memory access was encountered; WARPSAFE_GUARD lets accesses outside "
                   "of its memory fault; last used: 200 bytes allocated at guard_test.cpp:[0-9]+, "
                   "100 bytes allocated at guard_test.cpp:[0-9]+"),
              ExitedWithCode(0), "^$");
  EXPECT_EXIT(body(cudaErrorMisalignedAddress,
                   "misaligned address; WARPSAFE_GUARD aligns memory to 16 bytes, unless a larger "
                   "power of two divides its size"),
              ExitedWithCode(0), "^$");
  EXPECT_EXIT(body(cudaErrorLaunchFailure, "unspecified launch failure\n"), ExitedWithCode(0),
              "^$");
}

TEST_F(GuardDeathTest, MemoryOfADeviceThatIsNotCurrent) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream(3);
                    auto x = make<float>(stream, 64);
                    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address(x)) % 256, 0U);
                    cudaPointerAttributes attributes{};
                    ASSERT_EQ(cudaPointerGetAttributes(&attributes, address(x)), cudaSuccess);
                    EXPECT_EQ(attributes.device, 3);
                    EXPECT_EQ(ws::current_device().value(), ws::DeviceId(0));
                    const auto here = make_stream(0);
                    const ws::LaunchConfig one{ws::grid<1>, ws::block<1>};
                    EXPECT_THAT(ws::launch(here, one, ws::kernel<captured>, x.view()), Succeeds())
                        << "a program may give its peers access to the pool";
                    std::thread([&] { ASSERT_THAT(x.close(), Succeeds()); }).join();
                    EXPECT_EQ(stand_in_cuda_count("cuMemUnmap"), 1U);
                    EXPECT_EQ(ws::current_device().value(), ws::DeviceId(0));
                  }),
              ExitedWithCode(0), "^$");
}

TEST_F(GuardDeathTest, ManyAllocationsOfManyThreads) {
  EXPECT_EXIT(run("1",
                  [] {
                    std::vector<std::thread> threads;
                    for (int i = 0; i < 4; ++i) {
                      threads.emplace_back([] {
                        const auto stream = make_stream();
                        for (int round = 0; round < 400; ++round) {
                          auto x = make<int>(stream, 3);
                          address(x)[2] = round;
                        }
                      });
                    }
                    for (auto& thread : threads) thread.join();
                    EXPECT_EQ(stand_in_cuda_count("cuMemUnmap"), 1600U);
                    EXPECT_EQ(stand_in_cuda_count("cuMemAddressFree"), 1600U - 1024);
                  }),
              ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace vendor_test
#endif
