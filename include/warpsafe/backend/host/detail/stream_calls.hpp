// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/capture_rules.hpp>
#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/device_calls.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace warpsafe::host {

/// A status that says whether `stream` accepts work and its device works. nullptr is not a stream;
/// host::default_stream names a default stream.
[[nodiscard]] inline int usable(Runtime& runtime, const StreamState* stream) {
  if (runtime.streams.count(stream) == 0) {
    if (runtime.scheduler != nullptr) runtime.scheduler->refused(stream);
    return raw(HostStatus::invalid_resource_handle);
  }
  const bool broken = stream->capture != nullptr && stream->capture->broken;
  return broken ? raw(HostStatus::stream_capture_invalidated) : runtime.lost(stream->device);
}

/// The result of a query about unfinished work.
[[nodiscard]] inline int unfinished_status(Runtime& runtime) {
  if (runtime.scheduler != nullptr) runtime.scheduler->known_pending();
  return raw(HostStatus::not_ready);
}

/// A new stream. A `blocking` stream is ordered with the device's default stream, including work
/// that was already submitted to the default stream. @pre the runtime is locked
[[nodiscard]] inline StreamState* add_stream(Runtime& runtime, Device& device,
                                             bool blocking = false) {
  runtime.reap();
  auto made = std::make_unique<StreamState>(device, ++runtime.streams_made);
  StreamState* const stream = made.get();
  stream->blocking = blocking;
  runtime.streams.emplace(stream, std::move(made));
  for (const auto& [key, other] : runtime.streams) {
    const bool before = blocking && other->is_default && &other->device == &device;
    if (before) runtime.order_after(*stream, other->last);
  }
  return stream;
}
/// The default stream of a device, as cudaStreamLegacy is CUDA's; made at the first call.
[[nodiscard]] inline StreamState* default_stream(Runtime& runtime, Device& device) {
  for (const auto& [key, stream] : runtime.streams) {
    if (stream->is_default && &stream->device == &device) return stream.get();
  }
  StreamState* const stream = add_stream(runtime, device);
  stream->is_default = true;
  return stream;
}

/// Frees an allocation's storage when its stream reaches this operation. Reports a write past its
/// end as an illegal access.
struct ReleaseOperation final : Operation {
  ReleaseOperation(Runtime& runtime, void* memory, std::size_t bytes)
      : runtime_(runtime), memory_(memory) {
    accesses = {{memory, bytes, true}};
  }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::release; }
  Failure run() override {
    std::unique_lock lock(runtime_.mutex);
    Allocation allocation = runtime_.memory.remove(memory_);
    lock.unlock();
    Failure failure = overrun(allocation, caller.site);
    allocation.storage.retire();
    lock.lock();
    runtime_.quarantine(std::move(allocation));
    return failure;
  }
  /// The failure if something was written past the end of memory that is freed in this line.
  [[nodiscard]] static Failure overrun(Allocation& memory, const call_site& freed) {
    char text[256];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    out << "; found when the memory was freed";
    if (freed.file != nullptr) out << " at " << freed;
    return memory.take_overrun({text, out.size()});
  }

 private:
  Runtime& runtime_;
  void* memory_;
};

/// The backend's calls for streams. See backend/backend.hpp.
struct StreamCalls {
  using native_stream = StreamState*;
  using native_event = EventState*;

  /// All streams are equal: `priority` is accepted and ignored.
  static int stream_create(native_stream& stream, int priority) noexcept {
    static_cast<void>(priority);
    return call(__func__, [&](Runtime& runtime, auto&) {
      Device* device = nullptr;
      if (const int status = current(runtime, device); status != 0) return status;
      stream = add_stream(runtime, *device);
      return 0;
    });
  }
  /// Returns at once; queued operations still run.
  static int stream_destroy(native_stream stream) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      const auto found = runtime.streams.find(stream);
      if (found == runtime.streams.end() || stream->is_default) {
        return raw(HostStatus::invalid_resource_handle);
      }
      const int status = runtime.lost(stream->device);
      runtime.retired.reserve(runtime.retired.size() + 1);  // a call that fails changes nothing
      if (runtime.scheduler != nullptr) runtime.scheduler->destroyed(*stream);
      abandon_capture(runtime, *stream);
      stream->closing = true;
      stream->work.notify_one();
      runtime.retired.push_back(std::move(found->second));
      runtime.streams.erase(found);
      runtime.reap();
      return status;
    });
  }
  static int stream_synchronize(native_stream stream) noexcept {
    return call(__func__, [&](Runtime& runtime, std::unique_lock<std::mutex>& lock) {
      const int status = usable(runtime, stream);
      if (status == raw(HostStatus::invalid_resource_handle)) return status;
      if (const int no = check_query(runtime, *stream); no != 0) return no;
      Device& device = stream->device;
      // A copy: work that other threads submit meanwhile is not waited for.
      const std::shared_ptr<const Operation> last = stream->last;
      runtime.wait(lock, last);
      return runtime.take_failure(device);
    });
  }
  /// Whether a scheduler runs the work inside calls. If so, a loop of queries may never end.
  static bool is_scheduled() noexcept {
    Runtime& runtime = Runtime::get();
    if (runtime.forked()) return false;
    const std::lock_guard lock(runtime.mutex);
    return runtime.scheduler != nullptr;
  }
  static int stream_query(native_stream stream) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      const int status = usable(runtime, stream);
      if (status == raw(HostStatus::invalid_resource_handle)) return status;
      if (const int no = check_query(runtime, *stream); no != 0) return no;
      if (!stream->idle()) return unfinished_status(runtime);
      runtime.report_done(stream->last);
      return runtime.take_failure(stream->device);
    });
  }
  static int stream_device(native_stream stream, int& device) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      if (runtime.streams.count(stream) == 0) return raw(HostStatus::invalid_resource_handle);
      if (const int no = check_not_capturing(*stream); no != 0) return no;
      device = stream->device.limits.device;
      return 0;
    });
  }
  static int stream_capturing(native_stream stream, bool& capturing) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      if (runtime.streams.count(stream) == 0) return raw(HostStatus::invalid_resource_handle);
      capturing = stream->capture != nullptr;
      return runtime.lost(stream->device);
    });
  }
  /// The capture mode of the calling thread's other calls. The numbers are CUDA's.
  static constexpr int relaxed_capture = 2;
  static int exchange_capture_mode(int& mode) noexcept {
    return call<pure_query>(__func__, [&](Runtime&, auto&) {
      if (mode < 0 || mode > relaxed_capture) return raw(HostStatus::invalid_value);
      std::swap(mode, thread_state().capture_mode);
      return 0;
    });
  }
  /// Waits for the event's newest record so far. Does not wait for an event that was never
  /// recorded.
  static int stream_wait(native_stream stream, native_event event) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      if (const int status = usable(runtime, stream); status != 0) return status;
      if (runtime.events.count(event) == 0) return raw(HostStatus::invalid_resource_handle);
      if (event->capture != nullptr && !event->capture->ended) return join(*stream, *event);
      if (event->record == nullptr) {
        if (runtime.scheduler != nullptr) runtime.scheduler->empty_wait(*stream);
        return 0;
      }
      if (stream->capture != nullptr) {
        stream->capture->broken = true;
        return raw(HostStatus::stream_capture_isolation);
      }
      auto operation = std::make_shared<MarkOperation>();
      operation->after = event->record;
      runtime.submit(*stream, std::move(operation));
      return 0;
    });
  }
};

