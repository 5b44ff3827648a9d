// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// AMD's runtime lets some mistakes through, and the library stops them. Each test first shows what
// the runtime does, by the packet that reaches the device, and then that the library refuses the
// same launch before any call.
#include "../agent/soft_hsa.h"
#include "runtime_kernels.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <hip/hip_runtime_api.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace ws = warpsafe;
using testing::HasSubstr;
using testing::KilledBySignal;

using amd_test::bounded;
using amd_test::dynamic;
using amd_test::nothing;
using amd_test::with_static;

template <class F>
F agent(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}
/// Dispatches of kernels so far; the runtime's own count too.
std::uint64_t dispatches() { return agent<std::uint64_t (*)()>("soft_hsa_dispatches")(); }
SoftHsaDispatch last_dispatch() {
  SoftHsaDispatch found{};
  EXPECT_EQ(
      agent<int (*)(std::uint64_t, SoftHsaDispatch*)>("soft_hsa_dispatch")(dispatches(), &found),
      1);
  return found;
}

/// 50200000 for 5.2.
int release() {
  int version = 0;
  EXPECT_EQ(hipRuntimeGetVersion(&version), hipSuccess);
  return version;
}

template <class Kernel>
hipError_t launch_raw(Kernel kernel, dim3 grid, dim3 block, std::size_t shared = 0,
                      hipStream_t stream = nullptr) {
  float* memory = nullptr;
  void* arguments[] = {&memory};
  const hipError_t status =
      hipLaunchKernel(kernel.entry().function, grid, block, arguments, shared, stream);
  return status == hipSuccess ? hipDeviceSynchronize() : status;
}

class OverAmd : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (dlsym(RTLD_DEFAULT, "soft_hsa_dispatches") == nullptr) {
      GTEST_SKIP() << "the packets can be read on the software agent alone";
    }
  }
  /// The library refuses it, and no packet reaches the device.
  template <class Outcome>
  void expect_refused(const Outcome& outcome, ws::Errc code, const std::string& words) {
    ASSERT_FALSE(outcome.has_value()) << "it was launched";
    EXPECT_EQ(outcome.error().code, code);
    EXPECT_THAT(ws::message(outcome.error()), HasSubstr(words));
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(dispatches(), before_);
  }
  ws::Stream stream_ = ws::Stream::create().value();
  std::uint64_t before_ = dispatches();
};

TEST_F(OverAmd, ALaunchReachesTheDeviceAsAPacket) {
  ASSERT_TRUE(ws::launch(stream_, ws::LaunchConfig{ws::grid<3>, ws::block<64>}, ws::kernel<nothing>)
                  .has_value());
  ASSERT_TRUE(stream_.synchronize().has_value());
  ASSERT_EQ(dispatches(), before_ + 1);
  const SoftHsaDispatch packet = last_dispatch();
  EXPECT_EQ(packet.grid[0], 192U) << "threads, not blocks";
  EXPECT_EQ(packet.block[0], 64U);
}

// The runtime multiplies in 32 bits, and the packet has 16 bits for each axis.
TEST_F(OverAmd, ABlockWhoseProductWrapsToZeroEndsTheProcess) {
  EXPECT_EXIT(
      {
        std::fprintf(stderr, "launch: %d\n",
                     launch_raw(ws::kernel<nothing>, dim3(1), dim3(65536, 65536, 1)));
        pause();  // the queue's error ends the process
      },
      KilledBySignal(SIGABRT), "");
  expect_refused(
      ws::launch(stream_,
                 ws::LaunchConfig{ws::grid<1>, ws::BlockDim::from_vendor(dim3(65536, 65536, 1))},
                 ws::kernel<nothing>),
      ws::Errc::block_too_large, "4294967296");
}
TEST_F(OverAmd, ABlockWhoseProductWrapsToAFewThreadsIsLaunchedAsAnother) {
  EXPECT_EQ(launch_raw(ws::kernel<nothing>, dim3(1), dim3(2, 2147483649U, 1)), hipSuccess);
  EXPECT_EQ(last_dispatch().block[1], 1U) << "of 2147483649";
  before_ = dispatches();
  expect_refused(
      ws::launch(stream_,
                 ws::LaunchConfig{ws::grid<1>, ws::BlockDim::from_vendor(dim3(2, 2147483649U, 1))},
                 ws::kernel<nothing>),
      ws::Errc::block_too_large, "4294967298");
}

TEST_F(OverAmd, DynamicSharedMemoryIsNotCutTo32Bits) {
  const std::uint64_t bytes = (std::uint64_t{1} << 32) + 1024;
  EXPECT_EQ(launch_raw(ws::kernel<dynamic>, dim3(1), dim3(64), bytes), hipSuccess);
  EXPECT_EQ(last_dispatch().group_bytes, 1024U);
  before_ = dispatches();
  const auto config = ws::configure(ws::grid<1>, ws::block<64>, ws::shared<char>(bytes));
  const auto launch = [&]<ws::CheckLevel Level>() {
    return ws::launch<Level>(stream_, config, ws::kernel<dynamic>,
                             ws::trust(static_cast<float*>(nullptr)));
  };
  expect_refused(launch.operator()<ws::CheckLevel::full>(), ws::Errc::shared_too_large,
                 "4294968320");
  // Without checks the runtime refuses it, since the library never passes the smaller number.
  EXPECT_FALSE(launch.operator()<ws::CheckLevel::off>().has_value());
  EXPECT_EQ(dispatches(), before_);
}

