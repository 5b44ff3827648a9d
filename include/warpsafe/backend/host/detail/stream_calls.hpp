// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/capture_rules.hpp>
#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/device_calls.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/thread_state.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/backend/host/detail/warning.hpp>
#include <warpsafe/core/detail/text.hpp>

#include <pthread.h>

#include <cstdint>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The names of default streams, with the values of CUDA's (cudaStreamLegacy, cudaStreamPerThread).
/// The first means a stream of the calling thread's current device, the second a stream of the
/// thread there.
[[nodiscard]] inline StreamHandle* legacy_stream() noexcept {
  return reinterpret_cast<StreamHandle*>(std::uintptr_t{1});
}
[[nodiscard]] inline StreamHandle* per_thread_stream() noexcept {
  return reinterpret_cast<StreamHandle*>(std::uintptr_t{2});
}

/// A new stream. A `blocking` stream is ordered with the device's default stream, including work
/// that was already submitted to the default stream. @pre the runtime is locked
[[nodiscard]] inline StreamHandle* add_stream(Runtime& runtime, Device& device,
                                              bool blocking = false) {
  runtime.reap();
  auto made = make_owned<StreamState>(device, ++runtime.streams_made);
  StreamState* const stream = made.get();
  stream->blocking = blocking;
  // A scheduler's seed decides, so that a use of the old handle is found in some of the runs.
  const bool again = runtime.scheduler == nullptr || runtime.scheduler->reuses_handle();
  StreamHandle* const handle = runtime.streams.add(std::move(made), again);
  for (const auto& [key, other] : runtime.streams) {
    const bool before = blocking && other->is_default && &other->device == &device;
    if (before) stream->implied = other->last;
  }
  return handle;
}

/// Ends a stream that the program can no longer name. Its work still runs.
inline void retire(Runtime& runtime, StreamHandle* handle) {
  runtime.retired.reserve(runtime.retired.size() + 1);  // a call that fails changes nothing
  StreamState& stream = *runtime.streams.find(handle);
  if (runtime.scheduler != nullptr) runtime.scheduler->destroyed(stream);
  abandon_capture(runtime, stream);
  stream.closing = true;
  stream.work.notify_one();
  runtime.retired.push_back(runtime.streams.remove(handle));
  runtime.reap();
}

/// The number of the calling thread as the owner of its per-thread default streams, which no other
/// thread of the program has; 0 before their first use. Has no destructor, so that the destructors
/// of all thread_local objects can use the streams.
[[nodiscard, gnu::visibility("default")]] inline std::uint64_t& stream_owner() noexcept {
  static thread_local std::uint64_t number = 0;
  return number;
}
/// Ends the per-thread default streams of a thread.
inline void end_own_streams(std::uint64_t thread) noexcept {
  Runtime& runtime = Runtime::get();
  if (runtime.unavailable() != 0) return;
  static_cast<void>(guarded(
      [&] {
        const Lock lock(runtime.mutex);
        Array<StreamHandle*> own;
        for (const auto& [handle, stream] : runtime.streams) {
          if (stream->of_thread == thread) own.push_back(handle);
        }
        for (StreamHandle* const handle : own) retire(runtime, handle);
        return 0;
      },
      0));
}
/// Makes the calling thread end its per-thread default streams after the destructors of its
/// thread_local objects. If the system has no room for this, the streams stay until the program
/// ends.
[[gnu::visibility("default")]] inline void end_own_streams_with_thread() noexcept {
  struct Key {
    pthread_key_t key{};
    bool made = pthread_key_create(&key, [](void* number) {
                  end_own_streams(*static_cast<std::uint64_t*>(number));
                }) == 0;
  };
  static const Key at_end;
  if (at_end.made) pthread_setspecific(at_end.key, &stream_owner());
}

/// The stream that a handle names for the calling thread; nullptr if there is none. Makes a default
/// stream at its first use.
[[nodiscard]] inline StreamState* stream_of(Runtime& runtime, StreamHandle* handle) {
  const bool own = handle == per_thread_stream();
  if (!own && handle != legacy_stream()) return runtime.streams.find(handle);
  Device* const device = runtime.device(thread_state().device);
  if (device == nullptr) return nullptr;
  std::uint64_t& thread = stream_owner();
  if (own && thread == 0) thread = ++runtime.owners_made;
  for (const auto& [key, stream] : runtime.streams) {
    const bool meant = own ? stream->of_thread == thread : stream->is_default;
    if (meant && &stream->device == device) return stream.get();
  }
  StreamState* const stream = runtime.streams.find(add_stream(runtime, *device, own));
  if (own) {
    stream->of_thread = thread;
    end_own_streams_with_thread();
  }
  stream->is_default = !own;
  return stream;
}

/// A status that says whether `stream` accepts work and its device works. `handle` is the
/// program's, and `stream` gets what it names; nullptr is no stream.
[[nodiscard]] inline int usable(Runtime& runtime, StreamHandle* handle, StreamState*& stream) {
  stream = stream_of(runtime, handle);
  if (stream == nullptr) {
    if (runtime.scheduler != nullptr) runtime.scheduler->refused(runtime.streams.former(handle));
    return raw(HostStatus::invalid_resource_handle);
  }
  if (const int no = check_implicit(runtime, *stream, true); no != 0) return no;
  const bool broken = stream->capture != nullptr && stream->capture->broken;
  return broken ? raw(HostStatus::stream_capture_invalidated) : runtime.lost(stream->device);
}

