// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>

namespace ws = warpsafe;

WARPSAFE_KERNEL void load(float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = 1;
}
WARPSAFE_KERNEL void use(const float* x, float* y, std::size_t n) {
  for (auto i : ws::grid_stride(n)) y[i] = 2 * x[i];
}

namespace {

ws::result<float> run(ws::DeviceId device) {
  constexpr std::size_t n = 1000;
  const auto grid = ws::SafeGrid<>::cover(n, ws::block<256>);
  WARPSAFE_TRY(const auto first, ws::Stream::create(device));
  WARPSAFE_TRY(const auto second, ws::Stream::create(device));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(first, n));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(second, n));

  WARPSAFE_TRYV(ws::launch(first, grid, ws::kernel<load>, x.view(), n));
  WARPSAFE_TRY(const auto loaded, first.record());    // the point that `first` has reached
  WARPSAFE_TRYV(ws::wait(second, loaded));            // later work of `second` runs after that point
  WARPSAFE_TRYV(ws::launch(second, grid, ws::kernel<use>, x.view(), y.view(), n));

  WARPSAFE_TRY(const auto begin, second.record_timed());
  WARPSAFE_TRYV(ws::launch(second, grid, ws::kernel<use>, x.view(), y.view(), n));
  WARPSAFE_TRY(const auto end, second.record_timed());
  WARPSAFE_TRYV(end.synchronize());
  return ws::elapsed_ms(begin, end);
}

ws::result<void> repeat(const ws::Stream& first, const ws::Stream& second) {
  constexpr std::size_t n = 1000;
  const auto grid = ws::SafeGrid<>::cover(n, ws::block<256>);
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(first, n));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(second, n));

  WARPSAFE_TRY(auto loaded, first.record());
  WARPSAFE_TRY(auto used, second.record());
  for (int step = 0; step < 10; ++step) {
    WARPSAFE_TRYV(ws::wait(first, used));
    WARPSAFE_TRYV(ws::launch(first, grid, ws::kernel<load>, x.view(), n));
    WARPSAFE_TRYV(loaded.record(first));              // moves the event
    WARPSAFE_TRYV(ws::wait(second, loaded));
    WARPSAFE_TRYV(ws::launch(second, grid, ws::kernel<use>, x.view(), y.view(), n));
    WARPSAFE_TRYV(used.record(second));
  }
  return second.synchronize();
}

ws::result<void> from_elsewhere(ws::host_backend::native_stream theirs, std::size_t n) {
  WARPSAFE_TRY(auto stream, ws::StreamRef::borrow(theirs, ws::DeviceId(0)));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, n));
  return ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<256>), ws::kernel<load>, x.view(), n);
}

}  // namespace

bool streams() {
  const auto ms = run(ws::DeviceId(0));
  if (!ms.has_value() || ms.value() < 0) return false;
  const auto owner = ws::Stream::create();
  const auto other = ws::Stream::create();
  if (!owner.has_value() || !other.has_value()) return false;
  if (!repeat(owner.value(), other.value()).has_value()) return false;
  if (!from_elsewhere(owner.value().native(), 10).has_value()) return false;
  shown();
  const auto none = from_elsewhere(nullptr, 10);
  if (none.has_value()) return false;
  std::cout << none.error() << '\n';
  return true;
}
