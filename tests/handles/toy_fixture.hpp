// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "toy_library.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpsafe::handle_test {

using host::Call;
using host::call_of;
using host::HostStatus;
using testing::ElementsAre;
using Toy = StreamBound<toy::toy_handle>;
using Comm = StreamBound<toy::toy_comm>;

/// A fixed place, for comparing whole messages.
inline constexpr call_site app{"/home/me/src/app.cpp", "main", 7};

MATCHER(Succeeds, "succeeds") {
  if (arg.has_value()) return true;
  *result_listener << message(arg.assume_error());
  return false;
}
template <class Result>
[[nodiscard]] LaunchError error_in(const Result& outcome) {
  if (!outcome.has_value()) return outcome.assume_error();
  ADD_FAILURE() << "a value where an error was expected";
  return LaunchError::make(Errc{}, Stage{});
}
template <class Result>
[[nodiscard]] std::string said(const Result& outcome) {
  return message(error_in(outcome));
}

/// A fresh modelled GPU and toy library, and a stream.
struct ToyTest : testing::Test {
  ToyTest() { forget(); }
  ~ToyTest() override {
    for (void* memory : memory_) {
      EXPECT_EQ(host_backend::deallocate(memory, stream.native()), 0);
    }
    forget();
    host::reset();
  }
  ToyTest(const ToyTest&) = delete;
  ToyTest& operator=(const ToyTest&) = delete;

  /// Device memory. The host may read the model's memory after a wait for the stream.
  template <class T>
  [[nodiscard]] T* device_array(std::size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(host_backend::allocate(memory, count * sizeof(T), stream.native()), 0);
    memory_.push_back(memory);
    return static_cast<T*>(memory);
  }
  const Stream stream = Stream::create().value();

 private:
  static void forget() {
    toy::log.clear();
    toy::failing.clear();
  }
  std::vector<void*> memory_;
};

}  // namespace warpsafe::handle_test