/// The result of a query about unfinished work.
[[nodiscard]] inline int unfinished_status(Runtime& runtime) {
  if (runtime.scheduler != nullptr) runtime.scheduler->known_pending();
  return raw(HostStatus::not_ready);
}

/// The backend's calls for streams. See backend/backend.hpp.
struct StreamCalls {
  using native_stream = StreamHandle*;
  using native_event = EventHandle*;

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
  /// Returns at once; queued operations still run. The next stream gets the handle. No default
  /// stream can be destroyed.
  static int stream_destroy(native_stream handle) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      const StreamState* const stream = runtime.streams.find(handle);
      if (stream == nullptr) return raw(HostStatus::invalid_resource_handle);
      const int status = runtime.lost(stream->device);
      retire(runtime, handle);
      return status;
    });
  }
  /// A number of the stream that no other has in the life of the program, as cudaStreamGetId's.
  /// Asking a capturing stream breaks its capture, as on an H200 (driver 580).
  static int stream_id(native_stream handle, std::uint64_t& number) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      StreamState* const stream = stream_of(runtime, handle);
      if (stream == nullptr) return raw(HostStatus::invalid_resource_handle);
      if (const int no = check_not_capturing(*stream); no != 0) return no;
      number = stream->number;
      return 0;
    });
  }
  static int stream_synchronize(native_stream handle) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      StreamState* stream = nullptr;
      const int status = usable(runtime, handle, stream);
      if (status == raw(HostStatus::invalid_resource_handle)) return status;
      if (const int no = check_query(runtime, *stream); no != 0) return no;
      Device& device = stream->device;
      // Work that other threads submit meanwhile is not waited for.
      const auto newest = runtime.newest_of(*stream);
      runtime.wait(lock, {newest.data(), newest.size()});
      return runtime.take_failure(device);
    });
  }
  /// Whether a scheduler runs the work inside calls. If so, a loop of queries may never end.
  static bool is_scheduled() noexcept {
    Runtime& runtime = Runtime::get();
    if (runtime.forked()) return false;
    const Lock lock(runtime.mutex);
    return runtime.scheduler != nullptr;
  }
  static int stream_query(native_stream handle) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      StreamState* stream = nullptr;
      const int status = usable(runtime, handle, stream);
      if (status == raw(HostStatus::invalid_resource_handle)) return status;
      if (const int no = check_query(runtime, *stream); no != 0) return no;
      const auto newest = runtime.newest_of(*stream);
      for (const auto& operation : newest) {
        if (!operation->done) return unfinished_status(runtime);
      }
      runtime.report_done({newest.data(), newest.size()});
      return runtime.take_failure(stream->device);
    });
  }
  static int stream_device(native_stream handle, int& device) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      StreamState* const stream = stream_of(runtime, handle);
      if (stream == nullptr) return raw(HostStatus::invalid_resource_handle);
      if (const int no = check_not_capturing(*stream); no != 0) return no;
      device = stream->device.limits.device;
      return 0;
    });
  }
  static int stream_capturing(native_stream handle, bool& capturing) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      const StreamState* const stream = stream_of(runtime, handle);
      if (stream == nullptr) return raw(HostStatus::invalid_resource_handle);
      if (const int no = check_implicit(runtime, *stream, false); no != 0) return no;
      capturing = stream->capture != nullptr;
      return runtime.lost(stream->device);
    });
  }
  /// The capture mode of the calling thread's other calls. The numbers are CUDA's.
  static constexpr int relaxed_capture = 2;
  static int exchange_capture_mode(int& mode) noexcept {
    return call<pure_query>(__func__, [&](Runtime&, auto&) {
      if (mode < 0 || mode > relaxed_capture) return raw(HostStatus::invalid_value);
      swap_values(mode, thread_state().capture_mode);
      return 0;
    });
  }
  /// Waits for the event's newest record so far. Does not wait for an event that was never
  /// recorded.
  static int stream_wait(native_stream handle, native_event its_event) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      StreamState* stream = nullptr;
      if (const int status = usable(runtime, handle, stream); status != 0) return status;
      EventState* const event = runtime.events.find(its_event);
      if (event == nullptr) return raw(HostStatus::invalid_resource_handle);
      if (event->capture != nullptr && !event->capture->ended) return join(*stream, *event);
      if (event->record == nullptr) {
        if (runtime.scheduler != nullptr) runtime.scheduler->empty_wait(*stream);
        return 0;
      }
      if (stream->capture != nullptr) {
        stream->capture->broken = true;
        return raw(HostStatus::stream_capture_isolation);
      }
      auto operation = make_shared<MarkOperation>();
      operation->after = event->record;
      runtime.submit(*stream, operation);
      return 0;
    });
  }
};

