// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled by hipcc.
#include "checked_kernel.hpp"

#include <warpsafe/device_check.hpp>

#include <cstring>

namespace hip_path {

namespace ws = warpsafe;

namespace {
WARPSAFE_KERNEL void checked(float* values, std::size_t count) {
  const std::size_t i = ws::thread_index().x;
  WARPSAFE_DEVICE_CHECK(i < count, "inside of the array");
  values[i] = *ws::dynamic_shared<float>() + 1.0F;
}
}  // namespace

ws::result<void> launch_checked(ws::StreamRef stream, std::size_t count) {
  return ws::launch(stream, ws::LaunchConfig{ws::grid<2>, ws::block<32>}, ws::kernel<checked>,
                    nullptr, count);
}

ws::detail::CheckRecord* record_of_the_kernels() {
  void* variable = nullptr;
  if (ws::hip_backend::symbol_address(variable, &ws::detail::check_record_here) != 0)
    return nullptr;
  ws::detail::CheckRecord* record = nullptr;
  std::memcpy(&record, variable, sizeof record);  // the agent's memory is the host's
  return record;
}

}  // namespace hip_path
