// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>

// The two functions of a twin library: the source of a HIP program, compiled for the host backend
// into a shared object, with twin.cpp. The agent loads it and calls its kernels.

namespace soft_hsa {

struct TwinLaunch {
  std::uint32_t grid[3];   ///< blocks
  std::uint32_t block[3];  ///< threads
  std::uint64_t dynamic_shared;
  void* const* arguments;  ///< the address of each
  const std::uint32_t* sizes;
  std::size_t count;
};

enum TwinStatus : int { twin_done, twin_mismatch, twin_memory_fault, twin_trap };

}  // namespace soft_hsa

extern "C" {

/// @return the kernel of this mangled name, or null.
const void* soft_hsa_find_twin(const char* mangled);
/// Runs the kernel on all threads of the grid. `failure` receives why it did not end well.
int soft_hsa_run_twin(const void* twin, const soft_hsa::TwinLaunch* launch, char* failure,
                      std::size_t failure_bytes);
}
