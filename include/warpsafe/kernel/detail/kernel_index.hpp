// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/core/size_type.hpp>
#include <warpsafe/dims/extent.hpp>

#if !defined(__CUDACC__) && !defined(__HIPCC__)
#include <warpsafe/backend/detail/host_thread.hpp>
#endif

// The position of a thread, and the stride over a size. Device and host compilers differ only in
// where the twelve numbers come from.

namespace warpsafe {

/// The position of a thread in its block or of a block in its grid, or the size of either.
struct Local3 {
  unsigned x, y, z;
};

// These functions are host and device code, because a device compiler parses kernel code twice and
// a functor's call operator is both, too (args/device_ptr.hpp). They are maybe_unused, because
// clang as nvcc's host compiler would warn.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define WARPSAFE_DETAIL_KERNEL_CODE [[maybe_unused]] static __host__ __device__ __forceinline__
#else
#define WARPSAFE_DETAIL_KERNEL_CODE inline
namespace detail {
inline Local3 to_local(const unsigned (&axes)[3]) noexcept { return {axes[0], axes[1], axes[2]}; }
}  // namespace detail
#endif

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
WARPSAFE_DETAIL_KERNEL_CODE Local3 thread_in_block() {
  return {threadIdx.x, threadIdx.y, threadIdx.z};
}
WARPSAFE_DETAIL_KERNEL_CODE Local3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
WARPSAFE_DETAIL_KERNEL_CODE Local3 block_size() { return {blockDim.x, blockDim.y, blockDim.z}; }
WARPSAFE_DETAIL_KERNEL_CODE Local3 grid_size() { return {gridDim.x, gridDim.y, gridDim.z}; }
#elif defined(__CUDACC__) || defined(__HIPCC__)
WARPSAFE_DETAIL_KERNEL_CODE Local3 thread_in_block() {
  return detail::called_from_host_code<Local3>();
}
WARPSAFE_DETAIL_KERNEL_CODE Local3 block_index() { return detail::called_from_host_code<Local3>(); }
WARPSAFE_DETAIL_KERNEL_CODE Local3 block_size() { return detail::called_from_host_code<Local3>(); }
WARPSAFE_DETAIL_KERNEL_CODE Local3 grid_size() { return detail::called_from_host_code<Local3>(); }
#else
inline Local3 thread_in_block() noexcept { return detail::to_local(detail::host_thread->thread); }
inline Local3 block_index() noexcept { return detail::to_local(detail::host_thread->block); }
inline Local3 block_size() noexcept { return detail::to_local(detail::host_thread->block_dim); }
inline Local3 grid_size() noexcept { return detail::to_local(detail::host_thread->grid_dim); }
#endif

/// The range of `grid_stride` for a `for` loop. Its end is a sentinel, so that the loop compiles to
/// the same code as a handwritten loop.
class StrideRange {
 public:
  struct Sentinel {};
  struct Iterator {
    size_type index;
    size_type end;
    size_type step;
    WARPSAFE_FN constexpr size_type operator*() const noexcept { return index; }
    WARPSAFE_FN constexpr Iterator& operator++() noexcept {
      index += step;
      return *this;
    }
    WARPSAFE_FN constexpr bool operator!=(Sentinel) const noexcept { return index < end; }
  };

  WARPSAFE_FN constexpr StrideRange(size_type first, size_type end, size_type step) noexcept
      : first_{first, end, step} {}
  [[nodiscard]] WARPSAFE_FN constexpr Iterator begin() const noexcept { return first_; }
  [[nodiscard]] WARPSAFE_FN constexpr Sentinel end() const noexcept { return {}; }

 private:
  Iterator first_;
};

/// The index of this thread in the whole grid, with 64 bits per axis: x is the column, y the row.
[[nodiscard]] WARPSAFE_DETAIL_KERNEL_CODE Index3 thread_index() {
  const Local3 thread = thread_in_block();
  const Local3 block = block_index();
  const Local3 size = block_size();
  return {static_cast<size_type>(block.x) * size.x + thread.x,
          static_cast<size_type>(block.y) * size.y + thread.y,
          static_cast<size_type>(block.z) * size.z + thread.z};
}

/// The indices in [0, n) that this thread handles when the grid strides along x over n elements:
/// `for (auto i : grid_stride(n))`. They have 64 bits, so no step wraps; n is below 2^63. It works
/// with a grid of any size, including one that covers n.
[[nodiscard]] WARPSAFE_DETAIL_KERNEL_CODE StrideRange grid_stride(size_type n) {
  const size_type size = block_size().x;
  return {static_cast<size_type>(block_index().x) * size + thread_in_block().x, n,
          static_cast<size_type>(grid_size().x) * size};
}

}  // namespace warpsafe
