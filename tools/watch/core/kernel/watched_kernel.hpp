// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "written_parameter.hpp"
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Where a parameter lies in a kernel's parameter block, in bytes.
struct KernelParameter {
  std::size_t offset = 0;
  std::size_t bytes = 0;  ///< 0: not known
};
/// An offset that is not known. What is behind it is a pointer, which lies at a multiple of 8.
inline constexpr std::size_t no_offset = ~std::size_t{7};

/// One kernel of the watched program, by its name. It lives as long as the process: the journal
/// points at its name.
struct Kernel {
  std::string name;                   ///< as texts have it (kernel_name)
  std::uint64_t launches = 0;         ///< atomic; with those that were refused
  bool listed = true;                 ///< whether --kernel means it
  KernelLimits limits;                ///< `known` is false where the driver could not be asked
  std::uint32_t cluster[3] = {};      ///< that it was compiled for; 0: none
  bool non_portable_cluster = false;  ///< more than 8 blocks in a cluster were asked for
  /// Where its parameters lie; empty where the driver does not tell.
  std::vector<KernelParameter> parameters;
  std::size_t written = no_parameter;  ///< the one through which it must write (written_parameter)
  const char* library = "";            ///< that it was first launched from; "": none that is known
  std::uint64_t refused = 0;           ///< atomic
  std::uint64_t suspect = 0;           ///< atomic; faults of running work that may be its
  std::uint64_t reported = 0;          ///< atomic; its refusals with last_code that were written
  std::uint32_t last_code = 0;         ///< atomic; the Errc of its last refusal, 0: there was none
  [[nodiscard]] Name name_view() const noexcept { return {name.data(), name.size()}; }
};

}  // namespace warpsafe::watch
