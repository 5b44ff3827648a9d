// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/args/as_bytes.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace warpsafe::core_test {
namespace {

static_assert(std::is_same_v<decltype(as_bytes(DeviceView<float>{})), DeviceView<const std::byte>>);
static_assert(
    std::is_same_v<decltype(as_bytes(DeviceView<const float>{})), DeviceView<const std::byte>>);
static_assert(
    std::is_same_v<decltype(as_writable_bytes(DeviceView<float>{})), DeviceView<std::byte>>);

WARPSAFE_KERNEL void copy_untyped(void* to, const void* from, std::size_t bytes) {
  for (auto i : grid_stride(bytes)) {
    static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
  }
}

class AsBytes : public LaunchTest {};

TEST_F(AsBytes, AreTheSameMemoryOfTheSameBuffer) {
  const auto source = DeviceBuffer<float>::from(stream, std::vector<float>{1, 2, 3}).value();
  auto target = DeviceBuffer<float>::create(stream, 3).value();
  const DeviceView<const std::byte> bytes = as_bytes(source.view());
  EXPECT_EQ(bytes.size(), 12U);
  EXPECT_EQ(static_cast<const void*>(bytes.pointer().get()), source.view().pointer().get());
  EXPECT_EQ(bytes.device(), source.view().device());
  EXPECT_EQ(detail::owner_of(bytes), detail::owner_of(source.view()));
  EXPECT_EQ(detail::owner_of(as_writable_bytes(target.view())), detail::owner_of(target.view()));
  ASSERT_TRUE(launch(stream, configure(SafeGrid<>::cover(bytes.size(), block<32>)),
                     kernel<copy_untyped>, as_writable_bytes(target.view()), bytes, bytes.size())
                  .has_value());
  EXPECT_EQ(target.to_host(stream).get().value(), (std::vector<float>{1, 2, 3}));
}

TEST_F(AsBytes, AnEmptyViewHasNone) {
  EXPECT_TRUE(as_bytes(DeviceView<float>{}).empty());
  EXPECT_TRUE(as_writable_bytes(DeviceView<float>{}).empty());
}

TEST_F(AsBytes, TrustIsEnoughForAVoidPointer) {
  auto target = DeviceBuffer<float>::from(stream, std::vector<float>{4, 5}).value();
  auto source = DeviceBuffer<float>::from(stream, std::vector<float>{6, 7}).value();
  void* const to = target.view().pointer().get();
  const float* const from = source.view().pointer().get();
  ASSERT_TRUE(launch(stream, configure(SafeGrid<>::cover(8, block<8>)), kernel<copy_untyped>,
                     trust(to), trust(from), 8)
                  .has_value());
  EXPECT_EQ(target.to_host(stream).get().value(), (std::vector<float>{6, 7}));
}

}  // namespace
}  // namespace warpsafe::core_test
