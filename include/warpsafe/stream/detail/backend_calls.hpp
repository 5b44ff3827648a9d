// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/device_check_hooks.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>

// A backend's calls as plain functions, for observers.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class B>
[[nodiscard]] constexpr auto scheduled_call() noexcept -> bool (*)() noexcept {
  if constexpr (requires { B::is_scheduled(); }) {
    return &B::is_scheduled;
  } else {
    return nullptr;
  }
}
/// Whether repeated queries can change their answer. They cannot if a scheduler runs the work
/// only inside calls.
template <class B>
[[nodiscard, gnu::always_inline]] inline bool polling_helps() noexcept {
  constexpr auto is_scheduled = scheduled_call<B>();
  return is_scheduled == nullptr || !is_scheduled();
}

/// During its lifetime the calling thread's calls break no capture of another thread, if `needed`
/// (CUDA Runtime API, cudaThreadExchangeStreamCaptureMode). Calls on a capturing stream itself are
/// still refused.
template <class B>
class [[nodiscard]] RelaxedMode {
 public:
  [[gnu::always_inline]] explicit RelaxedMode(bool needed = true) noexcept
      : exchanged_(needed && B::exchange_capture_mode(mode_) == 0) {}
  RelaxedMode(const RelaxedMode&) = delete;
  RelaxedMode& operator=(const RelaxedMode&) = delete;
  // Restores the thread's own mode; an error could not be returned.
  [[gnu::always_inline]] ~RelaxedMode() {
    if (exchanged_) static_cast<void>(B::exchange_capture_mode(mode_));
  }

 private:
  int mode_ = B::relaxed_capture;  // the thread's own mode once exchanged
  bool exchanged_;
};

/// A backend's calls about a stream of type void*. They are functions, not lambdas: each lambda
/// costs the compiler two.
template <class B>
struct StreamCalls {
  using Native = typename B::native_stream;
  static int synchronize(void* stream) noexcept {
    return status_with_device_check(B::stream_synchronize(static_cast<Native>(stream)));
  }
  static int query(void* stream) noexcept {
    const RelaxedMode<B> outside;  // a capture may have begun since the tool asked
    return B::stream_query(static_cast<Native>(stream));
  }
  [[WARPSAFE_DETAIL_RARE]] static int capturing(void* stream, bool& answer) noexcept {
    return B::stream_capturing(static_cast<Native>(stream), answer);
  }
  static int copy(void* to, const void* from, std::size_t bytes, CopyKind kind,
                  void* stream) noexcept {
    return B::copy(to, from, bytes, kind, static_cast<Native>(stream));
  }
  [[WARPSAFE_DETAIL_RARE]] static bool may_query(void* stream) noexcept {
    bool captures = true;
    return polling_helps<B>() && capturing(stream, captures) == 0 && !captures;
  }
};

template <class B>
inline constexpr WaitCalls stream_wait_calls{Name::of("stream synchronize"),
                                             B::vendor,
                                             B::not_ready,
                                             &StreamCalls<B>::synchronize,
                                             &StreamCalls<B>::query,
                                             &StreamCalls<B>::may_query};
template <class B>
[[nodiscard]] constexpr auto profile_call() noexcept -> int (*)(bool) noexcept {
  if constexpr (requires { B::profile(true); }) {
    return &B::profile;
  } else {
    return nullptr;
  }
}

/// A backend's functions for observers. Most are the backend's own, since every further
/// function costs compile time in each translation unit with a launch.
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
                                            profile_call<B>(),
                                            &B::exchange_capture_mode,
                                            B::relaxed_capture,
                                            scheduled_call<B>()};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