// Up to release 5.7. Release 6.4 launches it, and the queue's error ends the process.
TEST_F(OverAmd, StaticAndDynamicSharedMemoryAreAdded) {
  const auto launch_it = [] {
    return launch_raw(ws::kernel<with_static>, dim3(1), dim3(64), 32769);
  };
  if (release() < 60000000) {
    EXPECT_EQ(launch_it(), hipErrorOutOfMemory);
  } else {
    EXPECT_EXIT(
        {
          static_cast<void>(launch_it());
          pause();
        },
        KilledBySignal(SIGABRT), "");
  }
  before_ = dispatches();
  const auto config = ws::configure(ws::grid<1>, ws::block<64>, ws::shared<char>(32769));
  expect_refused(
      ws::launch(stream_, config, ws::kernel<with_static>, ws::trust(static_cast<float*>(nullptr))),
      ws::Errc::shared_too_large, "32768 static + 32769 dynamic");
}

TEST_F(OverAmd, ACooperativeTotalThatWrapsIsRefusedAtEveryLevel) {
  void* none[] = {nullptr};
  const dim3 grid(1U << 20U, 4096);  // of 64 threads: 2^38, of which 32 bits leave 0
  ASSERT_EQ(hipLaunchCooperativeKernel(ws::kernel<nothing>.entry().function, grid, dim3(64), none,
                                       0, stream_.native()),
            hipSuccess);
  ASSERT_TRUE(stream_.synchronize().has_value());
  before_ = dispatches();
  const auto config = ws::configure(ws::GridDim::from_vendor(grid), ws::block<64>, ws::cooperative);
  // The index type is not what is wrong.
  const auto large = ws::kernel<nothing, ws::index<std::uint64_t>>;
  expect_refused(ws::launch<ws::CheckLevel::full>(stream_, config, large),
                 ws::Errc::cooperative_too_large, "4294967296");
  EXPECT_FALSE(ws::launch<ws::CheckLevel::off>(stream_, config, ws::kernel<nothing>).has_value());
  EXPECT_EQ(dispatches(), before_);
}

TEST_F(OverAmd, ADestroyedStreamMayEndTheProcessAndAClosedOneIsRefused) {
  const auto launch_on_destroyed = [] {
    hipStream_t gone = nullptr;
    static_cast<void>(hipStreamCreate(&gone));
    static_cast<void>(hipStreamDestroy(gone));
    return launch_raw(ws::kernel<nothing>, dim3(1), dim3(64), 0, gone);
  };
  if (release() < 60000000) {
    EXPECT_EXIT(
        static_cast<void>(launch_on_destroyed()), [](int status) { return WIFSIGNALED(status); },
        "");
  } else {
    EXPECT_EQ(launch_on_destroyed(), hipErrorInvalidValue);
  }
  const ws::Stream other = std::move(stream_);
  expect_refused(
      ws::launch(stream_, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<nothing>),
      ws::Errc::stream_null, "");
  auto closed = ws::Stream::create().value();
  ASSERT_TRUE(closed.close().has_value());
  expect_refused(
      ws::launch(closed, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<nothing>),
      ws::Errc::stream_null, "");
}

// 719 is a sticky fault on CUDA. AMD's runtime returns it for a launch beyond the kernel's bounds.
TEST_F(OverAmd, LaunchBoundsAreAnErrorOfTheLaunchAndTheContextLives) {
  EXPECT_EQ(launch_raw(ws::kernel<bounded>, dim3(1), dim3(512)), hipErrorLaunchFailure);
  const auto refused = ws::launch<ws::CheckLevel::off>(
      stream_, ws::LaunchConfig{ws::grid<1>, ws::block<512>}, ws::kernel<bounded>);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().severity, ws::Severity::recoverable);
  EXPECT_TRUE(
      ws::launch(stream_, ws::LaunchConfig{ws::grid<1>, ws::block<256>}, ws::kernel<bounded>)
          .has_value());
}

// After hipMallocAsync release 5.2 never returns from hipStreamDestroy. It reports no memory pools,
// so the library does not call hipMallocAsync there.
TEST_F(OverAmd, AStreamEndsAfterItsBuffers) {
  {
    const auto stream = ws::Stream::create().value();
    auto buffer = ws::DeviceBuffer<int>::create(stream, 100);
    ASSERT_TRUE(buffer.has_value());
  }
  SUCCEED() << "the stream's destructor has returned";
}

