// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/compare/compare.hpp>
#include <warpsafe/error/message.hpp>

#include <ostream>
#include <vector>

namespace warpsafe {

/// See agrees_with. It is a matcher by its shape (GoogleTest 1.11 and later); GoogleTest's headers
/// are not included.
template <class T>
class AgreesWith {
 public:
  using is_gtest_matcher = void;

  AgreesWith(std::vector<T> expected, const Tolerance& tolerance)
      : expected_(std::move(expected)), tolerance_(tolerance) {}

  /// `out` may be nullptr.
  template <class R>
  bool MatchAndExplain(const R& actual, std::ostream* out) const {  // NOLINT: GoogleTest's name
    const result<Comparison> compared = compare(actual, expected_, tolerance_);
    if (!compared.has_value()) {
      if (out != nullptr) *out << message(compared.assume_error());
      return false;
    }
    if (out != nullptr) *out << "of which " << compared.assume_value();
    return compared.assume_value().agrees();
  }
  void DescribeTo(std::ostream* out) const {  // NOLINT: GoogleTest's name
    *out << "agrees with the " << expected_.size() << " expected numbers";
  }
  void DescribeNegationTo(std::ostream* out) const {  // NOLINT: GoogleTest's name
    *out << "differs from the " << expected_.size() << " expected numbers";
  }

 private:
  std::vector<T> expected_;
  Tolerance tolerance_;
};

/// `EXPECT_THAT(actual, agrees_with(expected))`: compares two arrays of the host's, and says on a
/// failure what `compare` says. `expected` is copied.
template <detail::HostRange E>
[[nodiscard]] auto agrees_with(const E& expected,
                               const Tolerance& tolerance = tolerance_for<detail::element_of<E>>) {
  using T = detail::element_of<E>;
  return AgreesWith<T>(
      std::vector<T>(std::data(expected), std::data(expected) + std::size(expected)), tolerance);
}

}  // namespace warpsafe
