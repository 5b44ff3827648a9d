// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Plain values, as many as there is host memory for. An addition moves the values.
template <class T>
class PlainList {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  PlainList() = default;
  PlainList(const PlainList&) = delete;
  PlainList& operator=(const PlainList&) = delete;
  ~PlainList() { std::free(values_); }

  /// Returns the copy in the list, or nullptr if there is no memory.
  T* add(const T& value) noexcept {
    if (count_ == room_) {
      const std::size_t room = room_ == 0 ? 16 : 2 * room_;
      void* const grown = std::realloc(static_cast<void*>(values_), room * sizeof(T));
      if (grown == nullptr) return nullptr;
      values_ = static_cast<T*>(grown);
      room_ = room;
    }
    return ::new (static_cast<void*>(&values_[count_++])) T(value);
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] T* begin() noexcept { return values_; }
  [[nodiscard]] T* end() noexcept { return values_ + count_; }
  [[nodiscard]] const T* begin() const noexcept { return values_; }
  [[nodiscard]] const T* end() const noexcept { return values_ + count_; }

 private:
  T* values_ = nullptr;
  std::size_t count_ = 0;
  std::size_t room_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
