// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/kernel/detail/device_checks.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>

// Compiled by hipcc for device_check_test.cpp: a kernel that contains a check.

namespace hip_path {

warpsafe::result<void> launch_checked(warpsafe::StreamRef stream, std::size_t count);
/// The record that the kernels of the current device would fill, as their variable names it;
/// nullptr if there is none.
warpsafe::detail::CheckRecord* record_of_the_kernels();

}  // namespace hip_path
