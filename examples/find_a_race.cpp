// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests stream code without a GPU. One stream fills two slots and another stream reads them. The
// program runs twice, first without a wait that it needs. The race detector finds the missing wait
// and names the launches that race.

#include <warpsafe/memory.hpp>
#include <warpsafe/race.hpp>
#include <warpsafe/warpsafe.hpp>

#include <array>
#include <cstddef>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

namespace ws = warpsafe;

constexpr std::size_t n = 64;
constexpr int chunks = 4;
constexpr ws::LaunchConfig one_thread{ws::grid<1>, ws::block<1>};

WARPSAFE_KERNEL void load(int chunk, float* slot) {
  for (std::size_t i = 0; i < n; ++i) slot[i] = static_cast<float>(chunk);
}
WARPSAFE_KERNEL void add_up(const float* slot, float* total) {
  for (std::size_t i = 0; i < n; ++i) *total += slot[i];
}

// The code to test. A slot may only be loaded again after its last chunk has been read.
ws::result<std::vector<float>> pipeline(bool wait_for_reader) {
  WARPSAFE_TRY(const auto loader, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(const auto reader, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto even, ws::DeviceBuffer<float>::create(loader, n));
  WARPSAFE_TRY(auto odd, ws::DeviceBuffer<float>::create(loader, n));
  WARPSAFE_TRY(auto total, ws::DeviceBuffer<float>::create(reader, 1));
  WARPSAFE_TRYV(total.zero(reader));
  std::array<std::optional<ws::Event>, 2> read;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    auto& slot = chunk % 2 == 0 ? even : odd;
    auto& slot_read = read[static_cast<std::size_t>(chunk % 2)];
    if (wait_for_reader && slot_read.has_value()) {
      WARPSAFE_TRYV(ws::wait(loader, *slot_read));
    }
    WARPSAFE_TRYV(ws::launch(loader, one_thread, ws::kernel<load>, chunk, slot.view()));
    WARPSAFE_TRY(auto loaded, ws::Event::create(loader));
    WARPSAFE_TRYV(ws::wait(reader, loaded));
    WARPSAFE_TRYV(ws::launch(reader, one_thread, ws::kernel<add_up>, slot.view(), total.view()));
    WARPSAFE_TRY(auto done, ws::Event::create(reader));
    slot_read.emplace(std::move(done));
  }
  return total.to_host(reader).get();
}

int main() {
  const auto wrong = ws::adversarial::run(1000, [] { return pipeline(false); });
  std::cout << wrong << '\n';
  const auto right = ws::adversarial::run(1000, [] { return pipeline(true); });
  std::cout << "With the wait: " << right;
  return !wrong.clean() && right.clean() ? 0 : 1;
}
