// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/memory/detail/buffer_use.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/memory/detail/element_addresses.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

// The copies of the library and their calls of the runtime: on the device, to and from the host,
// and those that a Pending waits for.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether the stream is a default stream, and all device memory of the copy is of one other
/// device. The stream's handle means the stream of the current device, which must be the memory's.
template <class B>
[[nodiscard]] bool is_of_far_default(const CopyRows& to, const CopyRows& from, CopyKind kind,
                                     const basic_stream_ref<B>& stream) noexcept {
  if (!StreamNumber::is_default(stream.native())) return false;
  if (kind == CopyKind::device_to_device && to.device != from.device) return false;
  const int known = to.device >= 0 ? to.device : from.device;
  return known >= 0 && known != stream.device().value();
}

template <class B>
[[nodiscard]] int submit_copy(const CopyRows& to, const CopyRows& from, CopyKind kind,
                              const basic_stream_ref<B>& stream) noexcept;

/// The default stream of the memory's device runs the copy, between two points of `stream`.
template <class B>
[[nodiscard, gnu::noinline]] int submit_to_far_default(const CopyRows& to, const CopyRows& from,
                                                       CopyKind kind,
                                                       const basic_stream_ref<B>& stream) noexcept {
  const int device = to.device >= 0 ? to.device : from.device;
  const auto there = StreamAccess::make<B>(stream.native(), device);
  StreamMark<B> before, after;
  int status = before.set(stream);
  if (status == 0) status = before.order_before(there);
  if (status == 0) status = submit_copy(to, from, kind, there);
  if (status != 0) return status;
  status = after.set(there);
  if (status == 0) status = after.order_before(stream);
  if (status != 0) end_submitted(there);
  return status;
}
/// Whether the memories are known to be of two devices.
[[nodiscard]] constexpr bool are_of_peers(const CopyRows& to, const CopyRows& from) noexcept {
  return to.device >= 0 && from.device >= 0 && to.device != from.device;
}
/// A copy between two devices, or of rows with gaps. @pre the device that runs it is current
template <class B>
[[nodiscard, gnu::noinline]] int submit_rows(const CopyRows& to, const CopyRows& from,
                                             CopyKind kind,
                                             const basic_stream_ref<B>& stream) noexcept {
  if (to.dense() && from.dense()) {
    return B::copy_peer(to.data, to.device, from.data, from.device, to.width * to.rows,
                        stream.native());
  }
  // An operand that is not a matrix takes the other's width and rows.
  const std::size_t width = to.matrix ? to.width : from.width;
  const std::size_t rows = to.matrix ? to.rows : from.rows;
  const std::size_t to_pitch = to.matrix ? to.pitch : width;
  const std::size_t from_pitch = from.matrix ? from.pitch : width;
  if (!are_of_peers(to, from) || can_access<B>(to.device, from.data, from.device)) {
    return B::copy_2d(to.data, to_pitch, from.data, from_pitch, width, rows, kind, stream.native());
  }
  // No copy of rows takes the two devices.
  for (std::size_t row = 0; row < rows; ++row) {
    if (const int status = B::copy_peer(static_cast<char*>(to.data) + row * to_pitch, to.device,
                                        static_cast<const char*>(from.data) + row * from_pitch,
                                        from.device, width, stream.native())) {
      if (row != 0) end_submitted(stream);
      return status;
    }
  }
  return 0;
}
/// The device that must be current for the copy: the memory's, whichever device the stream is of.
/// Otherwise CUDA does not find memory of that device's pool (cudaErrorInvalidValue, seen on two
/// H200s, CUDA 13.0).
template <class B>
[[nodiscard]] int device_of_copy(const CopyRows& to, const CopyRows& from, CopyKind kind,
                                 const basic_stream_ref<B>& stream) noexcept {
  const int of_stream = stream.device().value();
  const int known = to.device >= 0 ? to.device : from.device;
  if (known < 0) return of_stream;
  if (are_of_peers(to, from)) {
    // A default stream is the current device's; a copy between devices names them.
    return StreamNumber::is_default(stream.native()) ? of_stream : known;
  }
  const bool half_known = kind == CopyKind::device_to_device && to.device != from.device;
  return half_known ? of_stream : known;
}
/// Submits the copy to the stream and returns the runtime's status. @pre check_same_size
template <class B>
[[nodiscard]] int submit_copy(const CopyRows& to, const CopyRows& from, CopyKind kind,
                              const basic_stream_ref<B>& stream) noexcept {
  if (to.size == 0) return 0;
  if (is_of_far_default(to, from, kind, stream)) [[unlikely]]
    return submit_to_far_default(to, from, kind, stream);
  const int current = device_of_copy(to, from, kind, stream);
  return submit_on_device(current, stream, [&]() noexcept -> int {
    if (to.dense() && from.dense() && !are_of_peers(to, from)) [[likely]] {
      return B::copy(to.data, from.data, to.width * to.rows, kind, stream.native());
    }
    return submit_rows(to, from, kind, stream);
  });
}

