// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F12: the host has the memory, and a kernel is given it.

#include "launches.hpp"
#include <warpsafe/memory/managed_buffer.hpp>

namespace ws = warpsafe;

using Host = ws::HostManaged<float>;
WARPSAFE_KERNEL void overwrite(float*) {}

auto copied(ws::StreamRef stream, Host managed) {
#ifdef MISUSE
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<overwrite>,
                    managed);  // expected-error {{"this argument is no device memory"}}
#else
  auto buffer = std::move(managed).to_device();
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<overwrite>,
                    buffer.view());
#endif
}
