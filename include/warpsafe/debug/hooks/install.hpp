// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/debug/data/detail/inspect.hpp>
#include <warpsafe/debug/hooks/detail/error_hooks.hpp>
#include <warpsafe/debug/hooks/detail/launch_hooks.hpp>
#include <warpsafe/debug/journal/detail/completion.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/launch/observe.hpp>

#include <cstdint>
#include <cstring>

// Gives the debug tools to the whole program if this file is compiled with checks.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace debug::detail {

/// One object for the whole program.
[[gnu::visibility("default")]] inline Observer observer{
    .launching = [](void*, LaunchRecord& record,
                    const BackendCalls& calls) noexcept { return launching(record, calls); },
    .inspect =
        [](void*, const LaunchRecord& record, const BackendCalls& calls,
           const LaunchArguments& arguments, LaunchError& error) noexcept {
          // Another observer may have asked for the arguments.
          if (!__atomic_load_n(&data_in_use, __ATOMIC_RELAXED)) return LaunchVerdict::dispatch;
          return inspect(record, calls, arguments, error);
        },
    .finish = [](void*, const LaunchRecord& record, const BackendCalls& calls,
                 LaunchError& error) noexcept { return finish(record, calls, error); },
    .continues_after = [](void*, LaunchError& error) noexcept { return continues_after(error); },
    .wait =
        [](void*, const warpsafe::detail::WaitCalls& calls, void* handle,
           const warpsafe::detail::WaitTarget& place) noexcept {
          return wait_as_tool(calls, handle, place);
        },
    .watches_waits = [](void*) noexcept { return watches_waits(); },
    .begin_wait = [](void*) noexcept { return Completion::get().begin_wait(); },
    .reached =
        [](void*, Vendor vendor, std::int32_t device, std::uint64_t stream,
           std::uint64_t began) noexcept {
          Completion::get().stream_waited(vendor, device, stream, began);
        },
    .device_idle = [](void*, Vendor vendor,
                      std::int32_t device) noexcept { mark_device_idle(vendor, device); },
    .complete = [](void*, LaunchError& error, std::int32_t device,
                   bool earlier_work) noexcept { record_error(error, device, earlier_work); },
    .explain = [](void*, warpsafe::detail::TextBuffer& out,
                  const LaunchError& error) noexcept { put_suspects(out, error); },
    .warn = [](void*, const char* text) noexcept { warn(text); },
    .one_stream =
        [](void*) noexcept {
          ensure_started();
          return Environment::get().one_stream;
        }};

/// The debug tools come first, because they number the launches.
inline void install() noexcept {
  if (*warpsafe::detail::link_to(observer) != nullptr) return;
  observer.next = __atomic_load_n(&warpsafe::detail::observers_in_use, __ATOMIC_ACQUIRE);
  __atomic_store_n(&warpsafe::detail::observers_in_use, &observer, __ATOMIC_RELEASE);
}

}  // namespace debug::detail

namespace detail {

/// Installs the tools before main.
template <CheckLevel Level>
struct DebugInstaller {};
template <>
struct DebugInstaller<CheckLevel::full> {
  DebugInstaller() noexcept {
    keep_loaded(&debug::detail::observer);
    debug::detail::install();
    watch_launches();
    // The other switches take effect at the first launch or wait, but other operations come
    // earlier.
    const char* const log = read_environment("WARPSAFE_LOG");
    if (log != nullptr && std::strcmp(log, "trace") == 0) debug::detail::ensure_started();
  }
};
[[maybe_unused]] static const DebugInstaller<current_level> debug_installer;

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
