// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/detail/copy_calls.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

// Compile-time checks of a copy's arguments.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class... A>
inline constexpr bool ends_in_call_site = false;
template <class A, class B, class C, class Last>
inline constexpr bool ends_in_call_site<A, B, C, Last> =
    std::is_same_v<std::remove_cvref_t<Last>, call_site>;

/// Arguments that are not operands of a copy.
template <class A>
inline constexpr bool is_raw_memory = std::is_pointer_v<A> || std::is_null_pointer_v<A>;
template <class A>
concept HostMemory =
    !CopyOperand<A>::known && (std::is_array_v<A> || requires(A & memory) { std::span(memory); });

/// Checks one operand. `Given` includes the reference: Buffer& for a named buffer, Buffer&& for one
/// that is moved in.
template <class Given>
constexpr bool check_operand() noexcept {
  using A = std::remove_cvref_t<Given>;
  static_assert(
      !is_raw_memory<A>,
      "warpsafe: a raw pointer has no size, and may be host memory; copies take buffers and spans: "
      "view(), view().subspan(offset, count)");
  static_assert(
      !HostMemory<A>,
      "warpsafe: this is pageable host memory: the runtime may block, or read it late; move a PinnedBuffer in, or use copy_and_wait(stream, from(x), to(y))");
  static_assert(
      !is_result<A>,
      "warpsafe: this result may hold an error instead of a buffer; take its value first");
  if constexpr (CopyOperand<A>::known) {
    constexpr bool rvalue = !std::is_lvalue_reference_v<Given>;
    constexpr bool pinned = is_pinned<A>;
    constexpr bool owner = !std::is_void_v<typename CopyOperand<A>::backend>;
    static_assert(
        !pinned || rvalue,
        "warpsafe: the host could change or free this PinnedBuffer while the copy runs; pass it with std::move, and take it back with get()");
    static_assert(!pinned || !std::is_const_v<std::remove_reference_t<Given>>,
                  "warpsafe: a const PinnedBuffer cannot be moved; remove the const");
    static_assert(
        pinned || !owner || !rvalue,
        "warpsafe: this buffer is a temporary and is freed before the copy has run; give it a name");
    return pinned ? rvalue && !std::is_const_v<std::remove_reference_t<Given>> : !owner || !rvalue;
  } else {
    constexpr bool explained = is_raw_memory<A> || HostMemory<A> || is_result<A>;
    static_assert(explained,
                  "warpsafe: copies take device memory (a buffer, a view) and PinnedBuffers");
    return false;
  }
}

/// Whether a copy may write the target; false for a view of const elements.
template <class To>
inline constexpr bool is_writable =
    !std::is_const_v<typename CopyOperand<std::remove_cvref_t<To>>::element> &&
    (std::is_void_v<typename CopyOperand<std::remove_cvref_t<To>>::backend> ||
     !std::is_const_v<std::remove_reference_t<To>>);

template <class A, class B>
inline constexpr bool of_backend = std::is_void_v<typename CopyOperand<A>::backend> ||
                                   std::is_same_v<typename CopyOperand<A>::backend, B>;

template <class S>
constexpr bool check_stream() noexcept {
  static_assert(
      is_stream<S>,
      "warpsafe: every copy names its stream first: copy(stream, from(x), to(y)); 0 and nullptr "
      "are a default stream that other code uses too");
  return is_stream<S>;
}

/// Checks two operands, each of which is valid by itself.
template <class To, class From, class B>
constexpr bool check_pair() noexcept {
  using ToOperand = CopyOperand<std::remove_cvref_t<To>>;
  using FromOperand = CopyOperand<std::remove_cvref_t<From>>;
  constexpr bool writable = is_writable<To>;
  static_assert(writable,
                "warpsafe: the target of this copy is const: are source and target swapped? "
                "copy(stream, from(x), to(y))");
  constexpr bool same = std::is_same_v<std::remove_const_t<typename ToOperand::element>,
                                       std::remove_const_t<typename FromOperand::element>>;
  static_assert(same,
                "warpsafe: source and target have elements of different types, and a copy "
                "converts nothing");
  constexpr bool one_backend =
      of_backend<std::remove_cvref_t<To>, B> && of_backend<std::remove_cvref_t<From>, B>;
  static_assert(one_backend, "warpsafe: buffer and stream are of different backends");
  constexpr bool on_host =
      is_pinned<std::remove_cvref_t<To>> && is_pinned<std::remove_cvref_t<From>>;
  static_assert(!on_host, "warpsafe: both sides are host memory; use std::copy");
  return writable && same && one_backend && !on_host;
}