/// The backend's calls for events.
struct EventCalls {
  static int event_create(EventState*& event, bool timed) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      Device* device = nullptr;
      if (const int status = current(runtime, device); status != 0) return status;
      auto made = std::make_unique<EventState>();
      made->device = device->limits.device;
      made->timed = timed;
      event = made.get();
      runtime.events.emplace(event, std::move(made));
      return 0;
    });
  }
  /// Already submitted waits for the event remain.
  static int event_destroy(EventState* event) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      const auto found = runtime.events.find(event);
      if (found == runtime.events.end()) return raw(HostStatus::invalid_resource_handle);
      event->record = nullptr;  // no later call can name it
      runtime.quarantine(std::move(found->second));
      runtime.events.erase(found);
      return 0;
    });
  }
  /// Event and stream must belong to the same device.
  static int event_record(EventState* event, StreamState* stream) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      if (const int status = usable(runtime, stream); status != 0) return status;
      if (runtime.events.count(event) == 0 || event->device != stream->device.limits.device) {
        return raw(HostStatus::invalid_resource_handle);
      }
      // What may run out of memory comes first: a call that fails changes nothing.
      NodeSet tail = stream->tail;
      if (stream->capture == nullptr) {
        auto operation = std::make_shared<MarkOperation>();
        runtime.submit(*stream, operation);
        event->record = std::move(operation);
      }
      event->capture = stream->capture;
      event->tail = std::move(tail);
      return 0;
    });
  }
  static int event_synchronize(EventState* event) noexcept {
    return call(__func__, [&](Runtime& runtime, std::unique_lock<std::mutex>& lock) {
      Device* const device = device_of(runtime, event);
      if (device == nullptr) return raw(HostStatus::invalid_resource_handle);
      if (const int no = check_query(runtime, *event); no != 0) return no;
      const std::shared_ptr<const Operation> record = event->record;
      runtime.wait(lock, record);
      return runtime.take_failure(*device);
    });
  }
  static int event_query(EventState* event) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      Device* const device = device_of(runtime, event);
      if (device == nullptr) return raw(HostStatus::invalid_resource_handle);
      if (const int no = check_query(runtime, *event); no != 0) return no;
      if (event->record != nullptr && !event->record->done) return unfinished_status(runtime);
      runtime.report_done(event->record);
      return runtime.take_failure(*device);
    });
  }
  static bool event_ended(const EventState* event) noexcept {
    Runtime& runtime = Runtime::get();
    if (runtime.forked()) return false;
    const std::lock_guard lock(runtime.mutex);
    return runtime.events.count(event) != 0 && event->record != nullptr && event->record->done;
  }
  /// Both events must be timed, recorded and of one device (else invalid_resource_handle) and done
  /// (else not_ready).
  static int event_elapsed(float& ms, EventState* begin, EventState* end) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      for (EventState* event : {begin, end}) {
        const bool usable_event = device_of(runtime, event) != nullptr && event->timed;
        if (!usable_event || event->record == nullptr) {
          return raw(HostStatus::invalid_resource_handle);
        }
      }
      if (begin->device != end->device) return raw(HostStatus::invalid_resource_handle);
      if (!begin->record->done || !end->record->done) return unfinished_status(runtime);
      runtime.report_done(begin->record);
      runtime.report_done(end->record);
      const std::chrono::duration<float, std::milli> elapsed =
          end->record->finished - begin->record->finished;
      ms = elapsed.count();
      return 0;
    });
  }

 private:
  /// nullptr if `event` does not exist.
  [[nodiscard]] static Device* device_of(Runtime& runtime, const EventState* event) {
    return runtime.events.count(event) == 0 ? nullptr : runtime.device(event->device);
  }
};

}  // namespace warpsafe::host
