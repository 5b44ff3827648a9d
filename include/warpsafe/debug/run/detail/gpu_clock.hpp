// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/on_device.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// The calls of a backend that measure GPU times. Each returns the runtime's status.
struct TimingCalls {
  Vendor vendor;
  /// Creates a timed event of that device.
  int (*create)(int device, void*& event) noexcept;
  int (*record)(void* event, void* stream) noexcept;
  int (*elapsed)(float& ms, void* begin, void* end) noexcept;
  int (*query)(void* event) noexcept;
  int (*destroy)(void* event) noexcept;
  int (*capturing)(void* stream, bool& capturing) noexcept;
  /// Creates an event of that device and waits until it is reached.
  int (*now)(int device, void*& event) noexcept;
};

/// The TimingCalls of backend B.
template <class B>
struct TimingCallsOf {
  using Event = typename B::native_event;
  using Stream = typename B::native_stream;
  using Outside = warpsafe::detail::RelaxedCaptureScope<B>;
  static int create(int device, void*& event) noexcept {
    return warpsafe::detail::on_device<B>(device, [&]() noexcept -> int {
      Event made{};
      const int status = B::event_create(made, true);
      event = made;
      return status;
    });
  }
  static int record(void* event, void* stream) noexcept {
    return B::event_record(static_cast<Event>(event), static_cast<Stream>(stream));
  }
  static int elapsed(float& ms, void* begin, void* end) noexcept {
    const Outside outside;
    return B::event_elapsed(ms, static_cast<Event>(begin), static_cast<Event>(end));
  }
  static int query(void* event) noexcept {
    const Outside outside;
    return B::event_query(static_cast<Event>(event));
  }
  static int destroy(void* event) noexcept { return B::event_destroy(static_cast<Event>(event)); }
  static int capturing(void* stream, bool& capturing) noexcept {
    return B::stream_capturing(static_cast<Stream>(stream), capturing);
  }
  /// Uses its own stream, so that no other work comes first.
  static int now(int device, void*& event) noexcept {
    return warpsafe::detail::on_device<B>(device, [&]() noexcept -> int {
      Stream stream{};
      if (const int status = B::stream_create(stream, 0)) return status;
      Event made{};
      int status = B::event_create(made, true);
      event = made;
      if (status == 0) status = B::event_record(made, stream);
      if (status == 0) {
        const Outside outside;
        status = B::event_synchronize(made);
      }
      const int destroyed = B::stream_destroy(stream);
      return status != 0 ? status : destroyed;
    });
  }
  static constexpr TimingCalls calls{B::vendor, &create,  &record,    &elapsed,
                                     &query,    &destroy, &capturing, &now};
};

/// Events around launches, and the times between them. Not thread-safe: its owner locks. After a
/// runtime error one time is missing; after a lost context all times are.
class GpuClock {
 public:
  /// Two events of a launch, which is identified by its number.
  struct Pair {
    std::uint64_t sequence;
    std::int32_t device;
    void* begin;
    void* end;
  };

  void use(const TimingCalls* calls) noexcept { calls_ = calls; }

  /// Call it before a launch. Does nothing while a graph is being captured, because the events
  /// would become part of the graph.
  void launching(const LaunchRecord& record) {
    if (calls_ == nullptr || record.vendor != calls_->vendor || record.device < 0) return;
    bool capturing = true;
    void* const stream = const_cast<void*>(record.stream);
    if (warpsafe::detail::open_captures() != nullptr || calls_->capturing(stream, capturing) != 0 ||
        capturing || !begin_of(record.device)) {
      return;
    }
    // Before the events: without memory for the pair, nothing would destroy them.
    pairs_.push_back({record.sequence, record.device, nullptr, nullptr});
    Pair& pair = pairs_.back();
    if (calls_->create(record.device, pair.begin) != 0 ||
        calls_->create(record.device, pair.end) != 0 || calls_->record(pair.begin, stream) != 0) {
      drop();
    }
  }
  /// Call it after the launch.
  void launched(const LaunchRecord& record) noexcept {
    // clang-tidy would prefer <ranges>.
    // NOLINTNEXTLINE(modernize-loop-convert)
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      if (pair->sequence != record.sequence) continue;
      static_cast<void>(calls_->record(pair->end, const_cast<void*>(record.stream)));
      return;
    }
  }
  /// Calls `report(sequence, begun, ended)` for each launch that has ended. The times are the
  /// nanoseconds of CLOCK_MONOTONIC at which the stream reached the launch and its end.
  template <class Report>
  void times(const Report& report) const {
    for (const Pair& pair : pairs_) {
      const Start& start = starts_[static_cast<std::size_t>(pair.device)];
      float to_begin = 0;
      float to_end = 0;
      if (calls_->query(pair.end) == 0 && calls_->elapsed(to_begin, start.event, pair.begin) == 0 &&
          calls_->elapsed(to_end, start.event, pair.end) == 0) {
        report(pair.sequence, start.host + nanoseconds(to_begin), start.host + nanoseconds(to_end));
      }
    }
  }

  GpuClock() = default;
  GpuClock(const GpuClock&) = delete;
  GpuClock& operator=(const GpuClock&) = delete;
  ~GpuClock() {
    while (!pairs_.empty()) drop();
    for (const Start& start : starts_) {
      if (start.event != nullptr) static_cast<void>(calls_->destroy(start.event));
    }
  }

 private:
  /// One moment on the host's clock and on the device's.
  struct Start {
    void* event = nullptr;
    std::uint64_t host = 0;
    bool failed = false;
  };

  [[nodiscard]] static std::uint64_t nanoseconds(float ms) noexcept {
    return ms <= 0 ? 0 : static_cast<std::uint64_t>(static_cast<double>(ms) * 1e6);
  }
  [[nodiscard]] bool begin_of(std::int32_t device) {
    const auto at = static_cast<std::size_t>(device);
    if (starts_.size() <= at) starts_.resize(at + 1);
    Start& start = starts_[at];
    if (start.event != nullptr || start.failed) return !start.failed;
    // The event lies between two readings of the host's clock. The closest of several tries counts.
    std::uint64_t closest = ~std::uint64_t{0};
    for (int tries = 0; tries < 5 && !start.failed; ++tries) {
      void* event = nullptr;
      const std::uint64_t before = warpsafe::detail::nanoseconds_now();
      start.failed = calls_->now(device, event) != 0;
      const std::uint64_t width = warpsafe::detail::nanoseconds_now() - before;
      const bool better = !start.failed && width < closest;
      void* const worse = better ? start.event : event;
      if (better) {
        start.event = event;
        start.host = before + width / 2;
        closest = width;
      }
      if (worse != nullptr) static_cast<void>(calls_->destroy(worse));
    }
    return !start.failed;
  }
  void drop() noexcept {
    // The status is dropped: a lost context was reported where it was noticed.
    for (void* event : {pairs_.back().begin, pairs_.back().end}) {
      if (event != nullptr) static_cast<void>(calls_->destroy(event));
    }
    pairs_.pop_back();
  }

  const TimingCalls* calls_ = nullptr;
  std::vector<Pair> pairs_;
  std::vector<Start> starts_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
