// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/compare/comparison.hpp>
#include <warpsafe/compare/detail/compare_elements.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/copy_calls.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/stream/stream.hpp>

#include <iterator>
#include <ostream>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// Host memory that `compare` reads in place: a vector, an array, a span.
template <class R>
concept HostRange = !CopyOperand<R>::known && requires(const R& range) {
  std::span(std::data(range), std::size(range));
};
/// Device memory that `compare` copies to the host: a named buffer, a view, a span.
template <class R>
concept DeviceRange = CopyOperand<R>::known && CopyOperand<R>::place == CopyPlace::device;

template <class R>
struct ElementOf {
  using type = std::remove_cv_t<typename CopyOperand<R>::element>;
};
template <HostRange R>
struct ElementOf<R> {
  using type = std::remove_cv_t<std::remove_reference_t<decltype(*std::data(std::declval<R&>()))>>;
};
template <class R>
using element_of = typename ElementOf<R>::type;

/// The message for arrays whose element types differ.
template <class A, class E>
constexpr bool check_compared() noexcept {
  static_assert(std::is_same_v<element_of<A>, element_of<E>>,
                "warpsafe: compare takes two arrays of the same element type; convert one first");
  static_assert(std::is_trivially_copyable_v<element_of<A>>,
                "warpsafe: compare takes arrays of numbers or of plain structs of numbers");
  return std::is_same_v<element_of<A>, element_of<E>>;
}

template <class T>
[[nodiscard]] answer<Comparison> compare_spans(std::span<const T> actual,
                                               std::span<const T> expected,
                                               const Tolerance& tolerance, call_site site) {
  if (actual.size() != expected.size()) {
    LaunchError error = LaunchError::make(Errc::size_mismatch, Stage::construction, actual.size(),
                                          expected.size(), Axis::none, site);
    error.operation = Name::of("compare");
    return error;
  }
  constexpr ElementType type = element_type<T>;
  return compare_elements(type, actual.data(), expected.data(),
                          actual.size() * (sizeof(T) / element_size(type)), tolerance);
}

/// The elements on the host: a copy of device memory, or host memory itself.
template <CheckLevel, class B, HostRange R>
[[nodiscard]] result<std::span<const element_of<R>>> on_host(basic_stream_ref<B>, const R& range,
                                                             call_site) {
  return std::span<const element_of<R>>(std::data(range), std::size(range));
}
template <CheckLevel Level, class B, DeviceRange R>
[[nodiscard]] result<std::vector<element_of<R>>> on_host(basic_stream_ref<B> stream, const R& range,
                                                         call_site site) {
  return read_back<Level, B, element_of<R>>(stream, CopyOperand<R>::rows(range), site)
      .template get<Level>(site);
}

}  // namespace detail

/// Compares two arrays on the host: vectors, arrays, spans. `tolerance` is by default that of their
/// type (core/tolerance.hpp). `compare(a, b).value().agrees()` is the verdict. Errc::size_mismatch
/// if their lengths differ (value: actual's, limit: expected's).
template <detail::HostRange A, detail::HostRange E>
[[nodiscard]] answer<Comparison> compare(
    const A& actual, const E& expected,
    const Tolerance& tolerance = tolerance_for<detail::element_of<A>>,
    call_site site = call_site::current()) {
  if constexpr (detail::check_compared<A, E>()) {
    using T = detail::element_of<A>;
    return detail::compare_spans<T>({std::data(actual), std::size(actual)},
                                    {std::data(expected), std::size(expected)}, tolerance, site);
  } else {
    return Comparison{};
  }
}

/// Compares two arrays; one or both may be device memory (a named buffer, a view(), a DeviceSpan).
/// Copies device memory to the host in the order of `stream` and waits for the stream. If other
/// streams write to the memory, wait for them first. Errc::size_mismatch, ::out_of_memory (of the
/// host), ::stream_capturing, ::execution_failed, ::runtime_failed.
template <CheckLevel Level = current_level, class S, class A, class E>
requires(detail::is_stream<S>) [[nodiscard]] answer<Comparison> compare(
    const S& stream, const A& actual, const E& expected,
    const Tolerance& tolerance = tolerance_for<detail::element_of<A>>,
    call_site site = call_site::current()) {
  if constexpr (detail::check_compared<A, E>()) {
    using T = detail::element_of<A>;
    const basic_stream_ref<typename S::backend> on = stream;
    const auto left = detail::on_host<Level>(on, actual, site);
    if (!left.has_value()) return left.assume_error();
    const auto right = detail::on_host<Level>(on, expected, site);
    if (!right.has_value()) return right.assume_error();
    return detail::compare_spans<T>(left.assume_value(), right.assume_value(), tolerance, site);
  } else {
    return Comparison{};
  }
}

/// The matcher that agrees_with makes. GoogleTest 1.11 and later needs no base class for a matcher,
/// so this header does not include GoogleTest.
template <class T>
class AgreesWith {
 public:
  using is_gtest_matcher = void;

  AgreesWith(std::vector<T> expected, const Tolerance& tolerance)
      : expected_(std::move(expected)), tolerance_(tolerance) {}

  /// `out` may be nullptr.
  template <class R>
  bool MatchAndExplain(const R& actual, std::ostream* out) const {  // NOLINT: GoogleTest's name
    const answer<Comparison> compared = compare(actual, expected_, tolerance_);
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

/// `EXPECT_THAT(actual, agrees_with(expected))` compares two arrays on the host and, on a failure,
/// prints the message of the comparison. Copies `expected`.
template <detail::HostRange E>
[[nodiscard]] auto agrees_with(const E& expected,
                               const Tolerance& tolerance = tolerance_for<detail::element_of<E>>) {
  using T = detail::element_of<E>;
  return AgreesWith<T>(
      std::vector<T>(std::data(expected), std::data(expected) + std::size(expected)), tolerance);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
