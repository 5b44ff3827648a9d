// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/graph/detail/plain_list.hpp>
#include <warpsafe/launch/detail/watched_launch.hpp>
#include <warpsafe/memory/detail/graph_resources.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether these may be one stream. A number is not known for each way to name a stream.
[[nodiscard]] constexpr bool may_be_one(const WhichStream& a, const WhichStream& b) noexcept {
  const auto is_known = [](std::uint64_t number) {
    return number != 0 && StreamNumber(number).is_certain();
  };
  return a.handle == b.handle &&
         (a.number == b.number || !is_known(a.number) || !is_known(b.number));
}

/// Follows one open capture: the streams that take part, and the error that broke it. The runtime
/// only reports that something went wrong; this structure records what, and on which line.
struct CaptureWatch {
  /// A stream that joined the capture by waiting for one of its events. It counts as joined while
  /// its next node would wait for the nodes of `joined_tail`, because the capture's own stream
  /// waits for those nodes too.
  struct Fork {
    WhichStream stream;
    std::uint64_t joined_tail;
    bool joined;  ///< used if the runtime does not report nodes
    call_site site;
    void* held;                     ///< by `hold`
    bool joined_elsewhere = false;  ///< another thread joined it, which may not ask for its nodes
    bool by_other_code = false;  ///< which may also have joined it, so nothing is known of its end
  };
  /// An event that was recorded in the capture.
  struct RecordedEvent {
    const void* event;
    WhichStream stream;
    std::uint64_t tail;
    bool is_joined;
  };

  CaptureWatch* next = nullptr;
  std::uint64_t number = 0;  ///< of this capture in the process, from 1
  /// For a stream that the calling thread uses: the driver may crash if another thread captures it
  /// meanwhile. Everything else is asked for its state.
  int (*query_info)(const WhichStream& stream, CaptureInfo& info) noexcept = nullptr;
  int (*query_state)(const WhichStream& stream, CaptureState& state) noexcept = nullptr;
  /// Keeps the stream of this library with that number, because the capture's end asks it for its
  /// nodes, and a destroyed one must not be asked (CUDA 13.0 on an H200 crashes). nullptr if the
  /// library did not make it.
  void* (*hold)(std::uint64_t number) noexcept = nullptr;
  void (*let_go)(void* held) noexcept = nullptr;
  Vendor vendor = Vendor::unknown;
  CaptureMode mode = CaptureMode::global;
  pthread_t thread = pthread_self();
  WhichStream stream;
  int device = 0;        ///< of the stream
  std::uint64_t id = 0;  ///< the runtime's, CaptureInfo::id; 0: it gave none
  ResourcesPtr resources;
  LaunchError broken =
      LaunchError::make(Errc{}, Stage{});  ///< the first error after which the capture was broken
  // Streams and events for which there is no host memory are not followed.
  PlainList<Fork> forks;
  PlainList<RecordedEvent> events;
  /// The first work that the capture's thread submitted to a stream that does not capture.
  struct OutsideWork {
    const void* stream = nullptr;  ///< nullptr: none
    Name what{};
    call_site site{};
  } outside{};

  CaptureWatch() = default;
  CaptureWatch(const CaptureWatch&) = delete;
  CaptureWatch& operator=(const CaptureWatch&) = delete;
  ~CaptureWatch() {
    for (const Fork& fork : forks) {
      if (fork.held != nullptr) let_go(fork.held);
    }
  }

