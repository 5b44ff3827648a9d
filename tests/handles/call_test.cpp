// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Calls of a library's functions through a bound handle: what reaches the library, and which errors
// are found first, at each check level.

#include "toy_fixture.hpp"
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace warpsafe::handle_test {
namespace {

struct CallTest : ToyTest {
  CallTest() { toy::log.clear(); }
  /// The text of an error without its line.
  template <class Result>
  [[nodiscard]] static std::string text(const Result& outcome) {
    LaunchError error = error_in(outcome);
    EXPECT_NE(error.site.file, nullptr) << "every error of a call has its line";
    error.site = {};
    return message(error);
  }
  Toy toy = Toy::create(stream).value();
};

TEST_F(CallTest, RunsOnTheBoundStream) {
  float* const x = device_array<float>(1);
  ASSERT_THAT(toy.call<toy::toy_write>(2.0F, trust(x)), Succeeds());
  const float factor = 3.0F;
  ASSERT_THAT(toy.call<toy::toy_scale>(1, &factor, trust(x)), Succeeds());
  ASSERT_THAT(toy.call<toy::toy_scale>(1, host_scalar(factor), trust(x)), Succeeds());
  ASSERT_THAT(toy.call<toy::toy_scale>(1, host_scalar(0.5F), trust(x)), Succeeds());
  ASSERT_THAT(stream.synchronize(), Succeeds());
  EXPECT_EQ(*x, 9.0F);
}

TEST_F(CallTest, TakesBuffersPointersOfSizesArraysAndVariablesToWrite) {
  auto x = DeviceBuffer<float>::create(stream, 1).value();
  ASSERT_THAT(toy.call<toy::toy_write>(4.0F, x.view()), Succeeds());
  EXPECT_THAT(x.to_host(stream).get().value(), ElementsAre(4.0F));
  int version = 0;
  ASSERT_THAT(toy.call<toy::toy_get_version>(&version), Succeeds());
  EXPECT_EQ(version, 12);
  int sizes[] = {3, 4};
  int sum = 0;
  ASSERT_THAT(toy.call<toy::toy_sum_sizes>(2, sizes, &sum), Succeeds());
  EXPECT_EQ(sum, 7);
  float a = 1.0F;
  float b = 2.0F;
  ASSERT_THAT(toy.call<toy::toy_rotate>(host_scalar(a), host_scalar(b)), Succeeds());
  EXPECT_EQ(a, 2.0F);
  EXPECT_EQ(b, 1.0F);
}

TEST_F(CallTest, ScalarsOnTheDeviceAreSaidSoForOneCall) {
  float* const x = device_array<float>(2);
  ASSERT_THAT(toy.call<toy::toy_write>(2.0F, trust(x)), Succeeds());
  ASSERT_THAT(toy.call<toy::toy_write>(5.0F, trust(x + 1)), Succeeds());
  toy::log.clear();
  const auto there = device_scalar(trust(x + 1));
  ASSERT_THAT((toy.call<toy::toy_scale, CheckLevel::off>(1, there, trust(x))), Succeeds());
  EXPECT_THAT(toy::take_log(), ElementsAre("scalars_on_device", "scale", "scalars_on_host"));
  ASSERT_THAT((toy.call<toy::toy_scale_by, CheckLevel::off>(there, 1U, trust(x))), Succeeds());
  EXPECT_THAT(toy::take_log(), ElementsAre("scalars_on_device", "scale", "scalars_on_host"))
      << "as the first argument";
  ASSERT_THAT(toy.call<toy::toy_scale_by>(host_scalar(10.0F), 1U, trust(x)), Succeeds());
  ASSERT_THAT(stream.synchronize(), Succeeds());
  EXPECT_EQ(*x, 500.0F);
}

TEST_F(CallTest, ThePointerModeGoesBackAfterAFailureToo) {
  float* const x = device_array<float>(1);
  const auto scale = [&](const char* failing) {
    toy::log.clear();
    toy::failing = failing;
    const auto there = device_scalar(trust(x));
    return text(toy.call<toy::toy_scale, CheckLevel::off>(1, there, trust(x)));
  };
  EXPECT_EQ(scale("scale"), "toy::toy_scale failed: the toy is broken (toy_broken, 7)");
  EXPECT_FALSE(toy.native()->scalars_on_device);
  EXPECT_EQ(scale("scalars_on_device"),
            "toy set pointer mode failed: the toy is broken (toy_broken, 7)");
  EXPECT_THAT(toy::take_log(), ElementsAre("scalars_on_device"));
  EXPECT_EQ(scale("scalars_on_host"),
            "toy set pointer mode failed: the toy is broken (toy_broken, 7)");
}

TEST_F(CallTest, AFunctionThatFailsMayHaveSubmittedAPartOfItsWork) {
  const Stream other = Stream::create().value();
  auto x = DeviceBuffer<float>::create(other, 1).value();
  toy::failing = "scale";
  ASSERT_FALSE((toy.call<toy::toy_scale>(1, host_scalar(2.0F), x.view()).has_value()));
  const auto waits = host::calls_made(call_of<&host_backend::stream_wait>);
  EXPECT_THAT(x.close(), Succeeds());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_wait>), waits + 1);
}

