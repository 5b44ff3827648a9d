// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A stackful fibre that goes on in another thread, as with Boost.Fiber's work_stealing. Compiled
// with optimisation: a compiler may then ask once for what two threads answer differently.

#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>
#include <warpsafe/warpsafe.hpp>

#include <boost/context/fiber.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::fibre_test {
namespace {

namespace context = boost::context;

/// Runs its body as a fibre: until `leave` in this thread, and then in another one.
class Migrating {
 public:
  template <class Body>
  explicit Migrating(Body body)
      : fibre_([this, body](context::fiber&& caller) {
          caller_ = std::move(caller);
          body(*this);
          return std::move(caller_);
        }) {}
  void run() {
    fibre_ = std::move(fibre_).resume();
    std::thread([this] { fibre_ = std::move(fibre_).resume(); }).join();
  }
  [[gnu::noinline]] void leave() { caller_ = std::move(caller_).resume(); }

 private:
  context::fiber caller_;
  context::fiber fibre_;
};

TEST(Fibre, HoldsAStreamInOneThreadAndReleasesItInAnother) {
  using Shared = detail::SharedStream<host_backend>;
  host::StreamHandle* native = nullptr;
  ASSERT_EQ(host_backend::stream_create(native, 0), 0);
  Shared* const shared = Shared::make(native, 0);
  Migrating([&](Migrating& fibre) {
    shared->retain();
    fibre.leave();
    EXPECT_EQ(shared->release(), 0);
  }).run();
  EXPECT_EQ(shared->here.holders, 1) << "the other thread must not write what this one counts";
  EXPECT_EQ(shared->release(), 0);
}

WARPSAFE_KERNEL void add(DeviceSpan<int> x, int more) {
  for (const auto i : grid_stride(x.size())) x[i] += more;
}

TEST(Fibre, UsesStreamsMemoryAndEventsInTwoThreads) {
  const auto destroyed = [] {
    return host::calls_made(host::call_of<&host_backend::stream_destroy>);
  };
  const auto before = destroyed();
  bool right = false;
  const auto use = [&](Migrating& fibre) -> result<void> {
    WARPSAFE_TRY(auto stream, Stream::create());
    WARPSAFE_TRY(auto other, Stream::create());
    WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::vector<int>(100, 1)));
    const auto grid = configure(SafeGrid<>::cover(buffer.size(), block<32>));
    WARPSAFE_TRYV(launch(stream, grid, kernel<add>, buffer.view().span(), 2));
    WARPSAFE_TRY(auto event, stream.record());
    fibre.leave();
    WARPSAFE_TRYV(wait(other, event));
    WARPSAFE_TRYV(launch(other, grid, kernel<add>, buffer.view().span(), 4));
    WARPSAFE_TRY(auto more, DeviceBuffer<int>::create(stream, 100));
    WARPSAFE_TRYV(more.zero(stream));
    WARPSAFE_TRYV(buffer.used_on(other));
    WARPSAFE_TRY(const auto values, buffer.to_host(other).get());
    right = values == std::vector<int>(100, 7);
    return success();
  };
  Migrating([&](Migrating& fibre) { EXPECT_TRUE(use(fibre).has_value()); }).run();
  EXPECT_TRUE(right);
  EXPECT_EQ(destroyed(), before + 2);
}

}  // namespace
}  // namespace warpsafe::fibre_test