/// During its lifetime another thread captures in mode global.
struct CaptureElsewhere {
  CaptureElsewhere() : thread([this] { run(); }) { begun.acquire(); }
  ~CaptureElsewhere() {
    may_end.release();
    thread.join();
  }
  CaptureElsewhere(const CaptureElsewhere&) = delete;
  CaptureElsewhere& operator=(const CaptureElsewhere&) = delete;
  void run() {
    const ws::Stream stream = ws::Stream::create(ws::DeviceId(0)).value();
    const auto graph = ws::capture(stream, [this](ws::Capture&) -> ws::result<void> {
      begun.release();
      may_end.acquire();
      return ws::success();
    });
    EXPECT_TRUE(graph.has_value()) << "the waits have broken the capture";
  }
  std::binary_semaphore begun{0};
  std::binary_semaphore may_end{0};
  std::thread thread;
};

// Release 5.7 refuses a wait during another thread's capture of mode global, also in a thread of
// mode relaxed, where the library waits for what it may wait for.
TEST_F(OverAmd, WaitsOfTheLibraryWorkWhileAnotherThreadCaptures) {
  auto early = ws::DeviceBuffer<int>::from(stream_, std::vector<int>{1, 2, 3}).value();
  auto token = ws::copy(stream_, ws::from(early), ws::to(ws::PinnedBuffer<int>::create(3).value()));
  const CaptureElsewhere capture;
  const auto refused = stream_.synchronize();
  ASSERT_FALSE(refused.has_value()) << "mode global is for all threads";
  EXPECT_EQ(refused.error().code, ws::Errc::stream_capturing);
  auto copied = std::move(token).get();
  ASSERT_TRUE(copied.has_value()) << ws::message(copied.error());
  EXPECT_EQ(copied.value().span()[2], 3);
  EXPECT_TRUE(early.close().has_value());
  before_ = dispatches();
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  agent<void (*)(int)>("soft_hsa_hold")(1);
  ASSERT_TRUE(ws::launch(stream_, ws::LaunchConfig{ws::grid<3>, ws::block<64>}, ws::kernel<nothing>)
                  .has_value());
  const auto early_answer = stream_.query();
  EXPECT_TRUE(early_answer.has_value() && early_answer.value() == ws::Progress::not_ready)
      << "the kernel is held";
  agent<void (*)(int)>("soft_hsa_hold")(0);
  EXPECT_TRUE(stream_.synchronize().has_value());
  EXPECT_EQ(dispatches(), before_ + 1) << "the wait has waited";
  EXPECT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
}

TEST_F(OverAmd, AFaultOfAKernelEndsTheProcessAsRocrDoes) {
  EXPECT_EXIT(
      {
        agent<void (*)(int)>("soft_hsa_fault_next")(SOFT_HSA_MEMORY_FAULT);
        static_cast<void>(launch_raw(ws::kernel<nothing>, dim3(1), dim3(64)));
      },
      KilledBySignal(SIGABRT), "Memory access fault by GPU node-1");
  EXPECT_EXIT(
      {
        agent<void (*)(int)>("soft_hsa_fault_next")(SOFT_HSA_ABORT);
        static_cast<void>(launch_raw(ws::kernel<nothing>, dim3(1), dim3(64)));
        pause();
      },
      KilledBySignal(SIGABRT), "");
}

TEST_F(OverAmd, AKernelComputesByItsTwinAndAnotherIsCounted) {
  const auto executed = agent<std::uint64_t (*)()>("soft_hsa_executed");
  const auto not_executed = agent<std::uint64_t (*)()>("soft_hsa_not_executed");
  const std::uint64_t without = not_executed();
  ASSERT_EQ(launch_raw(ws::kernel<nothing>, dim3(1), dim3(64)), hipSuccess);
  EXPECT_EQ(not_executed(), without + 1);
  const std::uint64_t with = executed();
  const auto twin = agent<void (*)(const char*, SoftHsaTwin, void*)>("soft_hsa_twin");
  const std::string name = last_dispatch().kernel;
  unsigned threads = 0;
  twin(
      name.c_str(),
      [](const SoftHsaDispatch* d, void* data) { *static_cast<unsigned*>(data) += d->grid[0]; },
      &threads);
  ASSERT_EQ(launch_raw(ws::kernel<nothing>, dim3(3), dim3(64)), hipSuccess);
  twin(name.c_str(), nullptr, nullptr);
  EXPECT_EQ(threads, 192U);
  EXPECT_EQ(executed(), with + 1);
}

TEST_F(OverAmd, MemoryIsCountedByTheDevice) {
  std::size_t free_before = 0;
  std::size_t free_after = 0;
  std::size_t total = 0;
  ASSERT_EQ(hipMemGetInfo(&free_before, &total), hipSuccess);
  void* memory = nullptr;
  ASSERT_EQ(hipMalloc(&memory, std::size_t{1} << 30), hipSuccess);
  ASSERT_EQ(hipMemGetInfo(&free_after, &total), hipSuccess);
  EXPECT_EQ(free_before - free_after, std::size_t{1} << 30);
  EXPECT_EQ(hipFree(memory), hipSuccess);
  EXPECT_EQ(hipMalloc(&memory, total + 1), hipErrorOutOfMemory);
  const auto refused = ws::DeviceBuffer<char>::create(stream_, total + 1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::out_of_memory);
}

}  // namespace
