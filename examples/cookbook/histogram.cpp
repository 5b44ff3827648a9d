// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The number of times that each byte occurs in a text. Each block counts in shared memory, and then
// adds its counts to the total.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

namespace ws = warpsafe;

constexpr unsigned bins = 256;

WARPSAFE_KERNEL void count_bytes(ws::DeviceSpan<const unsigned char> text, unsigned* counts) {
  auto* const mine = ws::shared_array<unsigned, bins>([] {});
  const unsigned thread = ws::thread_in_block().x;
  for (unsigned bin = thread; bin < bins; bin += ws::block_size().x) mine[bin] = 0;
  ws::sync_block();
  for (auto i : ws::grid_stride(text.size())) ws::atomic_add(&mine[text[i]], 1U);
  ws::sync_block();
  for (unsigned bin = thread; bin < bins; bin += ws::block_size().x) {
    if (mine[bin] != 0) ws::atomic_add(&counts[bin], mine[bin]);
  }
}

ws::result<std::vector<unsigned>> histogram(const std::vector<unsigned char>& text) {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto bytes, ws::DeviceBuffer<unsigned char>::from(stream, text));
  WARPSAFE_TRY(auto counts, ws::DeviceBuffer<unsigned>::create(stream, bins));
  WARPSAFE_TRYV(counts.zero(stream));
  // An empty text has no work, and is no error here. At most 64 blocks: each adds its 256 counts.
  if (!text.empty()) {
    const auto grid = ws::SafeGrid<>::grid_stride(text.size(), ws::block<256>, ws::max_blocks(64));
    const auto counting = ws::kernel<count_bytes, ws::grid_stride_kernel>;
    WARPSAFE_TRYV(ws::launch(stream, grid, counting, bytes.view(), counts.view()));
  }
  return counts.to_host(stream).get();
}

int main() {
  const std::string word = "hello ";
  std::vector<unsigned char> text;
  for (int i = 0; i < 10000; ++i) text.insert(text.end(), word.begin(), word.end());
  const auto counts = histogram(text);
  if (!counts.has_value()) {
    std::cerr << counts.error() << '\n';
    return 2;
  }
  std::cout << "h: " << counts.value()['h'] << ", l: " << counts.value()['l'] << '\n';
  return counts.value()['h'] == 10000 && counts.value()['l'] == 20000 ? 0 : 1;
}
