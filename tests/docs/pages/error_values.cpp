// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <system_error>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = 1;
}

namespace {

ws::result<void> filled(const ws::Stream& stream, std::size_t n, int threads) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, n));   // declares x, or returns the error
  WARPSAFE_TRY(auto block, ws::BlockDim::create(threads));
  auto grid = ws::SafeGrid<>::cover(n, block);                        // a launch accepts a result
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<fill>, x.view(), n));
  return stream.synchronize();                                        // returns faults of the kernel
}

bool handled(const ws::Stream& stream, std::size_t n, int threads) {
  const auto done = filled(stream, n, threads);
  if (done.has_value()) return true;
  const ws::LaunchError& error = done.error();
  if (error.severity == ws::Severity::context_lost) std::abort();   // no call of this process works any more
  if (error.code == ws::Errc::block_axis_too_large) return filled(stream, n, 256).has_value();
  std::cerr << error << '\n';
  return false;
}

void or_throw(const ws::Stream& stream, std::size_t n, int threads) {
  try {
    filled(stream, n, threads).value();
  } catch (const ws::LaunchException& exception) {
    std::cout << exception.what() << '\n';
  }
}

std::error_code code_of(const ws::Stream& stream, std::size_t n, int threads) {
  const auto done = filled(stream, n, threads);
  return done.has_value() ? std::error_code() : make_error_code(done.error());
}

void print(const ws::Stream& stream) {
  const auto buffer = ws::DeviceBuffer<float>::create(stream, 1000);
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>, ws::shared<float>(16)};
  std::cout << config << '\n' << stream << '\n' << buffer << '\n';
}

}  // namespace

bool error_values() {
  const auto stream = ws::Stream::create();
  if (!stream.has_value() || !handled(stream.value(), 1000, 1024)) return false;
  shown();
  or_throw(stream.value(), 1000, 4096);
  shown();
  const auto code = code_of(stream.value(), 1000, -1);
  std::cout << code << ": " << code.message() << '\n';
  shown();
  print(stream.value());
  return code == ws::Errc::dimension_negative;
}
