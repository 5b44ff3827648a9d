// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory of one device in the work of another: which calls need peer access, and which do not.
#include "data_fixture.hpp"
#include <warpsafe/args/align.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>

#include <cstddef>
#include <thread>
#include <vector>

namespace warpsafe::core_test {
namespace {

WARPSAFE_KERNEL void add_one(int* x, std::size_t n) {
  for (auto i : grid_stride(n)) x[i] += 1;
}
WARPSAFE_KERNEL void sum_into(const int* a, DeviceSpan<int> x) {
  for (auto i : grid_stride(x.size())) x[i] += a[i];
}
WARPSAFE_KERNEL void set_first(aligned_ptr<int, 16> x) {
  if (thread_index().x == 0) *x.as<int>() = 1;
}
WARPSAFE_KERNEL void set_to(int* x, int value) { x[thread_index().x] = value; }
constexpr auto grid_of_4 = [] { return LaunchConfig{grid<1>, block<4>}; }();

class PeerAccess : public DataTest {
 protected:
  const bool two_devices = (host::set_device_count(2), true);  // before the streams
  Stream here = Stream::create(DeviceId(0)).value();
  Stream there = Stream::create(DeviceId(1)).value();
  DeviceBuffer<int> near = DeviceBuffer<int>::from(here, counting(4)).value();
  DeviceBuffer<int> far = DeviceBuffer<int>::from(there, counting(4)).value();
};

template <CheckLevel Level>
void expect_refused(StreamRef stream, DeviceBuffer<int>& near, DeviceBuffer<int>& far) {
  const LaunchError error =
      error_in(launch<Level>(stream, grid_of_4, kernel<sum_into>, near.view(), far.view()));
  EXPECT_EQ(error.code, Errc::memory_wrong_device);
  EXPECT_EQ(error.argument(), 2U);
  EXPECT_EQ(error.value, 0U);
  EXPECT_EQ(error.limit, 1U);
}

TEST_F(PeerAccess, AKernelNeedsIt) {
  expect_refused<CheckLevel::full>(here, near, far);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
  const auto text = said(launch(here, grid_of_4, kernel<add_one>, far.view(), far.size()));
  EXPECT_NE(
      text.find(
          "Kernel 'add_one' not launched: argument 1 is memory of device 1, which device "
          "0 cannot access; copy it to device 0, or, if cudaDeviceCanAccessPeer says yes, allow "
          "the access"),
      std::string::npos)
      << text;
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_TRUE(launch(here, grid_of_4, kernel<sum_into>, near.view(), far.view()).has_value());
  EXPECT_EQ(far.to_host(here).get().value(), (std::vector<int>{0, 2, 4, 6}));
  {
    const auto guard = DeviceGuard::create(DeviceId(1)).value();
    EXPECT_EQ(error_in(launch(there, grid_of_4, kernel<add_one>, near.view(), near.size())).code,
              Errc::memory_wrong_device)
        << "access has a direction";
  }
}

TEST_F(PeerAccess, OfAnEmptyPartIsThatOfItsMemory) {
  const auto end_of = [](DeviceBuffer<int>& buffer) { return buffer.view().subspan(4, 0).value(); };
  const auto sum_end = [&] {
    return launch(here, grid_of_4, kernel<sum_into>, near.view(), end_of(far));
  };
  EXPECT_EQ(error_in(sum_end()).code, Errc::memory_wrong_device);
  int* const end = near.view().pointer().get() + 4;
  EXPECT_TRUE(launch(here, grid_of_4, kernel<sum_into>, near.view(), trust(end, 0)).has_value());
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_TRUE(sum_end().has_value());
  ASSERT_TRUE(here.synchronize().has_value());
}

TEST_F(PeerAccess, AKernelWithoutChecksFaults) {
  int* const raw = far.view().pointer().get();
  ASSERT_TRUE(launch<CheckLevel::off>(here, grid_of_4, kernel<add_one>, trust(raw), far.size())
                  .has_value());
  EXPECT_EQ(error_in(here.synchronize()).code, Errc::execution_failed);
}

TEST_F(PeerAccess, OfATrustedPointerIsAsked) {
  int* const raw = far.view().pointer().get();
  const LaunchError error =
      error_in(launch(here, grid_of_4, kernel<add_one>, trust(raw), far.size()));
  EXPECT_EQ(error.code, Errc::memory_wrong_device);
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_TRUE(launch(here, grid_of_4, kernel<add_one>, trust(raw), far.size()).has_value());
  ASSERT_TRUE(here.synchronize().has_value());
}

TEST_F(PeerAccess, OfATrustedPointerOrSpanIsAsked) {
  int* const raw = far.view().pointer().get();
  const auto far_one = [&] { return launch(here, grid_of_4, kernel<add_one>, trust(raw), 4U); };
  const auto far_span = [&] {
    return launch(here, grid_of_4, kernel<sum_into>, near.view(), trust(raw, 4));
  };
  EXPECT_EQ(error_in(far_one()).code, Errc::memory_wrong_device);
  const LaunchError error = error_in(far_span());
  EXPECT_EQ(error.code, Errc::memory_wrong_device);
  EXPECT_EQ(error.argument(), 2U);
  EXPECT_EQ(error.value, 0U);
  EXPECT_EQ(error.limit, 1U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
  // Memory of the stream's device, pinned memory, and a null pointer are right.
  int* const own = near.view().pointer().get();
  EXPECT_TRUE(launch(here, grid_of_4, kernel<add_one>, trust(own), 4U).has_value());
  auto pinned = PinnedBuffer<int>::create(4).value();
  EXPECT_TRUE(
      launch(here, grid_of_4, kernel<add_one>, trust(pinned.span().data()), 4U).has_value());
  EXPECT_TRUE(
      launch(here, grid_of_4, kernel<add_one>, trust(static_cast<int*>(nullptr)), 0U).has_value());
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_TRUE(far_one().has_value());
  EXPECT_TRUE(far_span().has_value());
  ASSERT_TRUE(here.synchronize().has_value());
}

TEST_F(PeerAccess, OfASpanOrAPointerIsAskedToo) {
  const auto span = far.view().span();
  const auto pointer = far.view().pointer();
  LaunchError error =
      error_in(launch(here, grid_of_4, kernel<sum_into>, near.view().pointer(), span));
  EXPECT_EQ(error.code, Errc::memory_wrong_device);
  EXPECT_EQ(error.argument(), 2U);
  error = error_in(launch(here, grid_of_4, kernel<add_one>, pointer, far.size()));
  EXPECT_EQ(error.code, Errc::memory_wrong_device);
  const auto aligned = align<16>(span).value();
  error = error_in(launch(here, grid_of_4, kernel<set_first>, aligned));
  EXPECT_EQ(error.code, Errc::memory_wrong_device);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_TRUE(launch(here, grid_of_4, kernel<sum_into>, near.view(), span).has_value());
  EXPECT_TRUE(launch(here, grid_of_4, kernel<add_one>, pointer, far.size()).has_value());
  EXPECT_TRUE(launch(here, grid_of_4, kernel<set_first>, aligned).has_value());
  ASSERT_TRUE(here.synchronize().has_value());
}

TEST_F(PeerAccess, PinnedAndManagedMemoryNeedNone) {
  auto pinned = PinnedBuffer<int>::create(4).value();
  EXPECT_TRUE(
      launch(here, grid_of_4, kernel<add_one>, trust(pinned.span().data()), 4U).has_value());
  ASSERT_TRUE(here.synchronize().has_value());
  host::set_device_count(2);
  const Stream other = Stream::create(DeviceId(1)).value();
  auto managed = ManagedBuffer<int>::create(other, 4);
  ASSERT_TRUE(managed.has_value());
  const Stream first = Stream::create(DeviceId(0)).value();
  EXPECT_TRUE(launch(first, grid_of_4, kernel<add_one>, managed.value().view(), 4U).has_value());
  ASSERT_TRUE(first.synchronize().has_value());
}

TEST_F(PeerAccess, AFillNeedsIt) {
  const auto refused = far.zero(here, app);
  EXPECT_EQ(said(refused),
            "fill device memory not called: the memory is of device 1, which device 0 cannot "
            "access; use a stream of device 1, or, if cudaDeviceCanAccessPeer says yes, allow the "
            "access (cudaMemPoolSetAccess)\n"
            "  at app.cpp:7");
  EXPECT_EQ(error_in(far.zero<CheckLevel::off>(here)).code, Errc::runtime_failed);
  EXPECT_TRUE(far.zero(there).has_value());
  ASSERT_TRUE(there.synchronize().has_value());
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  EXPECT_TRUE(far.zero(here).has_value());
}

TEST_F(PeerAccess, CopiesNeedNone) {
  EXPECT_EQ(far.to_host(here).get().value(), counting(4));
  EXPECT_TRUE(copy_and_wait(here, from(std::vector<int>{4, 3, 2, 1}), to(far)).has_value());
  EXPECT_EQ(far.to_host(there).get().value(), (std::vector<int>{4, 3, 2, 1}));
  EXPECT_TRUE(copy(here, from(far), to(near)).has_value());
  EXPECT_EQ(near.to_host(here).get().value(), (std::vector<int>{4, 3, 2, 1}));
  EXPECT_TRUE(
      copy(here, from(far.view().subspan(2, 2).value()), to(far.view().subspan(0, 2).value()))
          .has_value());
  EXPECT_EQ(far.to_host(here).get().value(), (std::vector<int>{2, 1, 2, 1}));
  EXPECT_EQ(current_device().value(), DeviceId(0));
}

// A copy of another device's memory takes its place in the order of its own stream.
TEST_F(PeerAccess, CopiesKeepTheOrderOfTheirStream) {
  for (int round = 0; round < 20; ++round) {
    const int value = 10 * round;
    auto second = DeviceBuffer<int>::create(here, 4).value();
    ASSERT_TRUE(launch(here, grid_of_4, kernel<set_to>, near.view(), value).has_value());
    ASSERT_TRUE(copy(here, from(near), to(far)).has_value());
    ASSERT_TRUE(launch(here, grid_of_4, kernel<set_to>, near.view(), -1).has_value());
    ASSERT_TRUE(copy(here, from(far), to(second)).has_value());
    ASSERT_TRUE(launch(here, grid_of_4, kernel<add_one>, second.view(), 4U).has_value());
    auto of_far = far.to_host(here);
    EXPECT_EQ(second.to_host(here).get().value(), std::vector<int>(4, value + 1));
    EXPECT_EQ(std::move(of_far).get().value(), std::vector<int>(4, value));
  }
}

TEST_F(PeerAccess, NorDoCopiesOfMatrices) {
  const extent<2> size{rows{2}, cols{3}};
  auto to = PitchedBuffer<int>::create(here, size).value();
  auto from = PitchedBuffer<int>::create(there, size).value();
  ASSERT_TRUE(copy_and_wait(there, warpsafe::from(counting(6)), warpsafe::to(from)).has_value());
  ASSERT_TRUE(copy(here, warpsafe::from(from), warpsafe::to(to)).has_value());
  std::vector<int> read(6);
  ASSERT_TRUE(copy_and_wait(here, warpsafe::from(to), warpsafe::to(read)).has_value());
  EXPECT_EQ(read, counting(6));
}

TEST_F(PeerAccess, IsCheckedByManyThreadsAtOnce) {
  ASSERT_TRUE(host::set_peer_access(0, 1, true));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Stream own = Stream::create(DeviceId(0)).value();
      const Stream peer = Stream::create(DeviceId(1)).value();
      auto sum = DeviceBuffer<int>::from(peer, counting(4)).value();
      EXPECT_TRUE(peer.synchronize().has_value());
      for (int k = 0; k < 50; ++k) {
        EXPECT_TRUE(launch(own, grid_of_4, kernel<sum_into>, near.view(), sum.view()).has_value());
      }
      EXPECT_TRUE(own.synchronize().has_value());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace warpsafe::core_test
