// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <string>

namespace side_by_side {

/// What the device's side did: the (mangled) kernel that its runtime launched, the number of
/// launches, and the error's text if there was one.
struct DeviceSide {
  std::string kernel;
  unsigned long launches;
  std::string error;
};

/// Launches the header's kernel on a stream of the default backend there.
DeviceSide launch_twice();
/// Launches its functor in the same way.
DeviceSide launch_thrice();
/// Compiled with WARPSAFE_BACKEND_HOST by the device's compiler. The default stream type is the
/// host's; the kernels are the device's, and run on a stream whose type names the device's backend.
DeviceSide launch_where_the_host_is_the_default();

}  // namespace side_by_side
