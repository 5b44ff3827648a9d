// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A user's program: test_package [LEVEL]. It fails unless it was built with that check level, if
// one is given, and its kernel ran right or there is no device to run it on.

#include <warpsafe/error/message.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(int* values, std::size_t count) {
  for (auto i : ws::grid_stride(count)) values[i] = static_cast<int>(i);
}

static ws::result<std::vector<int>> filled(std::size_t count) {
  WARPSAFE_TRY(auto stream, ws::Stream::create());
#if defined(WARPSAFE_BACKEND_HIP) && !defined(__HIPCC__)
  // A host compiler makes no kernel for a device: this much of HIP it can use.
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  WARPSAFE_TRY(auto values, ws::DeviceBuffer<int>::from(stream, std::span<const int>(numbers)));
#else
  WARPSAFE_TRY(auto values, ws::DeviceBuffer<int>::create(stream, count));
  auto config = ws::configure(ws::SafeGrid<>::cover(count, ws::block<128>));
  WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<fill>, values.view(), count));
#endif
  return values.to_host(stream).get();
}

int main(int argc, char** argv) {
  const int level = static_cast<int>(ws::current_level);
  std::cout << "warpsafe " << WARPSAFE_VERSION_MAJOR << '.' << WARPSAFE_VERSION_MINOR << '.'
            << WARPSAFE_VERSION_PATCH << ", check level " << level << '\n';
  if (argc > 1 && level != std::atoi(argv[1])) return EXIT_FAILURE;

  const auto values = filled(1000);
  if (!values.has_value()) {
    std::cout << values.error() << '\n';
    return values.error().code == ws::Errc::no_device ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return values.value()[999] == 999 ? EXIT_SUCCESS : EXIT_FAILURE;
}
