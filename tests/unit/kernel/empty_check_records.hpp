// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/device_check.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace warpsafe::core_test {

/// No unit and no record of a device check. Those of the program are put aside while a test runs.
class EmptyCheckRecords : public ::testing::Test {
 protected:
  EmptyCheckRecords() {
    std::copy(std::begin(checks_.records), std::end(checks_.records), std::begin(records_));
    clear();
  }
  ~EmptyCheckRecords() override {
    checks_.units = units_;
    checks_.prepared = 0;
    std::copy(std::begin(records_), std::end(records_), std::begin(checks_.records));
  }
  EmptyCheckRecords(const EmptyCheckRecords&) = delete;
  EmptyCheckRecords& operator=(const EmptyCheckRecords&) = delete;

  void clear() {
    checks_.units = nullptr;
    checks_.prepared = 0;
    std::fill(std::begin(checks_.records), std::end(checks_.records), nullptr);
  }

  detail::DeviceChecks& checks_ = detail::device_checks;

 private:
  detail::CheckUnit* units_ = checks_.units;
  detail::CheckRecord* records_[detail::DeviceChecks::devices] = {};
};

}  // namespace warpsafe::core_test
