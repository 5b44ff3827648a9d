// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// WARPSAFE_GUARD on a real device. The switch is read once, and a fault loses the context, so each
// case is a process of its own.

#include "gpu.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ws = warpsafe;

namespace {

WARPSAFE_KERNEL void guarded_store(float* x, long long at) { x[at] = 7; }
WARPSAFE_KERNEL void guarded_load(const float* x, long long at, float* to) { to[0] = x[at]; }
WARPSAFE_KERNEL void guarded_add_slowly(int* x, std::size_t n, long long clocks) {
  const long long start = clock64();
  while (clock64() - start < clocks) {
  }
  for (auto i : ws::grid_stride(n)) x[i] += 1;
}
WARPSAFE_KERNEL void guarded_wide(float4* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = float4{1, 2, 3, 4};
}

constexpr ws::LaunchConfig one{ws::grid<1>, ws::block<1>};
constexpr long long slow = 400'000'000;  // clocks: some 200 ms

class GuardOnGpuDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    WARPSAFE_TEST_NEEDS_GPU();
  }
  /// Runs `body` with that value, and ends the process with 0 if no expectation failed.
  template <class Body>
  [[noreturn]] static void run(const char* value, const Body& body) {
    ::setenv("WARPSAFE_GUARD", value, 1);
    body();
    finish();
  }
  [[noreturn]] static void finish() {
    const auto& all = *testing::UnitTest::GetInstance()->current_test_info()->result();
    for (int i = 0; i < all.total_part_count(); ++i) {
      std::fprintf(stderr, "%s\n", all.GetTestPartResult(i).message());
    }
    std::_Exit(HasFailure() ? 1 : 0);
  }
  /// Writes x[at] of 100 elements, and writes what a wait returns to standard error.
  [[noreturn]] static void write(const char* value, long long at) {
    run(value, [at] {
      const auto stream = ws::Stream::create().value();
      auto x = ws::DeviceBuffer<float>::create(stream, 100).value();
      EXPECT_TRUE(ws::launch(stream, one, ws::kernel<guarded_store>, x.view(), at).has_value());
      const auto waited = stream.synchronize();
      if (waited.has_value()) return;
      std::fprintf(stderr, "%s\n", ws::message(waited.error()).c_str());
      std::_Exit(3);
    });
  }
};

const testing::ExitedWithCode right(0);
const testing::ExitedWithCode faulted(3);
constexpr const char* guarded_fault =
    "an illegal memory access was encountered; WARPSAFE_GUARD lets accesses outside of its memory "
    "fault; last used: 400 bytes allocated at guard_gpu_test.cu:[0-9]+";

TEST_F(GuardOnGpuDeathTest, AnAccessPastTheEndFaults) {
  EXPECT_EXIT(write("1", 99), right, "^$");
  EXPECT_EXIT(write("1", 100), faulted, guarded_fault);
  EXPECT_EXIT(write("1", 50'000'000), faulted, guarded_fault);
  EXPECT_EXIT(write("0", 100), right, "^$") << "without the guard, nothing is found";
  EXPECT_EXIT(write("1", -1), right,
              "memory guard: something wrote bytes 4 to 1 before the beginning of 400 bytes that "
              "were allocated at guard_gpu_test.cu:[0-9]+");
}

TEST_F(GuardOnGpuDeathTest, AReadPastTheEndFaults) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = ws::Stream::create().value();
                    const auto x = ws::DeviceBuffer<float>::create(stream, 100).value();
                    auto to = ws::DeviceBuffer<float>::create(stream, 100).value();
                    EXPECT_TRUE(ws::launch(stream, one, ws::kernel<guarded_load>, x.view(), 100LL,
                                           to.view())
                                    .has_value());
                    const auto waited = stream.synchronize();
                    ASSERT_FALSE(waited.has_value());
                    std::fprintf(stderr, "%s\n", ws::message(waited.error()).c_str());
                    std::_Exit(3);
                  }),
              faulted, guarded_fault);
}

