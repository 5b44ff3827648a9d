// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The records of WARPSAFE_DEVICE_CHECK: a launch makes them, and a wait takes what is in them.

#include "core_test.hpp"
#include "empty_check_records.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using detail::CheckRecord;
using detail::CheckUnit;
using detail::DeviceChecks;

/// What the units' functions did, and what they return.
struct UnitCalls {
  std::vector<std::string> made;
  int allocate_status = 0;
  int install_status[2] = {};
  CheckRecord records[2] = {};
  int allocated = 0;
  bool locked = true;
};
UnitCalls unit_calls;

int allocate_noted(void*& memory) noexcept {
  unit_calls.made.emplace_back("allocate");
  // Another thread's launch waits until the record is there.
  unit_calls.locked = unit_calls.locked && !detail::device_checks.lock.try_lock();
  if (unit_calls.allocate_status != 0) return unit_calls.allocate_status;
  unit_calls.records[unit_calls.allocated].line = 99;  // what the memory held before
  unit_calls.records[unit_calls.allocated].state = CheckRecord::filled;
  memory = &unit_calls.records[unit_calls.allocated++];
  return 0;
}
template <int Unit>
int install_noted(CheckRecord* record) noexcept {
  const auto place = record - unit_calls.records;
  unit_calls.made.push_back("unit " + std::to_string(Unit) + " gets " + std::to_string(place));
  return unit_calls.install_status[Unit];
}

LaunchError taken_error() {
  LaunchError error = LaunchError::make(Errc::execution_failed, Stage::launch, app);
  detail::take_failed_check(error);
  EXPECT_EQ(error.code, Errc::device_check_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_TRUE(is_app(error.site));
  return error;
}

class CheckRecords : public EmptyCheckRecords {
 protected:
  using Made = std::vector<std::string>;

  CheckRecords() { unit_calls = {}; }
  ~CheckRecords() override { unit_calls = {}; }
  CheckRecords(const CheckRecords&) = delete;
  CheckRecords& operator=(const CheckRecords&) = delete;

  /// The devices whose launches need no preparation.
  [[nodiscard]] std::uint64_t prepared() const { return checks_.of(Vendor::host).prepared; }
  static Made taken() { return std::exchange(unit_calls.made, {}); }

  CheckUnit first_{nullptr, Vendor::host, 0, &allocate_noted, &install_noted<0>};
  CheckUnit second_{nullptr, Vendor::host, 0, &allocate_noted, &install_noted<1>};
};

TEST_F(CheckRecords, AreThoseOfTheFirst64Devices) {
  EXPECT_EQ(DeviceChecks().of(Vendor::host).prepared, 0U);
  for (const int device : {0, 1, 31, 32, 63}) {
    unit_calls = {};
    clear();
    first_.installed = 0;
    detail::register_check_unit(first_);
    EXPECT_EQ(detail::prepare_checks(Vendor::host, device), 0);
    EXPECT_EQ(prepared(), std::uint64_t{1} << static_cast<unsigned>(device));
    EXPECT_EQ(first_.installed, prepared());
    EXPECT_EQ(detail::check_record_of(Vendor::host, device), &unit_calls.records[0]);
    EXPECT_EQ(unit_calls.records[0].line, 0U) << "it begins empty";
    EXPECT_EQ(unit_calls.records[0].state, CheckRecord::empty);
    EXPECT_EQ(taken(), (Made{"allocate", "unit 0 gets 0"}));
    EXPECT_EQ(detail::prepare_checks(Vendor::host, device), 0);
    EXPECT_EQ(taken(), Made{}) << "once";
    EXPECT_TRUE(unit_calls.locked);
  }
  for (const int device : {-1, 64, 65, 1000}) {
    EXPECT_EQ(detail::prepare_checks(Vendor::host, device), 0);
    EXPECT_EQ(taken(), Made{}) << device;
  }
}

TEST_F(CheckRecords, UnitsOfAVendorShareADevicesRecord) {
  CheckUnit foreign{nullptr, Vendor::nvidia, 0, &allocate_noted, &install_noted<1>};
  detail::register_check_unit(first_);
  detail::register_check_unit(foreign);
  detail::register_check_unit(second_);
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 2), 0);
  EXPECT_EQ(taken(), (Made{"allocate", "unit 1 gets 0", "unit 0 gets 0"}));
  EXPECT_EQ(foreign.installed, 0U);
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 0);
  EXPECT_EQ(taken(), (Made{"allocate", "unit 1 gets 1", "unit 0 gets 1"}));
  EXPECT_EQ(prepared(), 5U);
  EXPECT_EQ(first_.installed, 5U);
  EXPECT_EQ(second_.installed, 5U);
}

TEST_F(CheckRecords, EachVendorsDevicesHaveTheirOwn) {
  CheckUnit gpu{nullptr, Vendor::nvidia, 0, &allocate_noted, &install_noted<1>};
  detail::register_check_unit(first_);
  detail::register_check_unit(gpu);
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 0);
  EXPECT_EQ(taken(), (Made{"allocate", "unit 0 gets 0"}));
  EXPECT_EQ(detail::prepare_checks(Vendor::nvidia, 0), 0);
  EXPECT_EQ(taken(), (Made{"allocate", "unit 1 gets 1"}));
  for (const int record : {1, 0}) {
    EXPECT_FALSE(detail::any_check_failed());
    unit_calls.records[record].state = CheckRecord::filled;
    EXPECT_TRUE(detail::any_check_failed());
    EXPECT_EQ(taken_error().device, 0);
  }
}