/// Checks the stream, and that both sides of a copy have their names.
template <class S, class To, class From>
constexpr bool check_sides() noexcept {
  if constexpr (!check_stream<S>()) {
    return false;
  } else {
    constexpr SideName to = side_name<std::remove_cvref_t<To>>;
    constexpr SideName from = side_name<std::remove_cvref_t<From>>;
    // Two equal names are diagnosed by begins_with_source.
    constexpr bool named = to != SideName::none && from != SideName::none;
    static_assert(
        named,
        "warpsafe: a copy names its sides, in either order: copy(stream, from(x), to(y)); by position, it would compile in the wrong direction too");
    return named && to != from;
  }
}

template <class To, class From, class B>
constexpr bool check_copy() noexcept {
  // The checks are nested, so that the compiler reports only the first problem.
  if constexpr (check_operand<To>()) {
    if constexpr (check_operand<From>()) return check_pair<To, From, B>();
  }
  return false;
}

/// Whether host memory H can be the other side of a copy of elements E. Pass a const E if the copy
/// only reads H.
template <class H, class E>
inline constexpr bool is_host_side = std::is_constructible_v<std::span<E>, H&>;
/// Whether host memory, given as H, can be the target: not a temporary vector, which takes the
/// elements with it.
template <class H, class E>
inline constexpr bool is_host_target = is_host_side<std::remove_reference_t<H>, E> &&
                                       (std::is_lvalue_reference_v<H> ||
                                        std::is_trivially_copyable_v<std::remove_cvref_t<H>>);