/// Copies, and returns when the copy has ended. If the wait fails and the copy may still run, it
/// records the use of the device memory and sets `may_run`. Errc::size_mismatch,
/// ::stream_capturing, ::execution_failed, ::runtime_failed.
template <CheckLevel Level, class B>
[[nodiscard]] result<void> copy_blocking(const CopyRows& to, const CopyRows& from, CopyKind kind,
                                         const basic_stream_ref<B>& stream, const call_site& site,
                                         bool* may_run = nullptr) noexcept {
  const result<void> sizes = check_same_size(to, from, site);
  if (!sizes.has_value()) return sizes;
  const Name operation =
      Name::of(kind == CopyKind::host_to_device ? "copy to device" : "copy to host");
  const result<void> allowed = check_not_capturing<Level>(stream, operation, site);
  if (!allowed.has_value() || to.size == 0) return allowed;
  const CallScope<B> here(site);
  tell_submission<Level>(stream, operation, site, to.data, to.width * to.rows);
  const int device = stream.device().value();
  if (const int status = wait_ahead(stream, site)) {
    return runtime_error<B>(status, operation, site, Stage::completion, device);
  }
  const int status = submit_copy(to, from, kind, stream);
  if (status != 0) return runtime_error<B>(status, operation, site);
  result<void> waited = wait_for<Level>(stream, site);
  if (!waited.has_value()) {
    const Errc code = waited.assume_error().code;
    if (code != Errc::execution_failed && code != Errc::device_check_failed) {
      static_cast<void>(record_uses(stream, site, to.owner, from.owner));
      if (may_run != nullptr) *may_run = true;
    }
  }
  return waited;
}

/// Whether two pieces of memory have bytes in common.
[[nodiscard]] inline bool overlap(const CopyRows& a, const CopyRows& b) noexcept {
  if (a.size == 0 || b.size == 0) return false;
  const auto address = [](const CopyRows& rows) {
    return reinterpret_cast<std::uintptr_t>(rows.data);
  };
  const CopyRows& first = address(a) <= address(b) ? a : b;
  const CopyRows& second = &first == &a ? b : a;
  const std::size_t apart = address(second) - address(first);
  if (apart >= (first.rows - 1) * first.pitch + first.width) return false;
  if (first.dense()) return true;
  // Two windows of one matrix may lie beside each other. The second begins in a row of the first,
  // or in the gap behind a row, which another row follows.
  const std::size_t col = apart % first.pitch;
  if (col < first.width) return true;
  if (second.dense()) return col + second.width * second.rows > first.pitch;
  return second.pitch != first.pitch || col + second.width > first.pitch;
}

