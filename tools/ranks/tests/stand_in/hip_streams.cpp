// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tasks on the streams of AMD's HIP runtime, for the stand-in for NCCL under RCCL's name.

#include "driver.hpp"

#include <functional>
#include <memory>
#include <utility>

// hip_runtime_api.h
extern "C" int hipStreamIsCapturing(void* stream, int* status);
extern "C" int hipStreamAddCallback(void* stream, void (*)(void*, int, void*), void* data,
                                    unsigned);

/// A stream that captures drops the task.
void stand_in_enqueue(void* stream, std::function<void()> task) {
  int capturing = 0;
  if (hipStreamIsCapturing(stream, &capturing) == 0 && capturing != 0) return;
  auto* const owned = new std::function<void()>(std::move(task));
  (void)hipStreamAddCallback(
      stream,
      [](void*, int, void* data) {
        const std::unique_ptr<std::function<void()>> ran(static_cast<std::function<void()>*>(data));
        (*ran)();
      },
      owned, 0);
}
