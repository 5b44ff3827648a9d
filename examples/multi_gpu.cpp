// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Scales a vector on all devices of the machine at the same time. Each device scales one part.
// Compiles with nvcc, hipcc, and g++ or clang++ (host backend, set to two devices).

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <span>
#include <utility>
#include <vector>

#if defined(WARPSAFE_BACKEND_HOST)
#include <warpsafe/host.hpp>
#endif

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(float a, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] *= a;
}

// The work of one device. A stream knows its device, and its buffers are on that device. A launch
// on memory that its device cannot access is an error.
struct Part {
  ws::Stream stream;
  ws::DeviceBuffer<float> values;
};

ws::result<Part> start(ws::DeviceId device, std::span<const float> values) {
  WARPSAFE_TRY(const auto current, ws::DeviceGuard::create(device));
  WARPSAFE_TRY(auto stream, ws::Stream::create(device));
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<float>::from(stream, values));
  const auto config = ws::configure(ws::SafeGrid<>::cover(values.size(), ws::block<256>));
  WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<scale>, 2.0F, buffer.view(), buffer.size()));
  return Part{std::move(stream), std::move(buffer)};
}

ws::result<std::vector<float>> scaled(std::span<const float> values, int devices) {
  const std::size_t share =
      (values.size() + static_cast<std::size_t>(devices) - 1) / static_cast<std::size_t>(devices);
  std::vector<Part> parts;
  for (int device = 0; device < devices; ++device) {
    const std::size_t begin = std::min(values.size(), static_cast<std::size_t>(device) * share);
    const std::size_t count = std::min(values.size() - begin, share);
    WARPSAFE_TRY(auto part, start(ws::DeviceId(device), values.subspan(begin, count)));
    parts.push_back(std::move(part));
  }
  // All devices are working before the first wait.
  std::vector<float> all;
  for (auto& part : parts) {
    WARPSAFE_TRY(const auto current, ws::DeviceGuard::create(part.stream.device()));
    WARPSAFE_TRY(const auto done, part.values.to_host(part.stream).get());
    all.insert(all.end(), done.begin(), done.end());
  }
  return all;
}

int main() {
#if defined(WARPSAFE_BACKEND_HOST)
  ws::host::set_device_count(2);
#endif
  const std::vector<float> values(1000001, 3.0F);
  const auto devices = ws::device_count();
  if (!devices.has_value()) {
    std::cerr << devices.error() << '\n';
    return 2;
  }
  const auto result = scaled(values, devices.value());
  if (!result.has_value()) {
    std::cerr << result.error() << '\n';
    return 2;
  }
  const auto right = std::count(result.value().begin(), result.value().end(), 6.0F);
  std::cout << right << " of " << values.size() << " are 6, on " << devices.value() << " device"
            << (devices.value() == 1 ? "" : "s") << '\n';
  return right == static_cast<std::ptrdiff_t>(values.size()) ? 0 : 1;
}
