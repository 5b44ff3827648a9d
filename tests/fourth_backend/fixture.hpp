// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "serial_backend.hpp"
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/stream/stream.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

// The library's types on the serial backend. No header of another backend is included in this
// program.

namespace serial_test {

namespace ws = warpsafe;

using Stream = ws::basic_stream<serial::backend>;
using StreamRef = ws::basic_stream_ref<serial::backend>;
template <class T>
using DeviceBuffer = ws::basic_device_buffer<serial::backend, T>;

constexpr bool checked = ws::current_level != ws::CheckLevel::off;
constexpr bool asks_driver = ws::current_level == ws::CheckLevel::full;

/// A stream of device 0, on which no kernel has failed.
class SerialTest : public testing::Test {
 protected:
  SerialTest() {
    for (int& lost : serial::Runtime::get().lost) lost = 0;
  }
  Stream stream = Stream::create().value();
  Stream other = Stream::create().value();
};

/// The whole text of an error, or "no error".
template <class Result>
[[nodiscard]] std::string error_text(const Result& outcome) {
  return outcome.has_value() ? "no error" : ws::message(outcome.error());
}
template <class Result>
[[nodiscard]] ws::Errc error_code(const Result& outcome) {
  return outcome.has_value() ? ws::Errc{} : outcome.error().code;
}

/// 0, 1, 2, …
[[nodiscard]] inline std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

}  // namespace serial_test
