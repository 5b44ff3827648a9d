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

/// Handles the runtime's calls other than launches: waits, and the calls that suspicions need.
class StreamCalls {
 public:
  /// `kind_of` is passed to MemoryCalls, `has_library` to OrderCalls.
  StreamCalls(Watcher& watcher, Captures& captures, MemoryKind (*kind_of)(std::uintptr_t) noexcept,
              bool (*has_library)() noexcept)
      : watcher_(watcher),
        captures_(captures),
        kind_of_(kind_of),
        memory_(watcher, captures, kind_of),
        order_(watcher, captures, has_library) {}

  /// Call before the program's call reaches the runtime.
  void begin(ObservedWait& seen, const StreamCall& of) noexcept {
    switch (of.call) {
      case Call::event_destroyed:
      case Call::stream_destroyed:
        return destroying(of);
      // A launch may look a handle up while the runtime unloads its image, and after that.
      case Call::unload:
        return watcher_.kernels().forget_handles();
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
  /// Call when a call begins that `frees`, for StreamCall::number_of_memory.
  [[nodiscard]] std::uint64_t allocations() const noexcept { return memory_.allocations(); }
  [[nodiscard]] static bool frees(Call call) noexcept { return MemoryCalls::frees(call); }
  /// Call when the runtime has returned; `status` 0 means success. A failed call that is made
  /// inside of another watched call, `inner`, is left to that one. `stack` is the program's;
  /// nullptr: that of the calling thread.
  void end(ObservedWait& seen, const StreamCall& of, int status, bool inner = false,
           const HostStack* stack = nullptr) noexcept {
    // A failed call also ends the capture.
    if (of.call == Call::end_capture) captures_.ended();
    // After a failure the program has other reports.
    if (status != 0 || !never_waits(of.call)) watcher_.suspicions().unawaited.waited();
    if (status != 0 && of.call == Call::event_destroyed) {
      watcher_.destroyed_handles().made(of.event);
    }
    if (status != 0 && of.call == Call::stream_destroyed) {
      watcher_.destroyed_handles().made(of.stream);
    }
    const bool waited = end_wait(seen, of, status, stack);
    if (status == 0) return done(of);
    if (!waited) watcher_.failed(status, of.name, Stage::runtime_call, of.device, stack);
    if (!inner) failed(of, status, nullptr, stack);
  }
  /// Call when a call has failed. `log` is what the runtime's log says about it; nullptr: the log
  /// is read.
  void failed(const StreamCall& of, int status, const char* log,
              const HostStack* stack = nullptr) noexcept {
    watcher_.call_failed(of, status, log, kind_of_, stack);
  }

 private:
  /// Returns whether the call is a wait.
  bool end_wait(ObservedWait& seen, const StreamCall& of, int status,
                const HostStack* stack) noexcept {
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
    watcher_.waited(seen, status, scope, stack);
    return true;
  }
  /// A wait for the legacy default stream covers the device if the device has no non-blocking
  /// stream.
  [[nodiscard]] WaitScope scope_of(const void* stream, const StreamCall& of) noexcept {
    if (!is_legacy(stream, of.per_thread)) return WaitScope::stream;
    return watcher_.streams().any_non_blocking(of.device) ? WaitScope::stream : WaitScope::device;
  }

  void done(const StreamCall& of) noexcept {
    if (of.call == Call::begin_capture) {
      captures_.begun();
      watcher_.failed_calls().capture_begins();
    }
    if (of.call == Call::unload) watcher_.kernels().forget_handles();
    try {
      memory_.done(of);
      if (watcher_.quiet()) return;
      if (of.call == Call::event_created) watcher_.destroyed_handles().made(of.event);
      order_.done(of);
      end_dependence(of);
    } catch (...) {  // out of memory: no further suspicions
      watcher_.suspicions().order.give_up();
    }
  }

  void destroying(const StreamCall& of) noexcept {
    if (watcher_.quiet()) return;
    const bool is_event = of.call == Call::event_destroyed;
    try {
      order_.begin(of);
      watcher_.destroyed_handles().destroyed({is_event ? of.event : of.stream,
                                              is_event ? "event" : "stream", of.whole_name(),
                                              HostStack::here()});
    } catch (...) {  // out of memory: no further suspicions
      watcher_.suspicions().order.give_up();
    }
  }

  /// Work other than a kernel, and a wait, ends the overlap of kernels.
  void end_dependence(const StreamCall& of) {
    DependentWatch& dependent = watcher_.suspicions().dependent;
    switch (of.call) {
      case Call::other:
      case Call::noticing:
      case Call::event_record:
      case Call::event_created:
      case Call::event_destroyed:
      case Call::stream_created:
      case Call::allocate:
      case Call::allocate_managed:
      case Call::allocate_pitch:
      case Call::allocate_host:
      case Call::load_module:
      case Call::find_function:
      case Call::find_variable:
      case Call::set_device:
      case Call::set_attribute:
        return;
      case Call::copy_in_async:
      case Call::copy_out_async:
      case Call::copy_any_async:
      case Call::copy_device_async:
      case Call::fill_async:
      case Call::stream_waits:
      case Call::wait_stream:
      case Call::query_stream:
      case Call::host_function:
        return dependent.ordered(place_of(of.stream, of.per_thread, of.device, watcher_.streams()));
      default:
        return dependent.ordered_all();
    }
  }

  Watcher& watcher_;
  Captures& captures_;
  MemoryKind (*kind_of_)(std::uintptr_t) noexcept;
  MemoryCalls memory_;
  OrderCalls order_;
};

}  // namespace warpsafe::watch
