// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/watcher.hpp"
#include "call_stack.hpp"
#include "captures.hpp"
#include "known_call.hpp"
#include "stream_names.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstdint>

namespace warpsafe::watch {

/// The driver's calls that order work: streams, events and waits. Calls that it took alone.
class OrderCalls {
 public:
  OrderCalls(Watcher& watcher, Captures& captures) : watcher_(watcher), captures_(captures) {}

  /// May throw std::bad_alloc.
  void done(const KnownCall& known, std::int32_t device, const CUpti_CallbackData& info) {
    // A thread's default stream is a second stream as well.
    if (known.call == Call::stream_made || known.per_thread) {
      __atomic_store_n(&has_streams_, true, __ATOMIC_RELAXED);
    }
    // Without a library there is nothing to suspect. One that is loaded later makes what it needs
    // with its first handle.
    const bool makes = known.call == Call::stream_made || known.call == Call::event_made ||
                       known.call == Call::allocate || known.call == Call::allocate_async;
    if (makes && !order().on() && __atomic_load_n(&has_streams_, __ATOMIC_RELAXED) &&
        has_library()) {
      order().begin();
    }
    switch (known.call) {
      case Call::event_made:
        if (CUevent* const event = read<cuEventCreate_params>(info).phEvent) {
          order().event_made(*event);
        }
        return;
      case Call::event_gone:
        return order().event_gone(read<cuEventDestroy_params>(info).hEvent);
      case Call::unknown_order:
        return order().give_up();
      default:
        if (order().on()) followed(known, device, info);
        return;
    }
  }

 private:
  template <class Parameters>
  [[nodiscard]] static const Parameters& read(const CUpti_CallbackData& info) noexcept {
    return *static_cast<const Parameters*>(info.functionParams);
  }
  [[nodiscard]] OrderWatch& order() noexcept { return watcher_.suspicions().order; }

  void followed(const KnownCall& known, std::int32_t device, const CUpti_CallbackData& info) {
    const auto place = [&](CUstream stream) {
      return place_of(stream, known.per_thread, device, watcher_.streams());
    };
    switch (known.call) {
      case Call::stream_gone:
        return order().stream_gone(read<cuStreamDestroy_params>(info).hStream);
      case Call::event_record: {
        const auto& of = read<cuEventRecord_params>(info);
        if (!captures_.is_capturing(of.hStream)) order().recorded(of.hEvent, place(of.hStream));
        return;
      }
      case Call::stream_waits: {
        const auto& of = read<cuStreamWaitEvent_params>(info);
        if (!captures_.is_capturing(of.hStream)) order().waits(place(of.hStream), of.hEvent);
        return;
      }
      case Call::wait_event:
      case Call::query_event:
        return order().host_knows_event(read<cuEventSynchronize_params>(info).hEvent);
      case Call::elapsed_time:
        order().host_knows_event(read<cuEventElapsedTime_params>(info).hStart);
        return order().host_knows_event(read<cuEventElapsedTime_params>(info).hEnd);
      case Call::wait_stream:
      case Call::query_stream:
      case Call::host_function:  // it may tell the host what it likes
        return order().host_knows(place(read<cuStreamSynchronize_params>(info).hStream));
      case Call::wait_device:
      case Call::wait_copy:
      case Call::unfollowed:
      case Call::unload:
        return order().host_knows_all();
      default:
        return;
    }
  }

  Watcher& watcher_;
  Captures& captures_;
  bool has_streams_ = false;
};

}  // namespace warpsafe::watch
