// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/message.hpp>
#include <warpsafe/result.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

// What tests of the core share.

namespace warpsafe::core_test {

/// A place that messages can be compared with to the letter.
inline constexpr call_site app{"/home/me/src/app.cpp", "main", 7};

/// Whether a site is `app`: by its texts, of which each translation unit may have its own.
[[nodiscard]] inline bool is_app(const call_site& site) {
  return site.file == std::string(app.file) && site.function == std::string(app.function) &&
         site.line == app.line;
}

inline std::string text(Name name) { return {name.data, name.size}; }

/// The error of a result that must hold one.
template <class Result>
[[nodiscard]] LaunchError error_in(const Result& outcome) {
  if (outcome.has_value()) {
    ADD_FAILURE() << "a value where an error was expected";
    return LaunchError::make(Errc{}, Stage{});
  }
  return outcome.error();
}

/// The whole text of the error of a result that must hold one.
template <class Result>
[[nodiscard]] std::string said(const Result& outcome) {
  return message(error_in(outcome));
}

/// The three numbers that most checks compare, and what they mean.
struct Finding {
  Errc code;
  Stage stage;
  std::uint64_t value;
  std::uint64_t limit;
  Axis axis;
  friend bool operator==(const Finding&, const Finding&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Finding& finding) {
    return out << describe(finding.code) << ", stage " << static_cast<int>(finding.stage)
               << ", value " << finding.value << ", limit " << finding.limit << ", axis "
               << axis_letter(finding.axis);
  }
};

[[nodiscard]] inline Finding finding(const LaunchError& error) {
  return {error.code, error.stage, error.value, error.limit, error.axis};
}

}  // namespace warpsafe::core_test
