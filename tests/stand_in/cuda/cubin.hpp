// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "stand_in_cuda.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace stand_in_cuda {

/// What an ELF image for a device says of one kernel.
struct KernelCode {
  std::vector<StandInCudaArgument> arguments;
  std::size_t argument_bytes = 0;
  bool has_arguments = false;  ///< the layout is known
  StandInCudaKernelInfo info{0, 0, 0, 0, -1, 0, 0, 0};
  int architecture = 0;  ///< 90 for sm_90
};

/// The kernels of all uncompressed device images in a fat binary, or of one ELF image, by mangled
/// name. Images that are PTX or compressed are passed over: their kernels have to be declared.
std::map<std::string, KernelCode> kernels_of_image(const unsigned char* image);

}  // namespace stand_in_cuda
