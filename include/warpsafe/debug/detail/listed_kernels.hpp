// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstring>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

namespace detail {

/// The letters that two names share at their beginnings and at their ends.
[[nodiscard]] inline std::size_t shared_letters(const Name& a, const Name& b) noexcept {
  const std::size_t most = a.size < b.size ? a.size : b.size;
  std::size_t first = 0;
  while (first < most && a.data[first] == b.data[first]) ++first;
  std::size_t last = 0;
  while (first + last < most && a.data[a.size - last - 1] == b.data[b.size - last - 1]) ++last;
  return first + last;
}
/// Whether one of the two names is probably the other with a slip of the keyboard, or a part of it.
[[nodiscard]] inline bool is_similar(const Name& a, const Name& b) noexcept {
  return 2 * shared_letters(a, b) >= (a.size < b.size ? a.size : b.size) && a.size != 0;
}

/// How far a letter of a name leads into brackets. What separates names is part of one there: a
/// comma of "pair<int,long>" and of "f(int, float)::run", a colon of "(lambda at a.cpp:3:5)".
[[nodiscard]] constexpr int bracket_depth(char letter) noexcept {
  return letter == '<' || letter == '(' ? 1 : letter == '>' || letter == ')' ? -1 : 0;
}
/// Calls `found(name)` for each name in a comma-separated list, until it returns true. Returns
/// whether it did.
template <class Found>
[[nodiscard]] bool any_listed(const char* list, const Found& found) noexcept {
  while (*list != '\0') {
    std::size_t size = 0;
    int depth = 0;
    while (list[size] != '\0' && (list[size] != ',' || depth > 0)) {
      depth += bracket_depth(list[size++]);
    }
    if (found(Name{list, size})) return true;
    list += size;
    if (*list == ',') ++list;
  }
  return false;
}
/// A kernel's name without template arguments, and without namespaces.
struct ShortNames {
  Name untemplated, bare;

  [[nodiscard]] static ShortNames of(const Name& kernel) noexcept {
    // The bare name lies between the last "::" and the first '<'.
    std::size_t begin = 0;
    std::size_t end = 0;
    while (end < kernel.size && kernel.data[end] != '<') {
      if (kernel.data[end] == ':') begin = end + 1;
      ++end;
    }
    return {Name{kernel.data, end}, Name{kernel.data + begin, end - begin}};
  }
};

}  // namespace detail

/// Whether `kernel` is one of the names in a comma-separated list. A name may be written in full,
/// or without namespaces and template arguments. `all` matches every kernel.
[[nodiscard]] inline bool is_listed(const Name& kernel, const char* list) noexcept {
  const auto shorter = detail::ShortNames::of(kernel);
  return detail::any_listed(list, [&](const Name& one) {
    return one == kernel || one == shorter.bare || one == shorter.untemplated ||
           one == Name::of("all");
  });
}

namespace detail {

/// Looks for the launched kernels in a list, and remembers the most similar one while none is
/// listed: the list may have a slip. Thread-safe, except `clear`.
class ListedKernels {
 public:
  [[nodiscard]] bool contains(const Name& kernel, const char* list) noexcept {
    if (is_listed(kernel, list)) {
      if (!found()) __atomic_store_n(&found_, true, __ATOMIC_RELAXED);
      return true;
    }
    if (!found()) remember(kernel, list);
    return false;
  }
  /// Whether a kernel was in the list.
  [[nodiscard]] bool found() const noexcept { return __atomic_load_n(&found_, __ATOMIC_RELAXED); }
  /// The kernel whose name is the most similar; "" if there was none.
  [[nodiscard]] const char* nearest() const noexcept { return nearest_; }
  void clear() noexcept {
    found_ = false;
    nearest_[0] = '\0';
  }

 private:
  void remember(const Name& kernel, const char* list) noexcept {
    if (__atomic_exchange_n(&busy_, true, __ATOMIC_ACQUIRE)) return;  // the next launch serves
    const Name bare = ShortNames::of(kernel).bare;
    std::size_t shared = 0;
    static_cast<void>(any_listed(list, [&](const Name& one) {
      const std::size_t now = shared_letters(one, bare);
      if (now > shared) shared = now;
      return false;
    }));
    if (nearest_[0] == '\0' || shared > shared_) {
      const std::size_t size = bare.size < sizeof nearest_ ? bare.size : sizeof nearest_ - 1;
      std::memcpy(nearest_, bare.data, size);
      nearest_[size] = '\0';
      shared_ = shared;
    }
    __atomic_store_n(&busy_, false, __ATOMIC_RELEASE);
  }

  bool found_ = false;
  bool busy_ = false;
  std::size_t shared_ = 0;  ///< of nearest_
  char nearest_[128] = "";
};

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
