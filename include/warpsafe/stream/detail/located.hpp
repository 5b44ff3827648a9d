// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <type_traits>

namespace warpsafe {

template <class B>
class basic_stream;

namespace detail {

/// Whether S is a stream of backend B.
template <class S, class B>
inline constexpr bool is_stream_of =
    std::is_same_v<S, basic_stream<B>> || std::is_same_v<S, basic_stream_ref<B>>;
template <class S>
inline constexpr bool is_stream = false;
template <class B>
inline constexpr bool is_stream<basic_stream<B>> = true;
template <class B>
inline constexpr bool is_stream<basic_stream_ref<B>> = true;

/// A stream together with the place it was passed at: how a function that ends in a parameter pack
/// learns its caller's line.
template <class B>
struct Located {
  template <class S>
  requires is_stream_of<S, B> Located(
      const S& its_stream,  // NOLINT(google-explicit-constructor): its purpose
      call_site its_site = call_site::current())
  noexcept : stream(its_stream), site(its_site) {}
  basic_stream_ref<B> stream;
  call_site site;
};

}  // namespace detail

}  // namespace warpsafe
