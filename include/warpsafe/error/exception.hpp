// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/error/result.hpp>

#include <exception>

// The exceptions of `.value()` and `.error()` of a result. They are not in result.hpp, because a
// launch needs no text of an error.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// What `.value()` throws on an error. It holds the whole LaunchError and its text.
class LaunchException : public std::exception {
 public:
  explicit LaunchException(const LaunchError& error) noexcept : error_(error) {
    format_error(error_, text_, sizeof text_);
  }
  [[nodiscard]] const char* what() const noexcept override { return text_; }
  [[nodiscard]] const LaunchError& error() const noexcept { return error_; }

 private:
  LaunchError error_;
  char text_[1024];
};

/// What `.error()` throws on a result that holds a value. The text names the caller's line.
class BadResultAccess : public std::exception {
 public:
  explicit BadResultAccess(const call_site& site) noexcept {
    detail::TextBuffer(text_, sizeof text_)
        << "warpsafe: error() was called on a result that holds a value, so there is no error; as "
           "a condition, a result is true on success: write if (!result.has_value()) before "
           "error()\n  at "
        << (site.file == nullptr ? "?" : site.file) << ':' << site.line;
  }
  [[nodiscard]] const char* what() const noexcept override { return text_; }

 private:
  char text_[1024];
};

namespace detail {

template <class Exception>
[[noreturn]] inline void raise(const Exception& exception) {
#if defined(__cpp_exceptions)
  throw exception;
#else
  write_stderr(Name::of(exception.what()));
  write_stderr(Name::of("\n"));
  std::terminate();
#endif
}

struct Thrower {
  [[noreturn, WARPSAFE_DETAIL_RARE]] static void no_value(const LaunchError& error) {
    raise(LaunchException(error));
  }
  [[noreturn, WARPSAFE_DETAIL_RARE]] static void no_error(const call_site& site) {
    raise(BadResultAccess(site));
  }
};

}  // namespace detail
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
