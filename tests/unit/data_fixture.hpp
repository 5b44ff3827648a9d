// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "launch_fixture.hpp"
#include <warpsafe/copy.hpp>
#include <warpsafe/memory_info.hpp>
#include <warpsafe/synchronize.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <thread>
#include <vector>

namespace warpsafe::core_test {

/// What a stream waits for while a test holds it.
inline std::atomic<bool> gate_open{true};
WARPSAFE_KERNEL void gate() {
  while (!gate_open) std::this_thread::yield();
}

/// 0, 1, 2, … as T.
template <class T = int>
[[nodiscard]] std::vector<T> counting(std::size_t count, T first = T{}) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

class DataTest : public LaunchTest {
 protected:
  ~DataTest() override { gate_open = true; }

  /// What the stream is given from now on waits until `open`.
  static void hold(const Stream& held) {
    gate_open = false;
    ASSERT_TRUE(launch(held, LaunchConfig{grid<1>, block<1>}, kernel<gate>).has_value());
  }
  static void open() { gate_open = true; }
  /// `open`, by another thread and only when whoever waits has begun to.
  static void open_soon() {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      open();
    }).detach();
  }
  template <class T = int>
  [[nodiscard]] DeviceBuffer<T> filled(const std::vector<T>& values) const {
    return DeviceBuffer<T>::from(stream, values).value();
  }
  template <class T>
  [[nodiscard]] std::vector<T> read(const DeviceBuffer<T>& buffer) const {
    return buffer.to_host(stream).get().value();
  }
  /// Of device 0, by this test's buffers: what others had to leave to the device is not counted.
  [[nodiscard]] std::uint64_t held_bytes() const { return count_of_held() - held_before_; }
  /// The modelled device has no memory pools.
  static void without_pools() {
    DeviceLimits limits = device_limits(DeviceId(0)).value();
    limits.memory_pools = false;
    ASSERT_TRUE(host::set_limits(0, limits));
  }

 private:
  [[nodiscard]] static std::uint64_t count_of_held() {
    return memory_info(DeviceId(0)).value().held;
  }
  const std::uint64_t held_before_ = count_of_held();
};

}  // namespace warpsafe::core_test
