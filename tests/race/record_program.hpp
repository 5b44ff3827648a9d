// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/race_recorder.hpp>

// Shared by the tests of recorded programs, on the host and on a device.

namespace warpsafe::recorded_programs {

template <class B>
using BufferOf = basic_device_buffer<B, float>;

/// The recorder's report on one run of `program`.
template <class Program>
[[nodiscard]] debug::RaceReport record(const Program& program) {
  debug::RaceRecorder::get().begin();
  program();
  return debug::RaceRecorder::get().end();
}

}  // namespace warpsafe::recorded_programs
