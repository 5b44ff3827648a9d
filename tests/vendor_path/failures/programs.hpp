// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../stand_in.hpp"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace vendor_test {

/// A small program that uses a part of the library over the vendor's runtime. It returns an error,
/// or whether its results are right. It creates its objects itself.
struct Program {
  const char* name;
  warpsafe::result<bool> (*run)();
  /// It uses a tool that tells a failure in the log and goes on.
  bool logs = false;
  /// It uses functions that return lists, whose comment says that they throw std::bad_alloc.
  bool may_throw = false;
};
/// The programs on the current device. They use no other.
[[nodiscard]] std::span<const Program> programs() noexcept;
/// A program on devices 0 and 1. After some failures a stream of device 1 stays.
[[nodiscard]] std::span<const Program> programs_on_two_devices() noexcept;

/// Where the programs write files. Several processes may run at once.
[[nodiscard]] inline std::string folder_of_files() {
  return "failures." + std::to_string(::getpid());
}

/// The objects that the runtime holds for the program.
[[nodiscard]] inline std::uint64_t live_objects() {
#if defined(WARPSAFE_BACKEND_CUDA)
  return stand_in_cuda_live_objects();
#else
  return amd_control_live_objects();
#endif
}

/// Each test begins anew, and each of the programs then succeeds.
class FailureTest : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    std::filesystem::create_directory(folder_of_files());
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_of_files());
    VendorTest::TearDown();
  }
  static void begin() {
    reset();
    set_device_count(2);
  }
  static void expect_right(const Program& program, const std::string& what) {
    const auto done = program.run();
    ASSERT_TRUE(done.has_value()) << what << ": " << warpsafe::message(done.error());
    EXPECT_TRUE(done.value()) << what;
  }
};

}  // namespace vendor_test