TEST_F(CallTest, AFunctionThatTakesItsStreamIsGivenIt) {
  toy::log.clear();
  auto comm = Comm::create(stream, 3).value();
  EXPECT_THAT(toy::take_log(), ElementsAre("comm create"));
  float* const x = device_array<float>(2);
  x[0] = 2.0F;
  ASSERT_THAT(comm.call<toy::toy_send>(trust(x), 1U, trust(x + 1)), Succeeds());
  ASSERT_THAT(stream.synchronize(), Succeeds());
  EXPECT_EQ(x[1], 6.0F);
  const Stream next = Stream::create().value();
  auto moved = std::move(comm).rebind(next).value();
  ASSERT_THAT(moved.call<toy::toy_send>(trust(x), 1U, trust(x)), Succeeds());
  ASSERT_THAT(next.synchronize(), Succeeds());
  EXPECT_EQ(x[0], 9.0F);
  const auto failed = moved.call<toy::toy_send>(trust(x), 5U, trust(x));
  EXPECT_EQ(text(failed), "toy::toy_send failed: toy_invalid_value (3)") << "it has no texts";
}

TEST_F(CallTest, AStatusThatIsNoFailureIsASuccess) {
  toy::log.clear();
  EXPECT_THAT((toy.call<toy::toy_crawl, CheckLevel::off>()), Succeeds());
  EXPECT_THAT(toy::take_log(), ElementsAre("crawl"));
}

TEST_F(CallTest, AnErrorHasTheCallersLine) {
  toy::failing = "reset";
  const LaunchError alone = error_in(toy.call<toy::toy_reset>());
  EXPECT_EQ(alone.site.line, __LINE__ - 1U);
  toy::failing = "write float";
  const LaunchError overloaded = error_in(toy.call<toy::toy_write>(1.0F, nullptr));
  EXPECT_EQ(overloaded.site.line, __LINE__ - 1U);
  const LaunchError negative = error_in(toy.call<toy::toy_scale>(-1, nullptr, nullptr));
  EXPECT_EQ(negative.site.line, __LINE__ - 1U);
  EXPECT_THAT(negative.site.file, testing::HasSubstr("call_test.cpp"));
  EXPECT_EQ(negative.stage, Stage::runtime_call);
  EXPECT_EQ(negative.raw, toy::toy_invalid_value);
  EXPECT_EQ(negative.stream, stream.native());
  EXPECT_EQ(negative.device, 0);
}

TEST_F(CallTest, EachLevelAsksNoMoreThanItSays) {
  const auto asked = [&](auto level) {
    toy::log.clear();
    const auto before = host::calls_made(call_of<&host_backend::current_device>);
    EXPECT_THAT((toy.call<toy::toy_reset, decltype(level)::value>()), Succeeds());
    return host::calls_made(call_of<&host_backend::current_device>) - before;
  };
  EXPECT_EQ(asked(std::integral_constant<CheckLevel, CheckLevel::full>{}), 1U);
  EXPECT_THAT(toy::take_log(), ElementsAre("get_stream", "get_mode", "reset"));
  EXPECT_EQ(asked(std::integral_constant<CheckLevel, CheckLevel::off>{}), 0U);
  EXPECT_THAT(toy::take_log(), ElementsAre("reset"));
}

