// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "code_object.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace soft_hsa {

/// A loaded kernel.
struct LoadedKernel {
  std::string name;               ///< mangled
  std::uint32_t group_bytes = 0;  ///< fixed sizes, from the kernel descriptor
  std::uint32_t private_bytes = 0;
  std::uint32_t kernarg_bytes = 0;
  amd_code::CodeKernel code;  ///< from the metadata: explicit arguments, launch bounds
  [[nodiscard]] bool is_blit() const { return name.rfind("__amd_rocclr_", 0) == 0; }
};

/// The kernel whose descriptor is at this address, or null.
std::shared_ptr<const LoadedKernel> find_kernel(std::uint64_t kernel_object);

}  // namespace soft_hsa
