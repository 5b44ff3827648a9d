// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/args/align.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace ws = warpsafe;

namespace {

struct alignas(16) Four {
  float values[4];
};

WARPSAFE_KERNEL void write_fourth(ws::aligned_ptr<float, 16> memory) {
  memory.as<Four>()[0].values[3] = 4;
}

TEST(Align, AKernelReadsAnAlignedStartInWidePieces) {
  const ws::Stream stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<float>::create(stream, 8).value();
  const auto start = ws::align<16>(buffer.view());
  ASSERT_TRUE(start.has_value());
  const auto launched = ws::launch(stream, ws::configure(ws::grid<1>, ws::block<1>),
                                   ws::kernel<write_fourth>, start.value());
  ASSERT_TRUE(launched.has_value()) << ws::message(launched.error());
  EXPECT_EQ(buffer.to_host(stream).get().value()[3], 4);
}

TEST(Align, AStartInBetweenIsRefusedWithBothNumbers) {
  const ws::Stream stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<float>::create(stream, 8).value();
  const auto refused = ws::align<16>(buffer.view().subspan(1, 4).value());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::argument_misaligned);
  EXPECT_EQ(refused.error().value, 4U);
  EXPECT_EQ(refused.error().limit, 16U);
  EXPECT_NE(ws::message(refused.error()).find("aligned to 4 bytes, but its type needs 16"),
            std::string::npos)
      << ws::message(refused.error());
}

WARPSAFE_KERNEL void set_wide(Four* memory) { memory->values[0] = 7; }
WARPSAFE_KERNEL void set_wide_span(ws::DeviceSpan<Four> memory) { memory[0].values[0] = 7; }
WARPSAFE_KERNEL void set_bytes(void* memory) { *static_cast<char*>(memory) = 0; }

/// A GPU faults at a misaligned access, and this CPU does not.
TEST(Align, ATrustedPointerIsAsAlignedAsItsElements) {
  const ws::Stream stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<float>::create(stream, 16).value();
  float* const begin = buffer.view().pointer().get();
  const auto config = ws::configure(ws::grid<1>, ws::block<1>);
  const auto wide = [&](int offset) { return reinterpret_cast<Four*>(begin + offset); };
  const auto refused = ws::launch(stream, config, ws::kernel<set_wide>, ws::trust(wide(1)));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::argument_misaligned);
  EXPECT_EQ(refused.error().value, 4U);
  EXPECT_EQ(refused.error().limit, 16U);
  EXPECT_NE(ws::message(refused.error())
                .find("Kernel 'set_wide' not launched: argument 1 is aligned to 4 bytes, but its "
                      "type needs 16"),
            std::string::npos)
      << ws::message(refused.error());
  const auto span = ws::launch(stream, config, ws::kernel<set_wide_span>, ws::trust(wide(2), 1));
  ASSERT_FALSE(span.has_value());
  EXPECT_EQ(span.error().code, ws::Errc::argument_misaligned);
  EXPECT_EQ(span.error().value, 8U);
  for (const int offset : {0, 4, 8}) {
    EXPECT_TRUE(
        ws::launch(stream, config, ws::kernel<set_wide>, ws::trust(wide(offset))).has_value());
    EXPECT_TRUE(ws::launch(stream, config, ws::kernel<set_wide_span>, ws::trust(wide(offset), 1))
                    .has_value());
  }
  // The kernel chooses how it reads bytes. Spans of no elements are not read.
  EXPECT_TRUE(ws::launch(stream, config, ws::kernel<set_bytes>, ws::trust(wide(1))).has_value());
  EXPECT_TRUE(ws::launch(stream, config, ws::kernel<set_bytes>, ws::trust(begin + 1)).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
}

TEST(Align, TheValueIsTheAlignmentOfTheStart) {
  alignas(64) char memory[64] = {};
  const auto at = [&](ws::size_type offset) {
    return ws::DeviceSpan<char>(ws::detail::DeviceAccess::pointer(&memory[offset]), 8);
  };
  for (const ws::size_type offset : {0U, 32U}) {
    const auto aligned = ws::align<32>(at(offset));
    ASSERT_TRUE(aligned.has_value()) << offset;
    EXPECT_EQ(aligned.value().get(), &memory[offset]);
    const ws::device_ptr<char> pointer = aligned.value();
    EXPECT_EQ(pointer.get(), &memory[offset]);
  }
  const ws::size_type alignments[][2] = {{1, 1}, {2, 2}, {3, 1},  {4, 4},
                                         {6, 2}, {8, 8}, {24, 8}, {48, 16}};
  for (const auto& [offset, alignment] : alignments) {
    const auto refused = ws::align<32>(at(offset));
    ASSERT_FALSE(refused.has_value()) << offset;
    EXPECT_EQ(refused.error().value, alignment) << offset;
    EXPECT_EQ(refused.error().limit, 32U);
  }
}

// Only `align` makes an aligned_ptr: no unchecked pointer converts to it.
static_assert(!std::is_convertible_v<float*, ws::aligned_ptr<float, 16>>);
static_assert(!std::is_convertible_v<ws::DeviceSpan<float>, ws::aligned_ptr<float, 16>>);
static_assert(!std::is_convertible_v<ws::aligned_ptr<float, 8>, ws::aligned_ptr<float, 16>>);
static_assert(std::is_convertible_v<ws::aligned_ptr<float, 16>, ws::device_ptr<float>>);

}  // namespace