TEST_F(CallTest, FindsAStreamThatWasChangedBehindItsBack) {
  const Stream other = Stream::create().value();
  ASSERT_EQ(toy::toy_set_stream(toy.native(), other.native()), toy::toy_success);
  toy::log.clear();
  const auto refused = toy.call<toy::toy_reset>();
  EXPECT_EQ(error_in(refused).code, Errc::handle_stream_changed);
  EXPECT_EQ(error_in(refused).stage, Stage::validation);
  EXPECT_EQ(
      text(refused),
      "toy::toy_reset not called: other code set another stream on the handle of this StreamBound; "
      "use rebind");
  EXPECT_THAT(toy::take_log(), ElementsAre("get_stream"));
  EXPECT_THAT((toy.call<toy::toy_reset, CheckLevel::off>()), Succeeds()) << "it asks nobody";
}

TEST_F(CallTest, FindsAPointerModeThatWasChangedBehindItsBack) {
  ASSERT_EQ(toy::toy_set_mode(toy.native(), true), toy::toy_success);
  const auto refused = toy.call<toy::toy_reset>();
  EXPECT_EQ(error_in(refused).code, Errc::handle_pointer_mode);
  EXPECT_EQ(
      text(refused),
      "toy::toy_reset not called: the handle's pointer mode does not match these scalars: give all "
      "scalars of a call as host_scalar or all as device_scalar, and do not set the mode elsewhere");
}

TEST_F(CallTest, FindsScalarsInTwoPlaces) {
  float* const x = device_array<float>(1);
  float y = 0.0F;
  const auto there = device_scalar(trust(x));
  EXPECT_EQ(error_in(toy.call<toy::toy_rotate>(there, host_scalar(y))).code,
            Errc::handle_pointer_mode);
  EXPECT_EQ(error_in(toy.call<toy::toy_rotate>(&y, there)).code, Errc::handle_pointer_mode);
}

TEST_F(CallTest, AReleaseBuildTooRefusesScalarsInTwoPlaces) {
  float* const x = device_array<float>(1);
  float y = 0.0F;
  toy::log.clear();
  const auto there = device_scalar(trust(x));
  const auto refused = toy.call<toy::toy_rotate, CheckLevel::off>(there, host_scalar(y));
  EXPECT_EQ(error_in(refused).code, Errc::handle_pointer_mode);
  EXPECT_NE(error_in(refused).site.line, 0U);
  int beta = 1;  // a pointer to a whole number is a scalar too, where the traits say so
  const auto blended = toy.call<toy::toy_blend, CheckLevel::off>(there, &beta, &y);
  EXPECT_EQ(error_in(blended).code, Errc::handle_pointer_mode);
  EXPECT_THAT(toy::take_log(), testing::IsEmpty());
}

TEST_F(CallTest, ScalarsOfBothPlacesTakeTurns) {
  float* const x = device_array<float>(3);
  ASSERT_THAT(toy.call<toy::toy_write>(1.0F, trust(x)), Succeeds());
  ASSERT_THAT(toy.call<toy::toy_write>(2.0F, trust(x + 1)), Succeeds());
  ASSERT_THAT(toy.call<toy::toy_write>(4.0F, trust(x + 2)), Succeeds());
  const auto add_to_the_third = [&](auto level) {
    constexpr CheckLevel at = decltype(level)::value;
    const float ten = 10.0F;
    const auto on_device = device_scalar(trust(x + 1));
    ASSERT_THAT((toy.call<toy::toy_axpy, at>(1, &ten, trust(x), trust(x + 2))), Succeeds());
    ASSERT_THAT((toy.call<toy::toy_axpy, at>(1, on_device, trust(x), trust(x + 2))), Succeeds());
    ASSERT_THAT((toy.call<toy::toy_axpy, at>(1, host_scalar(100.0F), trust(x), trust(x + 2))),
                Succeeds());
    // A raw pointer where the library takes an array is no scalar of the host.
    ASSERT_THAT((toy.call<toy::toy_axpy, at>(1, on_device, x, x + 2)), Succeeds());
  };
  toy::log.clear();
  add_to_the_third(std::integral_constant<CheckLevel, CheckLevel::off>{});
  EXPECT_THAT(toy::take_log(),
              ElementsAre("axpy, host", "scalars_on_device", "axpy, device", "scalars_on_host",
                          "axpy, host", "scalars_on_device", "axpy, device", "scalars_on_host"));
  add_to_the_third(std::integral_constant<CheckLevel, CheckLevel::full>{});
  ASSERT_THAT(stream.synchronize(), Succeeds());
  EXPECT_EQ(x[2], 4.0F + 2 * (10.0F + 2.0F + 100.0F + 2.0F));
}

