// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The program of tests/gpu/streams_program/streams_program.hpp over AMD's runtime, with a kernel in
// the place of a library: streams_program right|wrong TIMES. Each time has other pauses. With
// `right` four streams must give the numbers of one each time. With `wrong` the product is on a
// stream that nothing orders, and at least one number must be wrong.
#include "../../gpu/streams_program/streams_program.hpp"

#include <warpsafe/print.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace ws = warpsafe;
namespace program = warpsafe::streams_program;

namespace {

constexpr unsigned iterations = 20;

/// By columns, as BLAS has them.
WARPSAFE_KERNEL void product(int n, const float* a, const float* b, float* c) {
  for (int column = static_cast<int>(ws::thread_in_block().x); column < n;
       column += static_cast<int>(ws::block_size().x)) {
    for (int row = 0; row < n; ++row) c[row + column * n] = 0;
    for (int k = 0; k < n; ++k) {
      for (int row = 0; row < n; ++row) {
        c[row + column * n] += a[row + k * n] * b[k + column * n];
      }
    }
  }
}

ws::result<std::vector<std::uint64_t>> run(const std::vector<ws::Stream>& streams,
                                           const std::vector<ws::Stream>& multiplying,
                                           unsigned seed) {
  const auto multiply = [&](std::size_t lane, auto& x, auto& before, auto& y) {
    return ws::launch(multiplying[lane % multiplying.size()],
                      ws::LaunchConfig{ws::grid<1>, ws::block<4>}, ws::kernel<product>,
                      program::order, x.view(), before.view(), y.view());
  };
  return program::run(streams, iterations, seed, multiply);
}

ws::result<std::size_t> wrong_numbers(bool right, unsigned times) {
  const auto one = program::make_streams<ws::default_backend>(1);
  WARPSAFE_TRY(const auto serial, run(one, one, 0));
  const auto streams = program::make_streams<ws::default_backend>(program::lanes);
  const auto others = program::make_streams<ws::default_backend>(1);
  std::size_t wrong = 0;
  for (unsigned seed = 1; seed <= times; ++seed) {
    WARPSAFE_TRY(const auto numbers, run(streams, right ? streams : others, seed));
    WARPSAFE_TRYV(others[0].synchronize());
    wrong += program::wrong(numbers, serial);
  }
  return wrong;
}

}  // namespace

int main(int, char** argv) {
  const bool right = std::string(argv[1]) == "right";
  const auto times = static_cast<unsigned>(std::atoi(argv[2]));
  const auto wrong = wrong_numbers(right, times);
  if (!wrong.has_value()) {
    std::cerr << wrong.error() << '\n';
    return 2;
  }
  std::printf("%u times %u iterations: %zu wrong\n", times, iterations, wrong.value());
  return right == (wrong.value() == 0) ? 0 : 1;
}
