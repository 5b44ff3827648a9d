// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches, buffers, copies, streams and events over a backend that the library does not know.

#include "archetype_backend.hpp"
#include <warpsafe/args/trust.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/stream/stream.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace archetype_test {

namespace ws = warpsafe;

// A program writes the names of its backend's types once.
using Stream = ws::basic_stream<archetype::backend>;
using SafeGrid = ws::SafeGrid<archetype::backend>;
template <class T>
using DeviceBuffer = ws::basic_device_buffer<archetype::backend, T>;
template <class T>
using PinnedBuffer = ws::basic_pinned_buffer<archetype::backend, T>;
template <class T>
using ManagedBuffer = ws::basic_managed_buffer<archetype::backend, T>;
template <class T>
using PitchedBuffer = ws::basic_pitched_buffer<archetype::backend, T>;

WARPSAFE_KERNEL void add_one(float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] += 1.0F;
}

namespace {

using testing::HasSubstr;
using ws::block;
using ws::Errc;
using ws::grid;
using ws::kernel;

struct Archetype : testing::Test {
  Stream stream = Stream::create().value();
  std::vector<float> numbers{0, 1, 2, 3, 4, 5};
  DeviceBuffer<float> x = DeviceBuffer<float>::from(stream, numbers).value();
};

TEST_F(Archetype, Launches) {
  ASSERT_TRUE(
      launch(stream, SafeGrid::cover(x.size(), block<4>), kernel<add_one>, x.view(), x.size())
          .has_value());
  EXPECT_EQ(x.to_host(stream).get().value(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Archetype, AWrongLaunchNamesKernelAndLimit) {
  const ws::LaunchConfig config{grid<1>, block<1024>};
  const auto refused = launch(stream, config, kernel<add_one>, x.view(), x.size());
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.error().code, Errc::block_too_large);
  const std::string text = ws::message(refused.error());
  EXPECT_THAT(text, HasSubstr("add_one' not launched"));
  EXPECT_THAT(text, HasSubstr("512")) << "the backend's own limit";
  EXPECT_THAT(text, HasSubstr("'Archetype'"));
}

TEST_F(Archetype, AHostPointerIsNotDeviceMemory) {
  const ws::LaunchConfig config{grid<1>, block<1>};
  const auto refused = launch(stream, config, kernel<add_one>, ws::trust(numbers.data()), 6U);
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.error().code, Errc::argument_host_pointer);
}

TEST_F(Archetype, WhatTheRuntimeRefusesHasItsWords) {
  const ws::LaunchConfig config{grid<1>, block<1024>};
  const auto refused =
      ws::launch<ws::CheckLevel::off>(stream, config, kernel<add_one>, x.view(), x.size());
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.error().code, Errc::launch_refused);
  EXPECT_THAT(ws::message(refused.error()), HasSubstr("invalid"));
}

TEST_F(Archetype, CopiesBetweenAllKindsOfMemory) {
  auto y = DeviceBuffer<float>::create(stream, numbers.size()).value();
  ASSERT_TRUE(copy(stream, from(x), to(y)).has_value());
  auto pinned = PinnedBuffer<float>::create(numbers.size()).value();
  pinned = copy(stream, from(y), to(std::move(pinned))).get().value();
  EXPECT_EQ(pinned.span()[5], 5.0F);
  ASSERT_TRUE(y.zero(stream).has_value());
  EXPECT_EQ(y.to_host(stream).get().value(), std::vector<float>(6));
  auto managed = ManagedBuffer<float>::create(stream, 2).value();
  auto on_host = std::move(managed).to_host(stream).get().value();
  on_host.span()[1] = 7.0F;
  managed = std::move(on_host).to_device();
  on_host = std::move(managed).to_host(stream).get().value();
  EXPECT_EQ(on_host.span()[1], 7.0F);
  const auto matrix =
      PitchedBuffer<float>::create(stream, ws::extent{ws::rows{2}, ws::cols{3}}).value();
  EXPECT_EQ(matrix.to_host(stream).get().value().size(), 6U);
}

TEST_F(Archetype, EventsOrderStreams) {
  const Stream other = Stream::create().value();
  ASSERT_TRUE(wait(other, stream.record().value()).has_value());
  EXPECT_TRUE(stream.ready().value());
  const auto begin = stream.record_timed().value();
  const auto end = stream.record_timed().value();
  EXPECT_TRUE(end.synchronize().has_value());
  EXPECT_EQ(ws::elapsed_ms(begin, end).value(), 0.0F);
  EXPECT_EQ(ws::device_count<archetype::backend>().value(), 1);
}

TEST_F(Archetype, WhatItLacksIsAnError) {
  const auto capture = ws::basic_capture<archetype::backend>::begin(stream);
  ASSERT_TRUE(capture.has_error());
  EXPECT_EQ(capture.error().code, Errc::unsupported);
}

}  // namespace
}  // namespace archetype_test