  [[nodiscard]] Fork* find_fork(const WhichStream& which) noexcept {
    for (Fork& fork : forks) {
      if (may_be_one(fork.stream, which)) return &fork;
    }
    return nullptr;
  }
  [[nodiscard]] bool takes_part(const WhichStream& which) noexcept {
    return which.handle != nullptr && (may_be_one(which, stream) || find_fork(which) != nullptr);
  }
  /// The same, and the stream may have been drawn into the capture by other code's wait. Asks the
  /// runtime about a stream that is not known to take part.
  [[nodiscard]] bool draws_in(const WhichStream& which, const call_site& site) noexcept {
    if (takes_part(which)) return true;
    if (which.handle == nullptr || id == 0 || state_of(which) != CaptureState::active) return false;
    CaptureInfo its{};
    if (!ask(which, its) || its.id != id) return false;
    if (Fork* const fork = forks.add({which, 0, true, site, nullptr, false, true})) {
      fork->held = hold(which.number);
    }
    return true;
  }
  [[nodiscard]] RecordedEvent* find_event(const void* event) noexcept {
    for (RecordedEvent& mark : events) {
      if (mark.event != nullptr && mark.event == event) return &mark;
    }
    return nullptr;
  }
  /// CaptureState::none if the runtime does not say.
  [[nodiscard]] CaptureState state_of(const WhichStream& which) const noexcept {
    CaptureState state = CaptureState::none;
    if (StreamNumber(which.number).is_of_another_thread()) return state;
    return query_state(which, state) == 0 ? state : CaptureState::none;
  }
  /// False if the runtime does not say. The handle of another thread's default stream would mean
  /// the calling thread's.
  [[nodiscard]] bool ask(const WhichStream& which, CaptureInfo& info) const noexcept {
    return !StreamNumber(which.number).is_of_another_thread() && query_info(which, info) == 0;
  }
  [[nodiscard]] std::uint64_t tail_of(const WhichStream& which) const noexcept {
    CaptureInfo info{};
    return ask(which, info) ? info.tail : 0;
  }
  /// A stream of the capture with work that no other stream waits for, or nullptr. A stream of
  /// other code may be destroyed already, so it is not asked. For work behind its join the runtime
  /// returns an error.
  [[nodiscard]] const Fork* unjoined() const noexcept {
    for (const Fork& fork : forks) {
      if (fork.by_other_code || fork.joined_elsewhere) continue;
      const bool exists = fork.held != nullptr || StreamNumber::is_default(fork.stream.handle);
      const std::uint64_t tail = exists ? tail_of(fork.stream) : 0;
      if (tail == 0 ? !fork.joined : tail != fork.joined_tail) return &fork;
    }
    return nullptr;
  }
  [[nodiscard]] bool is_of_this_thread() const noexcept {
    return pthread_equal(thread, pthread_self()) != 0;
  }
  [[nodiscard]] bool forbids_unsafe_calls() const noexcept {
    return mode == CaptureMode::global || (mode == CaptureMode::thread && is_of_this_thread());
  }

  void record(const void* event, const WhichStream& which) noexcept {
    RecordedEvent* mark = find_event(event);
    if (!takes_part(which)) {
      if (mark != nullptr) *mark = {};  // the event has since been recorded outside
      return;
    }
    const Fork* const fork = find_fork(which);
    const std::uint64_t tail = tail_of(which);
    const RecordedEvent made{event, which, tail, fork == nullptr || fork->joined_tail == tail};
    if (mark != nullptr) {
      *mark = made;
    } else {
      static_cast<void>(events.add(made));
    }
  }
  void wait(const WhichStream& waiter, const RecordedEvent& mark, std::uint64_t before,
            call_site site) noexcept {
    // From here on the waiting stream is responsible for the nodes.
    if (Fork* const joined = find_fork(mark.stream)) {
      joined->joined_tail = mark.tail;
      joined->joined = true;
    }
    if (may_be_one(waiter, stream)) return;
    Fork* fork = find_fork(waiter);
    const bool was_joined = fork == nullptr || fork->joined_tail == before;
    if (fork == nullptr) {
      fork = forks.add({waiter, 0, false, site, nullptr});
      if (fork == nullptr) return;
      fork->held = hold(waiter.number);
    }
    if (was_joined && mark.is_joined) fork->joined_tail = tail_of(waiter);
  }
};

/// Guarded by graph_lock.
[[gnu::visibility("default")]] inline CaptureWatch* capture_watches = nullptr;

