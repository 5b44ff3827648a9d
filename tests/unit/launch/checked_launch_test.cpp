// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The steps of a checked launch, each alone, with a scripted runtime and limits made by hand.

#include "launch_driver.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/launch/detail/checked_launch.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

LaunchShape numbered_shape(std::uint32_t blocks, std::uint32_t threads, std::uint64_t bytes = 0) {
  LaunchShape shape;
  shape.grid[0] = blocks;
  shape.block[0] = threads;
  shape.grid[1] = shape.grid[2] = shape.block[1] = shape.block[2] = 1;
  shape.dynamic_shared = bytes;
  return shape;
}

class CheckedLaunch : public ScriptedTest {
 protected:
  using Driver = LaunchDriver;
  CheckedLaunch() {
    Driver::begin();
    needs.index_max = 99999;
    script.device = 2;
  }

  /// Those of a launch that covers as many elements as it has threads.
  static LaunchShape numbers_of(LaunchShape shape) {
    shape.elements = shape.blocks() * shape.threads_per_block();
    return shape;
  }
  /// The checks of the dimensions on a stream of `device`: what they find.
  Finding found(LaunchShape given, int device = 2) {
    const auto stream = Driver::stream(1, device);
    const auto at =
        detail::Located<Driver>(detail::StreamAccess::make<Driver>(stream.native(), device), app);
    const detail::KernelFacts facts{needs, nullptr, nullptr};
    const detail::ArgumentTypes none{nullptr, nullptr, 0, 0, false, true};
    const detail::LaunchTypes<Driver, Driver> types{
        facts,   none,   nullptr, nullptr, &detail::check_options<Driver, Driver, true, false>,
        nullptr, nullptr};
    const detail::LaunchNumbers numbers{given, nullptr};
    error = LaunchError::make(Errc{}, Stage{});
    detail::KernelAnswer answer;
    const bool fine = detail::check_numbers(at, types, numbers, launched(), answer, error);
    kernel_is_known = answer.limits != nullptr && answer.limits->known;
    EXPECT_EQ(fine, error.code == Errc{});
    return finding(error);
  }
  detail::LaunchedKernel<Driver> launched() {
    return {entry, Name::of("some_kernel"), slots, module_device};
  }
  static detail::Located<Driver> at(int device = 2, std::uintptr_t stream = 1) {
    return {detail::StreamAccess::make<Driver>(Driver::handle<void*>(stream), device), app};
  }
  static Finding fine() { return {Errc{}, Stage{}, 0, 0, Axis::none}; }
  static Finding refused(Errc code, std::uint64_t value, std::uint64_t limit) {
    return {code, Stage::validation, value, limit, Axis::none};
  }

  const KernelEntry entry{nullptr, nullptr, nullptr, 0};
  KernelNeeds needs;
  /// Of each test its own. They stay, as those of a program do.
  static detail::KernelSlots<Driver>& new_slots() {
    static auto& all = *new std::deque<detail::KernelSlots<Driver>>;
    return all.emplace_back();
  }
  detail::KernelSlots<Driver>& slots = new_slots();
  int module_device = -1;
  LaunchError error = LaunchError::make(Errc{}, Stage{});
  bool kernel_is_known = false;
};

TEST_F(CheckedLaunch, AsksTheDriverOnceAndFindsTheSameAfterwards) {
  for (const char* time : {"first", "later"}) {
    EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))), fine()) << time;
    EXPECT_TRUE(kernel_is_known);
    const Calls asked = {"limits_of 2", "attributes_of"};
    EXPECT_EQ(script.taken(), time == std::string("first") ? asked : Calls{}) << time;
    EXPECT_EQ(found(numbers_of(numbered_shape(10, 2048))),
              refused(Errc::block_too_large, 2048, 1024))
        << time;
    EXPECT_EQ(found(numbers_of(numbered_shape(1000, 100))), fine()) << time;
    EXPECT_EQ(found(numbers_of(numbered_shape(1000, 101))),
              refused(Errc::index_overflow, 101000, 100000))
        << time;
    script.device = 1;
    EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))), refused(Errc::stream_wrong_device, 1, 2))
        << time;
    script.device = 2;
  }
}

