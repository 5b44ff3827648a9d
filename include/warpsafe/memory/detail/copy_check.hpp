// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/stream/stream.hpp>

#include <span>
#include <type_traits>

// The sentences about what a copy is given, and nothing that runs.

namespace warpsafe::detail {

template <class... A>
inline constexpr bool ends_in_call_site = false;
template <class A, class B, class C, class Last>
inline constexpr bool ends_in_call_site<A, B, C, Last> =
    std::is_same_v<std::remove_cvref_t<Last>, call_site>;

/// What an operand of a copy can wrongly be.
template <class A>
inline constexpr bool is_raw_memory = std::is_pointer_v<A> || std::is_null_pointer_v<A>;
template <class A>
concept HostMemory =
    !CopyOperand<A>::known && (std::is_array_v<A> || requires(A & memory) { std::span(memory); });

/// The sentences about one operand, with its reference: `buffer` named is Buffer&, moved Buffer&&.
template <class Given>
constexpr bool check_operand() noexcept {
  using A = std::remove_cvref_t<Given>;
  static_assert(
      !is_raw_memory<A>,
      "warpsafe: a raw pointer has no size, and may be host memory; copies take buffers and spans: "
      "view(), view().subspan(offset, count)");
  static_assert(
      !HostMemory<A>,
      "warpsafe: this is pageable host memory, whose copy waits or reads too early as the runtime "
      "likes; move a PinnedBuffer in, or say copy_and_wait(stream, to, from)");
  static_assert(!is_result<A>,
                "warpsafe: this may be an error and no buffer; take its value first");
  if constexpr (CopyOperand<A>::known) {
    constexpr bool rvalue = !std::is_lvalue_reference_v<Given>;
    constexpr bool pinned = CopyOperand<A>::place == CopyPlace::pinned;
    constexpr bool owner = !std::is_void_v<typename CopyOperand<A>::backend>;
    static_assert(!pinned || rvalue,
                  "warpsafe: the host could change or free this PinnedBuffer while the copy runs; "
                  "std::move it in, and take it back from the token with get()");
    static_assert(!pinned || !std::is_const_v<std::remove_reference_t<Given>>,
                  "warpsafe: a const PinnedBuffer cannot be moved in; make it one without const");
    static_assert(
        pinned || !owner || !rvalue,
        "warpsafe: this buffer is a temporary, and gone before the copy has run; give it a "
        "name");
    return pinned ? rvalue && !std::is_const_v<std::remove_reference_t<Given>> : !owner || !rvalue;
  } else {
    constexpr bool explained = is_raw_memory<A> || HostMemory<A> || is_result<A>;
    static_assert(explained,
                  "warpsafe: copies take device memory (a buffer, a view) and PinnedBuffers");
    return false;
  }
}

/// What the target's elements are for writing: const where only a view of const is there.
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
      "warpsafe: every copy names its stream first: copy(stream, to, from); 0 and nullptr "
      "are a default stream that other code uses too");
  return is_stream<S>;
}

/// The sentences about two operands that are each one.
template <class To, class From, class B>
constexpr bool check_pair() noexcept {
  using ToOperand = CopyOperand<std::remove_cvref_t<To>>;
  using FromOperand = CopyOperand<std::remove_cvref_t<From>>;
  constexpr bool writable = is_writable<To>;
  static_assert(writable,
                "warpsafe: the target of this copy is const: source and target are "
                "swapped? copy(stream, to, from)");
  constexpr bool same = std::is_same_v<std::remove_const_t<typename ToOperand::element>,
                                       std::remove_const_t<typename FromOperand::element>>;
  static_assert(same,
                "warpsafe: source and target have elements of different types, and a copy "
                "converts nothing");
  constexpr bool one_backend =
      of_backend<std::remove_cvref_t<To>, B> && of_backend<std::remove_cvref_t<From>, B>;
  static_assert(one_backend, "warpsafe: buffer and stream are of different backends");
  constexpr bool on_host =
      ToOperand::place == CopyPlace::pinned && FromOperand::place == CopyPlace::pinned;
  static_assert(!on_host, "warpsafe: both are host memory: std::copy does it");
  return writable && same && one_backend && !on_host;
}

template <class S, class To, class From>
constexpr bool check_copy() noexcept {
  // One inside the other: after the first sentence the compiler has no further one.
  if constexpr (check_stream<S>()) {
    if constexpr (check_operand<To>()) {
      if constexpr (check_operand<From>()) return check_pair<To, From, typename S::backend>();
    }
  }
  return false;
}

/// Whether the host memory H has elements that a copy from (or, written, to) elements E takes.
template <class H, class E>
inline constexpr bool is_host_side = std::is_constructible_v<std::span<E>, H&>;

template <class S, class To, class From>
constexpr bool check_waiting_copy() noexcept {
  using ToType = std::remove_cvref_t<To>;
  using FromType = std::remove_cvref_t<From>;
  if constexpr (!check_stream<S>()) {
    return false;
  } else {
    constexpr bool one_device = CopyOperand<ToType>::known != CopyOperand<FromType>::known;
    static_assert(
        one_device,
        "warpsafe: copy_and_wait(stream, to, from) takes device memory (a buffer, a view) "
        "on one side and host memory with a size (a vector, a std::span) on the other");
    if constexpr (!one_device) {
      return false;
    } else if constexpr (CopyOperand<ToType>::known) {
      using Element = typename CopyOperand<ToType>::element;
      constexpr bool writable = is_writable<To>;
      static_assert(writable,
                    "warpsafe: the target of this copy is const: source and target are "
                    "swapped? copy_and_wait(stream, to, from)");
      constexpr bool fits = is_host_side<std::remove_reference_t<From>, const Element>;
      static_assert(!writable || fits,
                    "warpsafe: the source is no host memory of these elements with a size; pass a "
                    "std::span or a vector of them");
      return writable && fits && CopyOperand<ToType>::place == CopyPlace::device;
    } else {
      using Element = std::remove_const_t<typename CopyOperand<FromType>::element>;
      constexpr bool fits = is_host_side<std::remove_reference_t<To>, Element>;
      static_assert(
          fits,
          "warpsafe: the target is no writable host memory of these elements with a size; "
          "pass a std::span or a vector of them");
      return fits && CopyOperand<FromType>::place == CopyPlace::device;
    }
  }
}

}  // namespace warpsafe::detail