/// The backend's calls for events.
struct EventCalls {
  static int event_create(EventHandle*& event, bool timed) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      Device* device = nullptr;
      if (const int status = current(runtime, device); status != 0) return status;
      auto made = make_owned<EventState>();
      made->device = device->limits.device;
      made->timed = timed;
      event = runtime.events.add(std::move(made));
      return 0;
    });
  }
  /// Already submitted waits for the event remain.
  static int event_destroy(EventHandle* event) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      return raw(runtime.events.remove(event) == nullptr ? HostStatus::invalid_resource_handle
                                                         : HostStatus::success);
    });
  }
  /// Event and stream must belong to the same device.
  static int event_record(EventHandle* its_event, StreamHandle* handle) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      StreamState* stream = nullptr;
      if (const int status = usable(runtime, handle, stream); status != 0) return status;
      EventState* const event = runtime.events.find(its_event);
      if (event == nullptr || event->device != stream->device.limits.device) {
        return raw(HostStatus::invalid_resource_handle);
      }
      // What may run out of memory comes first: a call that fails changes nothing.
      NodeSet tail = stream->tail;
      if (stream->capture == nullptr) {
        auto operation = make_shared<MarkOperation>();
        // A default stream also waits for the work of others.
        const Operation* const last = stream->is_default ? nullptr : stream->last.get();
        operation->seen = {last, runtime.work_seen, runtime.waits_seen};
        runtime.submit(*stream, operation);
        event->record = operation;
      }
      event->capture = stream->capture;
      event->tail = std::move(tail);
      return 0;
    });
  }
  static int event_synchronize(EventHandle* handle) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      EventState* const event = runtime.events.find(handle);
      Device* const device = device_of(runtime, event);
      if (device == nullptr) return raw(HostStatus::invalid_resource_handle);
      if (const int no = check_query(runtime, *event); no != 0) return no;
      const Shared<const Operation> record = event->record;
      runtime.wait(lock, record);
      return runtime.take_failure(*device);
    });
  }
  static int event_query(EventHandle* handle) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      EventState* const event = runtime.events.find(handle);
      Device* const device = device_of(runtime, event);
      if (device == nullptr) return raw(HostStatus::invalid_resource_handle);
      if (const int no = check_query(runtime, *event); no != 0) return no;
      if (event->record != nullptr && !event->record->done) return unfinished_status(runtime);
      runtime.report_done(event->record);
      return runtime.take_failure(*device);
    });
  }
  static bool event_ended(EventHandle* handle) noexcept {
    Runtime& runtime = Runtime::get();
    if (runtime.forked()) return false;
    const Lock lock(runtime.mutex);
    const EventState* const event = runtime.events.find(handle);
    if (event == nullptr || event->record == nullptr || !event->record->done) return false;
    // Without an order, what the program does next may come before that work in another run.
    return runtime.scheduler == nullptr || runtime.scheduler->host_knows(*event->record);
  }
  /// Both events must be timed, recorded and of one device (else invalid_resource_handle) and done
  /// (else not_ready).
  static int event_elapsed(float& ms, EventHandle* from, EventHandle* to) noexcept {
    char text[512] = "";
    const int status = call(__func__, [&](Runtime& runtime, auto&) {
      const EventState* const begin = runtime.events.find(from);
      const EventState* const end = runtime.events.find(to);
      for (const EventState* event : {begin, end}) {
        const bool usable_event = device_of(runtime, event) != nullptr && event->timed;
        if (!usable_event || event->record == nullptr) {
          return raw(HostStatus::invalid_resource_handle);
        }
      }
      if (begin->device != end->device) return raw(HostStatus::invalid_resource_handle);
      if (!begin->record->done || !end->record->done) return unfinished_status(runtime);
      runtime.report_done(begin->record);
      runtime.report_done(end->record);
      ms = static_cast<float>(end->record->finished - begin->record->finished) /
           static_cast<float>(millisecond);
      if (is_of_other_work(*begin->record, *end->record)) {
        warpsafe::detail::TextBuffer out(text, sizeof text);
        out << "warpsafe: the time from the event at " << begin->record->caller.site
            << " to the event at " << end->record->caller.site
            << " is not that of the work in between: their stream got none, and other streams did; "
               "record both events on the work's stream";
      }
      return 0;
    });
    if (text[0] != '\0' && !told().exchange(true)) warpsafe::detail::tell_warning(text);
    return status;
  }

 private:
  /// Whether the program has been told of events around other work. Once is enough.
  [[nodiscard, gnu::visibility("default")]] static Atomic<bool>& told() noexcept {
    static Atomic<bool> value = false;
    return value;
  }
  /// Whether nothing is between two records of a stream, while other streams got work for which the
  /// host did not wait.
  [[nodiscard]] static bool is_of_other_work(const MarkOperation& begin,
                                             const MarkOperation& end) noexcept {
    return end.seen.last == &begin && end.seen.work != begin.seen.work &&
           end.seen.waits == begin.seen.waits && end.caller.site.file != nullptr;
  }
  /// nullptr for no event.
  [[nodiscard]] static Device* device_of(Runtime& runtime, const EventState* event) {
    return event == nullptr ? nullptr : runtime.device(event->device);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
