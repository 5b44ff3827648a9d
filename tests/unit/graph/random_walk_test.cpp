// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "../../gpu/random_walk/random_walk.hpp"

#include <warpsafe/host.hpp>

#include <gtest/gtest.h>

namespace warpsafe {
namespace {

TEST(RandomWalk, ThreadsFindWhatTheyComputed) {
  // ThreadSanitizer has an OS thread for each GPU thread.
  const unsigned steps = host::thread_sanitizer ? 40 : 200;
  for (const unsigned threads : {1U, 4U}) {
    for (std::uint64_t seed = 1; seed <= (host::thread_sanitizer ? 2U : 4U); ++seed) {
      random_walk::Options options;
      options.seed = seed;
      options.threads = threads;
      options.steps = steps;
      options.most_bits = host::thread_sanitizer ? 6 : 8;
      options.devices = 1 + static_cast<int>(seed % 2);
      options.graph_memory = false;
      host::reset();
      host::set_device_count(options.devices);
      for (const int device : {0, 1}) host::set_peer_access(device, 1 - device, true);
      options.default_streams = {host::legacy_stream(), host::per_thread_stream()};
      EXPECT_EQ(random_walk::walk(options), "");
    }
  }
}

}  // namespace
}  // namespace warpsafe
