// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>

// A vendor's handle is no identity. CUDA gives the handle of a destroyed stream to the next stream
// at once, also while the old work runs (200 of 200 on an H200, driver 580), cudaStreamPerThread is
// one value for a stream of each thread, and cudaStreamLegacy one value for a stream of each
// device. What the library remembers about a stream has the stream's number.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The streams that this library made and that exist: each has its number in its slot, unless all
/// slots were taken. One for the whole program. But a plug-in has its own where the executable does
/// not export its symbols (g++ without -rdynamic), and so the numbers say whose they are. No
/// initialiser, because nvcc's front end takes each element of one on its own; static storage is
/// zero.
struct LiveStreams {
  static constexpr std::uint64_t slots = 4096;
  std::uint64_t last_number;
  std::uint64_t numbers[slots];
};
[[gnu::visibility("default")]] inline LiveStreams live_streams;
/// The counter of threads, one for the whole program.
[[gnu::visibility("default")]] inline std::uint64_t last_stream_thread = 0;

/// The number of the calling thread among those that used a per-thread default stream, from 1.
[[nodiscard, gnu::visibility("default")]] inline std::uint64_t stream_thread() noexcept {
  static thread_local std::uint64_t own = 0;
  if (own == 0) own = __atomic_add_fetch(&last_stream_thread, 1, __ATOMIC_RELAXED);
  return own;
}

/// Which stream of a backend. The upper two bits say where the number comes from. 0 is no stream.
class StreamNumber {
 public:
  /// The values of handles that name a default stream: cudaStreamLegacy and hipStreamLegacy are 1,
  /// cudaStreamPerThread and hipStreamPerThread 2 (driver_types.h, hip_runtime_api.h).
  static constexpr std::uintptr_t legacy_handle = 1;
  static constexpr std::uintptr_t per_thread_handle = 2;

  /// Whether the handle names a default stream, of the current device.
  [[nodiscard]] static bool is_default(const void* stream) noexcept {
    return reinterpret_cast<std::uintptr_t>(stream) <= per_thread_handle;
  }

