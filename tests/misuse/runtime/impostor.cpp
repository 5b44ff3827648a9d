// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A plain function that another translation unit declares as a kernel; and a launch at another
// check level than the tests use.
#undef WARPSAFE_CHECKS
#define WARPSAFE_CHECKS MISUSE_OTHER_LEVEL
#include "kernels.hpp"
#include "machine.hpp"

void plain_function();
void plain_function() {}

namespace misuse_test {

warpsafe::result<void> launch_at_the_other_level(warpsafe::StreamRef stream);
warpsafe::result<void> launch_at_the_other_level(warpsafe::StreamRef stream) {
  const warpsafe::LaunchConfig config{warpsafe::GridDim::from_vendor(Vendor3{1, 1, 1}),
                                      warpsafe::BlockDim::from_vendor(Vendor3{2048, 1, 1})};
  return warpsafe::launch(stream, config, warpsafe::kernel<nothing>);
}

}  // namespace misuse_test
