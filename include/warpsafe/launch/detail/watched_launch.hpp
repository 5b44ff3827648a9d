// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/hooks.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/launch/detail/observation.hpp>

#include <cstddef>
#include <cstdint>

// A launch while an observer or an open capture watches. What installs them includes this header,
// so that a file that launches compiles none of it.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Passes a launch's arguments, after `prepare`, to `reader`.
[[WARPSAFE_DETAIL_RARE]] inline void show_arguments(
    const ArgumentReader& reader, const BackendCalls& calls, void* stream, const KernelEntry& entry,
    const KernelFacts& kernel, const LaunchShape& shape, const ArgumentWords& arguments) noexcept {
  const std::size_t arity = arguments.types().count;
  auto* const memory =
      static_cast<ArgumentMemory*>(__builtin_alloca((arity + 1) * sizeof(ArgumentMemory)));
  auto** const values = static_cast<void**>(__builtin_alloca((arity + 1) * sizeof(void*)));
  for (std::size_t i = 0; i < arity; ++i) {
    const ArgumentFacts& facts = *arguments.types().facts[i];
    values[i] = arguments.values()[i];
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
    memory[i].bytes =
        bytes_behind(facts, arguments.argument(i), values[i], kernel.elements[i].bytes);
  }
  reader.read(reader.context,
              {entry, shape, stream, values, memory, kernel.elements, kernel.reference, calls});
}

/// Before a launch is submitted, shows its arguments to an open capture and to the observers.
struct ArgumentInspection {
  const CaptureHooks* captures;    ///< or nullptr; they track the memory that the launch reaches
  std::uint64_t stream_number;     ///< if `captures` is not nullptr
  const Observation* observation;  ///< nullptr if no observer asks for the data
  LaunchError& error;
  LaunchVerdict verdict = LaunchVerdict::dispatch;

  static void read(void* context, const LaunchArguments& arguments) noexcept {
    ArgumentInspection& self = *static_cast<ArgumentInspection*>(context);
    if (self.captures != nullptr) {
      self.captures->launched({arguments.stream, self.stream_number}, arguments.entry,
                              arguments.values);
    }
    if (self.observation != nullptr) {
      self.verdict = self.observation->inspect(arguments, self.error);
    }
  }
};

/// The LaunchWatcher.
[[gnu::noinline]] inline bool watch_launch(const WatchedLaunch& launch,
                                           LaunchError& error) noexcept {
  ArgumentInspection inspection{open_captures(), 0, nullptr, error};
  if (inspection.captures != nullptr) inspection.stream_number = launch.facts.stream_number;
  Observation observation(launch.calls, launch.facts);
  if (observation.asks_for_data()) inspection.observation = &observation;
  if (inspection.captures != nullptr || inspection.observation != nullptr) {
    show_arguments({&ArgumentInspection::read, &inspection}, launch.calls,
                   const_cast<void*>(launch.facts.stream), launch.entry, launch.kernel,
                   launch.facts.shape, launch.arguments);
    if (inspection.verdict != LaunchVerdict::dispatch) {
      return observation.end_without_runtime(inspection.verdict, error);
    }
  }
  if (inspection.captures != nullptr) {
    inspection.captures->submitting({launch.facts.stream, launch.facts.stream_number},
                                    launch.facts.kernel, launch.facts.site);
  }
  return observation.end(launch.submit(launch.context, error), error);
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

/// From now on, launches that are watched are passed to watch_launch, and errors to the observers.
inline void watch_launches() noexcept {
  // The functions are those of the first module of the program that has them.
  keep_loaded(reinterpret_cast<const void*>(&watch_launch));
  keep_loaded(reinterpret_cast<const void*>(&tell_observers_of_error));
  __atomic_store_n(&error_watcher, &tell_observers_of_error, __ATOMIC_RELEASE);
  __atomic_store_n(&launch_watcher, &watch_launch, __ATOMIC_RELEASE);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
