// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/message.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/print/memory.hpp>
#include <warpsafe/print/streams.hpp>
#include <warpsafe/print/values.hpp>

#include <ostream>
#include <type_traits>

// operator<< for the public types whose own headers have none, so that light headers stay light:
// for logs, and for GoogleTest, which prints a value of a failed comparison with it. What a
// debugger shows of them (packaging/gdb) is the same text. Include it in all tests of a program or
// in none: GoogleTest makes its printer of a type once. Nothing here asks the runtime. What the
// debug tools hand out is printed by debug/print.hpp.

namespace warpsafe {

/// Prints the value where it can be printed, else `a value`; or the error.
template <class T>
std::ostream& operator<<(std::ostream& out, const result<T>& made) {
  if (!made.has_value()) return out << detail::ResultPolicy::error_in(made);
  if constexpr (std::is_void_v<T>) {
    return out << "success";
  } else if constexpr (requires { out << detail::ResultPolicy::value_in(made); }) {
    return out << detail::ResultPolicy::value_in(made);
  } else {
    return out << "a value";
  }
}
/// Prints the error's text.
inline std::ostream& operator<<(std::ostream& out, const LaunchException& exception) {
  return out << exception.what();
}

}  // namespace warpsafe
