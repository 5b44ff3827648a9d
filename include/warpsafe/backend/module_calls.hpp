// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/kernel_entry.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// What a backend does with modules.

namespace warpsafe {

/// Its specialisation is in the backend's own header (backend/cuda_module.hpp, …). Statuses are the
/// runtime's. Static members, all noexcept:
/// `native_module`; `kernel_calls`, the backend itself or what takes its place where a function of
/// a module is passed; `per_device`, whether a module belongs to the device that was current;
/// `load(native_module&, ImageBytes, char* log, size_t log_bytes)` (the image is followed by zeros,
/// and stays where it is until `unload`), `unload(native_module)`,
/// `function(native_module, const char* name, KernelEntry&)`, which sets `function` and `invoke`,
/// and `not_found(int status)`; `visit_names(native_module, ImageBytes, visit)`, and `lists_names`,
/// whether that asks the runtime;
/// `parameter(const KernelEntry&, index, ParameterPlace&)`: 0 where there is such a parameter, and
/// `tells_parameters()`, whether it can be asked; `is_image_of<Element>`, what an image may be made
/// of.
template <class B>
struct ModuleCalls;

/// Where a parameter lies in the block that the device reads. Bytes.
struct ParameterPlace {
  std::size_t offset;
  std::size_t size;
};

namespace detail {

template <class B>
struct TracedModuleCalls;

#if !defined(__CUDA_ARCH__)  // as TracedCalls
/// The same, told to WARPSAFE_LOG=trace as the calls of TracedCalls are.
template <class B>
struct TracedModuleCalls : ModuleCalls<B> {
  using Raw = ModuleCalls<B>;
  using native_module = typename Raw::native_module;

  static int load(native_module& module, ImageBytes image, char* log,
                  std::size_t log_bytes) noexcept {
    return traced<B>(RuntimeCall::module_load, &load_bytes, module, image.data, image.size, log,
                     log_bytes);
  }
  static int unload(native_module module) noexcept {
    return traced<B>(RuntimeCall::module_unload, &Raw::unload, module);
  }
  static int function(native_module module, const char* name, KernelEntry& entry) noexcept {
    return traced<B>(RuntimeCall::module_function, &function_of, entry.function, module, name,
                     entry);
  }
  template <class Visit>
  static int visit_names(native_module module, ImageBytes image, Visit visit) noexcept {
    if constexpr (Raw::lists_names) {
      return traced<B>(RuntimeCall::module_names, &names_of<Visit>, module, image, visit);
    } else {
      return Raw::visit_names(module, image, visit);
    }
  }
  static int parameter(const KernelEntry& kernel, std::size_t index,
                       ParameterPlace& place) noexcept {
    return traced<B>(RuntimeCall::kernel_parameter, &parameter_of, kernel.function, index,
                     place.offset, place.size, kernel);
  }

 private:
  // The same with arguments that a log can have.
  static int load_bytes(native_module& module, const unsigned char* image, std::size_t bytes,
                        char* log, std::size_t log_bytes) noexcept {
    return Raw::load(module, {image, bytes}, log, log_bytes);
  }
  static int function_of(const void*&, native_module module, const char* name,
                         KernelEntry& entry) noexcept {
    return Raw::function(module, name, entry);
  }
  template <class Visit>
  static int names_of(native_module module, const ImageBytes& image, const Visit& visit) noexcept {
    return Raw::visit_names(module, image, visit);
  }
  static int parameter_of(const void*, std::size_t index, std::size_t& offset, std::size_t& size,
                          const KernelEntry& kernel) noexcept {
    ParameterPlace place{};
    const int status = Raw::parameter(kernel, index, place);
    offset = place.offset;
    size = place.size;
    return status;
  }
};
#endif

/// The module calls of backend B as code of a check level makes them (CallsAt).
template <class B, CheckLevel Level>
using ModuleCallsAt = std::conditional_t<tells_at<B, Level>, TracedModuleCalls<B>, ModuleCalls<B>>;

}  // namespace detail

}  // namespace warpsafe