TEST_F(CallTest, FindsARawPointerOnTheWrongSide) {
  float* const x = device_array<float>(2);
  float on_host = 1.0F;
  const auto scalar = toy.call<toy::toy_axpy>(1, x, trust(x), trust(x + 1));
  EXPECT_EQ(error_in(scalar).code, Errc::handle_pointer_mode);
  EXPECT_EQ(error_in(scalar).argument(), 2U);
  EXPECT_EQ(
      text(scalar),
      "toy::toy_axpy not called: argument 2 is a scalar in device memory, and the library reads "
      "it on the host; pass all scalars of the call as device_scalar(trust(p))");
  const int beta = 1;
  const auto first = toy.call<toy::toy_blend>(x, &beta, &on_host);
  EXPECT_EQ(error_in(first).code, Errc::handle_pointer_mode);
  EXPECT_EQ(error_in(first).argument(), 1U);
  const auto data = toy.call<toy::toy_axpy>(1, host_scalar(1.0F), &on_host, trust(x));
  EXPECT_EQ(error_in(data).code, Errc::argument_host_pointer);
  EXPECT_EQ(error_in(data).argument(), 3U);
}

TEST_F(CallTest, ARawPointerOnTheRightSidePasses) {
  float* const x = device_array<float>(2);
  auto pinned = PinnedBuffer<float>::create(1).value();
  pinned.span()[0] = 2.0F;
  EXPECT_THAT(toy.call<toy::toy_axpy>(1, pinned.span().data(), x, x + 1), Succeeds());
  EXPECT_THAT(toy.call<toy::toy_axpy>(0, pinned.span().data(), pinned.span().data(), x), Succeeds())
      << "the device reads pinned memory";
  float result = 0.0F;
  const int two = 2;
  EXPECT_THAT(toy.call<toy::toy_blend>(host_scalar(1.0F), &two, &result), Succeeds());
  EXPECT_EQ(result, 3.0F) << "the table does not name this pointer, so it may be on the host";
  EXPECT_THAT(toy.call<toy::toy_axpy>(0, host_scalar(1.0F), nullptr, nullptr), Succeeds());
  int* const count = device_array<int>(1);
  toy::log.clear();
  EXPECT_THAT((toy.call<toy::toy_blend, CheckLevel::off>(
                  device_scalar(trust(x)), device_scalar(trust(count)), host_scalar(result))),
              Succeeds())
      << "a size is on the host in both modes";
  EXPECT_THAT(toy::take_log(),
              ElementsAre("scalars_on_device", "blend, device", "scalars_on_host"));
  EXPECT_THAT(stream.synchronize(), Succeeds());
}

TEST_F(CallTest, FindsAnotherCurrentDevice) {
  host::set_device_count(2);
  const Stream here = Stream::create().value();
  auto on_device_0 = Toy::create(here).value();
  const auto guard = DeviceGuard::create(DeviceId(1)).value();
  const auto refused = on_device_0.call<toy::toy_reset>();
  EXPECT_EQ(error_in(refused).code, Errc::stream_wrong_device);
  EXPECT_EQ(
      text(refused),
      "toy::toy_reset not called: the stream belongs to device 0, but device 1 is current; make "
      "device 0 current with DeviceGuard");
}

