// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include <warpsafe/memory/pending.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using PendingTest = DataTest;
using Token = Pending<std::vector<int>>;

static_assert(!std::is_copy_constructible_v<Token> && !std::is_copy_assignable_v<Token> &&
              !std::is_default_constructible_v<Token> &&
              std::is_nothrow_move_constructible_v<Token>);

/// The value of a token of pinned memory.
std::vector<int> taken(Pending<PinnedBuffer<int>> token) {
  const auto buffer = std::move(token).get();
  if (!buffer.has_value()) return {};
  return {buffer.value().span().begin(), buffer.value().span().end()};
}

/// A copy into pinned memory, for which the host does not wait unless asked to.
Pending<PinnedBuffer<int>> start_copy(const Stream& on, const DeviceBuffer<int>& from) {
  return copy(on, warpsafe::from(from),
              warpsafe::to(PinnedBuffer<int>::create(from.size()).value()));
}

TEST_F(PendingTest, WaitsForItsOwnWorkAlone) {
  const auto buffer = filled(counting(4));
  auto token = start_copy(stream, buffer);
  ASSERT_TRUE(stream.synchronize().has_value());
  hold(stream);  // later work in the stream does not end
  EXPECT_TRUE(token.ready().value());
  const auto value = std::move(token).get();
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value.value().span()[3], 3);
  EXPECT_FALSE(stream.ready().value());
  open();
}

TEST_F(PendingTest, IsNotReadyBeforeItsCopyHasEnded) {
  const auto buffer = filled(counting(4));
  hold(stream);
  auto token = start_copy(stream, buffer);
  EXPECT_TRUE(stays_pending(token));
  open();
  EXPECT_EQ(taken(std::move(token)), counting(4));
}

TEST_F(PendingTest, KeepsTheDevicesMemoryUntilThen) {
  auto buffer = filled(counting(4));
  hold(stream);
  auto token = start_copy(stream, buffer);
  ASSERT_TRUE(buffer.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 0U);
  open();
  EXPECT_EQ(taken(std::move(token)), counting(4));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 1U);
}
TEST_F(PendingTest, LetsGoOfTheDevicesMemoryWithTheWaitAndNotWithTheToken) {
  for (const bool discards : {false, true}) {
    auto buffer = filled(counting(4));
    auto token = start_copy(stream, buffer);
    ASSERT_TRUE(buffer.close().has_value());
    const auto freed = host::calls_made(call_of<&host_backend::deallocate>);
    if (discards) {
      EXPECT_TRUE(std::move(token).discard().has_value());
    } else {
      EXPECT_TRUE(std::move(token).get().has_value());
    }
    EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), freed + 1);
  }
}

TEST_F(PendingTest, IsHadOnce) {
  const auto buffer = filled(counting(4));
  auto token = buffer.to_host(stream);
  EXPECT_EQ(std::move(token).get().value(), counting(4));
  EXPECT_EQ(
      said(std::move(token).get(app)),  // NOLINT(bugprone-use-after-move): what is tested
      "Refused: the value of this Pending was already taken or moved away; call get() once\n  at "
      "app.cpp:7");
  EXPECT_TRUE(token.ready().value());
}

TEST_F(PendingTest, MovesItsCopyAlong) {
  const auto buffer = filled(counting(4));
  auto first = buffer.to_host(stream);
  auto second = std::move(first);
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  EXPECT_EQ(error_in(std::move(first).get()).code, Errc::pending_taken);
  EXPECT_EQ(std::move(second).get().value(), counting(4));
}

TEST_F(PendingTest, HandsOutTheErrorOfItsCopy) {
  const auto buffer = filled(counting(4));
  host::fail_next(call_of<&host_backend::copy>, 1, HostStatus::invalid_value);
  auto token = buffer.to_host(stream, app);
  EXPECT_TRUE(token.ready().value());
  EXPECT_EQ(said(std::move(token).get()),
            "copy to host failed: invalid argument (hostErrorInvalidValue, 1)\n  at app.cpp:7");
}

TEST_F(PendingTest, ACopyThatCannotBeMarkedIsWaitedForAtOnce) {
  const auto buffer = filled(counting(4));
  hold(stream);
  open_soon();
  host::fail_next(call_of<&host_backend::event_record>, 1, HostStatus::out_of_memory);
  auto token = start_copy(stream, buffer);
  EXPECT_TRUE(stream.ready().value());
  EXPECT_EQ(error_in(std::move(token).get()).code, Errc::out_of_memory);
}

