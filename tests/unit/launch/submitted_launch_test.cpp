// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a launch submits after its checks, and who hears of it.

#include "hand_made_arguments.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace warpsafe::core_test {
namespace {

class SubmittedLaunch : public LaunchArgumentsTest {
 protected:
  SubmittedLaunch() { script.device = 2; }
  /// The types of a launch whose arguments may have owners, and which takes dynamic shared memory.
  static detail::LaunchTypes<Driver, Driver> types_of(const detail::KernelFacts& kernel,
                                                      const detail::ArgumentWords& words) {
    return {kernel,         words.types(),
            nullptr,        &detail::record_owners<Driver>,
            nullptr,        &detail::prepare_options<Driver, true, false>,
            &Driver::launch};
  }
};

TEST_F(SubmittedLaunch, ASubmittedLaunchIsOneCallInItsKernelsName) {
  detail::MemoryOwner third = owner_on(3);
  const detail::ArgumentFacts facts = view_facts();
  const int seven = 7;
  const detail::ArgumentFacts number = plain_facts(4);
  const OwnedArgument given{nullptr, 1, &third};
  const ParameterInfo parameters[] = {{4, 4, false, false}, {8, 8, true, true}};
  const detail::ElementInfo elements[] = {{ElementType::bytes, 4}, {ElementType::bytes, 4}};
  const KernelEntry its_entry{nullptr, nullptr, parameters, 2};
  const detail::KernelFacts kernel{{}, elements, nullptr};
  detail::KernelSlots<Driver> slots{};
  const detail::LaunchedKernel<Driver> launched{its_entry, Name::of("noted"), slots, -1};
  Arguments all;
  all.add(number, &seven);
  all.add(facts, &given);
  const detail::ArgumentWords words = all.words();
  const detail::LaunchTypes<Driver, Driver> types = types_of(kernel, words);
  detail::LaunchTypes<Driver, Driver> of_one_stream{kernel,  words.types(), nullptr,     nullptr,
                                                    nullptr, types.prepare, types.launch};
  const auto submitted = [&](std::uint64_t bytes, bool foreign) {
    Driver::windows = nullptr;
    LaunchShape its_shape = shape(bytes);
    const auto done = detail::run_checked_launch<Driver, Driver>(
        at(), foreign ? types : of_one_stream, {its_shape, nullptr}, launched, all.room());
    EXPECT_EQ(host::caller().windows, nullptr) << "they are of one launch alone";
    if (!done.has_value()) error = done.error();
    return done.has_value();
  };
  EXPECT_TRUE(submitted(5, false));
  EXPECT_EQ(script.taken(),
            (Calls{"attributes_of", "attributes_of", "raise_dynamic_shared 5", "launch 7 7 1"}));
  EXPECT_NE(Driver::windows, nullptr);
  EXPECT_EQ(Driver::place, "noted");
  EXPECT_TRUE(submitted(5, false));
  EXPECT_EQ(script.taken(), (Calls{"launch 7 7 1"})) << "raised already";
  EXPECT_TRUE(submitted(0, true));
  EXPECT_EQ(script.taken(), (Calls{"launch 7 7 1", "use 3 1 2"}));
  script.fails["use"] = 1;
  EXPECT_FALSE(submitted(0, true));
  script.calls.clear();

  for (const int status : {1, 719}) {
    script.fails = {{"launch", status}};
    EXPECT_FALSE(submitted(5, true));
    EXPECT_EQ(script.taken(), (Calls{"launch 7 7 1"}));
    EXPECT_EQ(error.code, status == 1 ? Errc::launch_refused : Errc::pending_error) << status;
    EXPECT_EQ(error.stage, Stage::launch);
    EXPECT_EQ(error.device, 2);
    EXPECT_EQ(error.stream, Driver::handle<void*>(1));
    EXPECT_EQ(error.grid[0], 7U);
    EXPECT_EQ(error.dynamic_shared, 5U);
    EXPECT_EQ(text(error.kernel), "noted");
    EXPECT_TRUE(is_app(error.site));
    script.fails = {{"raise_dynamic_shared", status}};
    EXPECT_FALSE(submitted(70000, true));
    EXPECT_EQ(script.taken(), (Calls{"attributes_of", "raise_dynamic_shared 70000"}));
    EXPECT_EQ(error.raw, status);
  }
}

/// While one exists, a capture is open, which hears of each checked launch.
class HeardLaunches {
 public:
  HeardLaunches() {
    hooks_.launched = [](detail::WhichStream stream, const KernelEntry&,
                         void* const* values) noexcept {
      script.call("captured", stream.handle, *static_cast<const int*>(values[0]));
    };
    hooks_.submitting = [](detail::WhichStream stream, const Name& what,
                           const call_site& site) noexcept {
      EXPECT_TRUE(is_app(site));
      EXPECT_EQ(text(what), "noted");
      script.call("submitting", stream.handle);
    };
    __atomic_store_n(&detail::capture_hooks, &hooks_, __ATOMIC_RELEASE);
  }
  ~HeardLaunches() { __atomic_store_n(&detail::capture_hooks, before_, __ATOMIC_RELEASE); }
  HeardLaunches(const HeardLaunches&) = delete;
  HeardLaunches& operator=(const HeardLaunches&) = delete;

 private:
  const detail::CaptureHooks* before_ = detail::open_captures();
  detail::CaptureHooks hooks_{};
};

TEST_F(SubmittedLaunch, AnOpenCaptureHearsOfALaunch) {
  const detail::ArgumentFacts number = plain_facts(4);
  const int seven = 7;
  const ParameterInfo parameters[] = {{4, 4, false, false}};
  const detail::ElementInfo elements[] = {{ElementType::bytes, 4}};
  const KernelEntry its_entry{nullptr, nullptr, parameters, 1};
  const detail::KernelFacts kernel{{}, elements, nullptr};
  detail::KernelSlots<Driver> slots{};
  const detail::LaunchedKernel<Driver> launched{its_entry, Name::of("noted"), slots, -1};
  Arguments all;
  all.add(number, &seven);
  detail::ArgumentWords words = all.words();
  const detail::LaunchTypes<Driver, Driver> types = types_of(kernel, words);
  const auto expect_calls = [&](const Calls& calls) {
    LaunchShape its_shape = shape();
    EXPECT_TRUE((detail::run_checked_launch<Driver, Driver>(at(), types, {its_shape, nullptr},
                                                            launched, all.room())
                     .has_value()));
    EXPECT_EQ(script.taken(), calls);
  };
  expect_calls({"attributes_of", "launch 7 7 1"});
  {
    const HeardLaunches heard;
    expect_calls({"captured 1 7", "submitting 1", "launch 7 7 1"});
  }
  expect_calls({"launch 7 7 1"});
}

}  // namespace
}  // namespace warpsafe::core_test
