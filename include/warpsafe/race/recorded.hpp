// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/handles/handle_traits.hpp>
#include <warpsafe/launch/detail/launch_path.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/race/recorded_backend.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>
#include <warpsafe/stream/stream.hpp>

// Launches and library handles on streams of Recorded<B>: a run of a real device, checked for races
// (docs/tools/race-recorder.md).

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// For StreamBound: a library's handle on a recorded stream, StreamBound<RecordedHandle<Handle>>.
template <class Handle>
struct RecordedHandle {};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class Handle>
struct handle_traits<debug::RecordedHandle<Handle>> : handle_traits<Handle> {
  using backend = debug::Recorded<typename handle_traits<Handle>::backend>;
};

namespace detail {

/// A launch on a stream of Recorded<B>: launches on B's own stream, with all its checks, and
/// reports the launch to the recorder.
template <CheckLevel Level, class B, bool Copies, class C, class K, class... A>
[[nodiscard]] inline result<void> launch_on(const Located<debug::Recorded<B>, Copies>& at,
                                            const C& config, const K& kernel,
                                            const A&... arguments) noexcept {
  const auto own = raw_stream<B>(at.stream.native(), at.stream.device().value());
  using Told = debug::Recorded<B>;
  if constexpr (is_functor_kernel<K>) {
    return launch_on<Level>(at, config, typename K::kernel_type{}, kernel.function, arguments...);
  } else if constexpr (is_module_kernel<K>) {
    return launch_on<Level>(at, config, kernel.loaded(at.stream.device()), arguments...);
  } else {
    const CallScope<Told> here(at.site, kernel.name());
    const auto done = launch_on<Level>(Located<B>(own, at.site), config,
                                       without_function<Level, B, C, A...>(kernel), arguments...);
    if (!done.has_value() || value_of(config).empty()) return done;
    const ArgumentReader tell{
        [](void*, const LaunchArguments& shown) noexcept { Told::launched(shown); }, nullptr};
    const auto& launched = launched_kernel<B>(kernel);
    AddressedArguments<typename K::parameters, A...> addressed(arguments...);
    ArgumentWords words(addressed.types, addressed.words());
    words.prepare();
    show_arguments(tell, backend_calls<B>, at.stream.native(), launched.entry,
                   kernel_facts<typename K::declaration>, value_of(config).shape(), words);
    return done;
  }
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
