// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/graph.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <utility>

namespace ws = warpsafe;

WARPSAFE_KERNEL void add(float dt, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] += dt;
}

namespace {

ws::result<float> replayed(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, 100));
  WARPSAFE_TRYV(x.zero(stream));
  const float dt = 1;
  const auto config = ws::SafeGrid<>::cover(x.size(), ws::block<256>);
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));           // work on `stream` no longer runs
  WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<add>, dt, x.view(), x.size()));
  WARPSAFE_TRYV(capture.keep(x.keep()));                            // x's memory lives as long as the graph
  WARPSAFE_TRY(auto graph, std::move(capture).end());
  WARPSAFE_TRY(auto exec, graph.instantiate());
  WARPSAFE_TRYV(exec.launch(stream));                               // any number of times, on any stream

  const auto step = [&](ws::Capture&) -> ws::result<void> {
    return ws::launch(stream, config, ws::kernel<add>, 2.0F, x.view(), x.size());
  };
  WARPSAFE_TRYV(ws::recapture(exec, stream, step));   // the same operations with other arguments
  WARPSAFE_TRYV(exec.update(graph));                  // or from a graph that you have
  WARPSAFE_TRYV(exec.launch(stream));
  WARPSAFE_TRY(const auto values, x.to_host(stream).get());
  return values[0];
}

ws::result<void> forked(const ws::Stream& stream, const ws::Stream& other, ws::DeviceBuffer<float>& x) {
  const auto config = ws::SafeGrid<>::cover(x.size(), ws::block<256>);
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));
  WARPSAFE_TRY(auto fork, stream.record());
  WARPSAFE_TRYV(ws::wait(other, fork));            // `other` takes part
  WARPSAFE_TRYV(ws::launch(other, config, ws::kernel<add>, 1.0F, x.view(), x.size()));
  WARPSAFE_TRY(auto join, other.record());
  WARPSAFE_TRYV(ws::wait(stream, join));           // without this: Errc::capture_unjoined
  WARPSAFE_TRY(auto graph, std::move(capture).end());
  return ws::success();
}

ws::result<void> broken(const ws::Stream& stream, const ws::Stream& other) {
  WARPSAFE_TRY(const auto outside, other.record());
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));
  static_cast<void>(ws::wait(stream, outside));
  WARPSAFE_TRY(auto graph, std::move(capture).end());
  return ws::success();
}

}  // namespace

bool graphs() {
  const auto stream = ws::Stream::create();
  const auto other = ws::Stream::create();
  if (!stream.has_value() || !other.has_value()) return false;
  const auto value = replayed(stream.value());
  auto x = ws::DeviceBuffer<float>::create(stream.value(), 10);
  if (!value.has_value() || value.value() != 2 || !x.has_value()) return false;
  if (!forked(stream.value(), other.value(), x.value()).has_value()) return false;
  shown();
  const auto said = broken(stream.value(), other.value());
  if (said.has_value()) return false;
  std::cout << said.error() << '\n';
  return true;
}
