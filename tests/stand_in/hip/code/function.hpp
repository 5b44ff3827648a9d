// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../runtime.hpp"

namespace stand_in_hip {

/// A kernel's code for one device.
struct Function {
  Kernel* kernel = nullptr;
  const std::vector<StandInHipArgument>* arguments = nullptr;  ///< null where unknown
  StandInHipKernelInfo info{};                                 ///< overrides applied
};

/// PlatformState::getStatFunc, clr hip_code_object.cpp:1236 and hip_global.cpp:148: the code for a
/// registered host function on a device.
/// @return hipErrorInvalidSymbol if never registered, hipErrorInvalidKernelFile without code for
/// the device: FatBinaryInfo::AddDevProgram, hip_fatbin.cpp:428
hipError_t find_function(const void* host_function, int device, Function& found);
/// The same for a known kernel.
hipError_t find_code(Kernel& kernel, int device, Function& found);

/// @return the kernel that a module's function handle stands for, or null.
Kernel* module_function(hipFunction_t handle);

/// The results of the occupancy calculation of clr hip_platform.cpp:337.
struct Occupancy {
  int blocks_per_multiprocessor = 0;
  int blocks_per_grid = 0;
  int best_block_size = 0;  ///< threads
};
/// @param potential whether the block size is an upper limit rather than the size to launch with
hipError_t occupancy(const Device& device, const StandInHipKernelInfo& kernel, int block_size,
                     std::size_t dynamic_shared_bytes, bool potential, Occupancy& result);

}  // namespace stand_in_hip
