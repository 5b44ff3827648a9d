// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/buffer_use.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// The sides of a copy, in terms of rows of bytes, and whether two sides fit. Independent of the
// user's types.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Elements in rows. All members but `size` are in bytes. A plain array is one row.
struct CopyRows {
  void* data;         ///< only read if it is a source
  std::size_t pitch;  ///< from the start of a row to the start of the next
  std::size_t width;  ///< of a row
  std::size_t rows;
  bool matrix;                   ///< rows and columns must match, not only their product
  int device;                    ///< -1 for host memory, or if unknown; else as of MemoryOwner
  std::size_t size;              ///< in elements
  MemoryOwner* owner = nullptr;  ///< of a buffer or its view; it records the copy
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
///   static CopyRows rows(const A&)
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
};

/// The views that buffers return to host code.
template <class T>
struct CopyOperand<DeviceView<T>> : CopyOperand<DeviceSpan<T>> {
  [[nodiscard]] static CopyRows rows(const DeviceView<T>& view) noexcept {
    CopyRows rows = CopyRows::flat(view.pointer().get(), view.size(), view.device());
    rows.owner = checked_owner_of(view);
    return rows;
  }
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