TEST_F(CallTest, FindsMemoryThatItsDeviceCannotAccess) {
  host::set_device_count(2);
  const Stream here = Stream::create(DeviceId(0)).value();
  const Stream there = Stream::create(DeviceId(1)).value();
  auto near = DeviceBuffer<float>::create(here, 1).value();
  auto far = DeviceBuffer<float>::create(there, 1).value();
  auto on_device_0 = Toy::create(here).value();
  const auto refused = on_device_0.call<toy::toy_write>(4.0F, far.view());
  EXPECT_EQ(
      text(refused),
      "toy::toy_write not called: argument 2 is memory of device 1, which device 0 cannot "
      "access; copy it to device 0, or, if cudaDeviceCanAccessPeer says yes, allow the access "
      "(cudaMemPoolSetAccess; for cudaMalloc cudaDeviceEnablePeerAccess)");
  const auto scalar =
      on_device_0.call<toy::toy_scale_by>(device_scalar(far.view()), 1U, near.view());
  EXPECT_EQ(error_in(scalar).code, Errc::memory_wrong_device);
  EXPECT_EQ(error_in(scalar).argument(), 1U);
  const auto trusted = on_device_0.call<toy::toy_write>(4.0F, trust(far.view().pointer().get()));
  EXPECT_EQ(error_in(trusted).code, Errc::memory_wrong_device);
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_THAT(on_device_0.call<toy::toy_write>(4.0F, far.view()), Succeeds());
  EXPECT_THAT(on_device_0.call<toy::toy_scale_by>(device_scalar(far.view()), 1U, near.view()),
              Succeeds());
  EXPECT_THAT(here.synchronize(), Succeeds());
}

TEST_F(CallTest, FindsAHandleThatWasMovedOrClosed) {
  const std::string expected =
      "toy::toy_reset not called: this StreamBound was moved from or closed; use the one that it "
      "was moved to";
  Toy moved = std::move(toy);
  EXPECT_EQ(text(toy.call<toy::toy_reset>()), expected);
  ASSERT_THAT(moved.close(), Succeeds());
  const auto refused = moved.call<toy::toy_reset>();
  EXPECT_EQ(text(refused), expected);
  EXPECT_EQ(error_in(refused).code, Errc::handle_moved);
}

TEST_F(CallTest, FindsArgumentsByTheirValue) {
  float* const x = device_array<float>(1);
  const auto negative = toy.call<toy::toy_scale_by>(nullptr, -5, trust(x));
  EXPECT_EQ(error_in(negative).code, Errc::argument_negative);
  EXPECT_EQ(text(negative),
            "toy::toy_scale_by not called: argument 2 is -5, but the parameter is unsigned");
  float on_host = 1.0F;
  const auto host_memory = toy.call<toy::toy_write>(1.0F, trust(&on_host));
  EXPECT_EQ(error_in(host_memory).code, Errc::argument_host_pointer);
  EXPECT_EQ(text(host_memory),
            "toy::toy_write not called: argument 2 is host memory, which the device cannot read; "
            "pass a device buffer's view, or pinned or managed memory");
  const auto first = toy.call<toy::toy_scale_by>(device_scalar(trust(&on_host)), 1U, trust(x));
  EXPECT_EQ(error_in(first).code, Errc::argument_host_pointer);
  EXPECT_EQ(error_in(first).argument(), 1U);
}

std::atomic<bool> inside{false};
std::atomic<bool> may_leave{false};
toy::toy_status stay(toy::toy_handle) {
  inside = true;
  while (!may_leave) std::this_thread::yield();
  return toy::toy_success;
}

TEST_F(CallTest, FindsASecondThreadInTheHandle) {
  inside = may_leave = false;
  std::thread first([&] { EXPECT_THAT(toy.call<stay>(), Succeeds()); });
  while (!inside) std::this_thread::yield();
  const auto refused = toy.call<toy::toy_reset>();
  may_leave = true;
  first.join();
  EXPECT_EQ(error_in(refused).code, Errc::handle_busy);
  EXPECT_EQ(
      text(refused),
      "toy::toy_reset not called: another thread is using this handle; give each thread its own "
      "handle");
  EXPECT_THAT(toy.call<toy::toy_reset>(), Succeeds()) << "one after the other is fine";
}

toy::toy_status touch(toy::toy_comm) { return toy::toy_success; }

TEST_F(CallTest, ThreadsWithHandlesOfTheirOwnDoNotMeet) {
  std::atomic<int> done{0};
  const auto work = [&] {
    const Stream own = Stream::create().value();
    auto comm = Comm::create(own, 1).value();
    for (int i = 0; i < 100; ++i) done += comm.call<touch>().has_value() ? 1 : 0;
    EXPECT_THAT(comm.close(), Succeeds());
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(done, 200);
}

}  // namespace
}  // namespace warpsafe::handle_test