/// Copies from device memory to device memory. Errc::size_mismatch, ::memory_closed,
/// ::copy_overlaps (value: the distance in bytes, limit: the bytes from the target's first to its
/// last), ::runtime_failed, and ::stream_capturing for a copy between two devices, which would
/// break a capture (CUDA 13.0 on two H200s: cudaMemcpyPeerAsync returns 900).
template <CheckLevel Level, class B>
[[nodiscard]] result<void> copy_on_device(basic_stream_ref<B> stream, const CopyRows& to,
                                          const CopyRows& from, const call_site& site) noexcept {
  const result<void> sizes = check_same_size(to, from, site);
  if (!sizes.has_value()) return sizes;
  const result<void> there = check_stream<Level>(Name::of("copy on the device"), stream, site);
  if (!there.has_value()) return there;
  if (overlap(to, from)) {
    const auto target = reinterpret_cast<std::uintptr_t>(to.data);
    const auto source = reinterpret_cast<std::uintptr_t>(from.data);
    LaunchError error = LaunchError::make(Errc::copy_overlaps, Stage::construction,
                                          target < source ? source - target : target - source,
                                          (to.rows - 1) * to.pitch + to.width, Axis::none, site);
    error.operation = Name::of("copy on the device");
    return error;
  }
  if ((to.device >= 0 && from.device >= 0 && to.device != from.device) ||
      is_of_far_default(to, from, CopyKind::device_to_device, stream)) {
    const result<void> possible =
        check_not_capturing<Level>(stream, Name::of("copy between devices"), site);
    if (!possible.has_value()) return possible;
  }
  const CallScope<B> here(site);
  tell_submission<Level>(stream, Name::of("copy on the device"), site, to.data, to.width * to.rows);
  if (const int status = submit_copy(to, from, CopyKind::device_to_device, stream)) {
    return runtime_error<B>(status, Name::of("copy on the device"), site);
  }
  return record_uses(stream, site, to.owner, from.owner);
}

/// The memory of an owner, to be held; nullptr if no buffer of B owns it.
template <class B>
[[nodiscard]] DeviceMemory<B>* memory_of(MemoryOwner* owner) noexcept {
  const bool is_of_buffer = owner != nullptr && owner->start != nullptr &&
                            owner->vendor == static_cast<unsigned char>(B::vendor);
  return is_of_buffer ? static_cast<DeviceMemory<B>*>(owner) : nullptr;
}

/// The elements on the host. A std::vector<bool> holds bits, which no copy can fill.
template <class T>
using HostElements = std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>;

/// Returns false if the host has no memory for `size` elements.
template <class T>
[[nodiscard]] bool resize(std::vector<T>& target, std::size_t size) noexcept {
#if defined(__cpp_exceptions)
  try {
    target.resize(size);
  } catch (...) {
    return false;
  }
#else
  target.resize(size);
#endif
  return true;
}

/// Copies between device memory and `value` on the host. The token owns it, unless the copy is
/// refused. `host` describes the current rows of `value`; moving `value` must not move its
/// elements.
template <CheckLevel Level, class B, class T>
[[nodiscard]] basic_pending<B, T> copy_pending(basic_stream_ref<B> stream, CopyRows host, T&& value,
                                               CopyRows device, bool to_host,
                                               const call_site& site) noexcept {
  const Name operation = Name::of(to_host ? "copy to host" : "copy to device");
  const CopyRows& to = to_host ? host : device;
  const CopyRows& from = to_host ? device : host;
  const result<void> sizes = check_same_size(to, from, site);
  if (!sizes.has_value()) {
    return PendingAccess::failed<Level, B, T>(stream, sizes.assume_error());
  }
  const result<void> possible = check_not_capturing<Level>(stream, operation, site);
  if (!possible.has_value()) {
    return PendingAccess::failed<Level, B, T>(stream, possible.assume_error());
  }
  const CallScope<B> here(site);
  tell_submission<Level>(stream, operation, site, to.data, to.width * to.rows);
  const int status =
      submit_copy(to, from, to_host ? CopyKind::device_to_host : CopyKind::host_to_device, stream);
  if (status != 0) {
    return PendingAccess::failed<Level, B, T>(stream, runtime_error<B>(status, operation, site));
  }
  const result<void> noted = record_uses(stream, site, device.owner);
  auto token = PendingAccess::make<Level>(stream, std::forward<T>(value),
                                          basic_memory_hold<B>(memory_of<B>(device.owner)), site);
  if (noted.has_value()) return token;
  return PendingAccess::failed<Level>(token, noted.assume_error());
}

