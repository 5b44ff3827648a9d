// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Owners of streams, and types that are not streams.

#include <warpsafe/stream/event.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <type_traits>

namespace ws = warpsafe;

template <class From, class To>
inline constexpr bool converts = std::is_convertible_v<From, To>;
template <class To, class... From>
inline constexpr bool makes = std::is_constructible_v<To, From...>;

// Owners move and are not copied: a copy would destroy the stream under the other.
template <class T>
inline constexpr bool only_moves =
    std::is_nothrow_move_constructible_v<T> && !std::is_copy_constructible_v<T> &&
    !std::is_copy_assignable_v<T>;
static_assert(only_moves<ws::Stream> && std::is_nothrow_move_assignable_v<ws::Stream>);
static_assert(only_moves<ws::Event> && std::is_nothrow_move_assignable_v<ws::Event>);
static_assert(only_moves<ws::TimedEvent>);
static_assert(only_moves<ws::DeviceGuard> && !std::is_move_assignable_v<ws::DeviceGuard>);

// Only create() makes them, and it can fail.
static_assert(!makes<ws::Stream> && !makes<ws::Event> && !makes<ws::DeviceGuard, ws::DeviceId>);
static_assert(!makes<ws::Stream, ws::StreamRef>);

// 0 and nullptr are a default stream: neither is a stream here.
static_assert(!makes<ws::Stream, std::nullptr_t> && !makes<ws::Stream, int>);
// (refused_test.cpp has StreamRef.)
// A vendor's stream does not convert, because its device is unknown: pass both to borrow.
static_assert(!makes<ws::StreamRef, ws::default_backend::native_stream>);
static_assert(!converts<ws::Stream, ws::default_backend::native_stream>);

// A reference comes from a stream that outlives it, not from a temporary.
static_assert(converts<ws::Stream&, ws::StreamRef> && converts<const ws::Stream&, ws::StreamRef>);
static_assert(!converts<ws::Stream, ws::StreamRef> && !makes<ws::StreamRef, ws::Stream>);
static_assert(!makes<ws::StreamRef, const ws::Stream>);
template <class S>
concept HasRef = requires(S&& stream) {
  static_cast<S&&>(stream).ref();
};
static_assert(HasRef<ws::Stream&> && HasRef<const ws::Stream&>);
static_assert(std::is_trivially_copyable_v<ws::StreamRef> && sizeof(ws::StreamRef) == 24);

// Streams of different backends are different types, complete or not.
static_assert(
    !makes<ws::basic_stream_ref<ws::cuda_backend>, ws::basic_stream_ref<ws::host_backend>>);
static_assert(
    !makes<ws::basic_stream_ref<ws::hip_backend>, ws::basic_stream_ref<ws::cuda_backend>>);

// A device has its own type, and no number converts to it.
static_assert(makes<ws::DeviceId, int> && !converts<int, ws::DeviceId>);
static_assert(!converts<ws::DeviceId, int>);
