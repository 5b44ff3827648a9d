// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_code.hpp"
#include "../launch/launch_pointers.hpp"
#include <warpsafe/core/name.hpp>

#include <cstdint>
#include <vector>

namespace warpsafe::watch {

/// One launch in a chain of kernels, as a DependentWatch remembers it.
struct DependentLaunch {
  Name what{};  ///< the kernel's name, which lives as long as the process
  bool of_library = false;
  bool dependent = false;  ///< launched with programmatic stream serialization
  KernelCode code;
  std::vector<UsedPointer> pointers{};

  enum class Shared : std::uint8_t {
    nothing,
    perhaps,     ///< memory that one of the two may write
    reads_back,  ///< memory that the later one must write
    receives,    ///< memory that this launch must write
  };
  /// Returns what a later launch shares with this one. Two that only read share nothing.
  [[nodiscard]] Shared shared_with(const DependentLaunch& later) const noexcept {
    Shared found = Shared::nothing;
    for (const UsedPointer& one : pointers) {
      for (const UsedPointer& other : later.pointers) {
        if (one.address != other.address) continue;
        if (one.use == PointerUse::writes) return Shared::receives;
        if (other.use == PointerUse::writes) {
          found = Shared::reads_back;
        } else if (found == Shared::nothing &&
                   (one.use != PointerUse::reads || other.use != PointerUse::reads)) {
          found = Shared::perhaps;
        }
      }
    }
    return found;
  }
};

}  // namespace warpsafe::watch
