// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstdint>
#include <cstring>

// The plain data that the library and a backend exchange: kernels, and where memory is.

namespace warpsafe {

enum class ElementType : std::uint8_t;  // core/element_type.hpp

/// Device memory that a kernel reaches through a structure.
struct MemoryPlace {
  std::uint32_t offset;         ///< of the address in the structure, in bytes
  std::uint32_t element_bytes;  ///< the number of elements follows the address; 0: it is not known
  std::uint32_t flag;  ///< the byte so far behind the address is 0 if there is none; 0: always
  bool writes;
};
/// The device memory that a structure holds.
struct InnerMemory {
  const MemoryPlace* places;
  std::uint32_t count;
  bool complete;  ///< false: the structure may hold further addresses
};

/// A parameter of a kernel.
struct ParameterInfo {
  std::uint32_t size;       ///< bytes
  std::uint32_t alignment;  ///< bytes
  bool is_pointer;  ///< a raw pointer or a span, through which the kernel reaches device memory
  bool writes;      ///< false for `const T*`, which the kernel only reads
  ElementType element{};  ///< of the number, or the numbers behind the pointer; `bytes`: unknown
  /// Of a structure that may hold addresses; nullptr: it holds none.
  InnerMemory (*inner)() noexcept = nullptr;
};

/// The data that a backend needs to launch a kernel. Each kernel type has one, with static storage.
struct KernelEntry {
  const void* function;  ///< CUDA, HIP: the host-side stub; host backend: the function itself
  /// Host backend: calls `function` with the values in `args`, for the thread in
  /// detail::host_thread and the threads that continue after it (host::run_threads). nullptr in
  /// other backends.
  void (*invoke)(const void* function, void** args);
  const ParameterInfo* parameters;
  std::uint32_t parameter_count;
};

/// Memory that a launch gives to its kernel.
struct GivenMemory {
  static constexpr std::uint64_t unknown_bytes = ~std::uint64_t{0};

  const void* address;      ///< not nullptr
  std::uint64_t bytes;      ///< `unknown_bytes`: the address has no size
  std::uint32_t parameter;  ///< from 0
  bool writes;
  bool is_inner;  ///< the parameter is a structure that holds the address
};
/// Calls `visit` with the memory inside the structure at `value`, which is parameter `number`.
template <class Visit>
void each_inner_memory(const InnerMemory& inner, const void* value, std::uint32_t number,
                       const Visit& visit) {
  for (std::uint32_t i = 0; i < inner.count; ++i) {
    const MemoryPlace& place = inner.places[i];
    const auto* const at = static_cast<const unsigned char*>(value) + place.offset;
    if (place.flag != 0 && at[place.flag] == 0) continue;
    const bool is_span = place.element_bytes != 0;
    std::uint64_t span[2] = {};  // the address, and the number of elements
    std::memcpy(span, at, is_span ? sizeof span : sizeof span[0]);
    // A span without elements may point anywhere.
    if (span[0] == 0 || (is_span && span[1] == 0)) continue;
    visit(GivenMemory{reinterpret_cast<const void*>(span[0]),
                      is_span ? span[1] * place.element_bytes : GivenMemory::unknown_bytes, number,
                      place.writes, true});
  }
}
/// Calls `visit` with the memory behind each pointer and span of a launch, also with that in
/// structures. The bytes behind a parameter that begins with its address are not known here.
template <class Visit>
void each_memory(const KernelEntry& entry, void* const* args, const Visit& visit) {
  for (std::uint32_t i = 0; i < entry.parameter_count; ++i) {
    const ParameterInfo& parameter = entry.parameters[i];
    if (parameter.inner != nullptr) each_inner_memory(parameter.inner(), args[i], i, visit);
    if (!parameter.is_pointer || parameter.size < sizeof(void*)) continue;
    const void* address = nullptr;  // a span begins with its pointer
    std::memcpy(&address, args[i], sizeof address);
    if (address == nullptr) continue;
    visit(GivenMemory{address, GivenMemory::unknown_bytes, i, parameter.writes, false});
  }
}

/// Where a kernel's code is. It is part of the kernel's type, so that a kernel of one kind does not
/// compile on a stream of the other.
enum class Provenance : std::uint8_t {
  device,    ///< compiled for the device in this translation unit (nvcc, hipcc)
  host,      ///< a function of the host compiler, which runs on the host backend
  external,  ///< declared WARPSAFE_KERNEL_EXTERN here, and compiled by nvcc or hipcc elsewhere
};

/// What the driver knows about a pointer.
enum class MemoryKind : std::uint8_t {
  unregistered,  ///< plain host memory; the device cannot read it, except on systems with HMM or
                 ///< ATS
  pinned,        ///< host memory that the device can read
  device,
  managed,
};

/// The direction of a copy, deduced from the types of source and destination. The backends' tables
/// list the vendor's values in this order.
enum class CopyKind : std::uint8_t {
  host_to_device,
  device_to_host,
  device_to_device,
  host_to_host
};

}  // namespace warpsafe
