// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

namespace warpsafe::detail {

template <class B>
[[nodiscard]] constexpr auto profile_call() noexcept -> int (*)(bool) noexcept {
  if constexpr (requires { B::profile(true); }) {
    return &B::profile;
  } else {
    return nullptr;
  }
}

/// A backend for the debug tools: its own functions wherever they fit, since each further one costs
/// every translation unit with a launch.
template <class B>
inline constexpr BackendCalls backend_calls{B::name,
                                            B::vendor,
                                            &B::peek_last_error,
                                            &B::error_name,
                                            &B::error_text,
                                            &StreamCalls<B>::capturing,
                                            &stream_wait_calls<B>,
                                            &runtime_error<B>,
                                            &B::limits_of,
                                            &floor_of<B>,
                                            &device_name<B>,
                                            &StreamCalls<B>::copy,
                                            &B::pointer_kind,
                                            profile_call<B>()};

}  // namespace warpsafe::detail
