// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_memory.hpp"
#include "../place/host_stack.hpp"
#include "judge.hpp"
#include "launch_pointers.hpp"
#include <warpsafe/error/errc.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace warpsafe::watch {

/// What the vendor's layer knows about a refused launch, beside its shape.
struct Refusal {
  const LaunchParameters* parameters = nullptr;  ///< nullptr: unknown
  const HostStack* stack = nullptr;              ///< the program's; nullptr: the calling thread's
  std::string hint{};                            ///< a line about the kernel's handle; empty: none
};

/// Returns a line about a launch whose arguments have no addresses, or "". `known` is the number of
/// the kernel's parameters; 0: unknown. A runtime reads the addresses before it refuses the launch,
/// so as many can be read as it has read.
[[nodiscard]] inline std::string missing_arguments(const LaunchParameters& values,
                                                   std::size_t known) {
  if (known == 0) return {};
  if (values.each == nullptr) {
    if (values.extra != nullptr) return {};
    return "the kernel has " + std::to_string(known) + (known == 1 ? " parameter" : " parameters") +
           ", and the launch passes none: kernelParams and extra are null";
  }
  constexpr std::size_t most = 64;
  const void* addresses[most];
  const std::size_t count = std::min(known, most);
  const iovec piece{values.each, count * sizeof(void*)};
  const std::size_t read = copy_pieces(addresses, {&piece, 1}) / sizeof(void*);
  for (std::size_t i = 0; i < read; ++i) {
    if (addresses[i] != nullptr) continue;
    return "argument " + std::to_string(i + 1) + " of " + std::to_string(known) +
           " has no value: kernelParams[" + std::to_string(i) +
           "] is null; pass the address of each argument";
  }
  return {};
}

/// Returns a further line about a refused launch, or "". `breaker` is the call that broke the
/// capture; empty: unknown.
[[nodiscard]] inline std::string hint_for(const Launch& launch, const LaunchError& error,
                                          const Refusal& of, const std::string& breaker) noexcept {
  try {
    if (!of.hint.empty()) return of.hint;
    if (error.code == Errc::capture_broken) {
      return breaker.empty() ? breaker : "the capture was broken by " + breaker;
    }
    // An earlier number of the launch is wrong already.
    if (error.stage != Stage::launch || of.parameters == nullptr) return {};
    return missing_arguments(*of.parameters, launch.parameters);
  } catch (...) {  // out of memory
    return {};
  }
}

}  // namespace warpsafe::watch
