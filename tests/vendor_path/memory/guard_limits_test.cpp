// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the memory guard takes from a program, what it says, and what it does if the driver fails.
#include "../stand_in.hpp"

#if defined(WARPSAFE_BACKEND_CUDA)
#include "guard_fixture.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::ExitedWithCode;

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
constexpr std::size_t guard_page = 2 * mebibyte;

using GuardLimitsDeathTest = GuardDeathTest;

TEST_F(GuardLimitsDeathTest, EverySecondAllocation) {
  EXPECT_EXIT(run("2",
                  [] {
                    const auto stream = make_stream();
                    std::vector<ws::DeviceBuffer<float>> all;
                    for (int i = 0; i < 7; ++i) all.push_back(make<float>(stream, 100));
                    EXPECT_EQ(stand_in_cuda_count("cuMemMap"), 4U);
                  }),
              ExitedWithCode(0), "^$");
}

TEST_F(GuardLimitsDeathTest, ItLeaves256MebibytesAndThreeQuartersOfTheMemory) {
  const auto allocate = [](std::uint64_t left, std::uint64_t total, bool guarded) {
    run("1", [&] {
      stand_in_cuda_set_memory(0, left, total);
      const auto stream = make_stream();
      const auto x = make<float>(stream, 100);
      EXPECT_EQ(stand_in_cuda_count("cuMemMap"), guarded ? 1U : 0U);
    });
  };
  const std::uint64_t least = 256 * mebibyte + guard_page;
  const std::uint64_t total = 4 * (guard_page - 400);
  EXPECT_EXIT(allocate(least, least, true), ExitedWithCode(0), "^$");
  EXPECT_EXIT(allocate(least - 1, least, false), ExitedWithCode(0), "too little memory left");
  EXPECT_EXIT(allocate(least, total, true), ExitedWithCode(0), "^$");
  EXPECT_EXIT(allocate(least, total - 1, false), ExitedWithCode(0), "too little memory left");
}

TEST_F(GuardLimitsDeathTest, AHugeAllocationIsTheRuntimesToRefuse) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    const auto huge = ws::DeviceBuffer<char>::create(stream, ~std::size_t{0} - 5);
                    EXPECT_FALSE(huge.has_value());
                    EXPECT_EQ(last_error(), code::out_of_memory);
                    stand_in_cuda_plant_last_error(code::unknown);
                    EXPECT_EQ(stand_in_cuda_count("cuMemAddressReserve"), 0U);
                  }),
              ExitedWithCode(0), "^$");
}

TEST_F(GuardLimitsDeathTest, ADriverWithoutOneOfItsFunctionsGuardsNothing) {
  for (const unsigned k : {1U, 2U, 27U}) {
    EXPECT_EXIT(run("1",
                    [k] {
                      stand_in_cuda_fail("cudaGetDriverEntryPointByVersion", k, cudaErrorUnknown);
                      const auto stream = make_stream();
                      const auto x = make<float>(stream, 100);
                      const auto y = make<float>(stream, 100);
                      EXPECT_EQ(count("MallocAsync"), 2U);
                    }),
                ExitedWithCode(0),
                "^warpsafe: WARPSAFE_GUARD: this driver has no virtual memory management; nothing "
                "is guarded\n$")
        << k;
  }
}

TEST_F(GuardLimitsDeathTest, ADeviceThatCannotBeAskedIsNotGuarded) {
  for (const char* const call :
       {"cuCtxPushCurrent", "cuCtxGetDevice", "cuMemGetAllocationGranularity"}) {
    EXPECT_EXIT(run("1",
                    [call] {
                      const auto stream = make_stream();
                      stand_in_cuda_fail(call, 1, cudaErrorUnknown);
                      auto x = make<float>(stream, 100);
                      EXPECT_EQ(count("MallocAsync"), 1U);
                      EXPECT_THAT(x.close(), Succeeds());
                    }),
                ExitedWithCode(0), "^$")
        << call;
  }
}

TEST_F(GuardLimitsDeathTest, NetworkCardsMayUseItIfTheDeviceLetsThem) {
  const auto create = [](int able, bool is_known, const char* network) {
    run("1", [&] {
      constexpr int ability = 110;  // CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED
      stand_in_cuda_set_attribute(0, static_cast<cudaDeviceAttr>(ability), able);
      const auto stream = make_stream();
      // The second question about an attribute; the first is whether memory can be mapped.
      if (!is_known) stand_in_cuda_fail("cuDeviceGetAttribute", 2, cudaErrorInvalidValue);
      const auto x = make<float>(stream, 100);
      std::string arguments;
      for (const auto& call : recorded_calls()) {
        if (std::string(call.function) == "cuMemCreate") arguments = call.arguments;
      }
      EXPECT_THAT(arguments, testing::EndsWith(network));
    });
  };
  EXPECT_EXIT(create(0, true, " 0"), ExitedWithCode(0), "^$");
  EXPECT_EXIT(create(1, true, " 1"), ExitedWithCode(0), "^$");
  EXPECT_EXIT(create(1, false, " 0"), ExitedWithCode(0), "^$");
}

