// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../stream/captures.hpp"
#include "../stream/stream_names.hpp"
#include "../watcher.hpp"
#include "stream_call.hpp"

namespace warpsafe::watch {

/// Handles the runtime's successful calls that order work: streams, events and waits.
class OrderCalls {
 public:
  /// `has_library` returns whether the process has loaded a library whose work may lack an order.
  OrderCalls(Watcher& watcher, Captures& captures, bool (*has_library)() noexcept)
      : watcher_(watcher), captures_(captures), has_library_(has_library) {}

  /// Call before the runtime receives a call. While it destroys something, another thread may make
  /// something with the same handle.
  void begin(const StreamCall& of) {
    if (of.call == Call::event_destroyed) order().event_destroyed(of.event);
    if (of.call == Call::stream_destroyed && order().on()) {
      order().stream_destroyed(watcher_.streams().number_of(of.stream, of.device));
    }
  }
  /// May throw std::bad_alloc.
  void done(const StreamCall& of) {
    // A per-thread default stream counts as a second stream.
    if (of.call == Call::stream_created || of.per_thread) {
      __atomic_store_n(&has_streams_, true, __ATOMIC_RELAXED);
    }
    // Without a library nothing can be suspected. A library that is loaded later creates a stream,
    // an event or memory with its first handle, so these calls check again.
    const bool makes = of.call == Call::stream_created || of.call == Call::event_created ||
                       of.call == Call::allocate || of.call == Call::allocate_async;
    if (makes && !order().on() && __atomic_load_n(&has_streams_, __ATOMIC_RELAXED) &&
        (order().suspects_own() || has_library_())) {
      order().begin();
    }
    switch (of.call) {
      case Call::event_created:
        if (of.event != nullptr) order().event_created(of.event);
        return;
      case Call::unknown_order:
        return order().give_up();
      default:
        if (order().on()) followed(of);
        return;
    }
  }

 private:
  [[nodiscard]] OrderWatch& order() noexcept { return watcher_.suspicions().order; }

  void followed(const StreamCall& of) {
    const auto place = [&] {
      return place_of(of.stream, of.per_thread, of.device, watcher_.streams());
    };
    const auto is_captured = [&] {
      return captures_.is_capturing(name_of(of.stream, of.per_thread));
    };
    switch (of.call) {
      case Call::event_record:
        if (!is_captured()) order().recorded(of.event, place());
        return;
      case Call::stream_waits:
        if (!is_captured()) order().waits(place(), of.event);
        return;
      case Call::wait_event:
      case Call::query_event:
        return order().host_waited_for_event(of.event);
      case Call::elapsed_time:
        order().host_waited_for_event(of.event);
        return order().host_waited_for_event(of.second_event);
      case Call::wait_stream:
      case Call::query_stream:
      case Call::unfollowed_async:
      case Call::host_function:  // it may pass any information to the host
        return order().host_knows(place());
      case Call::wait_device:
      case Call::wait_copy:
      case Call::unfollowed:
      case Call::unload:
        return order().host_waited_for_all();
      default:
        return;
    }
  }

  Watcher& watcher_;
  Captures& captures_;
  bool (*has_library_)() noexcept;
  bool has_streams_ = false;
};

}  // namespace warpsafe::watch
