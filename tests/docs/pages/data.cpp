// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <iostream>
#include <numeric>
#include <utility>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void set_all(ws::DeviceSpan<float> x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = 1;
}

namespace {

ws::result<std::vector<float>> run(const ws::Stream& stream, const std::vector<float>& values) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, values));          // waits: values may change afterwards
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, x.size()));
  WARPSAFE_TRYV(y.zero(stream));
  WARPSAFE_TRY(auto first, y.view().subspan(0, 10));                            // an error if y has fewer elements
  WARPSAFE_TRY(auto last, x.view().subspan(90));                                // all from element 90 on
  WARPSAFE_TRYV(ws::copy(stream, ws::from(last), ws::to(first)));
  auto pending = y.to_host(stream);                                             // Pending<std::vector<float>>
  WARPSAFE_TRY(auto on_host, std::move(pending).get());                         // the only way to the elements
  return on_host;
}

ws::result<bool> copy_by_name(const ws::Stream& stream, const std::vector<float>& values) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, values));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, x.size()));
  std::vector<float> on_host(values.size());
  WARPSAFE_TRYV(ws::copy(stream, ws::from(x), ws::to(y)));
  WARPSAFE_TRYV(ws::copy_and_wait(stream, ws::from(x), ws::to(on_host)));
  return on_host == values;
}

}  // namespace

bool data() {
  std::vector<float> values(100);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto stream = ws::Stream::create();
  if (!stream.has_value()) return false;
  const auto copied = run(stream.value(), values);
  if (!copied.has_value() || copied.value()[9] != 99 || copied.value()[10] != 0) return false;
  const auto named = copy_by_name(stream.value(), values);
  if (!named.has_value() || !named.value()) return false;

  auto ten = ws::DeviceBuffer<float>::create(stream.value(), 10);
  if (!ten.has_value()) return false;
  const auto grid = ws::SafeGrid<>::cover(100, ws::block<128>);
  if (!ws::launch(stream.value(), grid, ws::kernel<set_all>, ten.value().view(), 100U).has_value()) return false;
  shown();
  const auto failed = stream.value().synchronize();
  if (failed.has_value()) return false;
  std::cout << failed.error() << '\n';
  ws::host::reset();
  return true;
}
