// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>

#if !defined(__x86_64__) || !defined(__LP64__) || !defined(__linux__)
#include <pthread.h>
#endif

#include <cstdint>
#include <new>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Adds the device of a stream.
template <class B>
void note_device(int device) noexcept {
  const unsigned long bit = device_bit(device);
  if ((__atomic_load_n(&devices_with_streams<B>, __ATOMIC_RELAXED) & bit) != bit) {
    __atomic_or_fetch(&devices_with_streams<B>, bit, __ATOMIC_RELAXED);
  }
}
/// The device of a stream that other code made; `device` if the runtime does not know.
template <class B>
[[nodiscard]] int device_of(typename B::native_stream stream, int device) noexcept {
  // Asking a capturing stream for its device breaks the capture (seen on CUDA 13). The vendors'
  // default streams, 0 to 2, are those of the current device.
  bool capturing = true;
  int found = device;
  const bool known = reinterpret_cast<std::uintptr_t>(stream) > 2 &&
                     B::stream_capturing(stream, capturing) == 0 && !capturing &&
                     B::stream_device(stream, found) == 0;
  return known ? found : device;
}

/// What is left of a stream for memory that it used, also after it is destroyed (StreamUses). The
/// stream and each of these memories hold it.
struct StreamEnd {
  ProcessLock lock{};  ///< held from before the stream leaves the list until it can be destroyed
  int holders = 1;
  /// Called when the stream is about to be destroyed.
  void (*at_end)(StreamEnd& self, void* stream, int device, StreamNumber number) noexcept;
  void (*destroy)(StreamEnd& self) noexcept;

  void retain() noexcept { __atomic_add_fetch(&holders, 1, __ATOMIC_RELAXED); }
  void release() noexcept {
    if (__atomic_sub_fetch(&holders, 1, __ATOMIC_ACQ_REL) == 0) destroy(*this);
  }
  /// Whether only the stream holds it.
  [[nodiscard]] bool is_unused() const noexcept {
    return __atomic_load_n(&holders, __ATOMIC_ACQUIRE) == 1;
  }
};

/// A stream that this library made. Its owner and all objects bound to it (buffers, library
/// handles) share it, and the last of them destroys it, so that none outlives it.
///
/// A list holds all live streams, so that an object bound by a StreamRef finds its stream and keeps
/// it too. A lock guards the list while streams are made, bound and released; launches do not take
/// it. The thread that made a stream binds and releases without the lock: it counts in variables
/// that only it writes, and the sums of both sides count.
template <class B>
class SharedStream {
 public:
  typename B::native_stream native;
  const StreamNumber number = StreamNumber::next();

  /// What the thread that made the stream counts. A number alone may be negative.
  struct Here {
    int holders = 0;
    std::uint64_t bytes = 0;  ///< of device memory that is freed by the stream's order (Owners)
    void* spare = nullptr;    ///< storage for owners of such memory
    /// Takes bytes and storage back when the stream leaves the list; nullptr: there are none.
    /// @pre `list_lock` is held
    void (*give_back)(SharedStream& stream) noexcept = nullptr;
  };
  Here here;

  /// Guards the list and the holders, and the owners of device memory (Owners), each of which holds
  /// a stream.
  [[gnu::visibility("default")]] static inline ProcessLock list_lock{};

