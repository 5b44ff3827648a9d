// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Scalars of a library's functions: their values, and where these are stored.

#include "toy_fixture.hpp"

#include <type_traits>

namespace warpsafe::handle_test {
namespace {

template <class T>
using PointerOf = decltype(std::declval<T>().get());
template <class T>
inline constexpr detail::ScalarPlace place_of = detail::scalar_place<std::remove_cvref_t<T>>;
using detail::ScalarPlace;

static_assert(place_of<decltype(host_scalar(1.0F))> == ScalarPlace::host);
static_assert(place_of<decltype(device_scalar(device_ptr<float>()))> == ScalarPlace::device);
static_assert(place_of<const float*> == ScalarPlace::host, "the libraries' own spelling");
static_assert(place_of<int*> == ScalarPlace::unknown, "a size that is told");
static_assert(place_of<toy::toy_handle> == ScalarPlace::unknown, "a descriptor");
static_assert(place_of<float> == ScalarPlace::unknown);

TEST(LibraryScalar, AVariableIsWrittenThrough) {
  double result = 0.0;
  const auto scalar = host_scalar(result);
  static_assert(std::is_same_v<PointerOf<decltype(scalar)>, double*>);
  *scalar.get() = 2.0;
  EXPECT_EQ(result, 2.0);
}

TEST(LibraryScalar, AConstantIsOnlyRead) {
  const double alpha = 3.0;
  const auto scalar = host_scalar(alpha);
  static_assert(std::is_same_v<PointerOf<decltype(scalar)>, const double*>);
  EXPECT_EQ(scalar.get(), &alpha);
}

TEST(LibraryScalar, AValueIsKept) {
  const auto scalar = host_scalar(1.5F);
  static_assert(std::is_same_v<PointerOf<decltype(scalar)>, const float*>);
  EXPECT_EQ(*scalar.get(), 1.5F);
}

TEST(LibraryScalar, OnTheDeviceItIsAnyDevicePointer) {
  float there = 0.0F;  // only the address matters
  const auto pointer = detail::DeviceAccess::pointer(&there);
  EXPECT_EQ(device_scalar(pointer).get(), &there);
  EXPECT_EQ(device_scalar(DeviceSpan<const float>(pointer, 1)).get(), &there);
  EXPECT_EQ(device_scalar(trust(&there)).get(), &there);
}

}  // namespace
}  // namespace warpsafe::handle_test
