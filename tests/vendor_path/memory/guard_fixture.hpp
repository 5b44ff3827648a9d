// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/memory.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace vendor_test {

/// WARPSAFE_GUARD over CUDA's runtime and driver. The stand-in's device memory is host memory, and
/// its addresses without memory are pages that nobody may access: this process faults where a
/// kernel would. The switch is read once, so each case is a process of its own.
class GuardDeathTest : public VendorTest {
 protected:
  GuardDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  /// Runs `body` with that value, and ends the process with 0 if no expectation failed.
  template <class Body>
  [[noreturn]] static void run(const char* value, const Body& body) {
    ::setenv("WARPSAFE_GUARD", value, 1);
    stand_in_cuda_plant_last_error(code::unknown);
    body();
    EXPECT_EQ(last_error(), code::unknown) << "the library leaves it alone";
    finish();
  }
  [[noreturn]] static void finish() {
    const auto& all = *testing::UnitTest::GetInstance()->current_test_info()->result();
    for (int i = 0; i < all.total_part_count(); ++i) {
      std::fprintf(stderr, "%s\n", all.GetTestPartResult(i).message());
    }
    std::_Exit(HasFailure() ? 1 : 0);
  }
  template <class T>
  static warpsafe::DeviceBuffer<T> make(
      const warpsafe::Stream& stream, std::size_t count,
      const warpsafe::call_site& at = warpsafe::call_site::current()) {
    return warpsafe::DeviceBuffer<T>::create(stream, count, at).value();
  }
  template <class T>
  static T* address(warpsafe::DeviceBuffer<T>& buffer) {
    return buffer.view().pointer().get();
  }
  static void touch(float* at) { *const_cast<volatile float*>(at) = 1; }
};

}  // namespace vendor_test
