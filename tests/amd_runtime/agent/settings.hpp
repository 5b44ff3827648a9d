// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace soft_hsa {

/// The numbers of one GPU model. settings.cpp has the table, with its sources.
struct Model {
  const char* name;      ///< the architecture: "gfx90a"
  const char* features;  ///< of the default target id: ":sramecc+:xnack-"
  const char* product;
  std::uint32_t chip_id;  ///< PCI device id
  std::uint32_t compute_units;
  std::uint32_t wavefront;  ///< lanes
  std::uint32_t simds_per_unit;
  std::uint32_t waves_per_unit;
  std::uint32_t shader_engines;
  std::uint32_t clock_mhz;
  std::uint32_t memory_clock_mhz;
  std::uint32_t memory_bits;     ///< width of the memory's bus
  std::uint32_t cache_bytes[3];  ///< L1 (vector), L2, L3
  std::size_t group_bytes;       ///< group segment of one work-group
  std::size_t memory_bytes;
};

/// One GPU of this process.
struct Gpu {
  const Model* model;
  std::string target;  ///< "gfx90a:sramecc+:xnack-"
  std::size_t memory_bytes;
};

/// The environment variables, read once (../README.md).
struct Settings {
  std::vector<Gpu> gpus;
  int log = 0;
  std::vector<std::string> twins;
};
const Settings& settings();

/// Whether `level` of SOFT_HSA_LOG is on: 1 dispatches, 2 also what the agent does not support.
inline bool logs(int level) { return settings().log >= level; }

}  // namespace soft_hsa
