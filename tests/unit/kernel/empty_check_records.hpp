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
    std::copy(std::begin(checks_.vendors), std::end(checks_.vendors), std::begin(vendors_));
    clear();
  }
  ~EmptyCheckRecords() override {
    checks_.units = units_;
    std::copy(std::begin(vendors_), std::end(vendors_), std::begin(checks_.vendors));
    for (auto& vendor : checks_.vendors) vendor.prepared = 0;
  }
  EmptyCheckRecords(const EmptyCheckRecords&) = delete;
  EmptyCheckRecords& operator=(const EmptyCheckRecords&) = delete;

  void clear() {
    checks_.units = nullptr;
    std::fill(std::begin(checks_.vendors), std::end(checks_.vendors),
              detail::DeviceChecks::OfVendor{});
  }

  detail::DeviceChecks& checks_ = detail::device_checks;

 private:
  detail::CheckUnit* units_ = checks_.units;
  detail::DeviceChecks::OfVendor vendors_[std::size(detail::DeviceChecks{}.vendors)] = {};
};

}  // namespace warpsafe::core_test