// Two threads' waits may see one failed check. One of them takes the record.
TEST_F(CheckRecords, AWaitThatComesLateTellsTheSameCheck) {
  detail::register_check_unit(first_);
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 0);
  CheckRecord& record = unit_calls.records[0];
  detail::copy_check_text(record.text, "i < n");
  detail::copy_check_text(record.kernel, "scale");
  record.line = 12;
  record.state = CheckRecord::filled;
  for (const char* const wait : {"first", "second"}) {
    const LaunchError error = taken_error();
    EXPECT_EQ(text(error.raw_text), "i < n") << wait;
    EXPECT_EQ(text(error.kernel), "scale") << wait;
    EXPECT_EQ(error.value, 12U) << wait;
    EXPECT_EQ(error.device, 0) << wait;
  }
}

TEST_F(CheckRecords, AUnitThatComesLaterGetsTheRecordThatIsThere) {
  detail::register_check_unit(first_);
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 0);
  taken();
  detail::register_check_unit(second_);
  EXPECT_EQ(prepared(), 0U);
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 0);
  EXPECT_EQ(taken(), Made{"unit 1 gets 0"});
}

TEST_F(CheckRecords, AFailureIsReturnedAndTriedAgain) {
  detail::register_check_unit(first_);
  detail::register_check_unit(second_);
  unit_calls.allocate_status = 7;
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 7);
  EXPECT_EQ(taken(), Made{"allocate"});
  EXPECT_EQ(detail::check_record_of(Vendor::host, 0), nullptr);
  EXPECT_EQ(prepared(), 0U);

  unit_calls.allocate_status = 0;
  unit_calls.install_status[1] = 1;
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 1);
  EXPECT_EQ(taken(), (Made{"allocate", "unit 1 gets 0"}));
  EXPECT_EQ(second_.installed, 0U);
  EXPECT_EQ(prepared(), 0U);

  unit_calls.install_status[1] = 0;
  unit_calls.install_status[0] = 8;
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 8);
  EXPECT_EQ(taken(), (Made{"unit 1 gets 0", "unit 0 gets 0"}));
  EXPECT_EQ(second_.installed, 1U);
  EXPECT_EQ(first_.installed, 0U);
  EXPECT_EQ(prepared(), 0U);

  unit_calls.install_status[0] = 0;
  EXPECT_EQ(detail::prepare_checks(Vendor::host, 0), 0);
  EXPECT_EQ(taken(), Made{"unit 0 gets 0"}) << "the other has it already";
  EXPECT_EQ(prepared(), 1U);
}

TEST_F(CheckRecords, EachUnitIsListedOnce) {
  for (CheckUnit* const unit : {&first_, &second_, &first_, &second_, &first_}) {
    detail::register_check_unit(*unit);
    EXPECT_TRUE(checks_.lock.try_lock());
    checks_.lock.unlock();
  }
  EXPECT_EQ(checks_.units, &second_);
  EXPECT_EQ(second_.next, &first_);
  EXPECT_EQ(first_.next, nullptr);
}

// What a kernel leaves, and what the next wait takes.

TEST_F(CheckRecords, TheFirstFilledOneIsTakenAndCanBeFilledAgain) {
  CheckRecord records[3] = {};
  for (unsigned i = 0; i < 3; ++i) {
    records[i] = {
        CheckRecord::filled, 10 + i, {1, 2, 3 + i}, {4, 5, 6 + i}, "scale", "a.cu", "text"};
  }
  records[0].state = CheckRecord::filling;
  checks_.of(Vendor::host).records[3] = &records[0];
  EXPECT_FALSE(detail::any_check_failed()) << "the thread still writes it";
  checks_.of(Vendor::host).records[5] = &records[1];
  checks_.of(Vendor::host).records[63] = &records[2];
  EXPECT_TRUE(detail::any_check_failed());
  for (const unsigned expected : {1U, 2U}) {
    const LaunchError error = taken_error();
    EXPECT_EQ(error.device, expected == 1 ? 5 : 63);
    EXPECT_EQ(text(error.kernel), "scale");
    EXPECT_EQ(text(error.raw_text), "text");
    EXPECT_EQ(text(error.operation), "a.cu");
    EXPECT_EQ(error.value, 10U + expected);
    for (unsigned axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(error.grid[axis], records[expected].block[axis]);
      EXPECT_EQ(error.block[axis], records[expected].thread[axis]);
    }
    EXPECT_EQ(records[expected].state, CheckRecord::empty);
    EXPECT_EQ(detail::any_check_failed(), expected == 1);
  }
  EXPECT_EQ(records[0].state, CheckRecord::filling);
}

TEST_F(CheckRecords, AreTakenAndListedWhileTheyAreLocked) {
  std::atomic<int> ended = 0;
  checks_.lock.lock();
  std::thread taker([&] {
    taken_error();
    ++ended;
  });
  std::thread lister([&] {
    detail::register_check_unit(first_);
    ++ended;
  });
  ::usleep(10'000);
  EXPECT_EQ(ended, 0);
  checks_.lock.unlock();
  taker.join();
  lister.join();
}

}  // namespace
}  // namespace warpsafe::core_test
