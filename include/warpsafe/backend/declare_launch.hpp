// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>

// How a backend makes `launch` take its streams.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

template <class B, bool Copies = true>
struct Located;  // stream/stream_ref.hpp

/// Whether WARPSAFE_DECLARE_LAUNCH was written for backend B.
template <class B>
inline constexpr bool is_launchable = false;

/// Whether B runs functions of the host compiler as kernels. A backend of the CPU says so by a
/// member `static constexpr bool runs_host_kernels = true`.
template <class B>
inline constexpr bool runs_host_kernels = requires {
  requires B::runs_host_kernels;
};
// Known without the backend's header: a device's kernel on its stream does not compile there
// either.
template <>
inline constexpr bool runs_host_kernels<host_backend> = true;

/// The launch itself: launch/launch.hpp.
template <CheckLevel Level, class B, bool Copies, class C, class K, class... A>
[[nodiscard, gnu::always_inline]] inline result<void> launch_on(const Located<B, Copies>& at,
                                                                const C& config, const K& kernel,
                                                                const A&... arguments) noexcept;

}  // namespace detail
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

/// Makes `launch` (launch/launch.hpp) take the streams of a backend. Write it once, outside of all
/// namespaces, after the backend's definition.
///
/// Each backend needs separate functions: the stream converts to the parameter that records the
/// caller's line, and a template cannot deduce a type through a conversion. The parameter's type
/// depends on C, so that the compiler completes it only where something is launched.
// A type in a template argument list cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define WARPSAFE_DECLARE_LAUNCH(backend)                       \
  namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {         \
  template <>                                                  \
  inline constexpr bool detail::is_launchable<backend> = true; \
  WARPSAFE_DETAIL_LAUNCH(backend)                              \
  }                                                            \
  static_assert(::warpsafe::detail::is_launchable<backend>)

#if defined(__CUDA_ARCH__)  // for {stream, site}; launch.hpp has what is left for other streams
#define WARPSAFE_DETAIL_LAUNCH(backend)                                                            \
  template <CheckLevel Level = current_level, class C, class K, class... A>                        \
  [[nodiscard]] inline result<void> launch(detail::later<C, detail::Located<backend>>, const C& c, \
                                           const K& k, const A&... a) noexcept {                   \
    return launch<Level>(0, c, k, a...);                                                           \
  }
#else
#define WARPSAFE_DETAIL_LAUNCH(backend)                                                 \
  template <CheckLevel Level = current_level, class C, class K, class... A>             \
  [[nodiscard, gnu::always_inline]] inline result<void> launch(                         \
      const detail::later<C, detail::Located<backend, false>>& stream, const C& config, \
      const K& kernel, const A&... arguments) noexcept {                                \
    using detail::launch_on;                                                            \
    return launch_on<Level>(stream, config, kernel, arguments...);                      \
  }
#endif
// NOLINTEND(bugprone-macro-parentheses)