template <class To, class From>
constexpr bool check_blocking_copy() noexcept {
  using ToType = std::remove_cvref_t<To>;
  using FromType = std::remove_cvref_t<From>;
  constexpr bool pinned = is_pinned<ToType> || is_pinned<FromType>;
  static_assert(
      !pinned,
      "warpsafe: copy_and_wait(stream, from(x), to(y)) takes no PinnedBuffer; pass its span(), or move it into copy(), which does not wait");
  constexpr bool one_device = CopyOperand<ToType>::known != CopyOperand<FromType>::known;
  static_assert(
      pinned || one_device,
      "warpsafe: copy_and_wait(stream, from(x), to(y)) takes device memory (a buffer, a view) "
      "on one side and host memory with a size (a vector, a std::span) on the other; unwrap a "
      "result with WARPSAFE_TRY");
  if constexpr (pinned || !one_device) {
    return false;
  } else if constexpr (CopyOperand<ToType>::known) {
    using Element = typename CopyOperand<ToType>::element;
    constexpr bool writable = is_writable<To>;
    static_assert(writable,
                  "warpsafe: the target of this copy is const: are source and target swapped? "
                  "copy_and_wait(stream, from(x), to(y))");
    constexpr bool fits = is_host_side<std::remove_reference_t<From>, const Element>;
    static_assert(
        !writable || fits,
        "warpsafe: the source is not sized host memory of these elements; pass a std::span or a std::vector of them");
    return writable && fits;
  } else {
    using Element = std::remove_const_t<typename CopyOperand<FromType>::element>;
    constexpr bool fits = is_host_target<To, Element>;
    static_assert(
        fits,
        "warpsafe: the target is not sized writable host memory of these elements; pass a std::span, or a std::vector that has a name");
    return fits;
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// Names a side of a copy: `copy(stream, from(x), to(y))`, in either order.
template <class T>
[[nodiscard]] constexpr detail::NamedSide<T, false> from(T&& source) noexcept {
  return {std::forward<T>(source)};
}
/// The other side.
template <class T>
[[nodiscard]] constexpr detail::NamedSide<T, true> to(T&& target) noexcept {
  return {std::forward<T>(target)};
}

/// Copies `from` to `to` in the order of `stream`, and returns at once: `copy(stream, from(x),
/// to(y))`, in either order. Both must have the same number of elements, or of rows and columns:
/// Errc::size_mismatch (value: the source's, limit: the target's).
///
/// * Device memory to device memory, on one device or two, neither of which need be the stream's,
///   nor have access to the other's memory. Operands are a named DeviceBuffer or PitchedBuffer, a
///   view of one or a part of a view, or a DeviceSpan. Returns `result<void>`. It may be captured,
///   except between two devices (Errc::stream_capturing). Errc::copy_overlaps, ::memory_closed,
///   ::runtime_failed.
/// * Between device memory and a PinnedBuffer that is moved in. Returns a Pending of that buffer,
///   which hands it back when the copy has ended. `get` returns the errors, which include
///   Errc::stream_capturing.
///
/// A buffer passed by name stays allocated until the copy has ended. With a span, the caller must
/// ensure this.
template <CheckLevel Level = current_level, class S, class To, class From>
[[nodiscard]] auto copy(const S& stream, To&& to, From&& from,
                        call_site site = call_site::current()) noexcept {
  if constexpr (detail::begins_with_source<To, From>()) {
    return copy<Level>(stream, std::forward<From>(from), std::forward<To>(to), site);
  } else if constexpr (detail::check_sides<S, To, From>()) {
    using ToSide = decltype(detail::unnamed(to));
    using FromSide = decltype(detail::unnamed(from));
    if constexpr (detail::check_copy<ToSide, FromSide, typename S::backend>()) {
      return detail::copy_sides<Level, typename S::backend>(stream, detail::unnamed(to),
                                                            detail::unnamed(from), site);
    } else {
      return success();
    }
  } else {
    return success();
  }
}
/// Diagnoses a temporary stream, which would be destroyed before the copy has run.
template <CheckLevel Level = current_level, class B, class To, class From>
[[nodiscard]] auto copy(const basic_stream<B>&&, To&&, From&&,
                        call_site = call_site::current()) noexcept {
  static_assert(
      std::is_void_v<B>,
      "warpsafe: this stream is a temporary and ends before the copy is done; give the stream a name that outlives the copy, or use copy_and_wait");
  return success();
}
/// Diagnoses a wrong number of arguments: sizes and directions follow from the types, and the
/// stream is required.
template <class... A>
requires(sizeof...(A) < 3 || (sizeof...(A) == 4 && !detail::ends_in_call_site<A...>) ||
         sizeof...(A) > 4) [[nodiscard]] auto copy(A&&...) noexcept {
  static_assert(
      sizeof...(A) == 3,
      "warpsafe: copy(stream, from(x), to(y)) takes a stream and no number of elements or bytes; copy a part with view().subspan(offset, count)");
  return success();
}

/// Copies between device memory and ordinary host memory (a std::vector, a std::span, an array;
/// of a PinnedBuffer its span()), and returns when the copy has ended. Waits for all earlier work
/// of the stream. Names as for `copy`. Errc::size_mismatch, ::stream_capturing, ::execution_failed,
/// ::runtime_failed.
template <CheckLevel Level = current_level, class S, class To, class From>
[[nodiscard]] result<void> copy_and_wait(const S& stream, To&& to, From&& from,
                                         call_site site = call_site::current()) noexcept {
  if constexpr (detail::begins_with_source<To, From>()) {
    return copy_and_wait<Level>(stream, std::forward<From>(from), std::forward<To>(to), site);
  } else if constexpr (detail::check_sides<S, To, From>()) {
    if constexpr (detail::check_blocking_copy<decltype(detail::unnamed(to)),
                                              decltype(detail::unnamed(from))>()) {
      return detail::copy_sides_and_wait<Level, typename S::backend>(stream, detail::unnamed(to),
                                                                     detail::unnamed(from), site);
    } else {
      return success();
    }
  } else {
    return success();
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
