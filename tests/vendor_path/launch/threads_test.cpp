// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches from many threads at once. Built a second time under ThreadSanitizer.
#include "../kernels.hpp"
#include "../stand_in.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;

class Threads : public VendorTest {
 protected:
  /// Runs `work(i)` on `count` threads that begin together.
  template <class Work>
  static void together(unsigned count, const Work& work) {
    std::atomic<unsigned> waiting{count};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        --waiting;
        while (waiting != 0) std::this_thread::yield();
        work(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_F(Threads, SixteenLaunchAtOnce) {
  constexpr unsigned threads = 16;
  constexpr unsigned each = 50;
  std::atomic<unsigned> accepted{0};
  together(threads, [&](unsigned i) {
    const int device = static_cast<int>(i % 4);
    const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
    const ws::Stream stream = make_stream(device);
    for (unsigned n = 0; n < each; ++n) {
      const auto config = ws::configure(ws::SafeGrid<>::cover(n + 1, ws::block<64>));
      if (ws::launch(stream, config, ws::kernel<counted>, nullptr, 1000 * i + n).has_value())
        ++accepted;
    }
  });
  EXPECT_EQ(accepted, threads * each);
  std::vector<unsigned> seen(threads);
  for (const Launch& launch : launches()) {
    const auto value = argument<unsigned>(launch, 1);
    ++seen[value / 1000];
    EXPECT_EQ(launch.device, static_cast<int>(value / 1000 % 4));
    EXPECT_EQ(launch.grid.x, (value % 1000 + 64) / 64);
  }
  EXPECT_EQ(seen, std::vector<unsigned>(threads, each));
}

TEST_F(Threads, EveryLaunchOfARaceForSharedMemoryIsAccepted) {
  constexpr unsigned threads = 8;
  constexpr unsigned each = 40;
  std::atomic<unsigned> accepted{0};
  const int device = fresh_device();
  together(threads, [&](unsigned i) {
    const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
    const ws::Stream stream = make_stream(device);
    for (unsigned n = 0; n < each; ++n) {
      // Up and down, differently in each thread.
      const std::uint64_t bytes = (n * 7919 + i * 104729) % (shared_limit + 1);
      const auto config = ws::configure(ws::grid<1>, ws::block<64>, ws::shared<char>(bytes));
      const auto launched = ws::launch(stream, config, ws::kernel<raced>);
      EXPECT_THAT(launched, Succeeds());
      if (launched.has_value()) ++accepted;
    }
  });
  EXPECT_EQ(accepted, threads * each);
  EXPECT_EQ(launches().size(), threads * each);
}

}  // namespace
}  // namespace vendor_test
