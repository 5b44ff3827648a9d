// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a test sets of the modelled GPU, and that setting it waits for the work that runs.

#include "host_test_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace warpsafe::host_test {
namespace {

/// A kernel that sets the flag some time after its launch has returned.
void set_late(Flag* flag) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  *flag = true;
}
/// A kernel on fibres whose threads use much of their stacks.
[[gnu::noinline]] void use_stack(unsigned* ran, std::size_t bytes) {
  sync_block();
  auto* const memory = static_cast<volatile unsigned char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += 1024) memory[i] = 1;
  sync_block();
  __atomic_fetch_add(ran, memory[0], __ATOMIC_RELAXED);
}

struct HostSettings : HostTest {
  [[nodiscard]] bool late_work() {
    late_ = false;
    return launch_raw(stream, shape_of(1, 1), set_late, &late_) == 0;
  }
  [[nodiscard]] bool has_run() const { return late_; }
  [[nodiscard]] static std::uint64_t peers_of(int device) {
    host::Runtime& runtime = host::Runtime::get();
    const host::Lock lock(runtime.mutex);
    return runtime.device(device)->peers;
  }

 private:
  Flag late_ = false;
};

TEST_F(HostSettings, AResetWaitsForTheWorkThatRuns) {
  ASSERT_TRUE(late_work());
  host::reset();
  EXPECT_TRUE(has_run());
}

TEST_F(HostSettings, NewDevicesWaitForTheWorkThatRuns) {
  ASSERT_TRUE(late_work());
  host::set_device_count(1);
  EXPECT_TRUE(has_run());
}

TEST_F(HostSettings, ANewStackWaitsForTheWorkThatRuns) {
  ASSERT_TRUE(late_work());
  ASSERT_TRUE(host::set_stack_bytes(host::stack_bytes()));
  EXPECT_TRUE(has_run());
}

TEST_F(HostSettings, AResetEndsTheCapturesThatAreOpen) {
  host::StreamHandle* other = nullptr;
  ASSERT_EQ(host_backend::stream_create(other, 0), 0);
  for (host::StreamHandle* const each : {stream, other}) {
    ASSERT_EQ(host_backend::capture_begin(each, CaptureMode::relaxed), 0);
  }
  host::reset();
  for (host::StreamHandle* const each : {stream, other}) {
    bool capturing = true;
    EXPECT_EQ(host_backend::stream_capturing(each, capturing), 0);
    EXPECT_FALSE(capturing);
  }
  ASSERT_TRUE(late_work());
  EXPECT_EQ(synchronize(), 0);
  EXPECT_TRUE(has_run()) << "the work runs and is not captured";
  EXPECT_EQ(host_backend::stream_destroy(other), 0);
}

TEST_F(HostSettings, ADeviceThatDoesNotExistHasNoSettings) {
  const auto function = reinterpret_cast<const void*>(&nothing);
  for (const int device : {-1, 1, 1000}) {
    EXPECT_FALSE(host::set_limits(device, DeviceLimits{})) << device;
    EXPECT_FALSE(host::set_kernel_limits(device, function, KernelLimits{})) << device;
    EXPECT_FALSE(host::set_memory(device, 1)) << device;
    EXPECT_EQ(host::create_blocking_stream(device), nullptr) << device;
  }
  EXPECT_TRUE(host::set_kernel_limits(0, function, KernelLimits{}));
}

TEST_F(HostSettings, StacksOf64KibToOneGibCanBeSet) {
  const std::size_t before = host::stack_bytes();
  for (const std::size_t bytes :
       {std::size_t{65535}, (std::size_t{1} << 30U) + 1, std::size_t{0}}) {
    EXPECT_FALSE(host::set_stack_bytes(bytes)) << bytes;
    EXPECT_EQ(host::stack_bytes(), before) << bytes;
  }
  for (const std::size_t bytes : {std::size_t{65536}, std::size_t{1} << 30U}) {
    EXPECT_TRUE(host::set_stack_bytes(bytes)) << bytes;
    EXPECT_EQ(host::stack_bytes(), bytes);
  }
  EXPECT_TRUE(host::set_stack_bytes(before));
}

TEST_F(HostSettings, ANewStackIsThatOfTheNextLaunch) {
  if (under_sanitizer)
    GTEST_SKIP() << "the sanitizers use more of a stack than the test leaves free";
  const std::size_t before = host::stack_bytes();
  unsigned ran = 0;
  for (const std::size_t kib : {128U, 2048U, 4096U}) {
    ASSERT_TRUE(host::set_stack_bytes(kib * 1024));
    ASSERT_EQ(launch_raw(stream, shape_of(1, 2), use_stack, &ran, kib * 1024 / 2), 0) << kib;
    EXPECT_EQ(synchronize(), 0) << kib;
  }
  EXPECT_EQ(ran, 6U);
  EXPECT_TRUE(host::set_stack_bytes(before));
}

TEST_F(HostSettings, ADeviceAccessesTheMemoryOfThePeersThatItMay) {
  host::set_device_count(66);
  EXPECT_EQ(peers_of(2), 0U);
  struct Case {
    int device, peer;
    bool valid;
  };
  for (const Case& one : {Case{0, 1, true}, Case{65, 0, true}, Case{0, 63, true},
                          Case{0, 64, false}, Case{0, 65, false}, Case{0, 66, false},
                          Case{0, -1, false}, Case{66, 1, false}, Case{-1, 1, false}}) {
    EXPECT_EQ(host::set_peer_access(one.device, one.peer, true), one.valid)
        << one.device << ' ' << one.peer;
  }
  EXPECT_EQ(peers_of(0), (std::uint64_t{1} << 63U) + 2);
  EXPECT_EQ(peers_of(65), 1U);
  EXPECT_TRUE(host::set_peer_access(0, 63, false));
  EXPECT_TRUE(host::set_peer_access(0, 62, false)) << "it could not access it before";
  EXPECT_EQ(peers_of(0), 2U);
}

}  // namespace
}  // namespace warpsafe::host_test
