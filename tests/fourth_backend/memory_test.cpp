// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Buffers and copies of a backend that the library does not know.

#include "fixture.hpp"
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace serial_test::memory_test {
namespace {

using ws::Errc;
using ws::kernel;

template <class T>
using PinnedBuffer = ws::basic_pinned_buffer<serial::backend, T>;
template <class T>
using ManagedBuffer = ws::basic_managed_buffer<serial::backend, T>;
template <class T>
using PitchedBuffer = ws::basic_pitched_buffer<serial::backend, T>;

WARPSAFE_KERNEL void add_one(ws::DeviceSpan<float> x) {
  for (auto i : ws::grid_stride(x.size())) x[i] += 1.0F;
}

constexpr ws::LaunchConfig few{ws::grid<2>, ws::block<32>};

struct FourthMemory : SerialTest {
  [[nodiscard]] static std::size_t allocations() { return serial::Runtime::get().memory.size(); }
};

TEST_F(FourthMemory, DeviceMemoryGoesThereAndBack) {
  const std::size_t before = allocations();
  {
    auto x = DeviceBuffer<float>::from(stream, counting(100)).value();
    ASSERT_TRUE(launch(stream, few, kernel<add_one>, x.view()).has_value());
    auto pending = x.to_host(stream);
    EXPECT_EQ(std::move(pending).get().value().back(), 100.0F);
    ASSERT_TRUE(x.zero(stream).has_value());
    EXPECT_EQ(x.to_host(stream).get().value().back(), 0.0F);
    EXPECT_EQ(error_code(x.assign(counting(3))), Errc::size_mismatch);
  }
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(allocations(), before);
}

TEST_F(FourthMemory, CopiesIntoPinnedMemoryDoNotWait) {
  const auto x = DeviceBuffer<float>::from(stream, counting(10)).value();
  auto pinned = PinnedBuffer<float>::create(10).value();
  auto pending = copy(stream, from(x), to(std::move(pinned)));
  EXPECT_FALSE(stream.native()->waiting.empty());
  pinned = std::move(pending).get().value();
  EXPECT_EQ(pinned.span()[9], 9.0F);
}

TEST_F(FourthMemory, ManagedMemoryIsHandedToAndFro) {
  auto managed = ManagedBuffer<float>::create(stream, 8).value();
  auto on_host = std::move(managed).to_host(stream).get().value();
  for (float& value : on_host.span()) value = 5.0F;
  managed = std::move(on_host).to_device();
  ASSERT_TRUE(launch(stream, few, kernel<add_one>, managed.view()).has_value());
  on_host = std::move(managed).to_host(stream).get().value();
  EXPECT_EQ(on_host.span()[7], 6.0F);
}

TEST_F(FourthMemory, RowsGoThereAndBack) {
  auto matrix = PitchedBuffer<float>::create(stream, ws::extent{ws::rows{3}, ws::cols{5}}).value();
  ASSERT_TRUE(matrix.assign(counting(15)).has_value());
  EXPECT_EQ(matrix.to_host(stream).get().value(), counting(15));
}

TEST_F(FourthMemory, CopiesBetweenDevices) {
  const auto here = DeviceBuffer<float>::from(stream, counting(4)).value();
  const Stream elsewhere = Stream::create(ws::DeviceId(1)).value();
  auto there = DeviceBuffer<float>::create(elsewhere, 4).value();
  ASSERT_TRUE(copy(stream, from(here), to(there)).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(there.to_host(elsewhere).get().value(), counting(4));
}

TEST_F(FourthMemory, SeveralValuesComeAfterOneWait) {
  const auto x = DeviceBuffer<float>::from(stream, counting(4)).value();
  const auto y = DeviceBuffer<float>::from(stream, counting(5)).value();
  const auto [first, second] = synchronize(stream, x.to_host(stream), y.to_host(stream)).value();
  EXPECT_EQ(first, counting(4));
  EXPECT_EQ(second, counting(5));
}

TEST_F(FourthMemory, MemoryIsFreedAfterTheOtherStreamThatUsesIt) {
  auto kept = DeviceBuffer<float>::from(stream, counting(4)).value();
  {
    auto x = DeviceBuffer<float>::from(stream, counting(4)).value();
    ASSERT_TRUE(launch(other, few, kernel<add_one>, x.view()).has_value());
  }
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_TRUE(other.native()->waiting.empty()) << "the free waits for the other stream's kernel";
}

TEST_F(FourthMemory, IsCounted) {
  const auto info = ws::memory_info<serial::backend>(ws::DeviceId(0));
  EXPECT_EQ(info.value().total, std::size_t{1} << 30U);
}

}  // namespace
}  // namespace serial_test::memory_test
