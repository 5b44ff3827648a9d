// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A HIP program whose kernels compute by their twins:
// twin_program sum|outside|divergence|printf|assert. Ends with 0 if the sum is right.
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cassert>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace ws = warpsafe;

namespace {

/// Each block adds its part in static and dynamic shared memory, with barriers between.
template <class T>
WARPSAFE_KERNEL void sum_blocks(ws::DeviceSpan<const T> in, ws::DeviceSpan<T> out, short, T scale) {
  auto* const room = ws::dynamic_shared<T>();
  auto* const total = ws::shared_array<T, 1>([] {});
  const unsigned thread = ws::thread_in_block().x;
  const auto index = ws::thread_index().x;
  room[thread] = index < in.size() ? in[index] * scale : T{};
  ws::sync_block();
  if (thread == 0) {
    total[0] = T{};
    for (unsigned i = 0; i < ws::block_size().x; ++i) total[0] += room[i];
  }
  ws::sync_block();
  if (thread == 1) out[ws::block_index().x] = total[0];
}
WARPSAFE_KERNEL void leave_memory(ws::DeviceSpan<int> out) { out[out.size() + 5] = 1; }
WARPSAFE_KERNEL void diverge(int* out) {
  if (ws::thread_in_block().x < 32) ws::sync_block();
  *out = 1;
}
WARPSAFE_KERNEL void print_number(int number) {
  printf("thread %u has number %d\n", ws::thread_in_block().x, number);
}
WARPSAFE_KERNEL void assert_five(int number) { assert(number == 5); }

ws::result<int> run(const ws::Stream& stream, const std::string& what) {
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<int>::create(stream, 2));
  if (what == "outside") {
    WARPSAFE_TRYV(ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>},
                             ws::kernel<leave_memory>, out.view()));
  } else if (what == "divergence") {
    WARPSAFE_TRYV(ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>},
                             ws::kernel<diverge>, out.view()));
  } else if (what == "printf" || what == "assert") {
    const ws::LaunchConfig config{ws::grid<1>, ws::block<2>};
    WARPSAFE_TRYV(what == "printf" ? ws::launch(stream, config, ws::kernel<print_number>, 7)
                                   : ws::launch(stream, config, ws::kernel<assert_five>, 7));
  } else {
    const std::vector<int> in(100, 3);
    WARPSAFE_TRY(auto device_in, ws::DeviceBuffer<int>::from(stream, in));
    const ws::LaunchConfig config{ws::grid<2>, ws::block<64>, ws::shared<int>(64)};
    WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<sum_blocks<int>, ws::index<std::uint64_t>>,
                             device_in.view(), out.view(), short{9}, 2));
  }
  WARPSAFE_TRY(const auto sums, out.to_host(stream).get());
  return sums == std::vector<int>{64 * 6, 36 * 6} ? 0 : 1;
}

}  // namespace

int main(int, char** argv) {
  const auto stream = ws::Stream::create();
  if (!stream.has_value()) {
    std::cerr << stream.error() << '\n';
    return 2;
  }
  const auto result = run(stream.value(), argv[1]);
  if (!result.has_value()) std::cerr << result.error() << '\n';
  return result.has_value() ? result.value() : 2;
}
