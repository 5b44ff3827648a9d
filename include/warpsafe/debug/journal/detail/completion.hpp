// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/launch_record.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::debug {

/// What is known to have ended. For each stream and each device this keeps the beginning of the
/// newest wait that succeeded. A launch that the runtime had accepted by then is complete.
///
/// Times come from a clock that only waits advance, so a launch only has to read it. A launch that
/// was submitted at time t is complete once a wait that began later has succeeded. Waits take a
/// spin lock for a few instructions; launches never do.
class Completion {
 public:
  /// How many streams are tracked. A further stream replaces the one with the oldest wait, whose
  /// launches then stay suspects longer than necessary.
  static constexpr std::size_t streams = 256;
  static constexpr std::int32_t devices = 64;

  /// The time of a launch that was just submitted; at least 1.
  [[nodiscard]] std::uint64_t now() const noexcept {
    return __atomic_load_n(&clock_, __ATOMIC_SEQ_CST) + 1;
  }
  /// The time of a wait that begins, or of an event that is recorded.
  [[nodiscard]] std::uint64_t begin_wait() noexcept {
    return __atomic_add_fetch(&clock_, 1, __ATOMIC_SEQ_CST) + 1;
  }

  /// Work that was submitted to `stream` before the time `began` has ended. Default streams (0, and
  /// those with a name, of which each thread may have its own) are not one stream for the whole
  /// process. For them this only shows that the device still works.
  void stream_waited(Vendor vendor, std::int32_t device, const void* stream,
                     std::uint64_t began) noexcept {
    const warpsafe::detail::Locked lock(lock_);
    Device* const state = find(vendor, device);
    if (state != nullptr && state->succeeded_at < began) state->succeeded_at = began;
    if (reinterpret_cast<std::uintptr_t>(stream) > last_default_stream) {
      Stream* chosen = &streams_[0];
      for (Stream& one : streams_) {
        if (one.stream == stream && one.device == device && one.vendor == vendor) {
          chosen = &one;
          break;
        }
        if (one.waited_at < chosen->waited_at) chosen = &one;
      }
      if (chosen->stream != stream || chosen->device != device || chosen->vendor != vendor) {
        *chosen = {stream, 0, device, vendor};
      }
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
    for (const Stream& one : streams_) {
      if (one.stream == record.stream && one.device == record.device &&
          one.vendor == record.vendor) {
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
  /// cudaStreamLegacy is 1, cudaStreamPerThread and hipStreamPerThread are 2 (driver_types.h,
  /// hip_runtime_api.h).
  static constexpr std::uintptr_t last_default_stream = 2;
  struct Stream {
    const void* stream;
    std::uint64_t waited_at;
    std::int32_t device;
    Vendor vendor;
  };
  struct Device {
    std::uint64_t waited_at;
    std::uint64_t succeeded_at;
  };
  static constexpr std::size_t vendors = 4;

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

  static Completion instance;
};

inline Completion Completion::instance;

}  // namespace warpsafe::debug