  constexpr StreamNumber() noexcept = default;
  [[gnu::always_inline]] constexpr explicit StreamNumber(std::uint64_t value) noexcept
      : value_(value) {}
  /// For a new stream of this library. Call `end` when the stream is destroyed.
  [[nodiscard]] static StreamNumber next() noexcept {
    std::uint64_t tracked = 0;
    // A number whose slot is taken is left out.
    for (std::uint64_t tries = 0; tries < LiveStreams::slots; ++tries) {
      const std::uint64_t count =
          __atomic_add_fetch(&live_streams.last_number, 1, __ATOMIC_RELAXED) & count_bits;
      tracked = tracked_by_this_module() << count_width | count;
      std::uint64_t free = 0;
      if (__atomic_compare_exchange_n(slot_of(tracked), &free, tracked, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
        return StreamNumber(tracked);
      }
    }
    return StreamNumber(tracked & ~tracked_bit);
  }
  /// The stream with this number, which `next` returned, is destroyed.
  void end() const noexcept {
    std::uint64_t mine = value_;
    __atomic_compare_exchange_n(slot_of(value_), &mine, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
  }
  /// Whether this library made the stream, and destroyed it. False if that is not known: for a
  /// stream that other code made, and for one beside 4096 others.
  [[nodiscard, gnu::always_inline]] bool has_ended() const noexcept {
    return value_ >> count_width == tracked_by_this_module() &&
           __atomic_load_n(slot_of(value_), __ATOMIC_RELAXED) != value_;
  }
  /// The vendor's own number, which is unique for the life of the program.
  [[nodiscard]] static constexpr StreamNumber of_vendor(std::uint64_t id) noexcept {
    return StreamNumber(by_vendor | (id & ~kind_bits));
  }
  /// A stream about which nothing is known but its handle. Two of them with one handle may be one
  /// stream or two.
  [[nodiscard]] static StreamNumber of_handle(const void* stream, int device) noexcept {
    const std::uint64_t place = reinterpret_cast<std::uintptr_t>(stream) ^
                                static_cast<std::uint64_t>(static_cast<std::uint32_t>(device))
                                    << 48U;
    return StreamNumber(by_handle | (place & ~kind_bits));
  }
  [[nodiscard]] static constexpr StreamNumber legacy(int device) noexcept {
    return StreamNumber(by_default | (static_cast<std::uint32_t>(device) & device_bits));
  }
  /// The per-thread stream of whichever thread asks `here`.
  [[nodiscard]] static constexpr StreamNumber per_thread(int device) noexcept {
    return StreamNumber(any_thread | (static_cast<std::uint32_t>(device) & device_bits));
  }
  /// The stream that the calling thread means: its own, for `per_thread`.
  [[nodiscard]] StreamNumber here() const noexcept {
    return (value_ & any_thread) != any_thread ? *this : of_this_thread(value_);
  }
  /// Whether it is the per-thread stream of some thread. @pre a result of `here`
  [[nodiscard]] constexpr bool is_per_thread() const noexcept {
    return (value_ & kind_bits) == by_default && thread() != 0;
  }
  /// Whether it is that of another thread than the calling one, which this thread cannot name.
  /// @pre a result of `here`
  [[nodiscard]] bool is_of_another_thread() const noexcept {
    return is_per_thread() && thread() != stream_thread();
  }
  /// The device of a default stream. @pre a result of `legacy`, or of `here` for `per_thread`
  [[nodiscard]] constexpr int device_of_default() const noexcept {
    return static_cast<int>(value_ & device_bits);
  }
  /// Whether no other stream has this number.
  [[nodiscard]] constexpr bool is_certain() const noexcept {
    return (value_ & kind_bits) != by_handle;
  }
  /// Whether it is of a stream that this library made.
  [[nodiscard]] constexpr bool is_of_library() const noexcept {
    return value_ != 0 && (value_ & kind_bits) == 0;
  }
  /// Whether it is a vendor's own number, of a stream that other code made.
  [[nodiscard]] constexpr bool is_of_vendor() const noexcept {
    return (value_ & kind_bits) == by_vendor;
  }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  friend constexpr bool operator==(StreamNumber, StreamNumber) noexcept = default;

 private:
  [[nodiscard]] constexpr std::uint64_t thread() const noexcept {
    return (value_ & ~kind_bits) >> device_width;
  }
  [[nodiscard, WARPSAFE_DETAIL_RARE]] static StreamNumber of_this_thread(
      std::uint64_t value) noexcept {
    return StreamNumber(by_default | stream_thread() << device_width | (value & device_bits));
  }
  static constexpr std::uint64_t kind_bits = std::uint64_t{3} << 62U;
  static constexpr std::uint64_t by_vendor = std::uint64_t{1} << 62U;
  static constexpr std::uint64_t by_handle = std::uint64_t{2} << 62U;
  static constexpr std::uint64_t by_default = std::uint64_t{3} << 62U;
  // A number of `next` consists of 00, whether it has a slot, 21 bits of its table's address, and a
  // count.
  static constexpr std::uint64_t tracked_bit = std::uint64_t{1} << 61U;
  static constexpr unsigned count_width = 40;
  static constexpr std::uint64_t count_bits = (std::uint64_t{1} << count_width) - 1;
  /// The bits above the count. Two tables do not overlap, so their addresses differ after division
  /// by less than their size.
  [[nodiscard, gnu::always_inline]] static std::uint64_t tracked_by_this_module() noexcept {
    static_assert(sizeof(LiveStreams) >= std::size_t{1} << 15U);
    constexpr std::uint64_t tracked = tracked_bit >> count_width;
    return tracked | (reinterpret_cast<std::uintptr_t>(&live_streams) >> 15U & (tracked - 1));
  }
  [[nodiscard, gnu::always_inline]] static std::uint64_t* slot_of(std::uint64_t number) noexcept {
    return &live_streams.numbers[number % LiveStreams::slots];
  }

  static constexpr unsigned device_width = 20;
  static constexpr std::uint64_t device_bits = (std::uint64_t{1} << device_width) - 1;
  static constexpr std::uint64_t any_thread = ~device_bits;

  std::uint64_t value_ = 0;
};

/// Whether these are certainly one stream, so that its order is the order of the work.
[[nodiscard]] constexpr bool is_one_stream(StreamNumber a, StreamNumber b) noexcept {
  return a == b && a.is_certain();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
