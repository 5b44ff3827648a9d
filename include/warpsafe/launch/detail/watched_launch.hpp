// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/core/detail/observing_launches.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/launch/detail/observation.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <cstdint>

// A launch while an observer or an open capture watches. What installs them includes this header,
// so that a file that launches compiles none of it.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Begins the observation of a launch whose record is filled in. Returns whether an observer asks
/// for its arguments.
[[gnu::always_inline]] inline bool begin_observation(Observation& seen) noexcept {
  const LaunchBegin begun = tell_launching(seen.first, seen.record, seen.calls);
  seen.begun = begun.time;
  return begun.asks_for_data;
}
/// Begins the observation of a launch that has no arguments.
template <class B>
[[nodiscard]] Observation observe(const Located<B>& at, const LaunchShape& shape,
                                  const Name& kernel) noexcept {
  Observation seen{launch_observers(), backend_calls<B>};
  if (seen.first != nullptr) {
    fill_record(seen.record,
                {kernel, shape, nullptr, at.stream.native(), at.stream.number(),
                 at.stream.device().value(), at.site},
                B::vendor);
    begin_observation(seen);
  }
  return seen;
}
[[WARPSAFE_DETAIL_RARE]] inline void end_refused(Observation& seen, LaunchError& error,
                                                 bool told) noexcept {
  seen.record.state = LaunchState::refused;
  error.sequence = seen.record.sequence;
  if (seen.begun != 0) tell_launched(seen.first, seen.record, seen.begun);
  static_cast<void>(tell_finish(seen.first, seen.record, seen.calls, error));
  if (!told) tell_failed(seen.first, error);
}
/// `launched`: the runtime accepted the launch; otherwise `error` says why not. The result is
/// false, with the fault in `error`, if an observer waits for the launch and finds one. `told`: the
/// observers know the error.
[[nodiscard, gnu::always_inline]] inline bool end_observation(Observation& seen, bool launched,
                                                              LaunchError& error,
                                                              bool told = false) noexcept {
  if (seen.first == nullptr) return launched;
  if (!launched) [[unlikely]] {
    end_refused(seen, error, told);
    return false;
  }
  seen.record.state = LaunchState::submitted;
  if (seen.begun != 0) [[unlikely]]
    tell_launched(seen.first, seen.record, seen.begun);
  return !tell_finish(seen.first, seen.record, seen.calls, error);
}

/// Shows the arguments of a launch to an open capture, which tracks the memory that the launch
/// reaches, and if `asked` to the observers.
[[nodiscard, WARPSAFE_DETAIL_RARE]] inline LaunchVerdict show_arguments(
    WatchedLaunch& launch, bool asked, LaunchError& error) noexcept {
  const LaunchRecord& record = launch.observation.record;
  const std::size_t arity = launch.arguments.types().count;
  auto* const memory =
      static_cast<ArgumentMemory*>(__builtin_alloca((arity + 1) * sizeof(ArgumentMemory)));
  auto** const values = static_cast<void**>(__builtin_alloca((arity + 1) * sizeof(void*)));
  for (std::size_t i = 0; i < arity; ++i) {
    const ArgumentFacts& facts = *launch.arguments.types().facts[i];
    values[i] = launch.arguments.values()[i];
    if (facts.clear_padding != nullptr) {
      // The caller's object stays as it is.
      auto* const room =
          static_cast<unsigned char*>(__builtin_alloca(std::size_t{facts.size} + facts.alignment));
      void* const copy = align_for(facts, room);
      __builtin_memcpy(copy, values[i], facts.size);
      facts.clear_padding(copy);
      values[i] = copy;
    }
    memory[i] = {nullptr, 0};
    if (!facts.reaches_memory) continue;
    __builtin_memcpy(&memory[i].begin, values[i], sizeof memory[i].begin);
    if (memory[i].begin == nullptr) continue;
    memory[i].bytes = bytes_behind(facts, launch.arguments.argument(i), values[i],
                                   launch.kernel.elements[i].bytes);
  }
  if (launch.captures != nullptr) {
    launch.captures->launched({record.stream, record.stream_number}, launch.entry, values);
  }
  if (!asked) return LaunchVerdict::dispatch;
  const Observation& seen = launch.observation;
  return tell_arguments(seen.first, record, seen.calls,
                        {launch.entry, launch.shape, const_cast<void*>(record.stream), values,
                         memory, launch.kernel.elements, launch.kernel.reference, seen.calls},
                        error);
}

/// LaunchWatcher::begin.
inline LaunchVerdict begin_watched_launch(WatchedLaunch& launch, LaunchError& error) noexcept {
  LaunchRecord& record = launch.observation.record;
  record.stream_number = StreamNumber(record.stream_number).here().value();
  fill_dimensions(record, launch.shape, launch.limits);
  const bool asked = begin_observation(launch.observation);
  if (!asked && launch.captures == nullptr) [[likely]]
    return LaunchVerdict::dispatch;
  const LaunchVerdict verdict = show_arguments(launch, asked, error);
  if (verdict == LaunchVerdict::failed) {
    if (error.kernel.empty()) error.kernel = record.kernel;
    if (error.site.file == nullptr) error.site = record.site;
    launch.error_is_told = error.raw != 0;
  } else if (verdict == LaunchVerdict::dispatch && launch.captures != nullptr) {
    launch.captures->submitting({record.stream, record.stream_number}, record.kernel, record.site);
  }
  return verdict;
}
/// LaunchWatcher::end.
inline bool end_watched_launch(WatchedLaunch& launch, bool launched, LaunchError& error) noexcept {
  return end_observation(launch.observation, launched, error, launch.error_is_told);
}

/// LaunchWatcher::refused.
[[WARPSAFE_DETAIL_RARE]] inline bool refused_watched_launch(LaunchError& error) noexcept {
  const Observer* const first = observers();
  bool continues = false;
  for (const Observer& one : ObserversFrom{first}) {
    if (one.continues_after != nullptr && one.continues_after(one.user, error)) continues = true;
  }
  tell_failed(first, error);
  return continues;
}

/// Tells the observers of a new error, which they may complete.
[[WARPSAFE_DETAIL_RARE]] inline void tell_observers_of_error(LaunchError& error, int device,
                                                             bool earlier_work) noexcept {
  const Observer* const first = observers();
  if (first == nullptr) return;
  tell_complete(first, error, device, earlier_work);
  LaunchError told = error;
  if (told.device < 0) told.device = device;
  tell_failed(first, told);
}

[[gnu::visibility("default")]] inline constexpr LaunchWatcher watches_launches{
    &begin_watched_launch, &end_watched_launch, &refused_watched_launch};

/// From now on, launches that are watched reach the observers and captures, and errors the
/// observers.
inline void watch_launches() noexcept {
  // The functions are those of the first module of the program that has them.
  keep_loaded(&watches_launches);
  keep_loaded(reinterpret_cast<const void*>(&begin_watched_launch));
  keep_loaded(reinterpret_cast<const void*>(&tell_observers_of_error));
  __atomic_store_n(&error_watcher, &tell_observers_of_error, __ATOMIC_RELEASE);
  __atomic_store_n(&launch_watcher, &watches_launches, __ATOMIC_RELEASE);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
