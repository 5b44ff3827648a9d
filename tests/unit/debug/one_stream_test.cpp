// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// WARPSAFE_SYNC=one-stream makes a program right that is wrong on several streams. The environment
// is read once per process, so this runs in a separate process.

#include "data_fixture.hpp"

#include <cstdlib>
#include <thread>

WARPSAFE_KERNEL void double_all(int* values, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) values[i] *= 2;
}

namespace warpsafe::core_test {
namespace {

/// Exits with 0 if all streams are one that outlives each of them; else with the failed check's
/// number.
[[noreturn]] void try_streams() {
  ::setenv("WARPSAFE_SYNC", "one-stream", 1);
  void* native = nullptr;
  {
    const Stream first = Stream::create().value();
    const Stream urgent = Stream::create(priority(-1)).value();
    native = first.native();
    if (urgent.native() != native || !(urgent.ref() == first.ref())) std::_Exit(1);
    if (debug::blocking()) std::_Exit(2);
  }
  Stream writer = Stream::create().value();
  const Stream reader = Stream::create().value();
  if (writer.native() != native || reader.native() != native) std::_Exit(3);
  const std::vector<int> values(100, 21);
  auto buffer = DeviceBuffer<int>::from(writer, values).value();
  // No wait between the two streams, which would be a race if they were two.
  const LaunchConfig config{grid<1>, block<32>};
  if (!launch(writer, config, kernel<double_all>, buffer.view(), buffer.size())) std::_Exit(4);
  if (!writer.close()) std::_Exit(5);
  if (buffer.to_host(reader).get().value() != std::vector<int>(100, 42)) std::_Exit(6);
  // Threads that create streams at the same time get the same one.
  void* from_thread[4] = {};
  std::thread threads[4];
  for (int i = 0; i < 4; ++i) {
    threads[i] = std::thread([&, i] { from_thread[i] = Stream::create().value().native(); });
  }
  for (std::thread& one : threads) one.join();
  for (void* const one : from_thread) {
    if (one != native) std::_Exit(7);
  }
  std::_Exit(0);
}

TEST(OneStreamDeathTest, EveryStreamOfADeviceIsTheSame) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // the modelled GPU has threads
  EXPECT_EXIT(try_streams(), ::testing::ExitedWithCode(0),
              "^warpsafe: WARPSAFE_SYNC=one-stream: all Streams of a device are one stream");
}

TEST(OneStream, WithoutTheSwitchEachIsItsOwn) {
  const Stream first = Stream::create().value();
  const Stream second = Stream::create().value();
  EXPECT_NE(first.native(), second.native());
}

}  // namespace
}  // namespace warpsafe::core_test
