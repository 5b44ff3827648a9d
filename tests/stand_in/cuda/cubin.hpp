// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "stand_in_cuda.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace stand_in_cuda {

/// The description of one kernel in an ELF image for a device.
struct KernelCode {
  std::vector<StandInCudaArgument> arguments;
  std::size_t argument_bytes = 0;
  bool has_arguments = false;  ///< the layout is known
  StandInCudaKernelInfo info{0, 0, 0, 0, -1, 0, 0, 0};
  int architecture = 0;  ///< 90 for sm_90
};

/// Returns the kernels of all uncompressed device images in a fat binary, or of one ELF image, by
/// mangled name. Skips images that are PTX or compressed; their kernels must be declared.
std::map<std::string, KernelCode> kernels_of_image(const unsigned char* image);

}  // namespace stand_in_cuda
