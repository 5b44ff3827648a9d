// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Runs all programs on the host backend, with two devices.

#include "programs.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/print.hpp>

#include <iostream>

int main() {
  warpsafe::host::set_device_count(2);
  auto limits = warpsafe::limits::sm_90;
  limits.multiprocessors = 8;
  limits.concurrent_managed_access = true;
  int wrong = 0;
  for (const int device : {0, 1}) wrong += warpsafe::host::set_limits(device, limits) ? 0 : 1;
  std::size_t count = 0;
  for (const auto programs : {right::kernel_programs(), right::argument_programs(),
                              right::stream_programs(), right::result_programs()}) {
    for (const right::Program& program : programs) {
      ++count;
      const auto stream = warpsafe::Stream::create();
      const auto done =
          stream.has_value() ? program.run(stream.value()) : warpsafe::result<bool>(stream.error());
      if (done.has_value() && done.value()) continue;
      ++wrong;
      std::cout << program.name << ": ";
      if (done.has_value()) {
        std::cout << "wrong numbers\n";
      } else {
        std::cout << done.error() << '\n';
      }
    }
  }
  std::cout << count << " programs, " << wrong << " wrong\n";
  return wrong == 0 && count >= 60 ? 0 : 1;
}
