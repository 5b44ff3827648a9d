// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a compiler says first about a WARPSAFE_TRY that lacks braces; see tests/compile/snippets.py
// for how to read this file.

#include <warpsafe/error/result.hpp>
#include <warpsafe/error/try.hpp>

#include <vector>

namespace ws = warpsafe;

ws::result<int> t_half(int number);

// T01: A declaration cannot be the body of a `for`.
// alone: g++
ws::result<int> t01_try_in_a_for_without_braces(const std::vector<int>& numbers) {
  int sum = 0;
#ifdef MISUSE
  for (const int number : numbers)
    // expected-error {{"warpsafe_try_needs_braces_"}}
    WARPSAFE_TRY(const int value, t_half(number));
#else
  for (const int number : numbers) {
    WARPSAFE_TRY(const int value, t_half(number));
    sum += value;
  }
#endif
  return sum;
}

// T01: Nor the body of an `if`.
// alone: g++
ws::result<int> t01b_try_in_an_if_without_braces(int number) {
  int sum = 0;
#ifdef MISUSE
  if (number > 0)
    // expected-error {{"warpsafe_try_needs_braces_"}}
    WARPSAFE_TRY(sum, t_half(number));
#else
  if (number > 0) {
    WARPSAFE_TRY(sum, t_half(number));
  }
#endif
  return sum;
}

// T01: Nor of a `while`.
// alone: g++
ws::result<int> t01c_try_in_a_while_without_braces(int number) {
#ifdef MISUSE
  while (number > 1)
    // expected-error {{"warpsafe_try_needs_braces_"}}
    WARPSAFE_TRY(number, t_half(number));
#else
  while (number > 1) {
    WARPSAFE_TRY(number, t_half(number));
  }
#endif
  return number;
}