TEST_F(CheckedLaunch, AKernelMayBeKnownBeforeTheDevice) {
  KernelLimits local;
  int status = -1;
  ASSERT_NE(slots.find(entry, 2, local, status), nullptr);
  EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))), fine());
  EXPECT_EQ(script.taken(), (Calls{"attributes_of", "limits_of 2"}));
}

TEST_F(CheckedLaunch, TheIndexReachesEachElementOfASmallGrid) {
  const std::uint64_t most = ~std::uint64_t{0};
  for (int time = 0; time < 2; ++time) {
    const auto covering = [](std::uint64_t elements) {
      LaunchShape shape = numbered_shape(10, 256);
      shape.elements = elements;
      return shape;
    };
    EXPECT_EQ(found(covering(1)), fine());
    EXPECT_EQ(found(covering(99999)), fine());
    EXPECT_EQ(found(covering(100000)), fine());
    EXPECT_EQ(found(covering(100001)), refused(Errc::index_overflow, 100001, 100000));
    EXPECT_EQ(found(covering(100002)), refused(Errc::index_overflow, 100002, 100000));
    EXPECT_EQ(found(covering(most)), refused(Errc::index_overflow, most, 100000));
  }
}

TEST_F(CheckedLaunch, BlocksOfACooperativeLaunchAreResidentAtOnce) {
  const auto cooperative_of = [](std::uint32_t blocks, std::uint64_t bytes = 0) {
    LaunchShape shape = numbered_shape(blocks, 32, bytes);
    shape.cooperative = true;
    return numbers_of(shape);
  };
  for (int time = 0; time < 2; ++time) {
    Driver::resident = 5;  // on each of three multiprocessors
    EXPECT_EQ(found(cooperative_of(15)), fine());
    EXPECT_EQ(found(cooperative_of(16)), refused(Errc::cooperative_too_large, 16, 15));
    EXPECT_EQ(error.grid[0], 16U);
    EXPECT_EQ(error.device, 2);
    Driver::resident = -1;
    EXPECT_EQ(found(cooperative_of(1)), refused(Errc::cooperative_too_large, 1, 0))
        << "a runtime that answers nothing has no room";
  }
  Driver::resident = 1;
  script.calls.clear();
  EXPECT_EQ(found(cooperative_of(1, 1)), fine());
  EXPECT_EQ(script.taken(), (Calls{"attributes_of", "resident_blocks 32 1"}))
      << "one byte may need the opt-in";
  EXPECT_EQ(found(cooperative_of(1, 60000)), fine());
  EXPECT_EQ(script.taken(),
            (Calls{"attributes_of", "raise_dynamic_shared 60000", "resident_blocks 32 60000"}));
  script.fails["resident_blocks"] = 1;
  EXPECT_EQ(found(cooperative_of(1)).code, Errc::runtime_failed);
  EXPECT_EQ(error.stage, Stage::validation);
  EXPECT_TRUE(is_app(error.site));
}

TEST_F(CheckedLaunch, ALargeClusterMustFit) {
  LaunchShape shape = numbered_shape(32, 32);
  shape.has_cluster = shape.non_portable_cluster = true;
  shape.cluster[0] = 16;
  for (int time = 0; time < 2; ++time) {
    Driver::resident = 16;
    EXPECT_EQ(found(numbers_of(shape)), fine());
    Driver::resident = 15;
    EXPECT_EQ(found(numbers_of(shape)), refused(Errc::cluster_too_large, 16, 15));
  }
}

// Each failing query ends the check with its own status.
TEST_F(CheckedLaunch, AQueryThatFailsIsTheError) {
  for (const int status : {1, 700}) {
    for (const char* query : {"current_device", "limits_of", "attributes_of"}) {
      script.fails = {{query, status}};
      slots = {};
      for (auto& slot : detail::DeviceCache<Driver>::slots) slot = {};
      EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))).stage, Stage::validation) << query;
      EXPECT_EQ(error.raw, status) << query;
      EXPECT_EQ(text(error.operation), "launch");
      EXPECT_TRUE(is_app(error.site));
      const LaunchError reported =
          detail::report_refusal(error, numbered_shape(10, 256), at(), Name::of("some_kernel"));
      EXPECT_EQ(reported.device, 2) << query;
      EXPECT_EQ(reported.grid[0], 10U);
    }
  }
  script.fails = {};
  EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))), fine());
  script.fails = {{"current_device", 1}};
  EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))).code, Errc::runtime_failed)
      << "and later, too";
}

