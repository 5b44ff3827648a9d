// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>

#include <type_traits>

namespace warpsafe {

/// The answer to a question, or the error that kept it from being asked: a result<T> that is no
/// condition. `if (stream.ready())` would ask whether there was an error, and hold for work that
/// still runs.
template <class T>
class [[nodiscard]] answer : public result<T> {
 public:
  // Each as `return` has it.
  answer(const T& value) noexcept  // NOLINT(google-explicit-constructor)
      : result<T>(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<T>, value) {}
  answer(const LaunchError& error) noexcept  // NOLINT(google-explicit-constructor)
      : result<T>(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<LaunchError>, error) {}

  /// The sentence for who writes it as a condition.
  constexpr explicit operator bool() const noexcept {
    static_assert(std::is_void_v<T>,
                  "warpsafe: as a condition this would ask whether there was an error, not whether "
                  "the work is done; the answer is ready().value(), has_value() says that there is "
                  "one");
    return false;
  }
};

}  // namespace warpsafe
