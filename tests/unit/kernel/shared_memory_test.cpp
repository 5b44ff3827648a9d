// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Each function of kernel code that hands out memory of the block, called twice. The list of these
// functions is in tests/headers/sweeps.py.
#include "launch_fixture.hpp"
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/memory.hpp>

#include <cstddef>
#include <vector>

namespace warpsafe::core_test {
namespace {

constexpr unsigned threads = 8;

/// Writes 1 to what the first call gave and 10 to what the second gave, and reads both.
template <class T>
WARPSAFE_FN void write_both(T* first, T* second, int* out) {
  const unsigned i = thread_in_block().x;
  first[i] = T{1};
  second[i] = T{10};
  sync_block();
  out[i] = static_cast<int>(first[i] + second[i]);
}

template <class T>
WARPSAFE_KERNEL void two_arrays(int* out) {
  T* const first = shared_array<T, threads>([] {});
  T* const second = shared_array<T, threads>([] {});
  write_both(first, second, out);
}
// clang-format off
WARPSAFE_KERNEL void two_arrays_of_one_line(int* out) {
  write_both(shared_array<int, threads>([] {}), shared_array<int, threads>([] {}), out);
}
// clang-format on
/// A helper has one array, at each of its calls.
WARPSAFE_FN int* scratch() {
  return shared_array<int, threads>([] {});
}
WARPSAFE_KERNEL void a_helper_called_twice(int* out) { write_both(scratch(), scratch(), out); }
WARPSAFE_KERNEL void a_call_in_a_loop(int* out) {
  int* both[2] = {};
  for (int*& each : both) each = shared_array<int, threads>([] {});
  write_both(both[0], both[1], out);
}
/// A helper that is a template has an array for each type, and a caller's lambda one for each call.
template <class T>
WARPSAFE_FN int* scratch_of() {
  return shared_array<int, threads>([] {});
}
WARPSAFE_KERNEL void a_template_called_twice(int* out) {
  write_both(scratch_of<int>(), scratch_of<float>(), out);
}
template <class Site>
WARPSAFE_FN int* tile_at(Site&& site) {
  return shared_array<int, threads>(static_cast<Site&&>(site));
}
WARPSAFE_KERNEL void two_call_sites_of_a_helper(int* out) {
  write_both(tile_at([] {}), tile_at([] {}), out);
}
WARPSAFE_KERNEL void dynamic_twice(int* out) {
  int* const first = dynamic_shared<int>(threads);
  int* const second = dynamic_shared<int>(threads);
  write_both(first, second, out);
}
WARPSAFE_KERNEL void dynamic_and_static(int* out) {
  write_both(dynamic_shared<int>(threads), shared_array<int, threads>([] {}), out);
}
WARPSAFE_KERNEL void dynamic_of_another_type(bool* out) {
  *out = static_cast<void*>(dynamic_shared<double>()) == static_cast<void*>(dynamic_shared<char>());
}

class SharedMemory : public LaunchTest {
 protected:
  /// What the threads of one block read.
  template <class K>
  [[nodiscard]] std::vector<int> run(K kernel, std::size_t bytes = 0) const {
    auto out = DeviceBuffer<int>::create(stream, threads).value();
    const auto shape = configure(grid<1>, block<threads>, shared(Bytes(bytes)));
    EXPECT_TRUE(launch(stream, shape, kernel, out.view()).has_value());
    return out.to_host(stream).get().value();
  }
  const std::vector<int> separate = std::vector<int>(threads, 11);
  const std::vector<int> same = std::vector<int>(threads, 20);
};

TEST_F(SharedMemory, TwoCallsOfSharedArrayAreTwoArrays) {
  EXPECT_EQ(run(kernel<two_arrays<int>>), separate);
  EXPECT_EQ(run(kernel<two_arrays<double>>), separate);
  EXPECT_EQ(run(kernel<two_arrays<unsigned char>>), separate);
  EXPECT_EQ(run(kernel<two_arrays_of_one_line>), separate);
  EXPECT_EQ(run(kernel<a_template_called_twice>), separate);
  EXPECT_EQ(run(kernel<two_call_sites_of_a_helper>), separate);
}

TEST_F(SharedMemory, ACallOfSharedArrayThatRunsAgainIsTheSameArray) {
  EXPECT_EQ(run(kernel<a_helper_called_twice>), same);
  EXPECT_EQ(run(kernel<a_call_in_a_loop>), same);
}

TEST_F(SharedMemory, DynamicSharedIsOneArrayAndNoneOfTheStaticOnes) {
  EXPECT_EQ(run(kernel<dynamic_twice>, threads * sizeof(int)), same);
  EXPECT_EQ(run(kernel<dynamic_and_static>, threads * sizeof(int)), separate);
  auto is_same = DeviceBuffer<bool>::create(stream, 1).value();
  const auto shape = configure(grid<1>, block<1>, shared(Bytes(8)));
  ASSERT_TRUE(launch(stream, shape, kernel<dynamic_of_another_type>, is_same.view()).has_value());
  EXPECT_EQ(is_same.to_host(stream).get().value()[0], 1);
}

}  // namespace
}  // namespace warpsafe::core_test
