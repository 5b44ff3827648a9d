// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Group F, copies: mistakes that need numbers or a run. Every check level finds them.
#include "misuse.hpp"
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>

#include <numeric>
#include <utility>
#include <vector>

namespace misuse_test {
namespace {

using MisuseF01 = Misuse;
using MisuseF04 = Misuse;
using MisuseF05 = Misuse;
using MisuseF12 = Misuse;

std::vector<int> counting(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_F(MisuseF01, ValueIsThereWhenItIsHad) {
  auto buffer = ws::DeviceBuffer<int>::from(stream, counting(1000));
  ASSERT_TRUE(buffer.has_value());
  const auto value = buffer.value().to_host(stream).get();
  ASSERT_TRUE(value.has_value()) << message(value.error());
  EXPECT_EQ(value.value(), counting(1000));
  note_impossible("to_host gives a Pending, and get() waits");
}

/// How often a stream was made to wait for an event.
std::uint64_t waits_of_streams() {
#if defined(WARPSAFE_BACKEND_HOST)
  return ws::host::calls_made(ws::host::call_of<&ws::host_backend::stream_wait>);
#else
  return static_cast<std::uint64_t>(vendor_test::count("StreamWaitEvent"));
#endif
}

TEST_F(MisuseF04, BufferIsFreedAfterTheKernelsOfOtherStreams) {
  auto buffer = ws::DeviceBuffer<unsigned>::create(stream, 64);
  auto other = ws::Stream::create();
  ASSERT_TRUE(buffer.has_value() && other.has_value());
  constexpr LaunchConfig one{ws::grid<1>, ws::block<1>};
  expect_fine(
      ws::launch(other.value(), one, ws::kernel<mark>, buffer.value().view(), std::uint64_t{0}));
  expect_fine(ws::launch(other.value(), one, ws::kernel<mark_through>,
                         buffer.value().view().subspan(8, 8).value(), std::uint64_t{0}));
  const auto before = waits_of_streams();
  expect_fine(buffer.value().close());
  EXPECT_EQ(waits_of_streams(), before + 1) << "the free comes after them";

  auto own = ws::DeviceBuffer<unsigned>::create(stream, 64);
  ASSERT_TRUE(own.has_value());
  expect_fine(ws::launch(stream, one, ws::kernel<mark>, own.value().view(), std::uint64_t{0}));
  expect_fine(own.value().close());
  EXPECT_EQ(waits_of_streams(), before + 1) << "its own stream's order is enough";
  note_impossible(
      "a buffer is freed after the kernels that were given its view(), on whatever stream");
}

TEST_F(MisuseF04, BufferThatEndsIsThereForItsToken) {
  auto buffer = ws::DeviceBuffer<int>::from(stream, counting(1000));
  ASSERT_TRUE(buffer.has_value());
  auto other = ws::Stream::create();
  ASSERT_TRUE(other.has_value());
  auto token = ws::copy(other.value(), ws::from(buffer.value()),
                        ws::to(ws::PinnedBuffer<int>::create(1000).value()));
  expect_fine(buffer.value().close());
  const auto back = std::move(token).get();
  ASSERT_TRUE(back.has_value()) << message(back.error());
  EXPECT_THAT(back.value().span(), testing::ElementsAreArray(counting(1000)));
  note_impossible("a buffer is freed after the copies that use it, on whatever stream");
}

TEST_F(MisuseF05, SizesThatDifferAreAnError) {
  auto ten = ws::DeviceBuffer<int>::from(stream, counting(10));
  auto eight = ws::DeviceBuffer<int>::from(stream, counting(8));
  ASSERT_TRUE(ten.has_value() && eight.has_value());
  const ws::LaunchError error =
      error_in(ws::copy(stream, ws::from(ten.value()), ws::to(eight.value())));
  EXPECT_EQ(finding(error), made(Errc::size_mismatch, 10, 8));
  EXPECT_THAT(message(error),
              testing::StartsWith("copy not called: the source has 10 elements and the target 8"));
  note("construction", message(error));
  EXPECT_EQ(error_in(ws::copy_and_wait(stream, ws::from(counting(9)), ws::to(eight.value()))).code,
            Errc::size_mismatch);
}

TEST_F(MisuseF05, PartThatIsNotThereIsAnError) {
  auto ten = ws::DeviceBuffer<int>::from(stream, counting(10));
  ASSERT_TRUE(ten.has_value());
  const auto all = ten.value().view();
  const ws::LaunchError error = error_in(all.subspan(8, 4));
  EXPECT_EQ(finding(error), made(Errc::part_outside, 4, 10));
  EXPECT_EQ(error.stage, Stage::construction);
  const std::size_t none = 0;
  EXPECT_EQ(error_in(all.subspan(none - 1, 4)).code, Errc::part_outside);
  EXPECT_EQ(all.subspan(8).value().size(), 2U);
  const ws::LaunchError common = error_in(
      ws::copy(stream, ws::from(all.subspan(0, 8).value()), ws::to(all.subspan(2, 8).value())));
  EXPECT_EQ(common.code, Errc::copy_overlaps);
  EXPECT_TRUE(
      ws::copy(stream, ws::from(all.subspan(0, 5).value()), ws::to(all.subspan(5, 5).value()))
          .has_value());
  expect_fine(ten.value().close());
  EXPECT_EQ(error_in(ten.value().zero(stream)).code, Errc::memory_closed);
  EXPECT_EQ(error_in(ten.value().to_host(stream).get()).code, Errc::memory_closed);
  note("construction", message(error));
}

TEST_F(MisuseF12, HostHasManagedMemoryOnlyAfterTheWork) {
  const auto limits = ws::device_limits(stream.device());
  ASSERT_TRUE(limits.has_value());
  auto buffer = ws::ManagedBuffer<int>::create(stream, 4);
  if (!limits.value().concurrent_managed_access) {
    const ws::LaunchError error = error_in(buffer);
    EXPECT_EQ(error.code, Errc::unsupported);
    EXPECT_EQ(error.stage, Stage::construction);
    note("construction", message(error));
    return;
  }
  ASSERT_TRUE(buffer.has_value()) << message(buffer.error());
  auto on_host = std::move(buffer).value().to_host(stream).get();
  ASSERT_TRUE(on_host.has_value()) << message(on_host.error());
  on_host.value().span()[3] = 7;
  EXPECT_EQ(std::move(on_host).value().to_device().size(), 4U);
  note_impossible("the host has it through a token, and no kernel takes it then");
}

}  // namespace
}  // namespace misuse_test
