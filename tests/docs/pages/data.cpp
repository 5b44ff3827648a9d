// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <numeric>
#include <utility>
#include <vector>

namespace ws = warpsafe;

namespace {

ws::result<std::vector<float>> run(const ws::Stream& stream, const std::vector<float>& values) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, values));          // waits: values may change afterwards
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, x.size()));
  WARPSAFE_TRYV(y.zero(stream));
  WARPSAFE_TRYV(ws::copy(stream, y.view().subspan(0, 10), x.view().subspan(90, 10)));
  auto pending = y.to_host(stream);                                             // Pending<std::vector<float>>
  WARPSAFE_TRY(auto on_host, std::move(pending).get());                         // the only way to the elements
  return on_host;
}

}  // namespace

bool data() {
  std::vector<float> values(100);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto stream = ws::Stream::create();
  if (!stream.has_value()) return false;
  const auto copied = run(stream.value(), values);
  return copied.has_value() && copied.value()[9] == 99 && copied.value()[10] == 0;
}
