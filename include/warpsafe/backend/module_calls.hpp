// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/backend/kernel_entry.hpp>

namespace warpsafe {

/// A backend's calls about modules. Its specialisation is in a header of the backend, such as
/// backend/cuda/module_calls.hpp. The static members are all noexcept, and statuses are the
/// runtime's own:
/// * `native_module`, a pointer or a small value; `per_device`, whether a module belongs to the
///   device that was current; `kernel_calls`, the backend itself, or what takes its place where a
///   function of a module is passed; `is_image_of<Element>`, whether an image may consist of such
///   elements
/// * `module_load(native_module&, const unsigned char* image, size_t bytes, char* log, size_t
///   log_bytes)`: zeros follow the image, which stays in place until `module_unload(native_module)`
/// * `module_function(native_module, const char* name, KernelEntry&)` sets `function` and `invoke`;
///   `not_found(int status)` tells whether the module lacks that function
/// * `module_names(native_module, ImageBytes, visit)` calls `visit(Name)` for each kernel;
///   `lists_names`: whether that asks the runtime
/// * `kernel_parameter(const KernelEntry&, size_t index, size_t& offset, size_t& size)`: where a
///   parameter lies in the block that the device reads, in bytes; 0 if there is such a parameter.
///   `tells_parameters()`: whether the runtime can be asked
template <class B>
struct ModuleCalls;

}  // namespace warpsafe
