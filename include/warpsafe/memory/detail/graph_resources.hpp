// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

// The objects that a graph keeps alive, and the memory that its work uses. The capture, the graph
// and its instances share them.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Guards the lists of open captures and of graphs. Taken while something is captured, and when
/// memory is freed while a graph exists; never by a launch.
[[gnu::visibility("default")]] inline ProcessLock graph_lock{};

[[gnu::visibility("default")]] inline ThreadLock allocating_launch{};
/// Held by the launch of a graph that leaves memory allocated, until that is known, and by the free
/// of such memory, from the question for launches on. Taken before a CaptureLock.
class AllocatingLaunch {
 public:
  /// `needed`: false for a lock of nothing.
  explicit AllocatingLaunch(bool needed = true) noexcept
      : holds_(needed && allocating_launch.lock()) {}
  ~AllocatingLaunch() {
    if (holds_) allocating_launch.unlock();
  }
  AllocatingLaunch(const AllocatingLaunch&) = delete;
  AllocatingLaunch& operator=(const AllocatingLaunch&) = delete;

 private:
  const bool holds_;
};

struct GraphLock : Locked {
  GraphLock() noexcept : Locked(graph_lock) {}
};

/// What captured work uses: memory or a module. It lives as long as the graph, and waits by itself
/// for the graph's launches.
struct GraphHeld {
  GraphHeld* next = nullptr;
  const void* const object;

  explicit GraphHeld(const void* its_object) noexcept : object(its_object) {}
  GraphHeld(const GraphHeld&) = delete;
  GraphHeld& operator=(const GraphHeld&) = delete;
  virtual ~GraphHeld() = default;
  /// The newest launch of the graph is the last work submitted to the stream. Returns the runtime's
  /// status.
  virtual int note_launch(void* /*stream*/, int /*device*/, std::uint64_t /*number*/) noexcept {
    return 0;
  }
  /// Whether a launch on the stream with that number must be noted once it is the last one.
  [[nodiscard]] virtual bool needs_note(std::uint64_t /*number*/) const noexcept { return false; }
};

/// The free of memory that the graph's next launch allocates again, at the same address. By the
/// CUDA Programming Guide ("Graph Memory Nodes") the memory ends when the GPU reaches the free, and
/// nothing else orders a launch on another stream behind it.
struct GraphFree {
  GraphFree* next = nullptr;
  GraphFree() = default;
  GraphFree(const GraphFree&) = delete;
  GraphFree& operator=(const GraphFree&) = delete;
  virtual ~GraphFree() = default;
  /// Makes later work of the stream wait for the free. Returns the runtime's status.
  virtual int order_before(void* stream, int device, std::uint64_t number) const noexcept = 0;
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
/// An executable graph that is destroyed after the memory that it allocated. CUDA's driver needs it
/// for the free: without it, frees of such memory damage other memory and the host's heap, also in
/// one thread on one stream (an H200, CUDA 13.0, driver 580.159.04).
struct LateExec {
  void* exec;
  void (*destroy)(void* exec) noexcept;
  int allocations = 0;  ///< that are not freed
};
/// Memory that a graph allocates, as its owner has it. Guarded by graph_lock.
struct GraphAllocation {
  MemoryOwner* owner = nullptr;  ///< nullptr: other code captured the allocation
  /// GraphHeld::note_launch for the owner. Asks for no capture.
  int (*note_launch)(MemoryOwner& owner, void* stream, int device,
                     std::uint64_t number) noexcept = nullptr;
  int device = 0;
  GraphResources* graph = nullptr;  ///< nullptr: none, or it is gone
  GraphAllocation* next = nullptr;
  LateExec* late = nullptr;  ///< of its executable graph, if that waits for the free

  /// Whether a launch of the graph makes the memory exist again.
  [[nodiscard]] bool comes_back() const noexcept {
    const GraphLock lock;
    return owner == nullptr || graph != nullptr;
  }
  /// Whether the capture of `open`, which may be nullptr, makes the allocation.
  [[nodiscard]] bool is_of(const GraphResources* open) const noexcept {
    const GraphLock lock;
    return open != nullptr && open == graph;
  }
};

/// The existing graphs whose kernels use memory.
[[gnu::visibility("default")]] inline GraphResources* graphs_with_memory = nullptr;

/// The number of the last one.
[[gnu::visibility("default")]] inline std::uint64_t graphs_made = 0;

class GraphResources {
 public:
  GraphResources() noexcept : number_(__atomic_add_fetch(&graphs_made, 1, __ATOMIC_RELAXED)) {}
  GraphResources(const GraphResources&) = delete;
  GraphResources& operator=(const GraphResources&) = delete;

