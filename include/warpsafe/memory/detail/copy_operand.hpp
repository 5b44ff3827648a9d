// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_view.hpp>
#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Copies, fills and reads in terms of rows of bytes, independent of the user's types. All size
// checks and runtime calls of copies are here.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Diagnoses an element of device memory in host code. The return type is deduced, so that this is
/// the first error.
template <class T, class Index>
auto diagnose_element_on_host() noexcept {
  static_assert(is_never<Index>,
                "warpsafe: host code cannot use an element of device memory; copy the elements: "
                "to_host(stream).get()");
  return T{};
}
/// Diagnoses the address of device memory as that of host memory.
template <class T>
auto diagnose_address_on_host() noexcept {
  static_assert(is_never<T>,
                "warpsafe: a buffer has no data(), because its memory is the device's; pass its "
                "view() to a launch, and copy the elements with to_host(stream).get()");
  return static_cast<T*>(nullptr);
}
/// Diagnoses a call of a buffer without its stream.
template <class Never>
[[nodiscard]] auto diagnose_missing_stream() noexcept {
  static_assert(
      !std::is_void_v<Never>,
      "warpsafe: work on a buffer takes the stream that runs it: zero(stream), to_host(stream)");
  return success();
}
/// Diagnoses the view or the span of a temporary buffer. The return type is deduced, so that this
/// is the first error.
template <class Never>
auto diagnose_view_of_temporary() noexcept {
  static_assert(
      !std::is_void_v<Never>,
      "warpsafe: this temporary buffer frees its memory at the end of the statement, and its view would point to freed memory; give the buffer a name: WARPSAFE_TRY(auto x, expression), or auto x = expression.value()");
  return static_cast<Never*>(nullptr);
}

/// Elements in rows. All members but `size` are in bytes. A plain array is one row.
struct CopyRows {
  void* data;         ///< only read if it is a source
  std::size_t pitch;  ///< from the start of a row to the start of the next
  std::size_t width;  ///< of a row
  std::size_t rows;
  bool matrix;                   ///< rows and columns must match, not only their product
  int device;                    ///< -1 for host memory, or if unknown; else as of MemoryOwner
  std::size_t size;              ///< in elements
  MemoryOwner* owner = nullptr;  ///< of a view; it records the copy
  bool closed = false;           ///< a buffer that was closed or moved from

  template <class T>
  [[nodiscard]] static CopyRows flat(T* data, std::size_t size, int device = -1) noexcept {
    void* const start = const_cast<std::remove_const_t<T>*>(data);
    return {start, size * sizeof(T), size * sizeof(T), 1, false, device, size};
  }
  [[nodiscard]] bool dense() const noexcept { return rows <= 1 || pitch == width; }
  /// A closed buffer, or a view of one, or memory of a graph that has not run.
  [[nodiscard]] bool has_no_memory() const noexcept {
    return closed || device <= memory_was_freed ||
           (owner != nullptr && owner->of_device <= memory_was_freed);
  }
  /// Why, as MemoryOwner::of_device says it. @pre has_no_memory
  [[nodiscard]] int reason() const noexcept {
    return closed ? memory_was_freed : owner != nullptr ? owner->of_device : device;
  }
};

enum class CopyPlace : unsigned char { device, pinned };

/// How a type takes part in copies. The specialisation for a type has these members:
///   known = true; place; element (const if it is only read); backend (void: any)
///   static CopyRows rows(const A&); static DeviceMemory<backend>* owner(const A&)
template <class A>
struct CopyOperand {
  static constexpr bool known = false;
};

/// Whether a type without references and const is pinned host memory.
template <class A>
inline constexpr bool is_pinned = requires {
  requires CopyOperand<A>::place == CopyPlace::pinned;
};

template <class T>
struct CopyOperand<DeviceSpan<T>> {
  static constexpr bool known = true;
  static constexpr CopyPlace place = CopyPlace::device;
  using element = T;
  using backend = void;
  [[nodiscard]] static CopyRows rows(const DeviceSpan<T>& span) noexcept {
    return CopyRows::flat(span.pointer().get(), span.size());
  }
  [[nodiscard]] static std::nullptr_t owner(const DeviceSpan<T>&) noexcept { return nullptr; }
};

