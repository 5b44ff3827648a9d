// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What an observer is told over a vendor's runtime. With one device most operations have a short
// way to the runtime's call, which no other backend takes.

#include "../stand_in.hpp"
#include <warpsafe/core/observer.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::ElementsAre;

class ObserverPath : public VendorTest {
 protected:
  ObserverPath() {
    observer_.user = this;
    observer_.called = [](void* self, const ws::CallRecord& call) noexcept {
      static_cast<ObserverPath*>(self)->told_.emplace_back(call.what.data, call.what.size);
    };
  }
  void TearDown() override {
    ws::stop_observing(observer_);
    VendorTest::TearDown();
  }
  [[nodiscard]] std::vector<std::string> taken() { return std::exchange(told_, {}); }
  ws::Observer observer_;
  std::vector<std::string> told_;
};

TEST_F(ObserverPath, IsToldOfEachCallAsSoonAsItObserves) {
  auto stream = make_stream();
  auto other = make_stream();
  const auto work = [&] {
    auto from = ws::DeviceBuffer<int>::create(stream, 8).value();
    auto to = ws::DeviceBuffer<int>::create(stream, 8).value();
    EXPECT_THAT(from.zero(stream), Succeeds());
    EXPECT_THAT(ws::copy(stream, ws::from(from), ws::to(to)), Succeeds());
    auto event = ws::Event::create(stream).value();
    EXPECT_THAT(event.record(stream), Succeeds());
    EXPECT_THAT(ws::wait(other, event), Succeeds());
    EXPECT_THAT(to.close(), Succeeds());
    EXPECT_THAT(from.close(), Succeeds());
  };
  work();
  EXPECT_THAT(taken(), ElementsAre());
  ws::observe(observer_);
  work();
  EXPECT_THAT(taken(),
              ElementsAre("allocate device memory", "allocate device memory", "fill device memory",
                          "copy on the device", "event record", "event record", "stream wait",
                          "free device memory", "free device memory"));
}

}  // namespace
}  // namespace vendor_test
