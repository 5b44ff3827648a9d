// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/try.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

// Programs without a mistake, as people write them. None may be refused, by the compiler or at run
// time, and all must compute the right numbers.

namespace right {

namespace ws = warpsafe;

/// Returns whether the numbers are right, or the error of what was refused.
struct Program {
  const char* name;
  ws::result<bool> (*run)(const ws::Stream& stream);
};
std::span<const Program> kernel_programs();
std::span<const Program> argument_programs();
std::span<const Program> result_programs();
std::span<const Program> stream_programs();

/// The numbers first, first + 1, …
template <class T>
std::vector<T> counting(std::size_t n, T first = T{}) {
  std::vector<T> values(n);
  for (T& value : values) value = first++;
  return values;
}

/// Whether element i of the buffer is expected(i).
template <class T, class F>
ws::result<bool> holds(const ws::Stream& stream, const ws::DeviceBuffer<T>& buffer, F expected) {
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != expected(i)) return false;
  }
  return true;
}

}  // namespace right
