// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../code_objects.hpp"
#include "../soft_hsa.h"

#include <string>

namespace soft_hsa {

enum class TwinResult {
  none,  ///< no library has a twin of this kernel with these parameters
  done,
  memory_fault,  ///< the kernel left its memory
  trap,          ///< the kernel ended itself: a failed check, a barrier that not all reach
};

/// Runs the kernel's twin from a library of SOFT_HSA_TWINS (../../twins/twin.hpp), with the
/// arguments that the code object's metadata finds in the dispatch's parameter block.
TwinResult run_twin(const SoftHsaDispatch& dispatch, const LoadedKernel& kernel,
                    std::string& failure);

}  // namespace soft_hsa
