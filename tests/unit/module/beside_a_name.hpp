// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

// Names beside memory that a function must not read.

namespace warpsafe::core_test {

/// A name that ends where the text ends; what follows it in memory would change the answer.
class Cut {
 public:
  Cut(std::string_view text, std::string_view behind)
      : text_(std::string(text) + std::string(behind)), size_(text.size()) {}
  [[nodiscard]] Name name() const noexcept { return {text_.data(), size_}; }

 private:
  std::string text_;
  std::size_t size_;
};
/// A name beside memory that may not be read.
class Fenced {
 public:
  Fenced() { EXPECT_EQ(::mprotect(pages_ + page(), page(), PROT_READ | PROT_WRITE), 0); }
  ~Fenced() { ::munmap(pages_, 3 * page()); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  [[nodiscard]] Name at_end(std::string_view text) const {
    return put(pages_ + 2 * page() - text.size(), text);
  }
  [[nodiscard]] Name at_begin(std::string_view text) const { return put(pages_ + page(), text); }

 private:
  static std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
  static Name put(char* place, std::string_view text) {
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }
  char* pages_ = static_cast<char*>(
      ::mmap(nullptr, 3 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};
[[nodiscard]] inline Name name_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace warpsafe::core_test
