// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The loaded object that holds `address`; nullptr if none does, or if the C library cannot tell a
/// signal handler (`_dl_find_object` of glibc 2.35 and later can).
[[nodiscard]] inline const link_map* object_of([[maybe_unused]] void* address) noexcept {
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
  dl_find_object found{};
  if (_dl_find_object(address, &found) == 0) return found.dlfo_link_map;
#endif
  return nullptr;
}

/// The code that a fault interrupted, from the handler's context.
struct FaultPlace {
  void* code = nullptr;          ///< the instruction; nullptr if unknown
  void* caller = nullptr;        ///< where a function that has saved nothing returns to
  void* stack = nullptr;         ///< the end of its stack
  void* caller_stack = nullptr;  ///< the end of the stack behind that return

  [[nodiscard]] static FaultPlace of([[maybe_unused]] const void* context) noexcept {
#if defined(__x86_64__)
    if (context == nullptr) return {};
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    auto* const stack = reinterpret_cast<void**>(registers[REG_RSP]);
    return {reinterpret_cast<void*>(registers[REG_RIP]), stack == nullptr ? nullptr : *stack, stack,
            stack + 1};
#elif defined(__aarch64__)
    if (context == nullptr) return {};
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
    return {reinterpret_cast<void*>(registers.pc), reinterpret_cast<void*>(registers.regs[30]),
            reinterpret_cast<void*>(registers.sp), reinterpret_cast<void*>(registers.sp)};
#else
    return {};
#endif
  }
};

/// Whether `code` is a kernel's own: in the object of `kernel` or in the main program. False if the
/// C library cannot tell.
[[nodiscard]] inline bool is_kernel_code(void* kernel, void* code) noexcept {
  const link_map* const object = object_of(code);
  return object != nullptr && (object == object_of(kernel) || object->l_name[0] == '\0');
}

/// The library in which a kernel's fault happened, if the function may hold a lock; else nullptr. A
/// function such as memcpy, which kernel code calls and which calls nothing itself, holds none.
[[nodiscard]] inline const link_map* library_of_fault(void* kernel,
                                                      const FaultPlace& place) noexcept {
  const link_map* const library = object_of(place.code);
  const bool unknown = library == nullptr || object_of(kernel) == nullptr;
  if (unknown || is_kernel_code(kernel, place.code)) return nullptr;
  return is_kernel_code(kernel, place.caller) ? nullptr : library;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
