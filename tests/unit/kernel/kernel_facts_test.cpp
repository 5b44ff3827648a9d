// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the types of a kernel's parameters and its needs say about it.

#include "rule_table.hpp"
#include <warpsafe/args/aligned_ptr.hpp>
#include <warpsafe/args/pitched_span.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/kernel/needs.hpp>
#include <warpsafe/kernel/reference.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

TEST(KernelFacts, AParameterWritesUnlessItsMemoryIsConst) {
  using detail::reaches_mutable_memory;
  expect_rules({
      {&reaches_mutable_memory<float*>, true},
      {&reaches_mutable_memory<void*>, true},
      {&reaches_mutable_memory<const float*>, false},
      {&reaches_mutable_memory<const float**>, true},
      {&reaches_mutable_memory<device_ptr<float>>, true},
      {&reaches_mutable_memory<device_ptr<const float>>, false},
      {&reaches_mutable_memory<DeviceSpan<float>>, true},
      {&reaches_mutable_memory<DeviceSpan<const float>>, false},
      {&reaches_mutable_memory<PitchedSpan<float>>, true},
      {&reaches_mutable_memory<PitchedSpan<const float>>, false},
      {&reaches_mutable_memory<aligned_ptr<float, 16>>, true},
      {&reaches_mutable_memory<aligned_ptr<const float, 16>>, false},
      {&reaches_mutable_memory<int>, false},
      {&reaches_mutable_memory<const int>, false},
  });
}

struct Two {
  float a, b;
};

TEST(KernelFacts, AParameterHasTheNumbersBehindItOrItsOwn) {
  using detail::element_in;
  expect_rules<ElementType>({
      {&element_in<float*>, ElementType::float32},
      {&element_in<const double*>, ElementType::float64},
      {&element_in<DeviceSpan<std::int16_t>>, ElementType::int16},
      {&element_in<DeviceSpan<const std::uint8_t>>, ElementType::uint8},
      {&element_in<device_ptr<const int>>, ElementType::int32},
      {&element_in<PitchedSpan<std::uint64_t>>, ElementType::uint64},
      {&element_in<bool>, ElementType::boolean},
      {&element_in<float>, ElementType::float32},
      {&element_in<void*>, ElementType::bytes},
      {&element_in<Two>, ElementType::bytes},
      {&element_in<Two*>, ElementType::bytes},
      {&element_in<DeviceSpan<Two>>, ElementType::bytes},
      {&element_in<float**>, ElementType::bytes},
  });
}

TEST(KernelFacts, OfTwoNumbersTheLargerOrBothHold) {
  const auto largest = &detail::largest;
  EXPECT_EQ(largest(3, 5), 5U);
  EXPECT_EQ(largest(5, 3), 5U);
  EXPECT_EQ(largest(4, 4), 4U);
  const auto common_multiple = &detail::common_multiple;
  for (std::uint64_t a = 0; a < 12; ++a) {
    EXPECT_EQ(common_multiple(a, 0), a) << "0 asks for nothing";
    EXPECT_EQ(common_multiple(0, a), a);
    for (std::uint64_t b = 1; a > 0 && b < 12; ++b) {
      std::uint64_t expected = 1;
      while (expected % a != 0 || expected % b != 0) ++expected;
      EXPECT_EQ(common_multiple(a, b), expected) << a << ' ' << b;
    }
  }
}

constexpr detail::HostReference references[2] = {};
template <int Number>
struct Referred : needs_detail::Need {
  template <class Parameters>
  static constexpr const detail::HostReference* its_reference = &references[Number];
};

TEST(KernelFacts, TheFirstReferenceIsUsed) {
  using None = detail::TypeList<>;
  using detail::find_reference;
  expect_rules<const detail::HostReference*>({
      {&find_reference<None>, nullptr},
      {&find_reference<None, portable>, nullptr},
      {&find_reference<None, Referred<0>>, &references[0]},
      {&find_reference<None, Referred<1>, Referred<0>>, &references[1]},
      {&find_reference<None, portable, Referred<0>, Referred<1>, portable>, &references[0]},
  });
}

