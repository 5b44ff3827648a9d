// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(float a, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] *= a;
}
WARPSAFE_KERNEL void offset(float a, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] += a;
}
WARPSAFE_KERNEL void fill_checked(float* x, std::size_t n) {
  const auto i = ws::thread_index().x;
  WARPSAFE_DEVICE_CHECK(i < n, "inside of the array");
  x[i] = 1;
}

const ws::host::NamedKernel table[] = {ws::host::named<scale>("scale"), ws::host::named<offset>("offset")};

namespace {

ws::result<void> from_file(const ws::Stream& stream, ws::DeviceBuffer<float>& values) {
  const auto config = ws::SafeGrid<>::cover(values.size(), ws::block<256>);
  WARPSAFE_TRY(auto module, ws::Module::load_file("kernels.cubin"));       // or load(bytes): std::string, std::vector<char>, an array
  WARPSAFE_TRY(auto scale, module.kernel<void(float, float*, std::size_t)>("scale"));
  WARPSAFE_TRYV(ws::launch(stream, config, scale, 2.f, values.view(), values.size()));
  return ws::success();
}

}  // namespace

bool modules() {
  const auto stream = ws::Stream::create();
  if (!stream.has_value()) return false;
  auto values = ws::DeviceBuffer<float>::create(stream.value(), 100);
  if (!values.has_value() || from_file(stream.value(), values.value()).has_value()) return false;
  const auto module = ws::Module::load(table);
  if (!module.has_value()) return false;
  const auto misspelt = module.value().kernel<void(float, float*, std::size_t)>("scael");
  if (misspelt.has_value()) return false;
  shown();
  std::cout << misspelt.error() << '\n';

  auto gpu = ws::limits::sm_90;
  gpu.multiprocessors = 4;
  ws::KernelLimits compiled;
  compiled.registers = 40;
  compiled.static_shared = 6000;
  compiled.max_threads_per_block = 256;
  if (!ws::host::set_limits(0, gpu)) return false;
  if (!ws::host::set_kernel_limits(0, reinterpret_cast<const void*>(&scale), compiled)) return false;
  char text[512] = {};
  shown();
  if (!ws::format_kernel(stream.value(), ws::kernel<scale>, text, sizeof text).has_value()) return false;
  std::cout << text << '\n';
  const auto config = ws::LaunchConfig{ws::grid<100>, ws::block<256>};
  const auto fits = ws::occupancy(stream.value(), config, ws::kernel<scale>);
  if (!fits.has_value()) return false;
  ws::format_occupancy(fits.value(), text, sizeof text);
  std::cout << text << '\n';

  shown();
  const auto grid = ws::SafeGrid<>::cover(100, ws::block<128>);
  if (!ws::launch(stream.value(), grid, ws::kernel<fill_checked>, values.value().view(), 40U).has_value()) return false;
  const auto failed = stream.value().synchronize();
  if (failed.has_value()) return false;
  std::cout << failed.error() << '\n';
  return true;
}
