// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/process_lock.hpp>

// How a tool tells a process from its forked children. It includes nothing of C++ but the language,
// for libraries that are loaded into other programs.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::tool {

/// `process_number()`: a number of this process, from 1 on, which differs in each child that was
/// forked from it.
using detail::process_number;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::tool