TEST_F(PendingTest, HandsOutTheFaultOfEarlierWork) {
  const auto buffer = filled(counting(4));
  hold(stream);
  host::fault_in_kernel(1, HostStatus::illegal_address);
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<gate>).has_value());
  auto token = start_copy(stream, buffer);
  open();
  const LaunchError error = error_in(std::move(token).get());
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.severity, Severity::context_lost);
  EXPECT_EQ(error.stage, Stage::completion);
}

TEST_F(PendingTest, DroppedWaitsAndSaysSo) {
  const auto buffer = filled(counting(4));
  hold(stream);
  ::testing::internal::CaptureStderr();
  std::optional<Pending<PinnedBuffer<int>>> token =
      copy(stream, warpsafe::from(buffer),
           warpsafe::to(PinnedBuffer<int>::create(buffer.size()).value()), app);
  // The copy can end once the destructor waits, and not before.
  const auto waits = [] { return host::calls_made(call_of<&host_backend::event_synchronize>); };
  const auto before = waits();
  std::atomic<bool> dropped{false};
  std::thread opener([&] {
    // A destructor that waited elsewhere would never end.
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!dropped && waits() == before && std::chrono::steady_clock::now() < latest) {
      std::this_thread::yield();
    }
    open();
  });
  token.reset();
  const bool ended = stream.ready().value();
  dropped = true;
  opener.join();
  EXPECT_TRUE(ended) << "the destructor returns after the end of the copy";
  EXPECT_EQ(waits(), before + 1);
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      "warpsafe: the result of a copy was dropped unread; its destructor waits if the copy has "
      "not ended\n  made at " +
          std::string(app.file) + ':' + std::to_string(app.line) +
          "; take it with std::move(pending).get()\n");
}

