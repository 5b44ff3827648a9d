// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <type_traits>

// What a library's handle is made of: a stream, and options where handle_traits has some.

namespace warpsafe::detail {

template <class Traits>
struct OptionsOf {
  struct type {};
};
template <class Traits>
requires requires { typename Traits::options; }
struct OptionsOf<Traits> {
  using type = typename Traits::options;
};

/// Whether a handle can be made of these: a stream, then options where there are some. The place of
/// the call may follow.
template <class B, class Options, class... A>
inline constexpr bool makes_handle = false;
template <class B, class Options, class S, class... A>
inline constexpr bool makes_handle<B, Options, S, A...> =
    std::is_convertible_v<const S&, basic_stream_hold<B>> &&
    (std::is_empty_v<Options> || sizeof...(A) != 0);

}  // namespace warpsafe::detail
