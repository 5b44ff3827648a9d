// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/watcher.hpp"
#include "driver.hpp"

#include <cuda.h>

#include <cstdint>

namespace warpsafe::watch {

/// The kernel of a CUfunction, or of the CUkernel that may stand in its place; `symbol` is its
/// mangled name, or nullptr: the driver is asked. nullptr: there is no memory for it.
[[nodiscard]] inline Kernel* kernel_of(Watcher& watcher, CUfunction function, std::int32_t device,
                                       const char* symbol) noexcept {
  return watcher.kernel(function, device, [&] {
    const char* name = symbol;
    if (name == nullptr) static_cast<void>(call_driver(&Driver::function_name, &name, function));
    return name;
  });
}

}  // namespace warpsafe::watch
