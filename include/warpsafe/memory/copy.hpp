// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/detail/copy_check.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/memory/detail/read_back.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace warpsafe {

/// Copies `from` to `to` in the order of `stream`, and returns at once. What they are says which
/// way it goes, and how much: both have the same number of elements (Errc::size_mismatch, value:
/// the source's, limit: the target's), or of rows and columns.
///
/// * Device memory (a DeviceBuffer or PitchedBuffer by name, a DeviceSpan, a PitchedSpan) to device
///   memory, of one device or of two: `result<void>`. It may be captured. Errc::runtime_failed.
///   Overlapping memory is not allowed, as in the runtimes.
/// * A PinnedBuffer that is moved in, to or from device memory: a Pending of the buffer, which the
///   host has again when the copy has ended. Errors come out of its `get`: Errc::stream_capturing
///   besides.
///
/// A buffer that is named is kept allocated until the copy has ended; with a span that is the
/// caller's to see to.
template <CheckLevel Level = current_level, class S, class To, class From>
[[nodiscard]] auto copy(const S& stream, To&& to, From&& from,
                        call_site site = call_site::current()) noexcept {
  if constexpr (detail::check_copy<S, To&&, From&&>()) {
    using B = typename S::backend;
    using ToOperand = detail::CopyOperand<std::remove_cvref_t<To>>;
    using FromOperand = detail::CopyOperand<std::remove_cvref_t<From>>;
    const basic_stream_ref<B> on = stream;
    const detail::CopyRows to_rows = ToOperand::rows(to);
    const detail::CopyRows from_rows = FromOperand::rows(from);
    if constexpr (ToOperand::place == detail::CopyPlace::pinned) {
      return detail::copy_with_token<Level, B>(on, to_rows, std::forward<To>(to), from_rows,
                                               FromOperand::owner(from), true, site);
    } else if constexpr (FromOperand::place == detail::CopyPlace::pinned) {
      return detail::copy_with_token<Level, B>(on, from_rows, std::forward<From>(from), to_rows,
                                               ToOperand::owner(to), false, site);
    } else {
      return detail::copy_on_device<Level, B>(on, to_rows, ToOperand::owner(to), from_rows,
                                              FromOperand::owner(from), site);
    }
  } else {
    return success();
  }
}
/// The sentence for who gives it a stream that is gone when the call returns.
template <CheckLevel Level = current_level, class B, class To, class From>
[[nodiscard]] auto copy(const basic_stream<B>&&, To&&, From&&,
                        call_site = call_site::current()) noexcept {
  static_assert(
      std::is_void_v<B>,
      "warpsafe: this stream is gone when the copy is not done yet; give the stream a name "
      "that outlives it, or use copy_and_wait");
  return success();
}
/// Sizes, bytes and directions are in the types: the sentence for who writes them, or no stream.
template <class... A>
requires(sizeof...(A) < 3 || (sizeof...(A) == 4 && !detail::ends_in_call_site<A...>) ||
         sizeof...(A) > 4) [[nodiscard]] auto copy(A&&...) noexcept {
  static_assert(sizeof...(A) == 3,
                "warpsafe: copy(stream, to, from): a stream always, and no number of elements or "
                "bytes; for a part take view().subspan(offset, count)");
  return success();
}

/// Copies between device memory and ordinary host memory (a std::vector, a std::span, an array),
/// and returns when the copy has ended: the host cannot read or change it too early, and waits. It
/// waits for all earlier work of the stream. Errc::size_mismatch, ::stream_capturing,
/// ::execution_failed,
/// ::runtime_failed.
template <CheckLevel Level = current_level, class S, class To, class From>
[[nodiscard]] result<void> copy_and_wait(const S& stream, To&& to, From&& from,
                                         call_site site = call_site::current()) noexcept {
  if constexpr (detail::check_waiting_copy<S, To, From>()) {
    using B = typename S::backend;
    const basic_stream_ref<B> on = stream;
    if constexpr (detail::CopyOperand<std::remove_cvref_t<To>>::known) {
      using Operand = detail::CopyOperand<std::remove_cvref_t<To>>;
      const std::span<const typename Operand::element> host(from);
      const result<void> copied = detail::copy_now<Level>(
          Operand::rows(to), detail::CopyRows::flat(host.data(), host.size(), -1),
          CopyKind::host_to_device, on, site);
      return copied;
    } else {
      using Operand = detail::CopyOperand<std::remove_cvref_t<From>>;
      const std::span<std::remove_const_t<typename Operand::element>> host(to);
      return detail::copy_now<Level>(detail::CopyRows::flat(host.data(), host.size(), -1),
                                     Operand::rows(from), CopyKind::device_to_host, on, site);
    }
  } else {
    return success();
  }
}

namespace detail {
template <class B, class T>
struct CopyOperand<basic_pinned_buffer<B, T>> {
  static constexpr bool known = true;
  static constexpr CopyPlace place = CopyPlace::pinned;
  using element = T;
  using backend = B;
  [[nodiscard]] static CopyRows rows(basic_pinned_buffer<B, T>& buffer) noexcept {
    return CopyRows::flat(buffer.span().data(), buffer.size(), -1);
  }
  [[nodiscard]] static std::nullptr_t owner(const basic_pinned_buffer<B, T>&) noexcept {
    return nullptr;
  }
};
}  // namespace detail

}  // namespace warpsafe