TEST_F(GuardOnGpuDeathTest, AnAccessBeforeTheBeginningFaults) {
  EXPECT_EXIT(write("before", 0), right, "^$");
  EXPECT_EXIT(write("before", -1), faulted, guarded_fault);
  EXPECT_EXIT(write("before", 100), right,
              "memory guard: something wrote bytes 400 to 403 of 400 bytes that were allocated at "
              "guard_gpu_test.cu:[0-9]+");
}

TEST_F(GuardOnGpuDeathTest, NewMemoryIsNotANumberAndFreedMemoryFaults) {
  EXPECT_EXIT(
      run("1",
          [] {
            const auto stream = ws::Stream::create().value();
            auto x = ws::DeviceBuffer<float>::create(stream, 100).value();
            for (const float value : x.to_host(stream).get().value()) {
              EXPECT_TRUE(std::isnan(value));
            }
            const auto at = x.view().pointer();
            EXPECT_TRUE(x.close().has_value());
            EXPECT_TRUE(ws::launch(stream, one, ws::kernel<guarded_store>, at, 5LL).has_value());
            const auto waited = stream.synchronize();
            ASSERT_FALSE(waited.has_value());
            std::fprintf(stderr, "%s\n", ws::message(waited.error()).c_str());
            std::_Exit(3);
          }),
      faulted, "WARPSAFE_GUARD lets accesses outside of its memory fault");
}

TEST_F(GuardOnGpuDeathTest, AFreeComesAfterTheWorkBeforeIt) {
  EXPECT_EXIT(
      run("1",
          [] {
            const auto stream = ws::Stream::create().value();
            const auto other = ws::Stream::create().value();
            auto target = ws::DeviceBuffer<int>::create(stream, 1000).value();
            {
              auto source = ws::DeviceBuffer<int>::from(stream, std::vector<int>(1000, 41)).value();
              EXPECT_TRUE(stream.synchronize().has_value());
              EXPECT_TRUE(ws::launch(other, ws::LaunchConfig{ws::grid<4>, ws::block<256>},
                                     ws::kernel<guarded_add_slowly>, source.view(), source.size(),
                                     slow)
                              .has_value());
              EXPECT_TRUE(ws::copy(other, ws::from(source), ws::to(target)).has_value());
            }
            EXPECT_FALSE(other.ready().value()) << "the kernel takes longer than the free";
            // The guard takes the memory away only after the work. What the driver does to
            // map and unmap other memory beside it is not documented.
            const auto begun = std::chrono::steady_clock::now();
            const auto since = [&begun] {
              const auto now = std::chrono::steady_clock::now();
              return std::chrono::duration<double, std::milli>(now - begun).count();
            };
            const auto third = ws::Stream::create().value();
            auto next = ws::DeviceBuffer<int>::create(third, 1000).value();
            const double allocated = since();
            EXPECT_TRUE(third.synchronize().has_value());
            EXPECT_TRUE(next.close().has_value());
            std::printf("  beside a running kernel: %.1f ms until allocated, %.1f until freed%s\n",
                        allocated, since(),
                        other.ready().value() ? ", and the kernel has ended" : "");
            std::fflush(stdout);
            EXPECT_TRUE(other.synchronize().has_value());
            EXPECT_EQ(target.to_host(other).get().value(), std::vector<int>(1000, 42));
          }),
      right, "^$");
}