struct CaptureHookFunctions {
  static void failed(const LaunchError& error) noexcept {
    const GraphLock lock;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      if (watch->broken.code != Errc{} || watch->vendor != error.vendor) continue;
      if (watch->state_of(watch->stream) != CaptureState::broken) continue;
      watch->broken = error;
      watch->broken.subcode = error.code == Errc::capture_broken ? Subcode::broken_before_call
                                                                 : Subcode::broken_by_call;
    }
  }
  static bool refuses(WhichStream stream, const void* event, bool relaxed,
                      LaunchError& error) noexcept {
    const GraphLock lock;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      const bool captured_event = watch->find_event(event) != nullptr;
      const bool captured_stream = watch->takes_part(stream);
      const bool unsafe = !relaxed && watch->forbids_unsafe_calls();
      if (!captured_event && !captured_stream && !unsafe) continue;
      if (captured_event) error.code = Errc::captured_event;
      error.subcode = captured_stream ? Subcode::none : Subcode::other_stream;
      error.stream = watch->stream.handle;
      return true;
    }
    return false;
  }
  static std::uint64_t recorded(const void* event, WhichStream stream) noexcept {
    const GraphLock lock;
    std::uint64_t of = 0;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      watch->record(event, stream);
      if (watch->takes_part(stream)) of = watch->number;
    }
    return of;
  }
  static bool is_open(std::uint64_t capture) noexcept {
    const GraphLock lock;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      if (watch->number == capture) return true;
    }
    return false;
  }
  static std::uint64_t waiting(WhichStream stream) noexcept {
    const GraphLock lock;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      if (watch->takes_part(stream)) return watch->tail_of(stream);
    }
    return 0;
  }
  static void waited(WhichStream stream, const void* event, std::uint64_t before,
                     call_site site) noexcept {
    const GraphLock lock;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      if (const CaptureWatch::RecordedEvent* const mark = watch->find_event(event)) {
        watch->wait(stream, *mark, before, site);
      }
    }
  }
  static void launched(WhichStream stream, const KernelEntry& entry, void* const* args) noexcept {
    const ResourcesPtr resources(resources_of(stream));
    if (resources.get() == nullptr) return;
    each_memory(entry, args,
                [&](const GivenMemory& memory) { resources->add_memory(memory.address); });
  }
  static void submitting(WhichStream stream, const Name& what, const call_site& site) noexcept {
    const GraphLock lock;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      if (watch->draws_in(stream, site)) return;
    }
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      if (watch->outside.stream != nullptr) continue;
      if (watch->is_of_this_thread()) watch->outside = {stream.handle, what, site};
    }
  }
  static GraphResources* resources_of(WhichStream stream) noexcept {
    const GraphLock lock;
    // Asks the runtime only about a stream that is known to take part in none.
    CaptureWatch* found = capture_watches;
    while (found != nullptr && !found->takes_part(stream)) found = found->next;
    if (found == nullptr) found = capture_watches;
    while (found != nullptr && !found->draws_in(stream, {})) found = found->next;
    if (found == nullptr) return nullptr;
    found->resources->retain();
    return found->resources.get();
  }
  static bool is_joined(WhichStream stream, WhichStream& own, int& device) noexcept {
    const GraphLock lock;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      const CaptureWatch::Fork* const fork = watch->find_fork(stream);
      if (fork == nullptr) continue;
      own = watch->stream;
      device = watch->device;
      if (StreamNumber(own.number).is_of_another_thread()) return false;
      if (fork->joined_elsewhere || !watch->is_of_this_thread()) return true;
      return fork->joined_tail != 0 && fork->joined_tail == watch->tail_of(stream);
    }
    return false;
  }
  static void joined(WhichStream stream) noexcept {
    const GraphLock lock;
    for (CaptureWatch* watch = capture_watches; watch != nullptr; watch = watch->next) {
      CaptureWatch::Fork* const fork = watch->find_fork(stream);
      if (fork == nullptr) continue;
      fork->joined_elsewhere = !watch->is_of_this_thread();
      if (!fork->joined_elsewhere) fork->joined_tail = watch->tail_of(stream);
      fork->joined = true;
    }
  }
  static const CaptureHooks hooks;
};
inline const CaptureHooks CaptureHookFunctions::hooks = {
    &CaptureHookFunctions::failed,       &CaptureHookFunctions::refuses,
    &CaptureHookFunctions::recorded,     &CaptureHookFunctions::is_open,
    &CaptureHookFunctions::waiting,      &CaptureHookFunctions::waited,
    &CaptureHookFunctions::resources_of, &CaptureHookFunctions::is_joined,
    &CaptureHookFunctions::joined,       &CaptureHookFunctions::launched,
    &CaptureHookFunctions::submitting};

/// The number of the last capture. Guarded by graph_lock.
[[gnu::visibility("default")]] inline std::uint64_t last_capture = 0;

inline void open_watch(CaptureWatch& watch) noexcept {
  keep_module();  // while another module's capture is open, its calls use these functions
  const GraphLock lock;
  watch.number = ++last_capture;
  watch.next = capture_watches;
  __atomic_store_n(&capture_watches, &watch, __ATOMIC_RELEASE);
  watch_launches();
  __atomic_store_n(&capture_hooks, &CaptureHookFunctions::hooks, __ATOMIC_RELEASE);
}
inline void close_watch(CaptureWatch& watch) noexcept {
  const GraphLock lock;
  for (CaptureWatch** at = &capture_watches; *at != nullptr; at = &(*at)->next) {
    if (*at != &watch) continue;
    __atomic_store_n(at, watch.next, __ATOMIC_RELEASE);
    break;
  }
  if (capture_watches == nullptr) {
    __atomic_store_n(&capture_hooks, nullptr, __ATOMIC_RELEASE);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