  /// For a new stream, with one holder. nullptr if memory is exhausted.
  [[nodiscard]] static SharedStream* make(typename B::native_stream stream, int device) noexcept {
    auto* const made = new (std::nothrow) SharedStream(stream, device);
    if (made == nullptr) return nullptr;
    note_device<B>(device);
    SharedStream* unheld = nullptr;
    {
      const Locked lock(list_lock);
      unheld = all_streams;
      while (unheld != nullptr && unheld->holders() != 0) unheld = unheld->next_;
      if (unheld != nullptr) unheld->leave_list();
      made->next_ = all_streams;
      __atomic_store_n(&all_streams, made, __ATOMIC_RELEASE);
    }
    // Its last two holders went at once, on two threads, and each took the other for the last.
    if (unheld != nullptr) unheld->drop_unheld();
    return made;
  }
  /// Adds a holder of the stream with that number. nullptr if this library did not make it, or it
  /// is destroyed.
  [[nodiscard]] static SharedStream* find(std::uint64_t stream) noexcept {
    const Locked lock(list_lock);
    for (SharedStream* at = all_streams; at != nullptr; at = at->next_) {
      if (at->number.value() != stream) continue;
      at->count_holder(1);
      return at;
    }
    return nullptr;
  }
  /// Adds a holder of the end of the stream with that number. `make` makes the first one. nullptr
  /// if this library did not make the stream, it is destroyed, or memory is exhausted.
  [[nodiscard]] static StreamEnd* end_of(StreamNumber stream,
                                         StreamEnd* (*make)() noexcept) noexcept {
    const Locked lock(list_lock);
    for (SharedStream* at = all_streams; at != nullptr; at = at->next_) {
      if (at->number != stream) continue;
      if (at->end_ == nullptr) at->end_ = make();
      if (at->end_ != nullptr) at->end_->retain();
      return at->end_;
    }
    return nullptr;
  }
  /// The number of that stream; none if this library did not make it, or it is destroyed.
  [[nodiscard]] static StreamNumber number_of(const void* stream) noexcept {
    if (__atomic_load_n(&all_streams, __ATOMIC_ACQUIRE) == nullptr) return {};
    const Locked lock(list_lock);
    for (const SharedStream* at = all_streams; at != nullptr; at = at->next_) {
      if (at->native == stream) return at->number;
    }
    return {};
  }
  /// A device other than `device` that has a live stream; -1 if none has.
  [[nodiscard]] static int other_device(int device) noexcept {
    const Locked lock(list_lock);
    for (const SharedStream* at = all_streams; at != nullptr; at = at->next_) {
      if (at->device_ != device) return at->device_;
    }
    return -1;
  }
  /// The bytes of a device that the threads count which made its streams. @pre `list_lock` is held
  [[nodiscard]] static std::uint64_t bytes_here(int device) noexcept {
    std::uint64_t sum = 0;
    for (const SharedStream* at = all_streams; at != nullptr; at = at->next_) {
      if (at->device_ == device) sum += __atomic_load_n(&at->here.bytes, __ATOMIC_RELAXED);
    }
    return sum;
  }
  [[nodiscard]] int device() const noexcept { return device_; }
  /// Whether the calling thread made the stream, and so may write to `here`.
  [[nodiscard, gnu::always_inline]] bool is_here() const noexcept {
    return thread_ == this_thread();
  }
  [[gnu::always_inline]] void retain() noexcept {
    if (is_here()) [[likely]] {
      __atomic_store_n(&here.holders, here.holders + 1, __ATOMIC_RELAXED);
    } else {
      retain_elsewhere();
    }
  }
  /// Removes a holder. The last one destroys the stream and this object, and returns the runtime's
  /// status; the others return 0.
  [[nodiscard, gnu::always_inline]] int release() noexcept {
    if (is_here()) [[likely]]
      return remove_holder_here() ? destroy() : 0;
    return release_elsewhere();
  }
  /// The first part of `release`. Returns whether it was the last holder, which must call `destroy`
  /// without the lock. @pre `list_lock` is held
  [[nodiscard]] bool remove_holder() noexcept {
    count_holder(-1);
    if (holders() != 0) [[likely]]
      return false;
    leave_list();
    return true;
  }
  /// The same without the lock. @pre is_here
  [[nodiscard, gnu::always_inline]] bool remove_holder_here() noexcept {
    // Afterwards another thread may destroy the stream.
    const int others = __atomic_load_n(&holders_, __ATOMIC_ACQUIRE);
    const int left = here.holders - 1;
    __atomic_store_n(&here.holders, left, __ATOMIC_RELEASE);
    return left + others == 0 && is_unheld(this);
  }
  /// The second part. Returns the runtime's status.
  [[nodiscard, gnu::noinline]] int destroy() noexcept {
    number.end();
    if (end_ != nullptr) {
      if (!end_->is_unused()) end_->at_end(*end_, native, device_, number);
      end_->lock.unlock();
      end_->release();
    }
    const int status = B::stream_destroy(native);
    delete this;
    return status;
  }
  /// `release` and `destroy` of a destructor, which cannot return the status: it is printed.
  [[gnu::always_inline]] void drop() noexcept {
    const int device = device_;
    report(release(), device);
  }
  void drop_unheld() noexcept {
    const int device = device_;
    report(destroy(), device);
  }

 private:
  SharedStream(typename B::native_stream stream, int device) noexcept
      : native(stream), device_(device) {}
  static void report(int status, int device) noexcept {
    report_dropped<B>(status, Name::of("stream destroy"),
                      "close what holds the stream first, and the stream last", device);
  }