  /// Of this graph alone, in the life of the program. Not 0.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  void retain() noexcept { __atomic_add_fetch(&holders_, 1, __ATOMIC_RELAXED); }
  void release() noexcept {
    if (__atomic_sub_fetch(&holders_, 1, __ATOMIC_ACQ_REL) == 0) delete this;
  }
  /// Never releases what it has, which the device may still use.
  void leak() noexcept {
    const GraphLock lock;
    if (std::exchange(is_leaked_, true)) return;  // by another instance of the graph
    retain();
    next_leaked_ = std::exchange(leaked, this);
  }

  /// Keeps `value` as long as the graph lives. Returns nullptr and leaves `value` untouched if
  /// there is no memory.
  template <class T>
  T* keep(T&& value) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    constexpr bool is_memory = requires { value.hold_in(*this); };
    constexpr bool is_buffer = requires { value.keep().hold_in(*this); };
    if constexpr (is_memory) {
      if (!value.hold_in(*this)) return nullptr;
    } else if constexpr (is_buffer) {
      if (!value.keep().hold_in(*this)) return nullptr;
    }
    auto* const made = new (std::nothrow) KeptValue<T>(std::forward<T>(value));
    if (made == nullptr) return nullptr;
    if constexpr (!is_memory && !is_buffer) __atomic_store_n(&waits_, true, __ATOMIC_RELEASE);
    const GraphLock lock;
    made->next = kept_;
    kept_ = made;
    return &made->value;
  }
  /// Whether it keeps a value other than memory, which may be destroyed only after the last launch
  /// has ended.
  [[nodiscard]] bool has_kept_values() const noexcept {
    return __atomic_load_n(&waits_, __ATOMIC_ACQUIRE);
  }

  /// Holds what `make` returns for this object, unless the graph holds it already. Returns false if
  /// `make` returns nullptr. `captured`: nullptr, or of memory that a capture allocates, which a
  /// graph has without a record if it is its own. `each`: its note_launch is called after each
  /// launch, not only after the last one.
  template <class Make>
  [[nodiscard]] bool hold(const void* object, const GraphAllocation* captured, bool each,
                          const Make& make) noexcept {
    const GraphLock lock;
    if (captured != nullptr && captured->graph == this) return true;
    for (const GraphHeld* one = held_; one != nullptr; one = one->next) {
      if (one->object == object) return true;
    }
    GraphHeld* const made = make();
    if (made == nullptr) return false;
    if (each) __atomic_store_n(&notes_each_, true, __ATOMIC_RELEASE);
    made->next = held_;
    __atomic_store_n(&held_, made, __ATOMIC_RELEASE);
    return true;
  }
  [[nodiscard]] bool notes_each_launch() const noexcept {
    return __atomic_load_n(&notes_each_, __ATOMIC_ACQUIRE);
  }
  /// GraphHeld::note_launch of each. Returns the first status that is none of success.
  int note_launch(void* stream, int device, std::uint64_t number) const noexcept {
    int first = 0;
    // The list only grows. No lock is held, because a note may ask for the open captures.
    for (GraphHeld* one = __atomic_load_n(&held_, __ATOMIC_ACQUIRE); one != nullptr;) {
      const int status = one->note_launch(stream, device, number);
      if (first == 0) first = status;
      one = one->next;
    }
    return first;
  }

  /// GraphHeld::needs_note of any.
  [[nodiscard]] bool needs_note(std::uint64_t number) const noexcept {
    const GraphHeld* one = __atomic_load_n(&held_, __ATOMIC_ACQUIRE);
    while (one != nullptr && !one->needs_note(number)) one = one->next;
    return one != nullptr;
  }

