// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program for a debugger to stop in: it prints each variable as operator<< has it, one per line,
// and gdb is to show the same.

#include <warpsafe/buffer.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <iostream>
#include <utility>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(float a, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] *= a;
}

/// Where the debugger stops.
[[gnu::noinline]] void stop_here() { std::cout << std::endl; }

#define SHOW(variable) std::cout << #variable << " = " << (variable) << '\n'

static ws::result<void> show() {
  const auto static_block = ws::block<32, 8>;
  WARPSAFE_TRY(const auto run_time_block, ws::BlockDim::create(64, 2));
  WARPSAFE_TRY(const auto grid, ws::SafeGrid<>::cover(1000, ws::block<256>));
  WARPSAFE_TRY(const auto flat,
               ws::SafeGrid<>::cover(ws::extent{ws::rows{30}, ws::cols{70}}, ws::block<32, 8>));
  const ws::extent sizes{ws::rows{30}, ws::cols{70}};
  const ws::LaunchConfig config{grid, ws::shared<float>(16)};
  const ws::LaunchConfig by_hand{ws::grid<7>, run_time_block};
  const ws::Bytes bytes(4096);
  const ws::DeviceId device(0);
  const auto site = ws::call_site::current();
  const auto made = ws::BlockDim::create(64);
  const ws::result<void> fine = ws::success();
  const auto refused = ws::BlockDim::create(64, 64);
  WARPSAFE_TRY(auto stream, ws::Stream::create());
  const ws::StreamRef reference = stream;
  WARPSAFE_TRY(const auto event, stream.record());
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<float>::create(stream, 1000));
  const auto view = buffer.view();
  const auto span = view.span();
  const auto pointer = view.pointer();
  auto pending = buffer.to_host(stream);
  WARPSAFE_TRY(auto moved_from, ws::Stream::create());
  const auto moved_to = std::move(moved_from);
  WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<scale>, 2.0F, buffer.view(), buffer.size()));
  SHOW(static_block);
  SHOW(run_time_block);
  SHOW(grid);
  SHOW(flat);
  SHOW(sizes);
  SHOW(config);
  SHOW(by_hand);
  SHOW(bytes);
  SHOW(device);
  SHOW(site);
  SHOW(made);
  SHOW(fine);
  SHOW(stream);
  SHOW(reference);
  SHOW(event);
  SHOW(buffer);
  SHOW(view);
  SHOW(span);
  SHOW(pointer);
  SHOW(pending);
  SHOW(moved_from);  // NOLINT(bugprone-use-after-move): that is what is shown
  SHOW(moved_to);
  std::cout << std::flush;
  stop_here();
  static_cast<void>(refused);
  static_cast<void>(std::move(pending).get());
  return ws::success();
}

int main() {
  const auto shown = show();
  if (!shown.has_value()) std::cout << shown << '\n';
  return shown.has_value() ? 0 : 1;
}
