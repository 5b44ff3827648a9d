// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/kernel_entry.hpp>

#include <cstddef>

namespace warpsafe::detail {

/// The calls about memory of the backend whose others are `Calls` (CallsAt): told where those
/// are. Apart from TracedCalls, since a launch needs none of them.
template <class Calls>
struct MemoryCallsOf : Calls {};

#if !defined(__CUDA_ARCH__)  // as TracedCalls
template <class Raw>
struct MemoryCallsOf<TracedCalls<Raw>> {
  using native_stream = typename Raw::native_stream;

  static int memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
    return traced<Raw>(RuntimeCall::memory_info, &Raw::memory_info, free_bytes, total_bytes);
  }
  static int allocate(void*& memory, std::size_t bytes, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::allocate, &Raw::allocate, memory, bytes, stream);
  }
  static int deallocate(void* memory, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::deallocate, &Raw::deallocate, memory, stream);
  }
  static int host_allocate(void*& memory, std::size_t bytes) noexcept {
    return traced<Raw>(RuntimeCall::host_allocate, &Raw::host_allocate, memory, bytes);
  }
  static int host_deallocate(void* memory) noexcept {
    return traced<Raw>(RuntimeCall::host_deallocate, &Raw::host_deallocate, memory);
  }
  static int copy(void* to, const void* from, std::size_t bytes, CopyKind kind,
                  native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::copy, &Raw::copy, to, from, bytes, kind, stream);
  }
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, CopyKind kind,
                     native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::copy_2d, &Raw::copy_2d, to, to_pitch, from, from_pitch, width,
                       rows, kind, stream);
  }
  static int fill(void* memory, unsigned char value, std::size_t bytes,
                  native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::fill, &Raw::fill, memory, value, bytes, stream);
  }
  static int copy_peer(void* to, int to_device, const void* from, int from_device,
                       std::size_t bytes, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::copy_peer, &Raw::copy_peer, to, to_device, from, from_device,
                       bytes, stream);
  }
  static int has_memory_pools(int device, bool& answer) noexcept {
    return traced<Raw>(RuntimeCall::has_memory_pools, &Raw::has_memory_pools, device, answer);
  }
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept {
    return traced<Raw>(RuntimeCall::allocate_unordered, &Raw::allocate_unordered, memory, bytes);
  }
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept {
    return traced<Raw>(RuntimeCall::allocate_managed, &Raw::allocate_managed, memory, bytes);
  }
  static int deallocate_unordered(void* memory) noexcept {
    return traced<Raw>(RuntimeCall::deallocate_unordered, &Raw::deallocate_unordered, memory);
  }
};
#endif

}  // namespace warpsafe::detail
