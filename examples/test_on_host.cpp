// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests stream code without a GPU. The code is a pipeline of two streams. The tests run it in a
// thousand orders, on a GPU with less shared memory, without memory, and with a kernel that faults.
// They also find the race in a copy of the pipeline that lacks one wait.

#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/race.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

// The code to test: x / max(x). One stream finds the largest number; the other divides by it.
constexpr std::size_t n = 256;

WARPSAFE_KERNEL void largest(const float* x, float* most) {
  auto* const found = ws::dynamic_shared<float>();
  const unsigned thread = ws::thread_in_block().x;
  found[thread] = x[thread];
  for (unsigned half = ws::block_size().x / 2; half > 0; half /= 2) {
    ws::sync_block();
    if (thread < half && found[thread] < found[thread + half]) found[thread] = found[thread + half];
  }
  if (thread == 0) *most = found[0];
}
WARPSAFE_KERNEL void divide(float* x, const float* most) { x[ws::thread_index().x] /= *most; }

enum class Wait { yes, forgotten };

ws::result<std::vector<float>> normalised(const std::vector<float>& values, Wait wait) {
  WARPSAFE_TRY(const auto finding, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(const auto dividing, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(finding, values));
  WARPSAFE_TRY(auto most, ws::DeviceBuffer<float>::create(finding, 1));
  constexpr ws::LaunchConfig config{ws::grid<1>, ws::block<n>, ws::shared<float>(n)};
  WARPSAFE_TRYV(ws::launch(finding, config, ws::kernel<largest>, x.view(), most.view()));
  if (wait == Wait::yes) {
    WARPSAFE_TRY(const auto found, finding.record());
    WARPSAFE_TRYV(ws::wait(dividing, found));
  }
  WARPSAFE_TRYV(ws::launch(dividing, ws::LaunchConfig{ws::grid<1>, ws::block<n>},
                           ws::kernel<divide>, x.view(), most.view()));
  return x.to_host(dividing).get();
}

// The tests. Each begins with the device in its initial state.
int failures = 0;

void expect(bool good, const char* what) {
  std::cout << (good ? "passed: " : "FAILED: ") << what << '\n';
  failures += good ? 0 : 1;
  ws::host::reset();
}
bool fails_with(ws::Errc code) {
  const auto result = normalised(std::vector<float>(n, 1), Wait::yes);
  return !result.has_value() && result.error().code == code;
}

int main() {
  namespace host = ws::host;
  std::vector<float> values(n, 1);
  values[100] = 4;

  const auto result = normalised(values, Wait::yes);
  expect(result.has_value() && result.value()[0] == 0.25F && result.value()[100] == 1,
         "the numbers");

  const auto right = ws::adversarial::run(1000, [&] { return normalised(values, Wait::yes); });
  expect(right.clean(), "no race, in a thousand orders");
  const auto wrong =
      ws::adversarial::run(1000, [&] { return normalised(values, Wait::forgotten); });
  expect(!wrong.clean(), "without the wait there is one");

  auto small = ws::DeviceLimits{};
  const auto limits = ws::device_limits<ws::host_backend>(ws::DeviceId(0));
  if (limits.has_value()) small = limits.value();
  small.shared_per_block = small.shared_per_block_optin = 512;
  host::set_limits(0, small);
  expect(fails_with(ws::Errc::shared_too_large),
         "a GPU with 512 bytes of shared memory is refused");

  host::set_memory(0, 1000);
  expect(fails_with(ws::Errc::out_of_memory), "a GPU without memory is an error");

  host::fault_in_kernel(2, host::HostStatus::illegal_address);
  expect(fails_with(ws::Errc::execution_failed), "a kernel that faults is an error");
  return failures;
}
