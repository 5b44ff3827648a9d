// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// adversarial::run beside other threads that use the host backend. A fault here is a hang, which
// the test's time limit ends.

#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace warpsafe {
namespace {

WARPSAFE_KERNEL void set(float value, float* x) { x[0] = value; }
std::atomic<int> opened = 0;
WARPSAFE_KERNEL void set_later(int number, float* x) {
  while (opened < number) std::this_thread::yield();
  x[0] = 1;
}
constexpr LaunchConfig one{grid<1>, block<1>};

/// Launches, waits, polls and frees until `stop`.
void work(const std::atomic<bool>& stop, std::atomic<int>& faults) {
  const Stream stream = Stream::create().value();
  while (!stop) {
    auto x = DeviceBuffer<float>::create(stream, 4).value();
    const bool launched = launch(stream, one, kernel<set>, 1.0F, x.view()).has_value();
    if (!launched || !stream.synchronize().has_value()) ++faults;
    const auto done = stream.record();
    while (!done.value().ready().value()) std::this_thread::yield();
    auto pinned = PinnedBuffer<float>::create(4).value();
    if (!x.close().has_value() || !pinned.close().has_value()) ++faults;
  }
}
/// A program for every seed.
result<void> program() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto x, DeviceBuffer<float>::create(stream, 4));
  WARPSAFE_TRYV(launch(stream, one, kernel<set>, 1.0F, x.view()));
  return stream.synchronize();
}

TEST(OtherThreads, MayWorkBesideASeed) {
  std::atomic<bool> stop = false;
  std::atomic<int> faults = 0;
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) others.emplace_back([&] { work(stop, faults); });
  for (int i = 0; i < 5; ++i) {
    const auto report = adversarial::run(200, program);
    EXPECT_TRUE(report.clean()) << report.text();
  }
  stop = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(faults, 0);
}

// The seed begins when all kernels have ended, also those of calls in the meantime. Each of them
// ends when its thread goes on.
TEST(OtherThreads, MayGoOnUntilTheirWorkHasEnded) {
  std::atomic<bool> launched = false;
  std::atomic<bool> ended = false;
  std::thread other([&] {
    const Stream stream = Stream::create().value();
    auto x = DeviceBuffer<float>::create(stream, 4).value();
    EXPECT_TRUE(launch(stream, one, kernel<set_later>, 1, x.view()).has_value());
    launched = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(launch(stream, one, kernel<set_later>, 2, x.view()).has_value());
    EXPECT_TRUE(launch(stream, one, kernel<set>, 3.0F, x.view()).has_value());
    opened = 1;
    // Calls that are held back for a while.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (std::chrono::steady_clock::now() < end) EXPECT_FALSE(stream.ready().value());
    opened = 2;
    EXPECT_TRUE(stream.synchronize().has_value());
    ended = true;
  });
  while (!launched) std::this_thread::yield();
  const auto report = adversarial::run(3, [&] {
    while (!ended) std::this_thread::yield();
    return program();
  });
  EXPECT_TRUE(report.clean()) << report.text();
  other.join();
}

}  // namespace
}  // namespace warpsafe