TEST_F(GuardOnGpuDeathTest, RightProgramsComputeTheSame) {
  const auto body = [](const char* value) {
    run(value, [] {
      const auto stream = ws::Stream::create().value();
      for (std::size_t count = 1; count < 70'000; count = count * 3 + 1) {
        std::vector<int> values(count);
        std::iota(values.begin(), values.end(), 0);
        auto x = ws::DeviceBuffer<int>::from(stream, values).value();
        EXPECT_TRUE(ws::launch(stream, ws::LaunchConfig{ws::grid<4>, ws::block<256>},
                               ws::kernel<guarded_add_slowly>, x.view(), x.size(), 0LL)
                        .has_value());
        for (int& one_value : values) ++one_value;
        EXPECT_EQ(x.to_host(stream).get().value(), values) << count;
        auto wide = ws::DeviceBuffer<float4>::create(stream, count).value();
        EXPECT_TRUE(ws::launch(stream, ws::LaunchConfig{ws::grid<4>, ws::block<256>},
                               ws::kernel<guarded_wide>, wide.view(), wide.size())
                        .has_value());
        EXPECT_EQ(wide.to_host(stream).get().value().back().w, 4.0F);
      }
      const ws::extent<2> size{ws::rows{7}, ws::cols{9}};
      auto matrix = ws::PitchedBuffer<int>::create(stream, size).value();
      std::vector<int> values(63);
      std::iota(values.begin(), values.end(), 0);
      EXPECT_TRUE(matrix.assign(values).has_value());
      EXPECT_EQ(matrix.to_host(stream).get().value(), values);
    });
  };
  EXPECT_EXIT(body("1"), right, "^$");
  EXPECT_EXIT(body("before"), right, "^$");
  EXPECT_EXIT(body("3"), right, "^$");
}

TEST_F(GuardOnGpuDeathTest, NoCaptureIsBrokenAndAGraphUsesTheMemory) {
  EXPECT_EXIT(run("1",
                  [] {
                    const auto stream = ws::Stream::create().value();
                    const auto other = ws::Stream::create().value();
                    auto x = ws::DeviceBuffer<int>::from(stream, std::vector<int>(100, 1)).value();
                    EXPECT_TRUE(stream.synchronize().has_value());
                    ASSERT_EQ(cudaStreamBeginCapture(stream.native(), cudaStreamCaptureModeGlobal),
                              cudaSuccess);
                    EXPECT_TRUE(ws::launch(stream, one, ws::kernel<guarded_add_slowly>, x.view(),
                                           x.size(), 0LL)
                                    .has_value());
                    {
                      auto beside = ws::DeviceBuffer<int>::create(other, 100).value();
                      EXPECT_TRUE(beside.zero(other).has_value());
                    }
                    cudaGraph_t graph = nullptr;
                    ASSERT_EQ(cudaStreamEndCapture(stream.native(), &graph), cudaSuccess)
                        << "whole";
                    cudaGraphExec_t exec = nullptr;
                    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
                    ASSERT_EQ(cudaGraphLaunch(exec, stream.native()), cudaSuccess);
                    ASSERT_EQ(cudaGraphLaunch(exec, stream.native()), cudaSuccess);
                    EXPECT_EQ(x.to_host(stream).get().value(), std::vector<int>(100, 3));
                    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
                    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
                  }),
              right, "^$");
}

TEST_F(GuardOnGpuDeathTest, AThousandBuffersAndTheirMemoryComesBack) {
  const auto body = [](const char* value) {
    run(value, [value] {
      const auto stream = ws::Stream::create().value();
      static_cast<void>(ws::DeviceBuffer<int>::create(stream, 100).value());
      EXPECT_TRUE(stream.synchronize().has_value());
      const auto before = ws::memory_info(ws::DeviceId(0)).value();
      const auto begun = std::chrono::steady_clock::now();
      for (int round = 0; round < 4; ++round) {
        std::vector<ws::DeviceBuffer<int>> all;
        for (int i = 0; i < 250; ++i) {
          all.push_back(ws::DeviceBuffer<int>::create(stream, 100).value());
          EXPECT_TRUE(all.back().zero(stream).has_value());
        }
      }
      EXPECT_TRUE(stream.synchronize().has_value());
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begun;
      std::printf("  WARPSAFE_GUARD=%s: %.1f us for a buffer, its fill and its free\n", value,
                  took.count() / 1000);
      std::fflush(stdout);
      static_cast<void>(ws::DeviceBuffer<int>::create(stream, 100).value());
      const auto after = ws::memory_info(ws::DeviceId(0)).value();
      EXPECT_LE(before.free, after.free + (std::uint64_t{64} << 20U));
      EXPECT_EQ(after.held, 0U);
      EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    });
  };
  EXPECT_EXIT(body("0"), right, "^$");
  EXPECT_EXIT(body("1"), right, "^$");
  EXPECT_EXIT(body("100"), right, "^$");
}

}  // namespace
