// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/backend/detail/memory_calls_of.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/graph_resources.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/detail/stream_there.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <new>
#include <utility>

namespace warpsafe::detail {

/// Whether a device has stream-ordered allocation, asked once per device. A device that cannot be
/// asked is taken to have it: the allocation then says what is wrong. `Calls` asks.
template <class B, class Calls>
[[nodiscard]] bool has_memory_pools(int device) noexcept {
  static OnceSlot<bool> slots[remembered_devices];
  const bool remembered = remembers_limits<B> && device >= 0 && device < remembered_devices;
  if (remembered) {
    if (const bool* known = slots[device].get()) return *known;
  }
  bool answer = true;
  if (MemoryCallsOf<Calls>::has_memory_pools(device, answer) != 0) return true;
  if (remembered) slots[device].put(answer);
  return answer;
}

/// Memory of a device, shared by its buffer and by whatever still needs it (tokens of copies,
/// graphs): the last of them frees it, after all work on other streams that was noted to use it.
template <class B>
class DeviceMemory : public MemoryOwner {
 public:
  enum class Kind : unsigned char {
    ordered,   ///< allocated and freed in the order of its stream
    plain,     ///< of a device without memory pools
    managed,   ///< reached by the host as well
    captured,  ///< `ordered`, and allocated by a capture: the graph's own
  };

  /// Room for `bytes` on the stream's device; the count of holders begins at 1. No bytes: no
  /// memory, and no call. Errc::out_of_memory (value: bytes asked, limit: the device's, extra:
  /// free, held: this program's), ::stream_null for a Stream that was moved from or closed,
  /// ::unsupported, ::runtime_failed. The memory is freed by the calls
  /// of the same level.
  template <CheckLevel Level>
  [[nodiscard]] static result<DeviceMemory*> allocate(basic_stream_hold<B> stream, Bytes bytes,
                                                      bool managed, call_site site) noexcept {
    const auto there = check_stream_there(Name::of("allocate device memory"), stream.ref(), site);
    if (!there.has_value()) return there.assume_error();
    const CallScope<B> here(site);
    retry_postponed();
    const int device = stream.ref().device().value();
    using Calls = CallsAt<B, Level>;
    auto* made = new (std::nothrow)
        DeviceMemory(std::move(stream), bytes.value(), &give_back<Calls>, &add_use_by_view<Calls>);
    if (made == nullptr) {
      return LaunchError::make(Errc::out_of_memory, Stage::runtime_call, sizeof(DeviceMemory), 0,
                               Axis::none, site);
    }
    if (const int status = bytes.value() == 0 ? 0 : made->template take<Calls>(managed)) {
      delete made;
      return allocation_error<Level>(status, bytes, device, site);
    }
    MemoryCount<B>::add(device, bytes.value());
    return made;
  }

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept { return stream_.ref(); }
  [[nodiscard]] const basic_stream_hold<B>& hold() const noexcept { return stream_; }
  /// Frees in the order of another stream of the device, which from here on comes after this one's.
  void move_to(basic_stream_hold<B> stream) noexcept {
    stream_ = std::move(stream);
    MemoryOwner::freed_on = stream_.ref().native();
  }

  void retain() noexcept { __atomic_add_fetch(&holders_, 1, __ATOMIC_RELAXED); }
  /// The runtime's status of the free if this was the last holder, else 0. The object is gone then.
  int release() noexcept {
    if (__atomic_sub_fetch(&holders_, 1, __ATOMIC_ACQ_REL) != 0) return 0;
    int status = 0;
    if (free_(*this, status)) {
      delete this;
    } else {
      postpone(this);
    }
    return status;
  }

  /// Notes that what `stream` was given so far uses the memory. Nothing is to be noted of its own
  /// stream, nor of one that captures: such work runs when its graph does. Returns the runtime's
  /// status. Thread-safe: launches of several threads may read one buffer.
  template <class Calls>
  [[nodiscard]] int note_use(basic_stream_ref<B> stream) noexcept {
    if (stream == stream_.ref() || data_ == nullptr || captures<Calls>(stream)) return 0;
    const NoteLock lock(noting_);
    Use* use = uses_;
    while (use != nullptr && !(use->stream == stream)) use = use->next;
    if (use != nullptr) return use->mark.template set<Calls>(stream);
    use = new (std::nothrow) Use{stream, {}, uses_};
    if (use == nullptr) {  // without a note of it, the free waits by waiting now
      StreamMark<B> mark;
      const int status = mark.template set<Calls>(stream);
      return status != 0 ? status : mark.template order_before<Calls>(stream_.ref());
    }
    uses_ = use;
    return use->mark.template set<Calls>(stream);
  }

 private:
  /// Held while a use is noted: two threads seldom share a buffer on streams that are not its own.
  class NoteLock {
   public:
    explicit NoteLock(bool& held) noexcept : held_(held) {
      while (__atomic_test_and_set(&held_, __ATOMIC_ACQUIRE)) {
      }
    }
    ~NoteLock() { __atomic_clear(&held_, __ATOMIC_RELEASE); }
    NoteLock(const NoteLock&) = delete;
    NoteLock& operator=(const NoteLock&) = delete;

   private:
    bool& held_;
  };
  /// MemoryOwner::add_use.
  template <class Calls>
  static int add_use_by_view(MemoryOwner& self, void* stream, int device) noexcept {
    return static_cast<DeviceMemory&>(self).template note_use<Calls>(
        StreamAccess::make<B>(stream, device));
  }

