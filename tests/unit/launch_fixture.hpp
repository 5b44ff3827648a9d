// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "core_test.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/limits_table.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace warpsafe::core_test {

using host::Call;
using host::HostStatus;
using host::raw;

/// "0x…", as messages print an address.
[[nodiscard]] inline std::string address(const void* pointer) {
  char buffer[32];
  detail::TextBuffer(buffer, sizeof buffer) << pointer;
  return buffer;
}

/// The modelled GPU as new, and a stream of its device 0.
class LaunchTest : public ::testing::Test {
 protected:
  LaunchTest() = default;
  ~LaunchTest() override {
    for (void* memory : memory_) {
      EXPECT_EQ(host_backend::deallocate(memory, stream.native()), 0);
    }
    host::reset();
  }
  LaunchTest(const LaunchTest&) = delete;
  LaunchTest& operator=(const LaunchTest&) = delete;

  /// Device memory; the model's can be read here once the stream was waited for.
  template <class T>
  [[nodiscard]] T* device_array(std::size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(host_backend::allocate(memory, count * sizeof(T), stream.native()), 0);
    memory_.push_back(memory);
    return static_cast<T*>(memory);
  }
  /// Device 0 gets the limits of an architecture and a name.
  static void become(DeviceLimits limits, const char* name = "Test GPU") {
    limits.name = Name::of(name);
    limits.multiprocessors = 4;
    ASSERT_TRUE(host::set_limits(0, limits));
  }
  void wait() const {
    const auto waited = stream.synchronize();
    ASSERT_TRUE(waited.has_value()) << message(waited.error());
  }
  /// "grid=…, at FILE:LINE" of a message, for this stream.
  [[nodiscard]] std::string launch_line(const std::string& numbers, const std::string& file,
                                        unsigned line) const {
    return "\n  " + numbers + ", stream " + address(stream.native()) + ", at " + file + ':' +
           std::to_string(line);
  }

 private:
  static Stream fresh_stream() {
    host::reset();
    return Stream::create().value();
  }
  std::vector<void*> memory_;

 protected:
  Stream stream = fresh_stream();
};

}  // namespace warpsafe::core_test
