// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// What is known to have ended. For each stream and each device this keeps the beginning of the
/// newest wait that succeeded. A launch that the runtime had accepted by then is complete.
///
/// Times come from a clock that only waits advance, so a launch only has to read it. A launch that
/// was submitted at time t is complete once a wait that began later has succeeded. Waits take a
/// spin lock for a few instructions; launches never do.
class Completion {
 public:
  /// How many streams are tracked, in groups by their numbers, which do not come back. A further
  /// stream of a group replaces the one with the oldest wait, whose launches then stay suspects
  /// longer than necessary.
  static constexpr std::size_t streams = 1024;
  static constexpr std::size_t group = 8;
  static constexpr std::int32_t devices = warpsafe::detail::cached_devices;

  /// The time of a launch that was just submitted; at least 1.
  [[nodiscard]] std::uint64_t now() const noexcept {
    return __atomic_load_n(&clock_, __ATOMIC_SEQ_CST) + 1;
  }
  /// The time of a wait that begins, or of an event that is recorded.
  [[nodiscard]] std::uint64_t begin_wait() noexcept {
    return __atomic_add_fetch(&clock_, 1, __ATOMIC_SEQ_CST) + 1;
  }

  /// Work that was submitted to the stream with this number (StreamRef::number) before the time
  /// `began` has ended. Where the number may be that of several streams, this only shows that the
  /// device still works.
  void stream_waited(Vendor vendor, std::int32_t device, std::uint64_t stream,
                     std::uint64_t began) noexcept {
    const warpsafe::detail::Locked lock(lock_);
    Device* const state = find(vendor, device);
    if (state != nullptr && state->succeeded_at < began) state->succeeded_at = began;
    if (warpsafe::detail::StreamNumber(stream).is_certain()) {
      Stream* const first = group_of(stream);
      Stream* chosen = first;
      for (std::size_t i = 0; i < group; ++i) {
        Stream& one = first[i];
        if (one.stream == stream && one.vendor == vendor) {
          chosen = &one;
          break;
        }
        if (one.waited_at < chosen->waited_at) chosen = &one;
      }
      if (chosen->stream != stream || chosen->vendor != vendor) *chosen = {stream, 0, vendor};
      if (chosen->waited_at < began) chosen->waited_at = began;
    }
  }
  /// All work of the device that was submitted before the time `began` has ended.
  void device_waited(Vendor vendor, std::int32_t device, std::uint64_t began) noexcept {
    const warpsafe::detail::Locked lock(lock_);
    if (Device* const state = find(vendor, device)) {
      if (state->succeeded_at < began) state->succeeded_at = began;
      if (state->waited_at < began) state->waited_at = began;
    }
  }

  /// Whether a launch submitted at that time (0: not yet) is known to have ended.
  [[nodiscard]] bool is_complete(const LaunchRecord& record, std::uint64_t submitted_at) noexcept {
    if (submitted_at == 0) return false;
    const warpsafe::detail::Locked lock(lock_);
    bool complete = false;
    if (const Device* const state = find(record.vendor, record.device)) {
      complete = submitted_at < state->waited_at;
    }
    const Stream* const first = group_of(record.stream_number);
    for (std::size_t i = 0; i < group; ++i) {
      const Stream& one = first[i];
      if (one.stream == record.stream_number && one.vendor == record.vendor) {
        complete = complete || submitted_at < one.waited_at;
      }
    }
    return complete;
  }
  /// The beginning of the newest successful wait for anything of the device (-1: of any device); 0
  /// if there was none.
  [[nodiscard]] std::uint64_t succeeded_at(Vendor vendor, std::int32_t device) noexcept {
    const warpsafe::detail::Locked lock(lock_);
    std::uint64_t at = 0;
    for (std::int32_t one = 0; one < devices; ++one) {
      const Device* const state = device < 0 || device == one ? find(vendor, one) : nullptr;
      if (state != nullptr && state->succeeded_at > at) at = state->succeeded_at;
    }
    return at;
  }

  /// The one instance of the process.
  [[nodiscard]] static Completion& get() noexcept { return instance; }

 private:
  struct Stream {
    std::uint64_t stream;
    std::uint64_t waited_at;
    Vendor vendor;
  };
  struct Device {
    std::uint64_t waited_at;
    std::uint64_t succeeded_at;
  };
  static constexpr std::size_t vendors = 4;

  /// The multiplier of Knuth's hash puts numbers that follow each other into groups far apart.
  [[nodiscard]] Stream* group_of(std::uint64_t stream) noexcept {
    constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;
    return &streams_[(stream * spread >> 32U) % (streams / group) * group];
  }
  [[nodiscard]] Device* find(Vendor vendor, std::int32_t device) noexcept {
    const auto row = static_cast<std::size_t>(vendor);
    if (device < 0 || device >= devices || row >= vendors) return nullptr;
    return &devices_[row][device];
  }

  // No initialisers, because static storage is zero; see LaunchRecord.
  std::uint64_t clock_;
  warpsafe::detail::ProcessLock lock_;
  Stream streams_[streams];
  Device devices_[vendors][devices];

  [[gnu::visibility("default")]] static Completion instance;
};

inline Completion Completion::instance;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
