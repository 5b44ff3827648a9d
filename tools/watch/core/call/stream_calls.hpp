// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../report/observed_wait.hpp"
#include "../stream/captures.hpp"
#include "../stream/stream_names.hpp"
#include "../watcher.hpp"
#include "memory_calls.hpp"
#include "memory_kind.hpp"
#include "order_calls.hpp"
#include "stream_call.hpp"

#include <cstdint>

namespace warpsafe::watch {

/// The runtime's calls that are no launches: waits, and what the suspicions look at.
class StreamCalls {
 public:
  /// `kind_of` is that of MemoryCalls, `has_library` that of OrderCalls.
  StreamCalls(Watcher& watcher, Captures& captures, MemoryKind (*kind_of)(std::uintptr_t) noexcept,
              bool (*has_library)() noexcept)
      : watcher_(watcher),
        captures_(captures),
        memory_(watcher, captures, kind_of),
        order_(watcher, captures, has_library) {}

  /// The program is about to make the call.
  void begin(ObservedWait& seen, const StreamCall& of) noexcept {
    switch (of.call) {
      case Call::wait_stream:
      case Call::query_stream:
        return watcher_.waiting(seen, of.name, name_of(of.stream, of.per_thread), of.device);
      case Call::wait_device:
      case Call::wait_event:
      case Call::copy_in:
      case Call::copy_out:
      case Call::wait_copy:
      case Call::copy_any:
      case Call::free:
        return watcher_.waiting(seen, of.name, nullptr, of.device);
      default:
        return;
    }
  }
  /// The runtime has answered; 0: it took the call.
  void end(ObservedWait& seen, const StreamCall& of, int status) noexcept {
    // A capture that failed has ended, too.
    if (of.call == Call::end_capture) captures_.ended();
    const bool waited = end_wait(seen, of, status);
    if (status == 0) {
      done(of);
    } else if (!waited) {
      watcher_.failed(status, of.name, Stage::runtime_call, of.device);
    }
  }

 private:
  /// Whether the call is one that waits.
  bool end_wait(ObservedWait& seen, const StreamCall& of, int status) noexcept {
    WaitScope scope = WaitScope::nothing;
    switch (of.call) {
      case Call::wait_stream:
      case Call::query_stream:
        scope = scope_of(of.stream, of);
        break;
      case Call::copy_out:
        scope = scope_of(nullptr, of);
        break;
      case Call::wait_device:
        scope = WaitScope::device;
        break;
      case Call::wait_event:
      case Call::copy_in:
      case Call::wait_copy:
      case Call::copy_any:
      case Call::free:
        break;
      default:
        return false;
    }
    watcher_.waited(seen, status, scope);
    return true;
  }
  /// Of a wait for the legacy default stream: it waits for the device where no stream is apart.
  [[nodiscard]] WaitScope scope_of(const void* stream, const StreamCall& of) noexcept {
    if (!is_legacy(stream, of.per_thread)) return WaitScope::stream;
    return watcher_.streams().any_non_blocking(of.device) ? WaitScope::stream : WaitScope::device;
  }

  void done(const StreamCall& of) noexcept {
    if (of.call == Call::begin_capture) captures_.begun();
    if (of.call == Call::unload) watcher_.kernels().forget_handles();
    if (watcher_.quiet()) return;
    try {
      memory_.done(of);
      order_.done(of);
    } catch (...) {  // without memory nothing more is suspected
      watcher_.suspicions().order.give_up();
    }
  }

  Watcher& watcher_;
  Captures& captures_;
  MemoryCalls memory_;
  OrderCalls order_;
};

}  // namespace warpsafe::watch
