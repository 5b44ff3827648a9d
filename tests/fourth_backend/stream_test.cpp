// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Streams, events, waits and devices of a backend that the library does not know.

#include "fixture.hpp"
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace serial_test::stream_test {
namespace {

using ws::Errc;
using ws::kernel;
using ws::Progress;

WARPSAFE_KERNEL void put(float value, float* x) { *x = value; }
WARPSAFE_KERNEL void twice(float* x) { *x *= 2.0F; }

constexpr ws::LaunchConfig once{ws::grid<1>, ws::block<1>};

struct FourthStream : SerialTest {
  DeviceBuffer<float> x = DeviceBuffer<float>::from(stream, std::vector<float>{1}).value();
  [[nodiscard]] float value() { return x.to_host(stream).get().value().front(); }
};

TEST_F(FourthStream, WorkIsDoneWhenTheHostHasWaited) {
  ASSERT_TRUE(launch(stream, once, kernel<put>, 2.0F, x.view()).has_value());
  EXPECT_EQ(*x.view().pointer().get(), 1.0F) << "this runtime waits until it has to";
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(*x.view().pointer().get(), 2.0F);
}

TEST_F(FourthStream, AQueryAnswersWithoutWaiting) {
  ASSERT_TRUE(launch(stream, once, kernel<put>, 2.0F, x.view()).has_value());
  ASSERT_TRUE(launch(stream, once, kernel<twice>, x.view()).has_value());
  EXPECT_EQ(stream.query().value(), Progress::not_ready);
  EXPECT_TRUE(stream.ready().value());
  EXPECT_EQ(*x.view().pointer().get(), 4.0F);
}

TEST_F(FourthStream, AnEventIsAPointInItsStream) {
  ASSERT_TRUE(launch(stream, once, kernel<put>, 2.0F, x.view()).has_value());
  const auto point = stream.record().value();
  ASSERT_TRUE(launch(stream, once, kernel<twice>, x.view()).has_value());
  EXPECT_EQ(point.query().value(), Progress::ready);
  EXPECT_EQ(*x.view().pointer().get(), 2.0F);
  ASSERT_TRUE(point.synchronize().has_value());
  EXPECT_TRUE(point.ready().value());
  EXPECT_EQ(value(), 4.0F);
}

TEST_F(FourthStream, AStreamWaitsForAnEventOfAnother) {
  ASSERT_TRUE(launch(other, once, kernel<put>, 3.0F, x.view()).has_value());
  ASSERT_TRUE(wait(stream, other.record().value()).has_value());
  ASSERT_TRUE(launch(stream, once, kernel<twice>, x.view()).has_value());
  EXPECT_EQ(value(), 6.0F);
}

TEST_F(FourthStream, TimedEventsMeasure) {
  const auto begin = stream.record_timed().value();
  ASSERT_TRUE(launch(stream, once, kernel<twice>, x.view()).has_value());
  const auto end = stream.record_timed().value();
  EXPECT_EQ(ws::elapsed_ms(begin, end).value(), 1.0F);
}

TEST_F(FourthStream, BelongsToItsDevice) {
  using Guard = ws::basic_device_guard<serial::backend>;
  EXPECT_EQ(ws::device_count<serial::backend>().value(), 2);
  EXPECT_EQ(ws::current_device<serial::backend>().value(), ws::DeviceId(0));
  {
    const auto guard = Guard::create(ws::DeviceId(1)).value();
    EXPECT_EQ(ws::current_device<serial::backend>().value(), ws::DeviceId(1));
    EXPECT_EQ(Stream::create().value().device(), ws::DeviceId(1));
  }
  EXPECT_EQ(ws::current_device<serial::backend>().value(), ws::DeviceId(0));
  EXPECT_EQ(Stream::create(ws::DeviceId(1)).value().device(), ws::DeviceId(1));
  EXPECT_EQ(error_code(Stream::create(ws::DeviceId(2))), Errc::device_invalid);
  EXPECT_EQ(ws::device_limits<serial::backend>(ws::DeviceId(1)).value().max_threads_per_block,
            512U);
  EXPECT_EQ(error_code(ws::device_limits<serial::backend>(ws::DeviceId(2))), Errc::device_invalid);
}

TEST_F(FourthStream, IsBorrowedAndKept) {
  const auto borrowed = StreamRef::borrow(stream.native(), stream.device()).value();
  EXPECT_EQ(borrowed, stream.ref());
  serial::Stream* const none = nullptr;
  EXPECT_EQ(error_code(StreamRef::borrow(none, ws::DeviceId(0))), Errc::stream_null);
  std::optional<Stream> short_lived = Stream::create().value();
  const ws::basic_stream_hold<serial::backend> hold(*short_lived);
  short_lived.reset();
  EXPECT_TRUE(hold.ref().synchronize().has_value());
  EXPECT_TRUE(other.close().has_value());
}

}  // namespace
}  // namespace serial_test::stream_test
