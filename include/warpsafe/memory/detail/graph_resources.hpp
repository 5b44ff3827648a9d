// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

// The objects that a graph keeps alive and the memory that its kernels use. The capture, the graph
// and its instances share them.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Guards the lists of open captures and of graphs. Taken while something is captured, and when
/// memory is freed while a graph exists; never by a launch.
[[gnu::visibility("default")]] inline ProcessLock graph_lock{};

struct GraphLock : Locked {
  GraphLock() noexcept : Locked(graph_lock) {}
};

/// An object that lives as long as a graph.
struct Kept {
  Kept* next = nullptr;
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  virtual ~Kept() = default;
};
template <class T>
struct KeptValue final : Kept {
  explicit KeptValue(T&& its_value) : value(std::move(its_value)) {}
  T value;
};

class GraphResources;
/// The existing graphs whose kernels use memory.
[[gnu::visibility("default")]] inline GraphResources* graphs_with_memory = nullptr;

class GraphResources {
 public:
  GraphResources() = default;
  GraphResources(const GraphResources&) = delete;
  GraphResources& operator=(const GraphResources&) = delete;

  void retain() noexcept { __atomic_add_fetch(&holders_, 1, __ATOMIC_RELAXED); }
  void release() noexcept {
    if (__atomic_sub_fetch(&holders_, 1, __ATOMIC_ACQ_REL) == 0) delete this;
  }

  /// Keeps `value` as long as the graph lives. Returns nullptr and leaves `value` untouched if
  /// there is no memory.
  template <class T>
  T* keep(T&& value) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    auto* const made = new (std::nothrow) KeptValue<T>(std::forward<T>(value));
    if (made == nullptr) return nullptr;
    const GraphLock lock;
    made->next = kept_;
    __atomic_store_n(&kept_, made, __ATOMIC_RELEASE);
    return &made->value;
  }
  [[nodiscard]] bool has_kept_values() const noexcept {
    return __atomic_load_n(&kept_, __ATOMIC_ACQUIRE) != nullptr;
  }

  /// Records that a captured kernel uses this memory. If there is no room for the record, the
  /// memory is not monitored.
  void add_memory(const void* memory) noexcept {
    const GraphLock lock;
    for (std::size_t i = 0; i < used_count_; ++i) {
      if (used_[i] == memory) return;
    }
    if (used_count_ == used_room_) {
      const std::size_t room = used_room_ == 0 ? 16 : 2 * used_room_;
      auto* const grown = static_cast<const void**>(std::malloc(room * sizeof(void*)));
      if (grown == nullptr) return;
      for (std::size_t i = 0; i < used_count_; ++i) grown[i] = used_[i];
      std::free(__atomic_exchange_n(&used_, grown, __ATOMIC_ACQ_REL));
      used_room_ = room;
    }
    if (used_count_ == 0) {
      next_ = graphs_with_memory;
      __atomic_store_n(&graphs_with_memory, this, __ATOMIC_RELEASE);
    }
    used_[used_count_++] = memory;
  }
  /// Memory that a kernel of the graph uses and that was freed, or nullptr.
  [[nodiscard]] const void* freed() const noexcept {
    const GraphLock lock;
    return freed_;
  }
  /// Marks these bytes as freed in every graph that uses them.
  static void mark_freed(const void* memory, std::size_t bytes) noexcept {
    const GraphLock lock;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    for (GraphResources* graph = graphs_with_memory; graph != nullptr; graph = graph->next_) {
      for (std::size_t i = 0; i < graph->used_count_; ++i) {
        if (reinterpret_cast<std::uintptr_t>(graph->used_[i]) - begin < bytes) {
          graph->freed_ = graph->used_[i];
        }
      }
    }
  }

 private:
  ~GraphResources() {
    leave();
    std::free(used_);
    // The newest first, as for variables. No lock is held, because a destructor may free memory.
    while (kept_ != nullptr) delete std::exchange(kept_, kept_->next);
  }
  void leave() noexcept {
    const GraphLock lock;
    for (GraphResources** at = &graphs_with_memory; *at != nullptr; at = &(*at)->next_) {
      if (*at != this) continue;
      __atomic_store_n(at, next_, __ATOMIC_RELEASE);
      return;
    }
  }

  int holders_ = 1;
  Kept* kept_ = nullptr;
  const void** used_ = nullptr;
  std::size_t used_count_ = 0;
  std::size_t used_room_ = 0;
  const void* freed_ = nullptr;
  GraphResources* next_ = nullptr;
};

/// Call it wherever device memory is freed: graphs that use the memory must not run any more.
inline void mark_memory_freed(const void* memory, std::size_t bytes) noexcept {
  if (__atomic_load_n(&graphs_with_memory, __ATOMIC_ACQUIRE) != nullptr) [[unlikely]] {
    GraphResources::mark_freed(memory, bytes);
  }
}

/// Shared ownership of a GraphResources. nullptr after a move.
class ResourcesPtr {
 public:
  ResourcesPtr() = default;
  explicit ResourcesPtr(GraphResources* owned) noexcept : owned_(owned) {}
  ResourcesPtr(const ResourcesPtr& other) noexcept : owned_(other.owned_) {
    if (owned_ != nullptr) owned_->retain();
  }
  ResourcesPtr(ResourcesPtr&& other) noexcept : owned_(std::exchange(other.owned_, nullptr)) {}
  ResourcesPtr& operator=(ResourcesPtr other) noexcept {
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~ResourcesPtr() {
    if (owned_ != nullptr) owned_->release();
  }
  [[nodiscard]] GraphResources* get() const noexcept { return owned_; }
  GraphResources* operator->() const noexcept { return owned_; }

 private:
  GraphResources* owned_ = nullptr;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
