// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/watcher.hpp"
#include "driver.hpp"

#include <cuda.h>

#include <cstdint>

namespace warpsafe::watch {

/// Returns the kernel of a CUfunction, or of a CUkernel in its place, that the driver has accepted;
/// nullptr: out of memory. `symbol` is the mangled name; if it is nullptr, the driver is queried
/// for the name.
[[nodiscard]] inline Kernel* kernel_of(Watcher& watcher, CUfunction function, std::int32_t device,
                                       const char* symbol) noexcept {
  return watcher.lookup().kernel(function, device, [&] {
    const char* name = symbol;
    if (name == nullptr) static_cast<void>(call_driver(&Driver::function_name, &name, function));
    return name;
  });
}

}  // namespace warpsafe::watch
