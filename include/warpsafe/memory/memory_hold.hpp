// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>

#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// Keeps a buffer's memory allocated beyond the buffer's lifetime, for a Pending or other work that
/// uses it later. Gives no access to the elements. Copyable; empty by default.
template <class B>
class basic_memory_hold {
 public:
  using is_shared_owner = void;  ///< keep() of a graph copies it
  basic_memory_hold() noexcept = default;
  /// For internal use: the result of a buffer's `keep()`.
  explicit basic_memory_hold(detail::DeviceMemory<B>* memory) noexcept : memory_(memory) {
    if (memory_ != nullptr) memory_->retain();
  }
  /// For internal use: takes over the first reference to newly allocated memory.
  [[nodiscard]] static basic_memory_hold adopt(detail::DeviceMemory<B>* memory) noexcept {
    basic_memory_hold made;
    made.memory_ = memory;
    return made;
  }
  basic_memory_hold(const basic_memory_hold& other) noexcept : basic_memory_hold(other.memory_) {}
  basic_memory_hold(basic_memory_hold&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)) {}
  basic_memory_hold& operator=(basic_memory_hold other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~basic_memory_hold() {
    if (memory_ != nullptr) memory_->drop();
  }
  [[nodiscard]] bool empty() const noexcept { return memory_ == nullptr; }

 private:
  friend struct detail::PrintAccess;
  friend class detail::GraphResources;
  template <class, class>
  friend class basic_managed_buffer;
  /// DeviceMemory::hold_in
  [[nodiscard]] bool hold_in(detail::GraphResources& graph) const noexcept {
    return memory_ == nullptr || memory_->hold_in(graph);
  }
  detail::DeviceMemory<B>* memory_ = nullptr;
};
using MemoryHold = basic_memory_hold<default_backend>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
