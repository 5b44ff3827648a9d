// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/detail/cut_number.hpp>
#include <warpsafe/debug/detail/listed_kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// The launches that a switch selects: `name,name…[:skip[:count]]`, with names as in is_listed. The
/// filter leaves out the first `skip` launches of these kernels and selects the next `count`.
/// Without a count it selects all that follow.
class LaunchFilter {
 public:
  /// Selects nothing.
  LaunchFilter() noexcept = default;
  LaunchFilter(const LaunchFilter&) = delete;
  LaunchFilter& operator=(const LaunchFilter&) = delete;
  ~LaunchFilter() { std::free(names_); }

  /// From now on, selects what `text` says; nothing if `text` is nullptr or empty. Returns false if
  /// the numbers at its end are malformed; it selects nothing then. @pre no other thread launches
  [[nodiscard]] bool set(const char* text) noexcept {
    std::free(names_);
    names_ = nullptr;
    skip_ = 0;
    count_ = ~std::uint64_t{0};
    __atomic_store_n(&seen_, 0, __ATOMIC_RELAXED);
    listed_.clear();
    if (text == nullptr || *text == '\0') return true;
    const char* const end = end_of_names(text);
    if (!parse(end, skip_, count_)) return false;
    // If there is no memory, the filter selects nothing.
    names_ = ::strndup(text, static_cast<std::size_t>(end - text));
    return true;
  }
  /// Whether `set` accepts `text`.
  [[nodiscard]] static bool is_valid(const char* text) noexcept {
    std::uint64_t skip = 0;
    std::uint64_t count = 0;
    return parse(end_of_names(text), skip, count);
  }
  [[nodiscard]] bool on() const noexcept { return names_ != nullptr; }
  /// Whether it selects this launch of `kernel`. Counts the launch: call it once for each.
  [[nodiscard]] bool selects(const Name& kernel) noexcept {
    if (names_ == nullptr || !listed_.contains(kernel, names_)) return false;
    const std::uint64_t place = __atomic_fetch_add(&seen_, 1, __ATOMIC_RELAXED);
    return place >= skip_ && place - skip_ < count_;
  }
  /// The names; nullptr if it is off.
  [[nodiscard]] const char* names() const noexcept { return names_; }
  [[nodiscard]] const detail::ListedKernels& listed() const noexcept { return listed_; }
  /// The launches of these kernels so far, and how many of them the filter leaves out at first.
  [[nodiscard]] std::uint64_t seen() const noexcept {
    return __atomic_load_n(&seen_, __ATOMIC_RELAXED);
  }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skip_; }

 private:
  /// The first single ':' outside of brackets, or the end. A name may contain "::".
  [[nodiscard]] static const char* end_of_names(const char* text) noexcept {
    int depth = 0;
    for (; *text != '\0'; ++text) {
      depth += detail::bracket_depth(*text);
      if (*text != ':' || depth > 0) continue;
      if (text[1] != ':') break;
      ++text;
    }
    return text;
  }
  /// Reads "", ":SKIP" or ":SKIP:COUNT". Returns false for anything else.
  [[nodiscard]] static bool parse(const char* text, std::uint64_t& skip,
                                  std::uint64_t& count) noexcept {
    for (std::uint64_t* const number : {&skip, &count}) {
      if (*text == '\0') return true;
      if (*text != ':' || !detail::cut_number(++text, *number)) return false;
    }
    return *text == '\0';
  }

  char* names_ = nullptr;
  detail::ListedKernels listed_;
  std::uint64_t skip_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
