// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program for a debugger to stop in. It prints each variable of every_type.hpp with its type, as
// operator<< writes it, and gdb must show the same.

#include <iostream>
#include <type_traits>

#define SHOW(variable)                                                     \
  std::cout << "PRINTED " #variable << " OF " << type_of(variable) << '\n' \
            << (variable) << '\n'                                          \
            << "END\n"

/// Where the debugger stops: after the flush, so that the program's lines come before the
/// debugger's.
[[gnu::noinline]] void stopped();
void stopped() { asm volatile(""); }
[[gnu::noinline]] void stop_here();
void stop_here() {
  std::cout << std::flush;
  stopped();
}

template <class T>
static const char* type_of(const T&) {
  return __PRETTY_FUNCTION__;
}

#include "../../unit/print/every_type.hpp"

/// An error is one line in the debugger, not its whole text.
static bool show_error() {
  const auto refused = warpsafe::BlockDim::create(64, 64);
  stop_here();
  return !refused.has_value();
}

int main() {
  const auto all = shown::every_type();
  if (!all.has_value()) std::cout << all << '\n';
  return all.has_value() && show_error() ? 0 : 1;
}
