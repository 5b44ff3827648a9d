// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// WARPSAFE_LOG=trace shows the arguments of a call that fails too. An answer that the runtime has
// not given is shown as the same number in every run.

#include "stream_driver.hpp"
#include <warpsafe/launch/detail/kernel_slots.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/event.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

/// While one exists, the first argument of each failed call of level full is noted.
class TracedAnswers {
 public:
  TracedAnswers() {
    tracer_.detail::OwnReport<int&>::report = &detail::report_call<int&>;
    tracer_.begin = []() noexcept { return std::uint64_t{0}; };
    tracer_.end = [](const detail::TracedCall&, int status, const detail::TracedValue* values,
                     std::size_t, std::uint64_t) noexcept {
      const bool negative = values[0].kind == detail::TracedValue::Kind::negative;
      if (status != 0) noted.push_back((negative ? "-" : "") + std::to_string(values[0].bits));
    };
    __atomic_store_n(&detail::call_tracer_in_use, &tracer_, __ATOMIC_RELEASE);
  }
  ~TracedAnswers() { __atomic_store_n(&detail::call_tracer_in_use, before_, __ATOMIC_RELEASE); }
  TracedAnswers(const TracedAnswers&) = delete;
  TracedAnswers& operator=(const TracedAnswers&) = delete;
  [[nodiscard]] static std::vector<std::string> taken() { return std::exchange(noted, {}); }

 private:
  static inline std::vector<std::string> noted;
  const detail::CallTracer* before_ =
      __atomic_load_n(&detail::call_tracer_in_use, __ATOMIC_ACQUIRE);
  detail::CallTracer tracer_{};
};

TEST_F(StreamDriverTest, AnAnswerThatIsNotGivenIsTracedAlike) {
  constexpr CheckLevel full = CheckLevel::full;
  const auto timed = Driver::stream(4).record_timed<CheckLevel::off>().value();
  const NotedWaits noted;  // the debug tools would set their own tracer
  const TracedAnswers traced;
  script.fails = {{"current_device", 1}, {"device_count", 1}, {"event_elapsed", 1}};
  EXPECT_FALSE((device_count<Driver, full>()).has_value());
  EXPECT_EQ(TracedAnswers::taken(), Calls{"0"});
  EXPECT_FALSE((current_device<Driver, full>()).has_value());
  EXPECT_EQ(TracedAnswers::taken(), Calls{"0"});
  EXPECT_FALSE(basic_device_guard<Driver>::create<full>(DeviceId(2)).has_value());
  EXPECT_EQ(TracedAnswers::taken(), Calls{"0"});
  EXPECT_FALSE(DriverStream::create<full>().has_value());
  EXPECT_EQ(TracedAnswers::taken(), Calls{"0"});
  EXPECT_EQ((detail::on_device<Driver, full>(2, []() noexcept { return 0; })), 1);
  EXPECT_EQ(TracedAnswers::taken(), Calls{"0"});
  EXPECT_FALSE(elapsed_ms<full>(timed, timed).has_value());
  EXPECT_EQ(TracedAnswers::taken(), Calls{"0"});

  // A launch knows no device that could be current.
  const KernelEntry entry{nullptr, nullptr, nullptr, 0};
  detail::KernelSlots<Driver> slots{};
  const detail::LaunchedKernel<Driver> launched{entry, Name::of("traced_kernel"), slots, -1};
  LaunchError error = LaunchError::make(Errc{}, Stage{});
  EXPECT_FALSE(
      detail::check_device(detail::Located<Driver>(Driver::stream(4), app), launched, error));
  EXPECT_EQ(TracedAnswers::taken(), Calls{"-1"});
}

}  // namespace
}  // namespace warpsafe::core_test
