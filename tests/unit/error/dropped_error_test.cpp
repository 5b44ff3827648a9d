// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A destructor and a move assignment end an object whose close() would return an error. They print
// it, once, and end the object all the same.

#include "launch_fixture.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/graph/executable_graph.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace warpsafe::core_test {
namespace {

struct DroppedError : LaunchTest {
  /// What is printed while the first of these calls fails in `end`.
  template <class End>
  [[nodiscard]] static std::string printed(const Call& call, const End& end) {
    ::testing::internal::CaptureStderr();
    host::fail_next(call, 1, HostStatus::unknown);
    const auto made = host::calls_made(call);
    end();
    EXPECT_EQ(host::calls_made(call), made + 1) << "one end is one call";
    return ::testing::internal::GetCapturedStderr();
  }
  /// Ends objects that `make` makes, while `call`, which ends them, fails.
  template <class Make>
  static void expect_told(const Call& call, const Make& make, const std::string& operation,
                          const std::string& advice) {
    using Object = decltype(make());
    const std::string line = "warpsafe: " + operation +
                             " failed: unknown error (hostErrorUnknown); a destructor drops this "
                             "error: " +
                             advice + '\n';
    alignas(Object) unsigned char room[sizeof(Object)];
    auto* const dropped = new (room) Object(make());
    EXPECT_EQ(printed(call, [&] { dropped->~Object(); }), line);
    if constexpr (std::is_move_assignable_v<Object>) {
      Object assigned = make();
      Object other = make();
      EXPECT_EQ(printed(call, [&] { assigned = std::move(other); }), line);
    }
    if constexpr (requires(Object & one) { one.close(); }) {
      Object closed = make();
      EXPECT_EQ(printed(call,
                        [&] {
                          const LaunchError error = error_in(closed.close(app));
                          EXPECT_EQ(error.code, Errc::runtime_failed);
                          EXPECT_EQ(text(error.operation), operation);
                          EXPECT_TRUE(is_app(error.site));
                          EXPECT_TRUE(closed.close().has_value()) << "it has ended";
                        }),
                "");
    }
  }
  [[nodiscard]] Graph graph() const {
    auto capture = Capture::begin(stream).value();
    return std::move(capture).end().value();
  }
};
const std::string close_it = "call close() to get it";
const std::string find_cause = "synchronize the stream to find the cause";

TEST_F(DroppedError, OfAStream) {
  expect_told(
      call_of<&host_backend::stream_destroy>, [] { return Stream::create().value(); },
      "stream destroy", close_it);
}
TEST_F(DroppedError, OfAnEvent) {
  constexpr auto destroy = call_of<&host_backend::event_destroy>;
  expect_told(
      destroy, [&] { return stream.record().value(); }, "event destroy", find_cause);
  expect_told(
      destroy, [&] { return stream.record_timed().value(); }, "event destroy", find_cause);
}
TEST_F(DroppedError, OfEachBuffer) {
  const std::string freed = "free device memory";
  expect_told(
      call_of<&host_backend::deallocate>,
      [&] { return DeviceBuffer<int>::create(stream, 4).value(); }, freed, close_it);
  expect_told(
      call_of<&host_backend::deallocate>,
      [&] {
        return PitchedBuffer<int>::create(stream, extent{rows{4}, cols{4}}).value();
      },
      freed, close_it);
  expect_told(
      call_of<&host_backend::deallocate_unordered>,
      [&] { return ManagedBuffer<int>::create(stream, 4).value(); }, freed, find_cause);
  expect_told(
      call_of<&host_backend::host_deallocate>, [] { return PinnedBuffer<int>::create(4).value(); },
      "free pinned memory", close_it);
}
TEST_F(DroppedError, OfAHold) {
  expect_told(
      call_of<&host_backend::deallocate>,
      [&] {
        const auto buffer = DeviceBuffer<int>::create(stream, 4).value();
        return buffer.keep();
      },
      "free device memory", find_cause);
}
TEST_F(DroppedError, OfAGraph) {
  expect_told(
      call_of<&host_backend::graph_destroy>, [&] { return graph(); }, "graph destroy", close_it);
  expect_told(
      call_of<&host_backend::graph_exec_destroy>, [&] { return graph().instantiate().value(); },
      "graph destroy", close_it);
}
TEST_F(DroppedError, OfAnotherDeviceThanTheFaultThatTheProgramKnows) {
  host::set_device_count(8);  // other tests use the first ones, and memory is left on these
  const auto told = std::exchange(detail::faults_told, {});  // by earlier tests
  const auto expect_told_of_each = [](const Call& call, const std::string& operation,
                                      const auto& make) {
    SCOPED_TRACE(operation);
    detail::faults_told = {};
    const auto dropped_on = [&](int device) {
      const auto guard = DeviceGuard::create(DeviceId(device)).value();
      auto own = std::optional(Stream::create(DeviceId(device)).value());
      auto object = std::optional(make(own));
      ::testing::internal::CaptureStderr();
      host::fail_next(call, 1, HostStatus::illegal_address);
      object.reset();
      own.reset();
      return ::testing::internal::GetCapturedStderr();
    };
    const auto is_told = ::testing::HasSubstr(operation + " failed: ");
    EXPECT_THAT(dropped_on(5), is_told);
    EXPECT_EQ(dropped_on(5), "") << "the program knows of the fault";
    EXPECT_THAT(dropped_on(6), is_told);
    EXPECT_THAT(dropped_on(7), is_told);
    EXPECT_EQ(dropped_on(6), "") << "the program knows of the fault";
  };
  const std::string freed = "free device memory";
  constexpr auto deallocate = call_of<&host_backend::deallocate>;
  expect_told_of_each(deallocate, freed,
                      [](const auto& own) { return DeviceBuffer<int>::create(*own, 4).value(); });
  expect_told_of_each(deallocate, freed, [](const auto& own) {
    return PitchedBuffer<int>::create(*own, extent{rows{4}, cols{4}}).value();
  });
  expect_told_of_each(deallocate, freed, [](const auto& own) {
    const auto buffer = DeviceBuffer<int>::create(*own, 4).value();
    return buffer.keep();
  });
  constexpr auto end_event = call_of<&host_backend::event_destroy>;
  expect_told_of_each(end_event, "event destroy",
                      [](const auto& own) { return own->record().value(); });
  constexpr auto destroy = call_of<&host_backend::stream_destroy>;
  expect_told_of_each(destroy, "stream destroy", [](auto& own) {
    Stream moved = std::move(*own);
    own.reset();
    return moved;
  });
  expect_told_of_each(destroy, "stream destroy", [](auto& own) {
    auto buffer = DeviceBuffer<int>::create(*own, 4).value();
    own.reset();
    return buffer;
  });
  expect_told_of_each(destroy, "stream destroy", [](auto& own) {
    basic_stream_hold<host_backend> hold(*own);
    own.reset();
    return hold;
  });
  detail::faults_told = told;
}
TEST_F(DroppedError, OfAGuard) {
  host::set_device_count(2);
  expect_told(
      call_of<&host_backend::set_device>,
      [] {
        EXPECT_EQ(host_backend::set_device(0), 0);
        return DeviceGuard::create(DeviceId(1)).value();
      },
      "restore device", close_it);
  EXPECT_EQ(host_backend::set_device(0), 0);
}

}  // namespace
}  // namespace warpsafe::core_test
