// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/memory_kind.hpp>
#include <warpsafe/kernel/detail/parameter.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// The addresses among elements that go from the host to a device: a table of pointers, as the
// batched functions of libraries take it, and structures that hold one.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Errc::argument_host_pointer (value: the element's number, from 0) if one of `count` pointers is
/// the address of host memory that the device cannot read. A pointer may also be the end of a range
/// of device memory. The first and the last page mark special cases and are no memory. The driver
/// is asked about the first `most_asked` pointers.
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> check_addresses(const void* table,
                                                                     std::size_t count,
                                                                     call_site site) noexcept {
  constexpr std::size_t most_asked = 256;
  constexpr std::uintptr_t edge = 4096;
  const auto is_known = [](const char* memory) {
    MemoryKind kind{};
    int device = 0;
    // A table may be made before the graph that allocates its memory runs, and by a stream that
    // does not capture.
    const int status =
        memory_kind<B>(memory, kind, device, []() noexcept { return open_captures() != nullptr; });
    return status == 0 && (kind != MemoryKind::unregistered || device == memory_of_idle_graph);
  };
  for (std::size_t i = 0; i < count && i < most_asked; ++i) {
    char* memory = nullptr;
    std::memcpy(&memory, static_cast<const char*>(table) + i * sizeof memory, sizeof memory);
    const auto word = reinterpret_cast<std::uintptr_t>(memory);
    if (word < edge || word >= ~edge || is_known(memory) || is_known(memory - 1)) continue;
    LaunchError error =
        refused_operation(Errc::argument_host_pointer, B::vendor, Name::of("copy to device"), site);
    error.value = i;
    return error;
  }
  return success();
}

/// Whether an element is a structure with an address that may be host memory, and does not declare
/// that it is none. A class that hides its members is not examined.
template <class T>
constexpr bool has_undeclared_address() noexcept {
  if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !is_device_copyable<T>) {
    return shows_address<T>();
  }
  return false;
}

/// Checks elements that are about to be copied to a device: the type of a structure in every
/// build, a table of pointers in checked builds.
template <CheckLevel Level, class B, class T>
[[nodiscard]] result<void> check_elements([[maybe_unused]] const T* elements,
                                          [[maybe_unused]] std::size_t count,
                                          [[maybe_unused]] call_site site) noexcept {
  constexpr bool declared = !has_undeclared_address<T>();
  static_assert(
      declared,
      "warpsafe: these elements hold a raw pointer, or a type that could hide one, and the device cannot read host memory; hold a DeviceSpan or a device_ptr, or set warpsafe::is_device_copyable<T> = true for a type that holds only addresses of device memory");
  if constexpr (Level == CheckLevel::full && std::is_pointer_v<T> &&
                !std::is_function_v<std::remove_pointer_t<T>>) {
    return check_addresses<B>(elements, count, site);
  }
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