/// The views that buffers return to host code.
template <class T>
struct CopyOperand<DeviceView<T>> : CopyOperand<DeviceSpan<T>> {
  [[nodiscard]] static CopyRows rows(const DeviceView<T>& view) noexcept {
    CopyRows rows = CopyRows::flat(view.pointer().get(), view.size(), view.device());
    rows.owner = checked_owner_of(view);
    return rows;
  }
  [[nodiscard]] static std::nullptr_t owner(const DeviceView<T>&) noexcept { return nullptr; }
};

/// A side of a copy that the caller names with `from` or `to`.
template <class T, bool IsTarget>
struct NamedSide {
  T&& operand;
};
enum class SideName : unsigned char { none, source, target };
template <class A>
inline constexpr SideName side_name = SideName::none;
template <class T, bool IsTarget>
inline constexpr SideName side_name<NamedSide<T, IsTarget>> =
    IsTarget ? SideName::target : SideName::source;

/// The operand behind its name.
template <class T, bool IsTarget>
[[nodiscard]] constexpr T&& unnamed(const NamedSide<T, IsTarget>& side) noexcept {
  return static_cast<T&&>(side.operand);
}
/// Whether the names say that the first of two sides is the source.
template <class First, class Second>
constexpr bool begins_with_source() noexcept {
  constexpr SideName first = side_name<std::remove_cvref_t<First>>;
  constexpr SideName second = side_name<std::remove_cvref_t<Second>>;
  static_assert(first != second || first == SideName::none,
                "warpsafe: both sides of this copy have the same name; name one from(x) and the "
                "other to(y)");
  return first != second && (first == SideName::source || second == SideName::target);
}

/// The owner in the views of a buffer, which may have no memory.
[[nodiscard]] inline MemoryOwner* owner_or_closed(MemoryOwner* memory) noexcept {
  return memory == nullptr ? &closed_memory : memory;
}

[[WARPSAFE_DETAIL_RARE]] inline LaunchError closed_error(Name operation, const call_site& site,
                                                         int reason = memory_was_freed) noexcept {
  LaunchError error = LaunchError::make(Errc::memory_closed, Stage::construction, site);
  error.operation = operation;
  error.subcode = why_closed(reason);
  return error;
}
/// Errc::memory_closed for a buffer that was closed or moved from.
[[nodiscard, gnu::always_inline]] inline result<void> check_open(bool closed, Name operation,
                                                                 const call_site& site) noexcept {
  if (!closed) [[likely]]
    return success();
  return closed_error(operation, site);
}