template <class... Need>
KernelNeeds collected() {
  const auto collect = &detail::collect_needs<Need...>;
  return collect();
}

TEST(KernelFacts, NeedsAreCollectedAtRunTimeToo) {
  const KernelNeeds none = collected<>();
  EXPECT_EQ(none.max_threads, 0U);
  EXPECT_EQ(none.block_multiple, 0U);
  EXPECT_EQ(none.warp_size, 0U);
  EXPECT_EQ(none.index_max, 2147483647U);
  EXPECT_TRUE(none.index_assumed);
  EXPECT_EQ(none.min_dynamic_shared, 0U);
  EXPECT_FALSE(none.portable);

  const KernelNeeds all =
      collected<portable, needs_shared<double, 3>, index<std::int8_t>, requires_warp<64>,
                block_multiple_of<6>, max_threads<256>, block_multiple_of<4>>();
  EXPECT_EQ(all.max_threads, 256U);
  EXPECT_EQ(all.block_multiple, 12U);
  EXPECT_EQ(all.warp_size, 64U);
  EXPECT_EQ(all.index_max, 127U);
  EXPECT_FALSE(all.index_assumed);
  EXPECT_EQ(all.min_dynamic_shared, 24U);
  EXPECT_TRUE(all.portable);

  EXPECT_EQ((collected<needs_shared<int, 9>, needs_shared<int, 2>>().min_dynamic_shared), 36U);
  EXPECT_EQ((collected<max_threads<64>, launch_bounds<128>>().max_threads), 64U);
  EXPECT_EQ((collected<index<int>, index<std::uint64_t>>().index_max), 2147483647U);
  EXPECT_FALSE((collected<index<int>, grid_stride_kernel>().portable));
  EXPECT_TRUE((collected<portable, grid_stride_kernel>().portable));
}

TEST(KernelFacts, ACountOfANeedIsFromOneToItsLimit) {
  struct Case {
    bool (*is_count)(unsigned long long) noexcept;
    unsigned long long most;
    bool fits;
  };
  using needs_detail::is_count_up_to;
  const Case cases[] = {
      {&is_count_up_to<1>, 1024, true},      {&is_count_up_to<1024>, 1024, true},
      {&is_count_up_to<1025>, 1024, false},  {&is_count_up_to<0>, 1024, false},
      {&is_count_up_to<-1>, 1024, false},    {&is_count_up_to<-1>, ~0ULL, false},
      {&is_count_up_to<1U>, 1, true},        {&is_count_up_to<2U>, 1, false},
      {&is_count_up_to<~0ULL>, ~0ULL, true}, {&is_count_up_to<true>, 1024, false},
      {&is_count_up_to<1>, 0, false},
  };
  for (const Case& one : cases) EXPECT_EQ(one.is_count(one.most), one.fits) << &one - cases;
  expect_rules<std::uint32_t>({
      {&needs_detail::count_or_1<7>, 7},
      {&needs_detail::count_or_1<0xffffffffU>, 0xffffffffU},
      {&needs_detail::count_or_1<0x100000000>, 1},
      {&needs_detail::count_or_1<0>, 1},
      {&needs_detail::count_or_1<-3>, 1},
  });
}

struct NotesCall {
  int* calls;
  void operator()(int by, const int& more) const { *calls += by + more; }
};

TEST(KernelFacts, TheKernelBehindAFunctorCallsIt) {
  int calls = 0;
  detail::functor_entry<NotesCall, int, int>(NotesCall{&calls}, 3, 40);
  EXPECT_EQ(calls, 43);
}

void scale_on_host(float, float*) {}

TEST(KernelFacts, WhatIsNotRefusedFits) {
  const auto lambda = [] {};
  expect_rules({
      {&detail::check_lambda<decltype(lambda)>, true},
      {&detail::ReferenceOf<&scale_on_host, detail::OwnTolerance,
                            detail::TypeList<float, float*>>::fits,
       true},
  });
}

}  // namespace
}  // namespace warpsafe::core_test
