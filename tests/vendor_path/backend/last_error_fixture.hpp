// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../stand_in.hpp"
#include <warpsafe/warpsafe.hpp>

namespace vendor_test {

inline constexpr warpsafe::LaunchConfig plain{warpsafe::grid<4>, warpsafe::block<64>};

/// For calls that must leave another code's error in the runtime's last-error slot.
class LastErrorTest : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    successes_leave_last_error();
  }
  /// Runs `work` with a code in the slot, and expects to find it there.
  template <class Work>
  static void expect_untouched(const Work& work, const char* name = "") {
    plant_last_error(code::out_of_memory);
    work();
    EXPECT_EQ(last_error(), code::out_of_memory) << name;
    plant_last_error(code::success);
  }
};

}  // namespace vendor_test
