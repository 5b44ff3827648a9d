// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "stand_in_hip.hpp"

#include <map>
#include <string>
#include <string_view>

namespace stand_in_hip {

/// A modelled GPU.
struct Device {
  std::string name;
  std::string architecture;           ///< "gfx90a"
  std::size_t memory = 0;             ///< bytes
  std::size_t used_by_others = 0;     ///< bytes of them
  std::map<int, int> attributes;      ///< by hipDeviceAttribute_t
  int vector_registers_per_simd = 0;  ///< of which a wave takes a multiple of the granularity
  int vector_register_granularity = 0;
  int simds_per_multiprocessor = 0;

  int attribute(hipDeviceAttribute_t which) const {
    const auto found = attributes.find(which);
    return found == attributes.end() ? 0 : found->second;
  }
  int major() const { return attribute(hipDeviceAttributeComputeCapabilityMajor); }

  /// No compiler has this target. The device is like gfx90a.
  static constexpr std::string_view no_architecture = "gfx000";
  /// @return the preset of "gfx90a", "gfx942", "gfx1100" or no_architecture; one with an empty name
  /// otherwise.
  static Device preset(std::string_view architecture);
};

}  // namespace stand_in_hip