TEST_F(GuardLimitsDeathTest, TheDriversFunctionsAreThoseOfCuda12) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    const auto x = make<float>(stream, 100);
                    int asked = 0;
                    for (const auto& call : recorded_calls()) {
                      if (std::string(call.function) != "cudaGetDriverEntryPointByVersion")
                        continue;
                      ++asked;
                      EXPECT_THAT(call.arguments, testing::HasSubstr(" 12000"));
                    }
                    EXPECT_EQ(asked, 27);
                  }),
              ExitedWithCode(0), "^$");
}

TEST_F(GuardLimitsDeathTest, MemoryThatCannotBeMarkedAsFreedStays) {
  const auto body = [](const char* call, cudaError_t status, bool succeeds) {
    run("1", [&] {
      const auto stream = make_stream();
      auto x = make<float>(stream, 100);
      stand_in_cuda_hold(stream.native());
      ASSERT_THAT(x.zero(stream), Succeeds());
      stand_in_cuda_fail(call, 1, status);
      EXPECT_EQ(x.close().has_value(), succeeds);
      stand_in_cuda_release(stream.native());
      const auto next = make<float>(stream, 100);
      EXPECT_EQ(stand_in_cuda_count("cuMemUnmap"), 0U);
      EXPECT_EQ(stand_in_cuda_count("cuMemMap"), 2U);
    });
  };
  EXPECT_EXIT(body("cuMemsetD32Async", cudaErrorUnknown, true), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body("cudaEventCreateWithFlags", cudaErrorUnknown, true), ExitedWithCode(0), "^$");
  EXPECT_EXIT(body("cuCtxPushCurrent", cudaErrorUnknown, false), ExitedWithCode(0), "");
}

TEST_F(GuardLimitsDeathTest, WholePagesHaveNoRestToCompare) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    const std::uint64_t streams = count("StreamCreateWithFlags");
                    EXPECT_THAT(make<char>(stream, guard_page).close(), Succeeds());
                    EXPECT_EQ(count("StreamCreateWithFlags"), streams);
                    EXPECT_THAT(make<char>(stream, guard_page - 256).close(), Succeeds());
                    EXPECT_EQ(count("StreamCreateWithFlags"), streams + 1);
                    EXPECT_EQ(count("StreamDestroy"), 1U);
                  }),
              ExitedWithCode(0), "^$");
}

TEST_F(GuardLimitsDeathTest, WhatCannotBeReadIsNotCompared) {
  const auto write = [](const char* call) {
    run("1", [call] {
      const auto stream = make_stream();
      auto x = make<float>(stream, 100);
      touch(address(x) - 3);
      if (*call != '\0') stand_in_cuda_fail(call, 1, cudaErrorUnknown);
      EXPECT_THAT(x.close(), Succeeds());
      EXPECT_EQ(stand_in_cuda_count("cuMemUnmap"), 1U);
    });
  };
  EXPECT_EXIT(write(""), ExitedWithCode(0), "something wrote bytes 12 to 9 before");
  for (const char* call :
       {"cudaStreamCreateWithFlags", "cudaMemcpyAsync", "cudaStreamSynchronize"}) {
    EXPECT_EXIT(write(call), ExitedWithCode(0), "^$") << call;
  }
}

TEST_F(GuardLimitsDeathTest, TheLastElementIsComparedAfterItsFree) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    auto x = make<float>(stream, 100);
                    float* const at = address(x);
                    stand_in_cuda_hold(stream.native());
                    ASSERT_THAT(x.zero(stream), Succeeds());
                    ASSERT_THAT(x.close(), Succeeds());
                    stand_in_cuda_release(stream.native());
                    touch(at + 99);
                    const auto next = make<float>(stream, 100);
                  }),
              ExitedWithCode(0), "wrote bytes 396 to 399 of 400 bytes.*, after their free");
}

TEST_F(GuardLimitsDeathTest, FreedMemoryStaysWhileItsContextCannotBeUsed) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    auto x = make<float>(stream, 100);
                    stand_in_cuda_hold(stream.native());
                    ASSERT_THAT(x.zero(stream), Succeeds());
                    ASSERT_THAT(x.close(), Succeeds());
                    stand_in_cuda_release(stream.native());
                    stand_in_cuda_fail("cuCtxPushCurrent", 1, cudaErrorUnknown);
                    const auto next = make<float>(stream, 100);
                    EXPECT_EQ(stand_in_cuda_count("cuMemUnmap"), 0U);
                    const auto third = make<float>(stream, 100);
                    EXPECT_EQ(stand_in_cuda_count("cuMemUnmap"), 1U);
                  }),
              ExitedWithCode(0), "^$");
}

