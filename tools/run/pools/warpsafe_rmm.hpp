// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Names the blocks of RAPIDS' memory manager (rmm) to warpsafe-run --races. Header-only C++17;
// needs no other file of warpsafe than warpsafe_pool.h, and includes nothing of rmm.
#ifndef WARPSAFE_RMM_HPP
#define WARPSAFE_RMM_HPP

#include "warpsafe_pool.h"

#include <cuda/memory_resource>
#include <cuda/stream_ref>

#include <cstddef>
#include <utility>

namespace warpsafe {
namespace pools {

/// A memory resource that allocates from another one, and tells warpsafe-run each block and each
/// free with its stream. Without warpsafe-run it only forwards. For rmm 26.04 and later, whose
/// resources are those of CCCL:
///
///     rmm::mr::pool_memory_resource pool{rmm::mr::cuda_memory_resource{}, 1 << 30};
///     rmm::mr::set_current_device_resource(warpsafe::pools::WatchedResource{pool});
///
/// Use it around a pool (pool_memory_resource, arena_memory_resource, binning_memory_resource).
/// cuda_memory_resource and cuda_async_memory_resource call the driver, which warpsafe-run sees.
template <class Upstream>
class WatchedResource {
 public:
  explicit WatchedResource(Upstream upstream) : upstream_(std::move(upstream)) {}

  void* allocate(cuda::stream_ref stream, std::size_t bytes, std::size_t alignment = 256) {
    void* const memory = upstream_.allocate(stream, bytes, alignment);
    warpsafe_pool_allocated(memory, bytes, handle(stream), nullptr);
    return memory;
  }
  /// The pool may hand the block out to what comes after this point of the stream.
  void deallocate(cuda::stream_ref stream, void* memory, std::size_t bytes,
                  std::size_t alignment = 256) noexcept {
    warpsafe_pool_freed(memory, handle(stream));
    upstream_.deallocate(stream, memory, bytes, alignment);
  }
  /// These return when the memory may be used on every stream, so the block needs no name.
  void* allocate_sync(std::size_t bytes, std::size_t alignment = 256) {
    return upstream_.allocate_sync(bytes, alignment);
  }
  void deallocate_sync(void* memory, std::size_t bytes, std::size_t alignment = 256) noexcept {
    upstream_.deallocate_sync(memory, bytes, alignment);
  }
  [[nodiscard]] Upstream const& upstream() const noexcept { return upstream_; }

  friend bool operator==(WatchedResource const& one, WatchedResource const& other) noexcept {
    return one.upstream_ == other.upstream_;
  }
  friend bool operator!=(WatchedResource const& one, WatchedResource const& other) noexcept {
    return !(one == other);
  }
  friend void get_property(WatchedResource const&, cuda::mr::device_accessible) noexcept {}

 private:
  [[nodiscard]] static void* handle(cuda::stream_ref stream) noexcept {
    return reinterpret_cast<void*>(stream.get());
  }

  Upstream upstream_;
};

}  // namespace pools
}  // namespace warpsafe

#endif
