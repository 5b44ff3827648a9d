// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// What the lines of a kernel ask dynamic_shared for, in comparison with what its launch gives. A
/// mistake is only likely where the numbers are those of the mistake and no block has used the
/// memory that nothing asks for.
class SharedRequests {
 public:
  /// A line asks for `count` elements of `size` bytes, and the launch gives `given` bytes.
  void add(std::size_t count, std::size_t size, const char* file, unsigned line,
           std::uint64_t given) noexcept {
    const Lock lock(mutex_);
    std::size_t place = 0;
    while (place < count_ && !requests_[place].is_at(file, line)) ++place;
    if (place == most) return;
    if (place == count_) requests_[count_++] = {0, size, file, line};
    if (requests_[place].bytes() < count * size) requests_[place] = {count, size, file, line};
    needed_ = are_separate(given) || is_in_bytes(given) ? largest() : 0;
  }
  /// The bytes that the kernel needs, if the launch may give more by mistake; else 0. A block then
  /// tells whether it has used more.
  [[nodiscard]] std::uint64_t needed() const noexcept { return needed_.load(__ATOMIC_RELAXED); }
  void use_more() noexcept { uses_more_.store(true, __ATOMIC_RELAXED); }

  /// Several lines ask for an array each, and the launch gives the sum of them. Appends what is
  /// wrong. False if that is not so. @pre the grid has ended
  [[nodiscard]] bool put_separate(warpsafe::detail::TextBuffer& out, std::uint64_t given) const {
    if (uses_more_ || !are_separate(given)) return false;
    out << "the kernel calls dynamic_shared in several lines, and all calls return the same memory:";
    for (std::size_t i = 0; i < count_; ++i) {
      out << (i == 0 ? " " : ", ") << requests_[i].bytes() << " bytes at "
          << call_site{requests_[i].file, nullptr, requests_[i].line};
    }
    out << "; the launch gives " << given
        << " bytes, as for separate arrays: call it once, and add to the pointer for the next array";
    return true;
  }
  /// The launch gives the bytes of the array as a number of elements: the memory is as many times
  /// too large as an element has bytes. Fewer blocks run at once, and no result is wrong.
  [[nodiscard]] bool put_in_bytes(warpsafe::detail::TextBuffer& out, Name kernel,
                                  std::uint64_t given) const {
    if (uses_more_ || !is_in_bytes(given)) return false;
    const Request& one = requests_[0];
    out << "warpsafe: the launch of '" << (kernel.empty() ? Name::of("(unknown)") : kernel)
        << "' gives " << given << " bytes of dynamic shared memory, " << std::uint64_t{one.size}
        << " times the " << one.bytes() << " bytes that the kernel asks for at "
        << call_site{one.file, nullptr, one.line}
        << "; shared<T>(count) takes the number of elements: write shared<T>("
        << std::uint64_t{one.count} << ')';
    return true;
  }

 private:
  /// The most that one line has asked for.
  struct Request {
    std::size_t count;
    std::size_t size;  ///< bytes of an element
    const char* file;
    unsigned line;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return std::uint64_t{count} * size; }
    [[nodiscard]] bool is_at(const char* its_file, unsigned its_line) const noexcept {
      return line == its_line && (file == its_file || std::strcmp(file, its_file) == 0);
    }
  };
  /// Of a kernel with more lines, nothing is said.
  static constexpr std::size_t most = 8;

  [[nodiscard]] std::uint64_t largest() const noexcept {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (requests_[i].bytes() > bytes) bytes = requests_[i].bytes();
    }
    return bytes;
  }
  /// A call without a number asks for one element, and declares no size: it counts as no array.
  [[nodiscard]] bool are_separate(std::uint64_t given) const noexcept {
    std::uint64_t all = 0;
    bool has_array = false;
    for (std::size_t i = 0; i < count_; ++i) {
      all += requests_[i].bytes();
      has_array = has_array || requests_[i].count > 1;
    }
    return count_ > 1 && count_ < most && has_array && all == given;
  }
  [[nodiscard]] bool is_in_bytes(std::uint64_t given) const noexcept {
    return count_ == 1 && requests_[0].count > 1 && requests_[0].size > 1 &&
           requests_[0].bytes() * requests_[0].size == given;
  }

  Mutex mutex_;
  Request requests_[most] = {};
  std::size_t count_ = 0;
  Atomic<std::uint64_t> needed_ = 0;
  Atomic<bool> uses_more_ = false;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
