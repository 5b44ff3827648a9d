// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Two streams work on the chunks of a large array in turns. While one stream computes, the other
// copies, and the host fills pinned memory.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ws = warpsafe;

constexpr std::size_t chunk = 4096;

WARPSAFE_KERNEL void square(ws::DeviceSpan<float> x) {
  for (auto i : ws::grid_stride(x.size())) x[i] *= x[i];
}

using Pinned = ws::PinnedBuffer<float>;

// A stream with its memory. A copy takes a pinned buffer and hands it back through a Pending, so
// the host cannot touch it in between.
struct Lane {
  struct Flight {
    ws::Pending<Pinned> sent, received;
    std::span<float> results;
  };
  ws::Stream stream;
  ws::DeviceBuffer<float> on_device;
  Pinned in, out;
  std::optional<Flight> flight;  // the chunk in flight; it then holds `in` and `out`

  static ws::result<Lane> create() {
    WARPSAFE_TRY(auto stream, ws::Stream::create(ws::DeviceId(0)));
    WARPSAFE_TRY(auto on_device, ws::DeviceBuffer<float>::create(stream, chunk));
    WARPSAFE_TRY(auto in, Pinned::create(chunk));
    WARPSAFE_TRY(auto out, Pinned::create(chunk));
    return Lane{std::move(stream), std::move(on_device), std::move(in), std::move(out), {}};
  }
  // Submits the work of one chunk and does not wait for it.
  ws::result<void> start(std::span<float> values) {
    std::copy(values.begin(), values.end(), in.span().begin());
    auto sent = ws::copy(stream, ws::from(std::move(in)), ws::to(on_device));
    const auto grid = ws::SafeGrid<>::cover(chunk, ws::block<256>);
    WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<square>, on_device.view()));
    auto received = ws::copy(stream, ws::from(on_device), ws::to(std::move(out)));
    flight.emplace(Flight{std::move(sent), std::move(received), values});
    return ws::success();
  }
  // Waits for the chunk in flight, if there is one, and takes its results.
  ws::result<void> finish() {
    if (!flight.has_value()) return ws::success();
    WARPSAFE_TRY(in, std::move(flight->sent).get());
    WARPSAFE_TRY(out, std::move(flight->received).get());
    std::copy_n(out.span().begin(), flight->results.size(), flight->results.begin());
    flight.reset();
    return ws::success();
  }
};

ws::result<void> square_all(std::span<float> values) {
  WARPSAFE_TRY(auto even, Lane::create());
  WARPSAFE_TRY(auto odd, Lane::create());
  const std::array lanes{&even, &odd};
  for (std::size_t begin = 0, i = 0; begin < values.size(); begin += chunk, ++i) {
    Lane& lane = *lanes[i % lanes.size()];
    WARPSAFE_TRYV(lane.finish());
    WARPSAFE_TRYV(lane.start(values.subspan(begin, std::min(chunk, values.size() - begin))));
  }
  WARPSAFE_TRYV(even.finish());
  return odd.finish();
}

int main() {
  std::vector<float> values(10 * chunk + 1, 3);
  const auto done = square_all(values);
  if (!done.has_value()) {
    std::cerr << done.error() << '\n';
    return 2;
  }
  const auto right = std::count(values.begin(), values.end(), 9.0F);
  std::cout << right << " of " << values.size() << " are 9\n";
  return right == static_cast<std::ptrdiff_t>(values.size()) ? 0 : 1;
}
