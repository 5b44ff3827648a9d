// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "runtime.hpp"

#include <cstdint>

namespace stand_in_cuda {

/// Bytes of dynamic shared memory as the driver receives them, cut to 32 bits.
inline std::uint32_t bytes_as_taken(std::size_t bytes) { return static_cast<std::uint32_t>(bytes); }

/// A kernel on one device: its attributes, and how many of its blocks fit.
class KernelOn {
 public:
  KernelOn(Kernel& kernel, int device)
      : kernel_(&kernel),
        device_(&runtime().devices[static_cast<std::size_t>(device)]),
        settings_(&kernel.settings[device]) {}

  Kernel::Settings& settings() const { return *settings_; }
  const StandInCudaKernelInfo& info() const { return kernel_->code.info; }
  const Device& device() const { return *device_; }

  /// Threads per block that the launch bound and the registers allow.
  int max_threads() const;
  /// Current limit of a launch's dynamic shared memory, in bytes.
  std::int64_t max_dynamic() const;
  /// Limit to which the opt-in can raise it, in bytes.
  std::int64_t max_opt_in() const;
  /// Blocks of that shape that one multiprocessor holds; 0 if none.
  int blocks_per_multiprocessor(std::int64_t threads, std::uint32_t dynamic_bytes) const;
  /// Clusters of `size` blocks that the device holds at a time.
  int active_clusters(int size, std::int64_t threads, std::uint32_t dynamic_bytes) const;
  /// The cluster that the kernel was compiled for or that was set since; all 0 if neither.
  dim3 cluster() const;
  /// Blocks in the largest cluster that a launch may ask for.
  int max_cluster() const;

 private:
  int warps_that_registers_allow() const;

  Kernel* kernel_;
  const Device* device_;
  Kernel::Settings* settings_;
};

}  // namespace stand_in_cuda
