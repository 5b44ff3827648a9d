// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "scale.hpp"
#include <warpsafe/debug.hpp>  // in one file of the program: WARPSAFE_LOG and the other variables
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>

#include <iostream>
#include <vector>

namespace ws = warpsafe;

ws::result<float> run() {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, std::vector<float>(1000, 3)));
  WARPSAFE_TRYV(scale(stream, 2, x.view()));
  WARPSAFE_TRY(const auto scaled, x.to_host(stream).get());
  return scaled.back();
}

int main() {
  const auto last = run();
  if (!last.has_value()) {
    std::cerr << last.error() << '\n';
    return 2;
  }
  std::cout << "the last element is " << last.value() << '\n';
  return last.value() == 6 ? 0 : 1;
}
