// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "amd_control.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace amd_code {

/// A kernel as its code object's metadata describes it.
struct CodeKernel {
  std::string name;
  AmdKernelInfo info{};
  std::vector<AmdArgument> arguments;  ///< explicit ones, in order of declaration
  int hostcall_offset = -1;            ///< of the hidden argument for printf and assert, or -1
};

/// The kernels of one architecture in a fat binary.
struct CodeObject {
  std::string architecture;  ///< such as "gfx90a", without features
  std::vector<CodeKernel> kernels;
};

/// Reads the compiler's device code in a program: a Clang offload bundle, or one bare ELF code
/// object. Skips a part that does not parse. @pre image is readable to the end that its own headers
/// declare, as images in a loaded program are.
std::vector<CodeObject> read_code_objects(const void* image);

}  // namespace amd_code