/// Copies the elements to a std::vector, and waits: the runtime's copy to pageable memory returns
/// only when it has ended (CUDA Runtime API, "API synchronization behavior"), so that an event
/// behind it would mark nothing.
template <CheckLevel Level, class B, class T>
[[nodiscard]] basic_pending<B, HostElements<T>> read_back(basic_stream_ref<B> stream,
                                                          const CopyRows& device,
                                                          const call_site& site) noexcept {
  using Elements = HostElements<T>;
  Elements target;
  if (!resize(target, device.size)) {
    return PendingAccess::failed<Level, B, Elements>(
        stream, LaunchError::make(Errc::out_of_memory, Stage::runtime_call, device.size * sizeof(T),
                                  0, Axis::none, site));
  }
  const CopyRows host = CopyRows::flat(target.data(), target.size());
  bool may_run = false;
  const result<void> copied =
      copy_blocking<Level>(host, device, CopyKind::device_to_host, stream, site, &may_run);
  if (copied.has_value()) return PendingAccess::ended<Level, B>(stream, std::move(target), site);
  if (may_run) PendingAccess::leak<B>(stream, std::move(target));
  return PendingAccess::failed<Level, B, Elements>(stream, copied.assume_error());
}

/// Copies elements of the host into device memory, and returns when the copy has ended.
/// Errc::argument_host_pointer, and those of copy_blocking.
template <CheckLevel Level, class B, class T>
[[nodiscard]] result<void> fill_from_host(basic_stream_ref<B> stream, const CopyRows& to,
                                          std::span<const T> from, const call_site& site) noexcept {
  const result<void> usable = check_elements<Level, B>(from.data(), from.size(), site);
  if (!usable.has_value()) return usable;
  return copy_blocking<Level>(to, CopyRows::flat(from.data(), from.size()),
                              CopyKind::host_to_device, stream, site);
}

/// Copies between operands that the checks accepted.
template <CheckLevel Level, class B, class To, class From>
auto copy_sides(basic_stream_ref<B> on, To&& to, From&& from, const call_site& site) noexcept {
  using ToOperand = CopyOperand<std::remove_cvref_t<To>>;
  using FromOperand = CopyOperand<std::remove_cvref_t<From>>;
  const CopyRows to_rows = ToOperand::rows(to);
  const CopyRows from_rows = FromOperand::rows(from);
  if constexpr (is_pinned<std::remove_cvref_t<To>>) {
    return copy_pending<Level, B>(on, to_rows, std::forward<To>(to), from_rows, true, site);
  } else if constexpr (is_pinned<std::remove_cvref_t<From>>) {
    const result<void> usable =
        check_elements<Level, B>(from.span().data(), from.span().size(), site);
    using Pinned = std::remove_cvref_t<From>;
    if (!usable.has_value())
      return PendingAccess::failed<Level, B, Pinned>(on, usable.assume_error());
    return copy_pending<Level, B>(on, from_rows, std::forward<From>(from), to_rows, false, site);
  } else {
    return copy_on_device<Level, B>(on, to_rows, from_rows, site);
  }
}
template <CheckLevel Level, class B, class To, class From>
result<void> copy_sides_and_wait(basic_stream_ref<B> on, To&& to, From&& from,
                                 const call_site& site) noexcept {
  if constexpr (CopyOperand<std::remove_cvref_t<To>>::known) {
    using Operand = CopyOperand<std::remove_cvref_t<To>>;
    const std::span<const typename Operand::element> host(from);
    return fill_from_host<Level>(on, Operand::rows(to), host, site);
  } else {
    using Operand = CopyOperand<std::remove_cvref_t<From>>;
    const std::span<std::remove_const_t<typename Operand::element>> host(to);
    return copy_blocking<Level>(CopyRows::flat(host.data(), host.size()), Operand::rows(from),
                                CopyKind::device_to_host, on, site);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