[[WARPSAFE_DETAIL_RARE]] inline LaunchError size_error(const CopyRows& to, const CopyRows& from,
                                                       const call_site& site) noexcept {
  // For two matrices of the same size only the numbers of rows show the difference.
  const bool rows_differ_only = to.size == from.size;
  LaunchError error = LaunchError::make(
      Errc::size_mismatch, Stage::construction, rows_differ_only ? from.rows : from.size,
      rows_differ_only ? to.rows : to.size, rows_differ_only ? Axis::y : Axis::none, site);
  error.operation = Name::of("copy");
  const CopyRows& filled = to.size != 0 ? to : from;
  if (filled.size != 0) error.extra = filled.width * filled.rows / filled.size;  // of one element
  return error;
}
/// Errc::size_mismatch unless source and target have the same number of elements, or, for two
/// matrices, of rows and columns (value: the source's, limit: the target's). Errc::memory_closed.
[[nodiscard, gnu::always_inline]] inline result<void> check_same_size(
    const CopyRows& to, const CopyRows& from, const call_site& site) noexcept {
  if (to.has_no_memory() || from.has_no_memory()) [[unlikely]]
    return closed_error(Name::of("copy"), site, (to.has_no_memory() ? to : from).reason());
  if (to.size != from.size || (to.matrix && from.matrix && to.rows != from.rows)) [[unlikely]]
    return size_error(to, from, site);
  return success();
}

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
  // The caller takes a copy that failed for one that does not run.
  if (status != 0) static_cast<void>(wait_for_stream(there, {}, false));
  return status;
}
/// A copy between two devices, or of rows with gaps. @pre the device that runs it is current
template <class B>
[[nodiscard, gnu::noinline]] int submit_rows(const CopyRows& to, const CopyRows& from,
                                             CopyKind kind,
                                             const basic_stream_ref<B>& stream) noexcept {
  const bool peers = to.device >= 0 && from.device >= 0 && to.device != from.device;
  if (to.dense() && from.dense()) {
    return B::copy_peer(to.data, to.device, from.data, from.device, to.width * to.rows,
                        stream.native());
  }
  // An operand that is not a matrix takes the other's width and rows.
  const std::size_t width = to.matrix ? to.width : from.width;
  const std::size_t rows = to.matrix ? to.rows : from.rows;
  const std::size_t to_pitch = to.matrix ? to.pitch : width;
  const std::size_t from_pitch = from.matrix ? from.pitch : width;
  if (!peers || can_access<B>(to.device, from.data, from.device)) {
    return B::copy_2d(to.data, to_pitch, from.data, from_pitch, width, rows, kind, stream.native());
  }
  // No copy of rows takes the two devices.
  for (std::size_t row = 0; row < rows; ++row) {
    if (const int status = B::copy_peer(static_cast<char*>(to.data) + row * to_pitch, to.device,
                                        static_cast<const char*>(from.data) + row * from_pitch,
                                        from.device, width, stream.native())) {
      // The error says that nothing uses the memory.
      if (row != 0) static_cast<void>(wait_for_stream(stream, {}, false));
      return status;
    }
  }
  return 0;
}
/// Submits the copy to the stream and returns the runtime's status. @pre check_same_size
template <class B>
[[nodiscard]] int submit_copy(const CopyRows& to, const CopyRows& from, CopyKind kind,
                              const basic_stream_ref<B>& stream) noexcept {
  if (to.size == 0) return 0;
  if (is_of_far_default(to, from, kind, stream)) [[unlikely]]
    return submit_to_far_default(to, from, kind, stream);
  const bool peers = to.device >= 0 && from.device >= 0 && to.device != from.device;
  // The memory's device must be current, whichever device the stream is of: otherwise CUDA does not
  // find memory of that device's pool (cudaErrorInvalidValue, seen on two H200s, CUDA 13.0).
  const bool one_device = kind != CopyKind::device_to_device || to.device == from.device;
  const int known = to.device >= 0 ? to.device : from.device;
  // A default stream is the current device's; a copy between devices names them.
  const bool of_stream = peers && StreamNumber::is_default(stream.native());
  const int current =
      known >= 0 && (one_device || peers) && !of_stream ? known : stream.device().value();
  return on_device<B, submits_work>(current, [&]() noexcept -> int {
    if (!peers && to.dense() && from.dense()) [[likely]] {
      return B::copy(to.data, from.data, to.width * to.rows, kind, stream.native());
    }
    return submit_rows(to, from, kind, stream);
  });
}

/// Errc::stream_capturing for an operation that waits or uses host memory: the graph would run it
/// later, when nothing waits and the memory may not exist; on the legacy stream it would break the
/// capture of a stream that this one waits for. Errc::stream_null for a Stream that was
/// moved from or closed.
template <CheckLevel Level, class B>
[[nodiscard, gnu::always_inline]] inline result<void> check_not_capturing(
    const basic_stream_ref<B>& stream, Name operation, const call_site& site) noexcept {
  const result<void> there = check_stream<Level>(operation, stream, site);
  if (!there.has_value()) return there;
  if (meets_capture<Level>(stream)) [[unlikely]]
    return refused_on(stream, Errc::stream_capturing, operation, site);
  return success();
}

/// Copies, and returns when the copy has ended. Stores whether it may still run, if an error is
/// returned. Errc::size_mismatch, ::stream_capturing, ::execution_failed, ::runtime_failed.
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
  if (!waited.has_value() && may_run != nullptr) {
    const Errc code = waited.assume_error().code;
    *may_run = code != Errc::execution_failed && code != Errc::device_check_failed;
  }
  return waited;
}

template <CheckLevel Level, class B>
[[nodiscard, gnu::noinline]] result<void> record_foreign_use(DeviceMemory<B>* memory,
                                                             basic_stream_ref<B> stream,
                                                             const call_site& site) noexcept {
  const int status = memory->template record_use<Level>(stream);
  if (status != 0) return runtime_error<B>(status, Name::of("event record"), site);
  return success();
}
/// Records that `stream` uses the memory of a buffer. Errc::runtime_failed.
template <CheckLevel Level, class B>
[[nodiscard, gnu::always_inline]] inline result<void> record_use(DeviceMemory<B>* memory,
                                                                 const basic_stream_ref<B>& stream,
                                                                 const call_site& site) noexcept {
  if (memory == nullptr || (memory->is_own(stream) && open_captures() == nullptr)) [[likely]]
    return success();
  return record_foreign_use<Level>(memory, stream, site);
}

