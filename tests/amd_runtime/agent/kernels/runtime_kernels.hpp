// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <string>

namespace soft_hsa {

/// Does what a kernel of the runtime's own does. @return false for one that is not known.
bool run_runtime_kernel(const std::string& name, const void* arguments);

}  // namespace soft_hsa