  /// A number that no other thread has while this one runs. It is asked for at each use: a fibre
  /// may go on in another thread, and compilers take what glibc declares as constant for known.
  [[nodiscard, gnu::always_inline]] static std::uintptr_t this_thread() noexcept {
#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__)
    // System V ABI, AMD64 supplement, "Thread-Local Storage": the word at %fs:0 is its own address.
    std::uintptr_t thread = 0;
    asm volatile("mov {%%fs:0, %0|%0, qword ptr fs:[0]}" : "=r"(thread));
    return thread;
#else
    pthread_t (*ask)() = &::pthread_self;
    asm volatile("" : "+r"(ask));
    return reinterpret_cast<std::uintptr_t>(ask());
#endif
  }
  /// @pre `list_lock` is held
  void count_holder(int change) noexcept {
    __atomic_store_n(&holders_, holders_ + change, __ATOMIC_RELAXED);
  }
  [[nodiscard]] int holders() const noexcept {
    return __atomic_load_n(&here.holders, __ATOMIC_ACQUIRE) + holders_;
  }
  /// @pre `list_lock` is held
  void leave_list() noexcept {
    // Who does not find the stream any more waits for this lock.
    if (end_ != nullptr) end_->lock.lock();
    SharedStream** at = &all_streams;
    while (*at != this) at = &(*at)->next_;
    __atomic_store_n(at, next_, __ATOMIC_RELEASE);
    if (here.give_back != nullptr) here.give_back(*this);
  }
  [[gnu::noinline]] void retain_elsewhere() noexcept {
    const Locked lock(list_lock);
    count_holder(1);
  }
  [[nodiscard, gnu::noinline]] int release_elsewhere() noexcept {
    {
      const Locked lock(list_lock);
      if (!remove_holder()) return 0;
    }
    return destroy();
  }
  /// Takes the stream out of the list if nobody holds it. It may be destroyed already.
  [[nodiscard, gnu::noinline]] static bool is_unheld(SharedStream* stream) noexcept {
    const Locked lock(list_lock);
    const SharedStream* at = all_streams;
    while (at != nullptr && at != stream) at = at->next_;
    if (at == nullptr || at->holders() != 0) return false;
    stream->leave_list();
    return true;
  }

  [[gnu::visibility("default")]] static inline SharedStream* all_streams = nullptr;
  int device_;
  const std::uintptr_t thread_ = this_thread();
  StreamEnd* end_ = nullptr;  ///< once memory of another stream was used
  SharedStream* next_ = nullptr;
  int holders_ = 1;  ///< counted under the lock
};

/// The handle of the current device's legacy default stream.
template <class B>
[[nodiscard]] void* legacy_handle() noexcept {
  if constexpr (requires { B::legacy_stream(); }) {
    return B::legacy_stream();
  } else {
    return reinterpret_cast<void*>(StreamNumber::legacy_handle);
  }
}
/// Which stream a vendor's handle names: one of this library, a default stream, or one that other
/// code made. Asks the runtime only for the last kind, and not while the stream captures: that
/// would break the capture (seen on an H200, driver 580).
template <class B>
[[nodiscard]] StreamNumber stream_number(typename B::native_stream stream, int device) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(stream);
  bool own_default = false;  // whether 0 is the thread's stream
  if constexpr (requires { B::default_is_per_thread; }) own_default = B::default_is_per_thread;
  if (value == StreamNumber::per_thread_handle || (value == 0 && own_default)) {
    return StreamNumber::per_thread(device);
  }
  if (value <= StreamNumber::legacy_handle) return StreamNumber::legacy(device);
  if (const StreamNumber own = SharedStream<B>::number_of(stream); own.value() != 0) return own;
  if constexpr (requires(std::uint64_t & id) { B::stream_id(stream, id); }) {
    std::uint64_t id = 0;
    bool capturing = true;
    if (B::stream_capturing(stream, capturing) == 0 && !capturing &&
        B::stream_id(stream, id) == 0) {
      return StreamNumber::of_vendor(id);
    }
  }
  return StreamNumber::of_handle(stream, device);
}

/// The slot for the device's only stream, which every Stream shares if an observer asks for it.
/// nullptr if each Stream is its own.
template <class B>
[[nodiscard, gnu::visibility("default")]] SharedStream<B>** only_stream(int device) noexcept {
  static SharedStream<B>* kept[cached_devices];
  const bool is_one = device >= 0 && device < cached_devices && wants_one_stream();
  // For the race detector it would be an order of the program's.
  return is_one && polling_helps<B>() ? &kept[device] : nullptr;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
