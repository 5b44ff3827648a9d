// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstdint>

// The plain data that the library and a backend exchange: kernels, and where memory is.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

enum class ElementType : std::uint8_t;  // core/element_type.hpp
namespace detail {
struct InnerMemory;  // backend/detail/given_memory.hpp
}

/// A parameter of a kernel.
struct ParameterInfo {
  std::uint32_t size;       ///< bytes
  std::uint32_t alignment;  ///< bytes
  bool is_pointer;  ///< a raw pointer or a span, through which the kernel reaches device memory
  bool writes;      ///< false for `const T*`, which the kernel only reads
  ElementType element{};  ///< of the number, or the numbers behind the pointer; `bytes`: unknown
  /// Of a structure that may hold addresses; nullptr: it holds none.
  detail::InnerMemory (*inner)() noexcept = nullptr;
  std::uint32_t matrix_element_bytes = 0;  ///< of one element of a PitchedSpan; 0: it is none
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
