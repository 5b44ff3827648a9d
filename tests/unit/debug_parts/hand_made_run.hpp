// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "core_test.hpp"
#include <warpsafe/debug/run/run_record.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// Parts of a run, made by hand, and the file of one.

namespace warpsafe::core_test {

/// What `write(run, file)` writes, without the final newline.
template <class Write>
std::string file_of(const debug::RunRecord& run, const Write& write) {
  char* written = nullptr;
  std::size_t size = 0;
  std::FILE* const file = ::open_memstream(&written, &size);
  EXPECT_EQ(write(run, file), 0);
  EXPECT_EQ(std::fclose(file), 0);
  std::string whole(written, size);
  std::free(written);
  EXPECT_EQ(whole.back(), '\n');
  whole.pop_back();
  return whole;
}
inline std::vector<std::string> split(const std::string& whole, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = whole.find(at); end != std::string::npos; end = whole.find(at, begin)) {
    parts.push_back(whole.substr(begin, end - begin));
    begin = end + at.size();
  }
  parts.push_back(whole.substr(begin));
  return parts;
}

inline const void* handle_at(std::uintptr_t number) {
  return reinterpret_cast<const void*>(number);
}

/// A device whose numbers all differ.
inline DeviceLimits numbered_limits() {
  DeviceLimits limits{};
  limits.vendor = Vendor::nvidia;
  limits.device = 3;
  limits.name = Name::of("GPU");
  limits.compute_major = 9;
  limits.compute_minor = 1;
  limits.max_threads_per_block = 1010;
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    limits.max_block[axis] = 1020 + axis;
    limits.max_grid[axis] = 1030 + axis;
  }
  limits.shared_per_block = 1040;
  limits.shared_per_block_optin = 1050;
  limits.warp_size = 32;
  limits.multiprocessors = 132;
  limits.max_threads_per_multiprocessor = 2048;
  limits.registers_per_block = 65536;
  limits.cooperative_launch = true;
  limits.max_cluster_blocks = 8;
  return limits;
}

/// A launch at 1000 ns, of 2500 ns.
inline debug::RunLaunch launch_made(std::uint64_t number = 5) {
  debug::RunLaunch one{};
  one.record.sequence = number;
  one.record.kernel = Name::of("axpy");
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    one.record.grid[axis] = axis + 1;
    one.record.block[axis] = axis + 4;
  }
  one.record.dynamic_shared = 64;
  one.record.static_shared = 128;
  one.record.registers = 40;
  one.record.max_threads_per_block = 512;
  one.record.stream = handle_at(0x100);
  one.record.stream_number = 0x100;
  one.record.device = 2;
  one.record.vendor = Vendor::nvidia;
  one.record.state = LaunchState::complete;
  one.begun = 1000;
  one.ended = 3500;
  return one;
}
inline debug::RunWait wait_made() {
  debug::RunWait one{};
  one.wait.what = Name::of("stream synchronize");
  one.wait.stream = handle_at(0x100);
  one.wait.stream_number = 0x100;
  one.wait.device = 2;
  one.wait.vendor = Vendor::nvidia;
  one.wait.status = 7;
  one.wait.begun = 4000;
  one.wait.ended = 4500;
  return one;
}

}  // namespace warpsafe::core_test
