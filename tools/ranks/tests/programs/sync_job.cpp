// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels that end when the program has gone on, as one behind a collective does, whose other ranks
// the program has to let go on. Under WARPSAFE_SYNC each launch waits. Linked with a library of
// NCCL or without one.

#include <warpsafe/debug.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void wait_for_peer(const int* arrived) {
  while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) == 0) ::usleep(1000);
}

ws::result<void> step(const ws::Stream& stream) {
  WARPSAFE_TRY(auto arrived, ws::DeviceBuffer<int>::from(stream, std::vector<int>{0}));
  WARPSAFE_TRYV(ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<1>},
                           ws::kernel<wait_for_peer>, arrived.view()));
  __atomic_store_n(arrived.view().pointer().get(), 1, __ATOMIC_RELEASE);
  return stream.synchronize();
}

ws::result<void> run() {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  for (int i = 0; i < 4; ++i) {
    WARPSAFE_TRYV(step(stream));
    std::cout << "step " << i << std::endl;
  }
  return ws::success();
}

int main() {
  const auto done = run();
  if (!done.has_value()) std::cerr << done.error() << '\n';
  return done.has_value() ? 0 : 1;
}
