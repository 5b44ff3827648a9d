// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/args/pitched_span.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/kernel_api.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <type_traits>

// Parameters that the race detector and a capture treat as memory.
namespace {
template <class P, bool Reaches, bool Writes>
inline constexpr bool is_seen_as = warpsafe::detail::reaches_memory<P> ==
                                   Reaches&& warpsafe::detail::points_to_mutable<P> == Writes;
static_assert(is_seen_as<float*, true, true> && is_seen_as<const float*, true, false>);
static_assert(is_seen_as<warpsafe::device_ptr<float>, true, true>);
static_assert(is_seen_as<warpsafe::DeviceSpan<const float>, true, false>);
static_assert(is_seen_as<warpsafe::aligned_ptr<float, 16>, true, true> &&
              is_seen_as<warpsafe::aligned_ptr<const float, 16>, true, false>);
static_assert(is_seen_as<warpsafe::PitchedSpan<float>, true, true> &&
              is_seen_as<warpsafe::PitchedSpan<const float>, true, false>);
static_assert(is_seen_as<int, false, false>);
}  // namespace

WARPSAFE_KERNEL void global_kernel(float, const int*, double*) {}
template <class T, int N>
WARPSAFE_KERNEL void global_template(T*) {}
WARPSAFE_KERNEL void global_overload(int) {}
WARPSAFE_KERNEL void global_overload(float*, char) {}
WARPSAFE_KERNEL_EXTERN void compiled_elsewhere(int);  // in this test, never

namespace named {
WARPSAFE_KERNEL void inside() {}
struct Pack {
  char bytes[3];
};
WARPSAFE_KERNEL void with_memory(warpsafe::DeviceSpan<const float>, warpsafe::DeviceSpan<float>,
                                 warpsafe::device_ptr<float>, warpsafe::device_ptr<const float>,
                                 Pack) {}
}  // namespace named

namespace warpsafe::core_test {
namespace {

template <class K>
std::string name_of(K) {
  return text(K::name());
}

TEST(KernelName, IsTheFunctionsWithItsNamespace) {
  EXPECT_EQ(name_of(kernel<global_kernel>), "global_kernel");
  EXPECT_EQ(name_of(kernel<named::inside>), "named::inside");
  EXPECT_EQ(name_of(kernel<compiled_elsewhere>), "compiled_elsewhere");
  EXPECT_EQ(name_of(kernel<global_kernel, max_threads<64>>), "global_kernel");
}

TEST(KernelName, OfATemplateStartsWithTheTemplates) {
  EXPECT_THAT(name_of(kernel<global_template<float, 3>>), ::testing::StartsWith("global_template"));
  // clang leaves the template's arguments out.
  EXPECT_THAT(name_of(kernel<global_template<float, 3>>),
              ::testing::AnyOf("global_template", "global_template<float, 3>"));
}

TEST(KernelName, OfAnOverloadIsTheFunctions) {
  EXPECT_EQ(name_of(kernel<overload<void(int)>(global_overload)>), "global_overload");
  EXPECT_EQ(name_of(kernel<overload<void(float*, char)>(global_overload)>), "global_overload");
}

TEST(KernelName, EndsWithItsTemplateArgument) {
  const auto found = [](const char* pretty) { return text(detail::name_in(Name::of(pretty))); };
  EXPECT_EQ(found("constexpr Name name_of() [with auto Fn = axpy]"), "axpy");
  EXPECT_EQ(found("Name name_of() [Fn = &ns::axpy]"), "ns::axpy");
  EXPECT_EQ(found("Name name_of() [with auto Fn = scale<float, (Mode)1>; X = int]"),
            "scale<float, (Mode)1>");
  EXPECT_EQ(found("Name name_of() [with auto Fn = {anonymous}::axpy]"), "axpy");
  EXPECT_EQ(found("Name name_of() [Fn = &(anonymous namespace)::axpy]"), "axpy");
  EXPECT_EQ(found("Name name_of() [with auto Fn = pack<int [3]>]"), "pack<int [3]>");
}

TEST(KernelEntry, DescribesEachParameter) {
  const KernelEntry entry = kernel<global_kernel>.entry();
  EXPECT_EQ(entry.function, reinterpret_cast<const void*>(&global_kernel));
  EXPECT_NE(entry.invoke, nullptr);
  ASSERT_EQ(entry.parameter_count, 3U);
  EXPECT_EQ(entry.parameters[0].size, 4U);
  EXPECT_EQ(entry.parameters[0].alignment, 4U);
  EXPECT_FALSE(entry.parameters[0].is_pointer);
  EXPECT_TRUE(entry.parameters[1].is_pointer);
  EXPECT_FALSE(entry.parameters[1].writes) << "const: it only reads";
  EXPECT_TRUE(entry.parameters[2].is_pointer);
  EXPECT_TRUE(entry.parameters[2].writes);
}

TEST(KernelEntry, SpansAndTypedPointersReachMemory) {
  const KernelEntry entry = kernel<named::with_memory>.entry();
  ASSERT_EQ(entry.parameter_count, 5U);
  const bool writes[4] = {false, true, true, false};
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(entry.parameters[i].is_pointer) << i;
    EXPECT_EQ(entry.parameters[i].writes, writes[i]) << i;
  }
  EXPECT_EQ(entry.parameters[0].size, 16U);
  EXPECT_EQ(entry.parameters[4].size, 3U);
  EXPECT_EQ(entry.parameters[4].alignment, 1U);
  EXPECT_FALSE(entry.parameters[4].is_pointer);
}

TEST(KernelEntry, WithoutParametersHasNone) {
  EXPECT_EQ(kernel<named::inside>.entry().parameter_count, 0U);
}

// The kernel's provenance and its declared needs are part of its type.
static_assert(decltype(kernel<global_kernel>)::provenance == Provenance::host);
static_assert(decltype(kernel<named::inside>)::provenance == Provenance::host);
// The default backend of this file is the host. vendor_path/kernels.hpp has the device's kernels.
static_assert(decltype(kernel<compiled_elsewhere>)::provenance == Provenance::host);
static_assert(std::is_void_v<decltype(kernel<global_kernel>)::shared_type>);
static_assert(
    std::is_same_v<decltype(kernel<global_kernel, max_threads<64>, needs_shared<int>>)::shared_type,
                   int>);
static_assert(decltype(kernel<global_kernel, grid_stride_kernel>)::is_grid_stride);
static_assert(!decltype(kernel<global_kernel>)::is_grid_stride);
static_assert(decltype(kernel<global_kernel, waits_for_predecessor>)::waits_for_predecessor);
static_assert(!decltype(kernel<global_kernel>)::waits_for_predecessor);
static_assert(decltype(kernel<global_kernel, max_threads<64>>)::needs.max_threads == 64);

}  // namespace
}  // namespace warpsafe::core_test