  struct Use {
    basic_stream_ref<B> stream;
    StreamMark<B> mark;
    Use* next;
  };

  /// Frees the memory, with the runtime's status; false where that has to wait for a capture.
  using Free = bool (*)(DeviceMemory& memory, int& status) noexcept;

  DeviceMemory(basic_stream_hold<B> stream, std::size_t bytes, Free free,
               decltype(MemoryOwner::add_use) note) noexcept
      : MemoryOwner{stream.ref().native(), note, static_cast<unsigned char>(B::vendor)},
        stream_(std::move(stream)),
        bytes_(bytes),
        free_(free) {}
  ~DeviceMemory() {
    while (uses_ != nullptr) delete std::exchange(uses_, uses_->next);
  }

  template <class Calls>
  [[nodiscard]] int take(bool managed) noexcept {
    const basic_stream_ref<B> stream = stream_.ref();
    const int device = stream.device().value();
    if (!managed && has_memory_pools<B, Calls>(device)) {
      kind_ = captures<Calls>(stream) ? Kind::captured : Kind::ordered;
      // CUDA refuses an allocation on any stream while this thread, or in the global mode another
      // one, captures, unless the thread says that it knows better (seen on an H200, CUDA 13.0).
      const Uncaptured<Calls> outside;
      return MemoryCallsOf<Calls>::allocate(data_, bytes_, stream.native());
    }
    kind_ = managed ? Kind::managed : Kind::plain;
    const Uncaptured<Calls> outside;
    return on_device<Calls>(device, [&]() noexcept {
      return managed ? MemoryCallsOf<Calls>::allocate_managed(data_, bytes_)
                     : MemoryCallsOf<Calls>::allocate_unordered(data_, bytes_);
    });
  }

  /// A free of memory that the capture did not allocate would become a part of the graph, or spoil
  /// it: it is made later.
  template <class Calls>
  [[nodiscard]] bool must_wait_for_capture() const noexcept {
    return data_ != nullptr && kind_ != Kind::captured && captures<Calls>(stream_.ref());
  }

  template <class Calls>
  static bool give_back(DeviceMemory& self, int& status) noexcept {
    if (self.template must_wait_for_capture<Calls>()) return false;
    status = self.template give_back_by<Calls>();
    return true;
  }
  template <class Calls>
  [[nodiscard]] int give_back_by() noexcept {
    if (data_ == nullptr) return 0;
    memory_is_freed(data_, bytes_);
    const basic_stream_ref<B> stream = stream_.ref();
    int first = 0;
    const auto note = [&first](int status) noexcept {
      if (first == 0) first = status;
    };
    if (kind_ == Kind::ordered || kind_ == Kind::captured) {
      for (Use* use = uses_; use != nullptr; use = use->next)
        note(use->mark.template order_before<Calls>(stream));
      const Uncaptured<Calls> outside;
      note(MemoryCallsOf<Calls>::deallocate(data_, stream.native()));
    } else {
      for (Use* use = uses_; use != nullptr; use = use->next)
        note(use->mark.template wait<Calls>({}, false));
      const Uncaptured<Calls> outside;
      note(wait_for_stream<Calls>(stream.native(), stream.device().value(), {}, false));
      note(on_device<Calls>(stream.device().value(), [&]() noexcept {
        return MemoryCallsOf<Calls>::deallocate_unordered(data_);
      }));
    }
    MemoryCount<B>::subtract(stream.device().value(), bytes_);
    data_ = nullptr;
    return first;
  }

  // Frees that met a capture, a stack: a thread takes all of it, and puts back what has to wait on.
  static inline DeviceMemory* postponed = nullptr;

  static void postpone(DeviceMemory* memory) noexcept {
    DeviceMemory* top = __atomic_load_n(&postponed, __ATOMIC_RELAXED);
    do {
      memory->next_ = top;
    } while (!__atomic_compare_exchange_n(&postponed, &top, memory, true, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
    __atomic_store_n(&postponed_frees<B>, &retry_postponed, __ATOMIC_RELEASE);
  }
  static void retry_postponed() noexcept {
    if (__atomic_load_n(&postponed, __ATOMIC_RELAXED) == nullptr) return;
    DeviceMemory* all = __atomic_exchange_n(&postponed, nullptr, __ATOMIC_ACQUIRE);
    while (all != nullptr) {
      DeviceMemory* const memory = std::exchange(all, all->next_);
      int status = 0;  // whoever gave the memory up is long gone
      if (memory->free_(*memory, status)) {
        delete memory;
      } else {
        postpone(memory);
      }
    }
  }

  template <CheckLevel Level>
  [[gnu::cold]] static LaunchError allocation_error(int status, Bytes bytes, int device,
                                                    call_site site) noexcept {
    LaunchError error = runtime_error<B>(status, Name::of("allocate device memory"), site);
    error.device = device;
    error.value = bytes.value();
    if (error.code != Errc::out_of_memory) return error;
    const auto now = memory_info<B, Level>(DeviceId(device), site);
    if (!now.has_value()) return error;
    error.limit = now.assume_value().total;
    error.extra = now.assume_value().free;
    error.held = now.assume_value().held;
    return error;
  }

  basic_stream_hold<B> stream_;
  void* data_ = nullptr;
  std::size_t bytes_;
  Free free_;  ///< give_back, by the calls of the level that the memory was allocated at
  Use* uses_ = nullptr;
  DeviceMemory* next_ = nullptr;
  int holders_ = 1;
  bool noting_ = false;
  Kind kind_ = Kind::ordered;
};

}  // namespace warpsafe::detail