TEST_F(GuardLimitsDeathTest, TheOldestAddressesAreGivenBackFirst) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = make_stream();
                    std::vector<void*> begins;
                    for (int i = 0; i != 1026; ++i) {
                      auto x = make<float>(stream, 100);
                      const auto at = reinterpret_cast<std::uintptr_t>(address(x));
                      begins.push_back(reinterpret_cast<void*>(at / guard_page * guard_page));
                    }
                    EXPECT_EQ(stand_in_cuda_count("cuMemAddressFree"), 2U);
                    const auto is_reserved = [](void* at) {
                      return ::msync(at, 4096, MS_ASYNC) == 0;
                    };
                    EXPECT_FALSE(is_reserved(begins[0]));
                    EXPECT_FALSE(is_reserved(begins[1]));
                    EXPECT_TRUE(is_reserved(begins[2]));
                    EXPECT_TRUE(is_reserved(begins[1025]));
                  }),
              ExitedWithCode(0), "^$");
}

class GuardFaultDeathTest : public GuardDeathTest {
 protected:
  /// Uses `used` buffers one after the other, frees the first `freed` of them, and faults.
  /// `has_unused`: there is a buffer that no kernel uses.
  [[noreturn]] static void fault(int used, int freed, const std::string& text,
                                 bool has_unused = true) {
    run("1", [&] {
      stand_in_cuda_fault_kernel("_ZN11vendor_test7countedEPKfj", cudaErrorIllegalAddress);
      const auto stream = make_stream();
      const ws::LaunchConfig one{ws::grid<1>, ws::block<1>};
      const auto unused = make<float>(stream, has_unused ? 7 : 0);
      std::vector<std::optional<ws::DeviceBuffer<float>>> all;
      for (int i = 1; i <= used; ++i) {
        all.emplace_back(make<float>(stream, static_cast<std::size_t>(25 * i)));
        EXPECT_THAT(ws::launch(stream, one, ws::kernel<captured>, all.back()->view()), Succeeds());
        EXPECT_THAT(stream.synchronize(), Succeeds());
      }
      for (int i = 0; i < freed; ++i) all[static_cast<std::size_t>(i)].reset();
      EXPECT_THAT(ws::launch(stream, one, ws::kernel<counted>, nullptr, 50U), Succeeds());
      const auto waited = stream.synchronize();
      ASSERT_FALSE(waited.has_value());
      EXPECT_THAT(ws::message(waited.error()), testing::ContainsRegex(text));
      finish();
    });
  }
};

TEST_F(GuardFaultDeathTest, NamesTheFourBuffersThatWereUsedLast) {
  const std::string begin = "lets accesses outside of its memory fault; ";
  const std::string at = " bytes allocated at guard_limits_test.cpp:[0-9]+";
  EXPECT_EXIT(fault(1, 0, begin + "last used: 100" + at + "\n"), ExitedWithCode(0), "^$");
  EXPECT_EXIT(fault(1, 1, begin + "freed: 100" + at + "\n"), ExitedWithCode(0), "^$");
  EXPECT_EXIT(fault(1, 1, begin + "freed: 100" + at + "\n", false), ExitedWithCode(0), "^$");
  EXPECT_EXIT(
      fault(6, 0,
            begin + "last used: 600" + at + ", 500" + at + ", 400" + at + ", 300" + at + "\n"),
      ExitedWithCode(0), "^$");
  EXPECT_EXIT(
      fault(3, 2, begin + "last used: 300" + at + "; freed: 200" + at + ", 100" + at + "\n"),
      ExitedWithCode(0), "^$");
}

TEST_F(GuardFaultDeathTest, NamesABufferWhoseFreeWaitsForTheKernel) {
  EXPECT_EXIT(
      run("1",
          [] {
            stand_in_cuda_fault_kernel("_ZN11vendor_test7countedEPKfj", cudaErrorIllegalAddress);
            const auto stream = make_stream();
            const ws::LaunchConfig one{ws::grid<1>, ws::block<1>};
            auto x = make<float>(stream, 25);
            EXPECT_THAT(ws::launch(stream, one, ws::kernel<captured>, x.view()), Succeeds());
            stand_in_cuda_hold(stream.native());
            EXPECT_THAT(ws::launch(stream, one, ws::kernel<counted>, nullptr, 50U), Succeeds());
            EXPECT_THAT(x.close(), Succeeds());
            stand_in_cuda_release(stream.native());
            const auto waited = stream.synchronize();
            ASSERT_FALSE(waited.has_value());
            EXPECT_THAT(ws::message(waited.error()),
                        testing::HasSubstr("; freed: 100 bytes allocated at "));
            finish();
          }),
      ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace vendor_test
#endif