TEST_F(CheckedLaunch, AKernelOfAModuleNeedsTheModulesDevice) {
  for (int time = 0; time < 2; ++time) {
    const struct {
      int module, stream;
      Finding finding;
    } cases[] = {{-1, 2, fine()},
                 {2, 2, fine()},
                 {0, 2, refused(Errc::module_wrong_device, 2, 0)},
                 {1, 2, refused(Errc::module_wrong_device, 2, 1)},
                 {3, 2, refused(Errc::module_wrong_device, 2, 3)}};
    for (const auto& one : cases) {
      module_device = one.module;
      EXPECT_EQ(found(numbers_of(numbered_shape(10, 256)), one.stream), one.finding) << one.module;
    }
    script.device = 0;
    module_device = 0;
    EXPECT_EQ(found(numbers_of(numbered_shape(10, 256)), 0), fine());
    script.device = 2;
  }
}

TEST_F(CheckedLaunch, ARefusalNamesTheLaunchAndKeepsWhatTheCheckKnows) {
  const LaunchShape shape = numbered_shape(7, 64, 9);
  const auto reported = [&](LaunchError from) {
    return detail::report_refusal(from, shape, at(2, 6), Name::of("some_kernel"));
  };
  LaunchError unknown = LaunchError::make(Errc::grid_zero, Stage::validation);
  Driver::device_limits.name = Name::of("Scripted");
  const LaunchError named = reported(unknown);
  EXPECT_EQ(named.device, 2);
  EXPECT_EQ(text(named.kernel), "some_kernel");
  EXPECT_EQ(named.stream, Driver::handle<void*>(6));
  EXPECT_TRUE(is_app(named.site));
  EXPECT_EQ(named.grid[0], 7U);
  EXPECT_EQ(named.dynamic_shared, 9U);
  EXPECT_EQ(text(named.device_name), text(detail::device_name<Driver>(2)));
  EXPECT_FALSE(named.device_name.empty());

  for (const int device : {0, 1}) {
    unknown.device = device;
    unknown.device_name = Name::of("Known");
    unknown.code = Errc::grid_zero;
    EXPECT_EQ(reported(unknown).device, device) << "the check's own";
    EXPECT_EQ(text(reported(unknown).device_name), "Known");
    unknown.code = Errc::stream_wrong_device;
    EXPECT_EQ(reported(unknown).device, 2) << "the stream's";
  }
}

/// While one exists, kernels on devices have checks: "prepare vendor device" is noted.
class PreparedChecks {
 public:
  PreparedChecks() {
    hooks_.prepare = [](Vendor vendor, int device) noexcept {
      return script.call("prepare", vendor == Vendor::host, device);
    };
    hooks_.failed = []() noexcept { return false; };
    __atomic_store_n(&detail::check_hooks_in_use, &hooks_, __ATOMIC_RELEASE);
  }
  ~PreparedChecks() { __atomic_store_n(&detail::check_hooks_in_use, before_, __ATOMIC_RELEASE); }
  PreparedChecks(const PreparedChecks&) = delete;
  PreparedChecks& operator=(const PreparedChecks&) = delete;

 private:
  const detail::CheckHooks* before_ = detail::check_hooks();
  detail::CheckHooks hooks_{};
};

TEST_F(CheckedLaunch, ChecksInKernelsArePreparedOnTheLaunchsDevice) {
  const PreparedChecks prepared;
  EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))), fine());
  EXPECT_EQ(script.taken(), (Calls{"prepare 1 2", "limits_of 2", "attributes_of"}));
  script.fails["prepare"] = 1;
  EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))).code, Errc::runtime_failed);
  EXPECT_EQ(error.raw, 1);
  script.calls.clear();
  script.fails = {{"current_device", 1}};
  EXPECT_EQ(found(numbers_of(numbered_shape(10, 256))).code, Errc::runtime_failed);
  EXPECT_EQ(script.taken(), Calls{}) << "without a device there is nothing to prepare";
}

}  // namespace
}  // namespace warpsafe::core_test
