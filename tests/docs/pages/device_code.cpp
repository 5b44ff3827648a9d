// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/error/message.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <iostream>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void count_positive(ws::DeviceSpan<const float> x, unsigned* total) {
  auto* const mine = ws::shared_array<unsigned, 1>([] {});
  const bool first = ws::thread_in_block().x == 0;
  if (first) *mine = 0;
  ws::sync_block();
  for (auto i : ws::grid_stride(x.size())) {
    if (x[i] > 0) ws::atomic_add(mine, 1U);
  }
  ws::sync_block();
  if (first) ws::atomic_add(total, *mine);
}

WARPSAFE_KERNEL void split(float* x, unsigned n) {
  auto* const values = ws::dynamic_shared<float>(2 * n);
  auto* const flags = reinterpret_cast<unsigned*>(values + n);   // after the n numbers
  const unsigned i = ws::thread_in_block().x;
  values[i] = x[i];
  flags[i] = values[i] > 0 ? 1 : 0;
  ws::sync_block();
  x[i] = values[n - 1 - i] * static_cast<float>(flags[i]);
}

WARPSAFE_KERNEL void produce(float* x) {
  ws::allow_dependents();                       // makes no write visible: the next kernel has to wait
  x[ws::thread_in_block().x] = 1;
}
WARPSAFE_KERNEL void consume(const float* weights, const float* x, float* y) {
  const unsigned i = ws::thread_in_block().x;
  const float weight = weights[i];              // no kernel before this one writes the weights
  ws::wait_for_predecessor();
  y[i] = weight * x[i];
}

namespace {

ws::result<bool> dependent_launch_is_right(const ws::Stream& stream) {
  WARPSAFE_TRY(auto weights, ws::DeviceBuffer<float>::from(stream, std::vector<float>{1, 2, 3, 4}));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, 4));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, 4));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<4>), ws::kernel<produce>, x.view()));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<4>, ws::dependent_launch),
                           ws::kernel<consume, ws::waits_for_predecessor>, weights.view(), x.view(), y.view()));
  WARPSAFE_TRY(const auto product, y.to_host(stream).get());
  return product == std::vector<float>{1, 2, 3, 4};
}

ws::result<bool> device_code_is_right(const ws::Stream& stream) {
  const std::vector<float> values = {3, -1, 2, 4};
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, values));
  WARPSAFE_TRY(auto total, ws::DeviceBuffer<unsigned>::create(stream, 1));
  WARPSAFE_TRYV(total.zero(stream));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(x.size(), ws::block<2>),
                           ws::kernel<count_positive>, x.view(), total.view()));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<4>, ws::shared<float>(8)),
                           ws::kernel<split>, x.view(), 4U));
  WARPSAFE_TRY(const auto counted, total.to_host(stream).get());
  WARPSAFE_TRY(const auto turned, x.to_host(stream).get());
  return counted[0] == 3 && turned == std::vector<float>{4, 0, -1, 3};
}

ws::result<void> too_little_shared(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, 4));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<4>, ws::shared<float>(4)),
                           ws::kernel<split>, x.view(), 4U));
  return stream.synchronize();
}

}  // namespace

bool device_code() {
  const auto stream = ws::Stream::create();
  if (!stream.has_value()) return false;
  const auto right = device_code_is_right(stream.value());
  if (!right.has_value() || !right.value()) return false;
  const auto dependent = dependent_launch_is_right(stream.value());
  if (!dependent.has_value() || !dependent.value()) return false;
  const auto refused = too_little_shared(stream.value());
  if (refused.has_value()) return false;
  shown();
  std::cout << ws::message(refused.error()) << '\n';
  return true;
}
