// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/hooks.hpp>
#include <warpsafe/debug/data/detail/inspect.hpp>
#include <warpsafe/debug/hooks/detail/error_hooks.hpp>
#include <warpsafe/debug/hooks/detail/launch_hooks.hpp>
#include <warpsafe/debug/journal/detail/completion.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/launch/detail/watched_launch.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>

// Gives the debug tools to the whole program if this file is compiled with checks (level full).

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace debug::detail {

inline std::uint64_t begin_wait() noexcept { return Completion::get().begin_wait(); }
inline void waited(Vendor vendor, std::int32_t device, std::uint64_t stream,
                   std::uint64_t began) noexcept {
  Completion::get().stream_waited(vendor, device, stream, began);
}
inline bool one_stream() noexcept {
  ensure_started();
  return Environment::get().one_stream;
}

inline constexpr warpsafe::detail::DebugHooks all_hooks{
    &begin_wait,      &wait,         &watches_waits, &waited,    &mark_device_idle,
    &error_created,   &put_suspects, &launching,     &submitted, &refused,
    &continues_after, &inspect,      &one_stream,    &warn};

}  // namespace debug::detail

namespace detail {

/// Installs the tools before main.
template <CheckLevel Level>
struct DebugInstaller {};
template <>
struct DebugInstaller<CheckLevel::full> {
  DebugInstaller() noexcept {
    keep_loaded(&debug::detail::all_hooks);
    watch_launches();
    __atomic_store_n(&debug_hooks_in_use, &debug::detail::all_hooks, __ATOMIC_RELEASE);
    // The other switches take effect at the first launch or wait, but runtime calls come earlier.
    const char* const log = read_environment("WARPSAFE_LOG");
    if (log != nullptr && std::strcmp(log, "trace") == 0) debug::detail::ensure_started();
  }
};
[[maybe_unused]] static const DebugInstaller<current_level> debug_installer;

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