  /// Adds memory that the capture allocates, until `forget`.
  void add_allocation(GraphAllocation& made) noexcept {
    const GraphLock lock;
    made.graph = this;
    made.next = allocations_;
    allocations_ = &made;
  }
  /// Removes memory that its owner gives up. `is_freed`: with its free; otherwise its executable
  /// graph is never destroyed.
  static void forget(GraphAllocation& gone, bool is_freed) noexcept {
    LateExec* last = nullptr;
    {
      const GraphLock lock;
      if (gone.graph != nullptr) {
        GraphAllocation** at = &gone.graph->allocations_;
        while (*at != &gone) at = &(*at)->next;
        *at = gone.next;
      }
      if (gone.late != nullptr && is_freed && --gone.late->allocations == 0) last = gone.late;
    }
    if (last == nullptr) return;
    last->destroy(last->exec);
    delete last;
  }
  /// Takes over the free of memory that the graph allocates, if the graph can still run.
  static void add_free(const GraphAllocation& freed, GraphFree* its_free) noexcept {
    {
      const GraphLock lock;
      if (freed.graph != nullptr) {
        its_free->next = freed.graph->frees_;
        freed.graph->frees_ = std::exchange(its_free, nullptr);
      }
    }
    delete its_free;  // without the lock, because its error looks at the open captures
  }
  /// Makes a launch on the stream wait for the frees since the launch before. Returns the first
  /// status that is none of success. @pre AllocatingLaunch is held
  [[nodiscard]] int order_frees_before(void* stream, int device,
                                       std::uint64_t number) const noexcept {
    int first = 0;
    for (const GraphFree* one = frees_; one != nullptr && first == 0; one = one->next) {
      first = one->order_before(stream, device, number);
    }
    return first;
  }
  /// Calls `destroy` once the memory that `exec` allocated is freed. Returns false if there is
  /// none. Without memory for the record, `exec` is never destroyed.
  [[nodiscard]] bool destroy_after_memory(void* exec, void (*destroy)(void*) noexcept) noexcept {
    auto* const late = new (std::nothrow) LateExec{exec, destroy};
    const GraphLock lock;
    if (is_idle_ || allocations_ == nullptr) {
      delete late;
      return false;
    }
    for (GraphAllocation* one = allocations_; late != nullptr && one != nullptr; one = one->next) {
      one->late = late;
      ++late->allocations;
    }
    return true;
  }
  /// Takes back the `exec` of `destroy_after_memory`, if it still waits. CUDA has only one
  /// executable graph at a time of a graph that allocates. Returns nullptr if none waits.
  [[nodiscard]] void* take_late_exec() noexcept {
    const GraphLock lock;
    LateExec* const late = allocations_ == nullptr ? nullptr : allocations_->late;
    if (late == nullptr) return nullptr;
    for (GraphAllocation* one = allocations_; one != nullptr; one = one->next) one->late = nullptr;
    void* const exec = late->exec;
    delete late;
    return exec;
  }
  /// The capture has ended: what it allocates does not exist until the graph has run.
  void capture_ended() noexcept {
    const GraphLock lock;
    set_allocations(memory_of_idle_graph);
    is_idle_ = true;
    __atomic_store_n(&allocates_, allocations_ != nullptr, __ATOMIC_RELEASE);
  }
  /// Whether the graph allocates memory that it need not free.
  [[nodiscard]] bool allocates() const noexcept {
    return __atomic_load_n(&allocates_, __ATOMIC_ACQUIRE);
  }
  /// The graph was launched: what it allocates exists, and its free waits for the stream. Returns
  /// the first status that is none of success. @pre AllocatingLaunch is held: no memory is freed
  int has_run(void* stream, int device, std::uint64_t number) noexcept {
    {
      const GraphLock lock;
      set_allocations(0);
      is_idle_ = false;
    }
    drop_frees();
    // Without the lock, because an error of a note looks at the open captures.
    int first = 0;
    for (GraphAllocation* one = allocations_; one != nullptr; one = one->next) {
      const int status = one->note_launch(*one->owner, stream, device, number);
      if (first == 0) first = status;
    }
    return first;
  }
  /// The graph will never run.
  void capture_lost() noexcept {
    const GraphLock lock;
    set_allocations(memory_of_lost_capture);
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
    leave_allocations();
    drop_frees();
    std::free(used_);
    // The newest first, as for variables. No lock is held, because a destructor may free memory.
    while (kept_ != nullptr) delete std::exchange(kept_, kept_->next);
    while (held_ != nullptr) delete std::exchange(held_, held_->next);
  }
  void drop_frees() noexcept {
    while (frees_ != nullptr) delete std::exchange(frees_, frees_->next);
  }
  /// `reason`: as of MemoryOwner::of_device; 0: the memory exists. @pre the lock is held
  void set_allocations(int reason) noexcept {
    for (GraphAllocation* one = allocations_; one != nullptr; one = one->next) {
      __atomic_store_n(&one->owner->of_device, reason == 0 ? one->device : reason,
                       __ATOMIC_RELAXED);
    }
  }
  void leave_allocations() noexcept {
    const GraphLock lock;
    if (is_idle_) set_allocations(memory_of_lost_capture);
    for (; allocations_ != nullptr; allocations_ = allocations_->next) {
      allocations_->graph = nullptr;
    }
  }
  void leave() noexcept {
    const GraphLock lock;
    for (GraphResources** at = &graphs_with_memory; *at != nullptr; at = &(*at)->next_) {
      if (*at != this) continue;
      __atomic_store_n(at, next_, __ATOMIC_RELEASE);
      return;
    }
  }

  // For leak checkers.
  [[gnu::visibility("default")]] static inline GraphResources* leaked = nullptr;

  const std::uint64_t number_;
  GraphResources* next_leaked_ = nullptr;
  bool is_leaked_ = false;
  int holders_ = 1;
  bool waits_ = false;
  bool notes_each_ = false;
  Kept* kept_ = nullptr;
  GraphHeld* held_ = nullptr;
  GraphAllocation* allocations_ = nullptr;
  GraphFree* frees_ = nullptr;  ///< since the last launch; guarded by AllocatingLaunch
  bool allocates_ = false;
  bool is_idle_ = false;  ///< it has not run since its capture
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
