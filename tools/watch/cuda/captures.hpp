// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "driver.hpp"

#include <cuda.h>

namespace warpsafe::watch {

/// Which streams capture. The driver is asked only while a capture is open. Thread-safe.
class Captures {
 public:
  void begun() noexcept { __atomic_add_fetch(&open_, 1, __ATOMIC_RELAXED); }
  void ended() noexcept {
    if (__atomic_load_n(&open_, __ATOMIC_RELAXED) > 0) {
      __atomic_sub_fetch(&open_, 1, __ATOMIC_RELAXED);
    }
  }
  [[nodiscard]] bool any() const noexcept { return __atomic_load_n(&open_, __ATOMIC_RELAXED) != 0; }
  [[nodiscard]] bool is_capturing(CUstream stream) const noexcept {
    if (!any()) return false;
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    return call_driver(&Driver::stream_capturing, stream, &capturing) == CUDA_SUCCESS &&
           capturing != CU_STREAM_CAPTURE_STATUS_NONE;
  }

 private:
  int open_ = 0;
};

}  // namespace warpsafe::watch