TEST_F(PendingTest, IsDiscardedByName) {
  auto buffer = filled(counting(4));
  ::testing::internal::CaptureStderr();
  {
    auto token = copy(stream, warpsafe::from(PinnedBuffer<int>::create(buffer.size()).value()),
                      warpsafe::to(buffer), app);
    EXPECT_TRUE(std::move(token).discard().has_value());
    EXPECT_TRUE(stream.ready().value());
    // NOLINTNEXTLINE(bugprone-use-after-move): a second use is an error
    EXPECT_EQ(error_in(std::move(token).get()).code, Errc::pending_taken);
    EXPECT_EQ(error_in(std::move(token).discard()).code, Errc::pending_taken);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(PendingTest, OfAReleaseBuildIsDroppedSilently) {
  const auto buffer = filled(counting(4));
  ::testing::internal::CaptureStderr();
  { const auto token = buffer.to_host<CheckLevel::off>(stream); }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(PendingTest, TakenIsNotDropped) {
  const auto buffer = filled(counting(4));
  ::testing::internal::CaptureStderr();
  {
    auto token = buffer.to_host(stream);
    EXPECT_TRUE(std::move(token).get().has_value());
    host::fail_next(call_of<&host_backend::copy>, 1, HostStatus::invalid_value);
    auto failed = buffer.to_host(stream);
    EXPECT_EQ(error_in(std::move(failed).get()).code, Errc::runtime_failed);
    auto moved = std::move(failed);
    EXPECT_EQ(error_in(std::move(moved).get()).code, Errc::runtime_failed) << "it has no other";
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(PendingTest, AnErrorThatIsDroppedIsPrinted) {
  const auto buffer = filled(counting(4));
  const auto printed = [](const auto& work) {
    ::testing::internal::CaptureStderr();
    work();
    return ::testing::internal::GetCapturedStderr();
  };
  using ::testing::StartsWith;
  constexpr const char* dropped =
      "warpsafe: the error of a copy was dropped unread; take it with std::move(pending).get()\n";
  const std::string refused = printed([&] {
    host::fail_next(call_of<&host_backend::copy>, 1, HostStatus::invalid_value);
    auto token = buffer.to_host(stream);
    const auto moved = std::move(token);
  });
  EXPECT_THAT(refused, StartsWith(std::string(dropped) + "copy to host failed: invalid argument"));
  EXPECT_EQ(refused.find("warpsafe:", 1), std::string::npos) << "once: " << refused;
  // A staging buffer that was moved into the first copy has no elements for the second.
  auto to = filled(counting(4));
  auto staging = PinnedBuffer<int>::create(4).value();
  auto sent_first = copy(stream, warpsafe::from(std::move(staging)), warpsafe::to(to));
  const auto first = std::move(sent_first).get();
  ASSERT_TRUE(first.has_value());
  EXPECT_THAT(
      printed([&] {
        const auto sent = copy(stream, warpsafe::from(std::move(staging)), warpsafe::to(to));
      }),
      StartsWith(std::string(dropped) + "copy not called: this buffer was closed or moved"));
  EXPECT_EQ(printed([&] {
              host::fail_next(call_of<&host_backend::copy>, 1, HostStatus::invalid_value);
              const auto token = buffer.to_host<CheckLevel::off>(stream);
            }),
            "");
}

TEST_F(PendingTest, AFaultThatOnlyADestructorMeetsIsPrinted) {
  const auto buffer = filled(counting(4));
  const auto drop = [&](HostStatus status) {
    ::testing::internal::CaptureStderr();
    {
      const auto token =
          copy<CheckLevel::off>(stream, warpsafe::from(buffer),
                                warpsafe::to(PinnedBuffer<int>::create(buffer.size()).value()));
      host::fail_next(call_of<&host_backend::event_synchronize>, 1, status);
    }
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(drop(HostStatus::unknown),
            "warpsafe: event synchronize failed: unknown error (hostErrorUnknown); a destructor "
            "drops this error: take it with std::move(pending).get()\n");
  // A fault makes every later call fail. It is printed here unless an earlier test knows of one.
  static_cast<void>(drop(HostStatus::illegal_address));
  EXPECT_EQ(drop(HostStatus::illegal_address), "") << "the program knows of the fault";
}

TEST_F(PendingTest, AFaultOfAnotherDeviceIsPrintedThoughTheProgramKnowsOfOne) {
  host::set_device_count(3);
  const auto told = std::exchange(detail::faults_told, {});  // by earlier tests
  const auto dropped_on = [](int device) {
    const auto guard = DeviceGuard::create(DeviceId(device)).value();
    const auto own = Stream::create().value();
    const auto memory = DeviceBuffer<int>::create(own, 4).value();
    ::testing::internal::CaptureStderr();
    {
      const auto token =
          copy<CheckLevel::off>(own, warpsafe::from(memory),
                                warpsafe::to(PinnedBuffer<int>::create(memory.size()).value()));
      host::fail_next(call_of<&host_backend::event_synchronize>, 1, HostStatus::illegal_address);
    }
    return ::testing::internal::GetCapturedStderr();
  };
  const auto is_told =
      ::testing::HasSubstr("drops this error: take it with std::move(pending).get()");
  EXPECT_THAT(dropped_on(1), is_told);
  EXPECT_EQ(dropped_on(1), "");
  EXPECT_THAT(dropped_on(2), is_told) << "of another device";
  detail::faults_told = told;
}

TEST_F(PendingTest, MemoryThatTheDeviceMayStillWriteIsNeverGivenBack) {
  const auto buffer = filled(counting(4));
  {
    auto token = start_copy(stream, buffer);
    host::fail_next(call_of<&host_backend::event_synchronize>, 1, HostStatus::unknown);
    EXPECT_EQ(error_in(std::move(token).get()).code, Errc::runtime_failed);
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::host_deallocate>), 0U);
}

// Without the event, and without the wait that stands for it, the copy may still run.
TEST_F(PendingTest, MemoryOfACopyThatCannotBeWaitedForIsNeverGivenBack) {
  const auto given_back = [] { return host::calls_made(call_of<&host_backend::host_deallocate>); };
  const auto buffer = filled(counting(4));
  const struct {
    HostStatus event, wait;
    bool kept;
  } rows[] = {
      {HostStatus::out_of_memory, HostStatus::unknown, true},
      {HostStatus::out_of_memory, HostStatus::success, false},
      {HostStatus::illegal_address, HostStatus::unknown, false},  // nothing runs any more
  };
  for (const auto& [event, wait, kept] : rows) {
    const auto before = given_back();
    host::fail_next(call_of<&host_backend::event_record>, 1, event);
    if (wait != HostStatus::success) {
      host::fail_next(call_of<&host_backend::stream_synchronize>, 1, wait);
    }
    { const auto token = start_copy(stream, buffer); }
    EXPECT_EQ(given_back() - before, kept ? 0U : 1U) << static_cast<int>(event);
    host::take_last_error();
  }
}

TEST_F(PendingTest, HadItHoldsTheDevicesMemoryNoLonger) {
  auto first = filled(counting(4));
  auto second = filled(counting(4));
  auto one = start_copy(stream, first);
  auto other = start_copy(stream, second);
  ASSERT_TRUE(first.close().has_value());
  ASSERT_TRUE(second.close().has_value());
  EXPECT_EQ(held_bytes(), 2 * 4 * sizeof(int));
  EXPECT_TRUE(std::move(one).get().has_value());
  EXPECT_EQ(held_bytes(), 4 * sizeof(int));
  EXPECT_TRUE(synchronize(stream, std::move(other)).has_value());
  EXPECT_EQ(held_bytes(), 0U);
}

// The copy to pageable memory has ended when the call returns.
TEST_F(PendingTest, OfPageableMemoryNeedsNoEvent) {
  auto buffer = filled(counting(4));
  auto token = buffer.to_host(stream);
  ASSERT_TRUE(buffer.close().has_value());
  EXPECT_EQ(held_bytes(), 0U);
  EXPECT_TRUE(token.ready().value());
  EXPECT_EQ(std::move(token).get().value(), counting(4));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_create>), 0U);
}

TEST_F(PendingTest, OfPageableMemoryHasTheErrorOfItsWait) {
  const auto buffer = filled(counting(4));
  for (const HostStatus status : {HostStatus::illegal_address, HostStatus::unknown}) {
    host::fail_next(call_of<&host_backend::stream_synchronize>, 1, status);
    auto token = buffer.to_host(stream);
    EXPECT_EQ(error_in(std::move(token).get()).stage, Stage::completion);
  }
}

TEST_F(PendingTest, SeveralAreHadAfterOneWait) {
  const auto ints = filled(counting(4));
  const auto doubles = DeviceBuffer<double>::from(stream, counting<double>(2)).value();
  auto first = ints.to_host(stream);
  auto second = doubles.to_host(stream);
  const auto waits = host::calls_made(call_of<&host_backend::stream_synchronize>);
  auto both = synchronize(stream, std::move(first), std::move(second));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(std::get<0>(both.value()), counting(4));
  EXPECT_EQ(std::get<1>(both.value()), counting<double>(2));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_synchronize>), waits + 1);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_synchronize>), 0U);
}