[[WARPSAFE_DETAIL_RARE]] inline LaunchError far_fill_error(Name operation, int device,
                                                           int memory_device, const void* stream,
                                                           const call_site& site) noexcept {
  LaunchError error;
  static_cast<void>(refuse_access(error, device, memory_device, 0));
  error.operation = operation;
  error.site = site;
  error.stream = stream;
  return error;
}
inline constexpr Name fill_name = Name::of("fill device memory");
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> fill_error(int status,
                                                                call_site site) noexcept {
  return runtime_error<B>(status, fill_name, site);
}
/// All of fill_memory.
template <CheckLevel Level, class B>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> fill_with_care(DeviceMemory<B>* memory,
                                                                    std::size_t bytes,
                                                                    std::byte value,
                                                                    basic_stream_ref<B> stream,
                                                                    call_site site) noexcept {
  constexpr Name operation = fill_name;
  if (memory == nullptr) [[unlikely]]
    return closed_error(operation, site);
  const result<void> there = check_stream<Level>(operation, stream, site);
  if (!there.has_value()) return there;
  if (bytes == 0) return success();
  const int device = stream.device().value();
  void* const start = memory->data();
  if constexpr (Level != CheckLevel::off) {
    // CUDA refuses this fill as an "invalid argument"; AMD's runtime fills by a kernel.
    const int of = memory->of_device;
    if (of <= memory_was_freed) return closed_error(operation, site, of);
    if (of != device && !can_access<B>(device, start, of)) {
      return far_fill_error(operation, device, of, stream.native(), site);
    }
  }
  const CallScope<B> here(site);
  tell_submission<Level>(stream, operation, site, start, bytes);
  const int status = on_device<B, submits_work>(
      device, &B::fill, start, static_cast<unsigned char>(value), bytes, stream.native());
  if (status != 0) return fill_error<B>(status, site);
  return record_use<Level>(memory, stream, site);
}
/// A fill that needs nothing but the runtime's call. The call leaves no other code in the
/// processor's caches, so each line of this costs.
template <CheckLevel Level, class B>
[[nodiscard, gnu::always_inline]] inline result<void> fill_plainly(
    DeviceMemory<B>* memory, std::size_t bytes, std::byte value, const basic_stream_ref<B>& stream,
    const call_site& site) noexcept {
  const int device = stream.device().value();
  if (memory == nullptr || !is_plain_call<Level>(stream) || bytes == 0 ||
      !memory->is_given(stream) || !is_only_device<B>(device) ||
      (Level != CheckLevel::off && memory->of_device != device))
    return fill_with_care<Level>(memory, bytes, value, stream, site);
  const CallScope<B> here(site);
  const int status =
      B::fill(memory->data(), static_cast<unsigned char>(value), bytes, stream.native());
  if (status != 0) return fill_error<B>(status, site);
  return success();
}
template <CheckLevel Level, class B>
[[nodiscard, gnu::noinline]] result<void> fill_elsewhere(DeviceMemory<B>* memory, std::size_t bytes,
                                                         std::byte value,
                                                         const basic_stream_ref<B>& stream,
                                                         const call_site& site) noexcept {
  return fill_plainly<Level>(memory, bytes, value, stream, site);
}
/// Fills the first `bytes` bytes of a buffer, and records the use. `memory` is nullptr for a buffer
/// that was closed or moved from. Checked builds: Errc::memory_wrong_device. Errc::memory_closed,
/// ::stream_null, ::runtime_failed.
template <CheckLevel Level, class B>
[[nodiscard, gnu::always_inline]] inline result<void> fill_memory(DeviceMemory<B>* memory,
                                                                  std::size_t bytes,
                                                                  std::byte value,
                                                                  basic_stream_ref<B> stream,
                                                                  call_site site) noexcept {
  // With checks off, a function would cost more than what it does.
  if constexpr (Level == CheckLevel::off) {
    return fill_plainly<Level>(memory, bytes, value, stream, site);
  } else {
    return fill_elsewhere<Level>(memory, bytes, value, stream, site);
  }
}

/// Diagnoses `fill_bytes` of anything but a std::byte, since a fill does not set elements to a
/// value.
template <class Value>
constexpr bool check_fill_value() noexcept {
  constexpr bool is_byte = std::is_same_v<Value, std::byte>;
  static_assert(
      is_byte,
      "warpsafe: a fill sets single bytes: use zero(stream) or fill_bytes(stream, std::byte{0xff}), and a kernel to set elements to another value");
  return is_byte;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
