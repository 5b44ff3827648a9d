// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <string>

namespace side_by_side {

/// What the device's side did: the (mangled) kernel that its runtime was asked to launch, how many
/// launches there were, and the error's text where there was one.
struct DeviceSide {
  std::string kernel;
  unsigned long launches;
  std::string error;
};

/// A launch of the header's kernel on a stream of the default backend there.
DeviceSide launch_twice();
/// The same of its functor.
DeviceSide launch_thrice();
/// Compiled with WARPSAFE_BACKEND_HOST by the device's compiler: its default stream is the host's,
/// its kernels are the device's, and go to a device's stream that is named.
DeviceSide launch_where_the_host_is_the_default();

}  // namespace side_by_side