TEST_F(PendingTest, OneOfAnotherStreamIsWaitedForByItself) {
  const Stream other = Stream::create().value();
  const auto buffer = filled(counting(4));
  hold(other);
  open_soon();
  auto both = synchronize(stream, start_copy(stream, buffer), start_copy(other, buffer));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(std::get<1>(both.value()).span()[3], 3);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_synchronize>), 1U);
}

TEST_F(PendingTest, TheFirstErrorOfSeveralIsTheirs) {
  const auto buffer = filled(counting(4));
  auto good = buffer.to_host<CheckLevel::off>(stream);
  host::fail_next(call_of<&host_backend::copy>, 1, HostStatus::invalid_value);
  auto bad = buffer.to_host(stream);
  EXPECT_EQ(error_in(synchronize(stream, std::move(good), std::move(bad))).code,
            Errc::runtime_failed);
}

TEST_F(PendingTest, OneThatIsGivenTwiceIsRefusedAndKeepsItsValue) {
  const Stream other = Stream::create().value();
  const auto buffer = filled(counting(4));
  auto first = buffer.to_host(stream);
  for (const Stream* on : {static_cast<const Stream*>(&stream), &other}) {
    auto second = buffer.to_host<CheckLevel::off>(stream);
    EXPECT_EQ(
        error_in(synchronize(*on, std::move(first), std::move(second), std::move(first))).code,
        Errc::pending_taken);
    EXPECT_EQ(std::move(second).get().value(), counting(4));
  }
  EXPECT_EQ(std::move(first).get().value(), counting(4));
}

TEST_F(PendingTest, ALoopOverTheTakenValueHasItsElements) {
  const auto buffer = filled(counting(1000));
  int sum = 0;
  for (const int value : buffer.to_host(stream).get().value()) sum += value;
  EXPECT_EQ(sum, 499500);
}

}  // namespace
}  // namespace warpsafe::core_test
