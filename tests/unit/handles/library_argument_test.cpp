// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "scripted_library.hpp"
#include <warpsafe/args/device_span.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/handles/detail/library_argument.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <thread>

// The arguments of a library's function: the role of each parameter, and what is asked about each
// argument.

namespace warpsafe::handle_test {
namespace {

using detail::PointerRole;
using testing::ElementsAre;
using testing::IsEmpty;

/// A runtime that says what memory is.
struct KnowingRuntime : ScriptedRuntime {
  static inline MemoryKind kind = MemoryKind::device;
  static int pointer_kind(const void* memory, MemoryKind& answer, int&) noexcept {
    answer = kind;
    return script.call("pointer_kind", memory);
  }
};
using KnowingTraits = RigTraits<KnowingRuntime>;

struct LibraryArgumentTest : core_test::ScriptedTest {
  LibraryArgumentTest() { KnowingRuntime::kind = MemoryKind::device; }
  static basic_stream_ref<KnowingRuntime> stream_of(int device) {
    return detail::StreamAccess::make<KnowingRuntime>(nullptr, device, {});
  }
  LaunchError error;
  float* const x = Runtime::handle<float*>(8);
};

template <unsigned Scalars>
std::array<PointerRole, 6> roles() {
  using Gemv = detail::TypeList<int, const float*, float* const*, const float*, float*, double*>;
  // As a variable, so that the code runs.
  PointerRole (*const role)(Gemv, std::size_t) noexcept = &detail::role_at<Scalars>;
  std::array<PointerRole, 6> found{};
  for (std::size_t place = 0; place < found.size(); ++place) found[place] = role(Gemv{}, place);
  return found;
}

TEST_F(LibraryArgumentTest, ARoleIsThatOfThePointerWithItsNumber) {
  constexpr auto unknown = PointerRole::unknown;
  constexpr auto scalar = PointerRole::scalar;
  constexpr auto data = PointerRole::data;
  constexpr auto other = PointerRole::other;
  EXPECT_THAT(roles<0>(), ElementsAre(unknown, unknown, unknown, unknown, unknown, unknown));
  EXPECT_THAT(roles<0b1>(), ElementsAre(unknown, scalar, unknown, other, other, other));
  EXPECT_THAT(roles<0b11000>(), ElementsAre(unknown, other, unknown, other, scalar, scalar))
      << "an array of a batch counts";
  EXPECT_THAT(roles<0b100 | others_on_device>(),
              ElementsAre(unknown, data, unknown, scalar, data, data));
  EXPECT_THAT(roles<others_on_device>(), ElementsAre(unknown, data, unknown, data, data, data));
  using Dot = detail::TypeList<const float*, const float*, float*>;
  PointerRole (*const role)(Dot, std::size_t) noexcept = &detail::role_at<0b10>;
  EXPECT_EQ(role(Dot{}, 0), other);
  EXPECT_EQ(role(Dot{}, 1), scalar) << "the first parameter counts too";
  EXPECT_EQ(role(Dot{}, 2), other);
}

enum class Mode { plain };

/// `check` refuses with the compiler's errors; what compiles is right, so that `call` converts it.
TEST_F(LibraryArgumentTest, WhatCompilesIsConverted) {
  using Traits = RigTraits<Runtime>;
  using There = DeviceScalar<trusted_ptr<float>>;
  constexpr auto scalar = PointerRole::scalar;
  constexpr auto data = PointerRole::data;
  using Check = bool (*)() noexcept;
  const Check checks[] = {
      &detail::check_library_argument<Traits, 1, const float*, HostScalar<float>>,
      &detail::check_library_argument<Traits, 1, const float*, There>,
      &detail::check_library_argument<Traits, 1, const float*, There, scalar>,
      &detail::check_library_argument<Traits, 1, const float*, float*, data>,
      &detail::check_library_argument<Traits, 1, void*, float*>,
      &detail::check_library_argument<Traits, 1, Mode, Mode>,
      &detail::check_library_argument<Traits, 1, const void*, trusted_ptr<const float>>,
      &detail::check_library_argument<Traits, 1, float*, trusted_ptr<float>, data>,
      &detail::check_library_argument<Traits, 1, int, int>,
  };
  for (const Check check : checks) EXPECT_TRUE(check()) << &check - checks;
}

TEST_F(LibraryArgumentTest, ARawPointerOfAScalarMustNotBeOnTheDevice) {
  const auto passes = [&](const void* pointer) {
    error = {};
    return detail::check_raw_pointer(pointer, PointerRole::scalar, stream_of(0), 3, error);
  };
  EXPECT_FALSE(passes(x));
  EXPECT_EQ(error.code, Errc::handle_pointer_mode);
  EXPECT_EQ(error.argument(), 3U);
  EXPECT_EQ(error.value, 0U);
  EXPECT_EQ(error.limit, 0U);
  EXPECT_THAT(script.taken(), ElementsAre("pointer_kind 8"));
  EXPECT_TRUE(passes(nullptr));
  EXPECT_THAT(script.taken(), IsEmpty()) << "the driver is not asked";
  for (const MemoryKind kind :
       {MemoryKind::unregistered, MemoryKind::pinned, MemoryKind::managed}) {
    KnowingRuntime::kind = kind;
    EXPECT_TRUE(passes(x));
  }
  KnowingRuntime::kind = MemoryKind::device;
  script.fails["pointer_kind"] = 7;
  EXPECT_TRUE(passes(x)) << "host memory that the driver does not know";
}

TEST_F(LibraryArgumentTest, TheDriverIsAskedOnceAboutAScalarOnTheHost) {
  const auto passes = [&](const float* pointer) {
    return detail::check_library_value<KnowingTraits, const float*, PointerRole::scalar>(
        pointer, stream_of(0), 3, error);
  };
  const float scalars[2] = {};
  KnowingRuntime::kind = MemoryKind::unregistered;
  // Each thread remembers them, and this one may know the addresses from another test.
  std::thread([&] {
    EXPECT_TRUE(passes(&scalars[0]));
    EXPECT_TRUE(passes(&scalars[1]));
    EXPECT_EQ(script.taken().size(), 2U);
    EXPECT_TRUE(passes(&scalars[0]));
    EXPECT_TRUE(passes(&scalars[1]));
    EXPECT_THAT(script.taken(), IsEmpty());
  }).join();
  KnowingRuntime::kind = MemoryKind::device;
  const float* const on_device = Runtime::handle<float*>(24);
  EXPECT_FALSE(passes(on_device));
  EXPECT_FALSE(passes(on_device));
  EXPECT_EQ(script.taken().size(), 2U);
}

TEST_F(LibraryArgumentTest, ARawPointerOfDataMustBeOnTheDevice) {
  const auto passes = [&](const void* pointer) {
    error = {};
    return detail::check_raw_pointer(pointer, PointerRole::data, stream_of(0), 3, error);
  };
  EXPECT_TRUE(passes(x));
  KnowingRuntime::kind = MemoryKind::unregistered;
  EXPECT_FALSE(passes(x));
  EXPECT_EQ(error.code, Errc::argument_host_pointer);
  EXPECT_EQ(error.argument(), 3U);
  EXPECT_EQ(error.value, 0U);
  static_cast<void>(script.taken());
  EXPECT_TRUE(passes(nullptr));
  EXPECT_THAT(script.taken(), IsEmpty());
}

TEST_F(LibraryArgumentTest, AViewIsOfMemoryThatTheDeviceCanAccess) {
  const auto passes = [&](int device, detail::MemoryOwner* owner) {
    const DeviceView<float> view(DeviceSpan<float>(detail::DeviceAccess::pointer(x), 1), 1, owner);
    return detail::check_library_value<KnowingTraits, float*, PointerRole::unknown>(
        view, stream_of(device), 3, error);
  };
  detail::MemoryOwner owner;
  owner.vendor = static_cast<unsigned char>(Runtime::vendor);
  owner.of_device = 1;
  owner.start = x;
  EXPECT_TRUE(passes(1, &owner));
  EXPECT_TRUE(passes(0, nullptr)) << "nothing is known";
  EXPECT_FALSE(passes(0, &owner));
  EXPECT_EQ(error.code, Errc::memory_wrong_device);
  EXPECT_EQ(error.argument(), 3U);
  script.access = true;
  EXPECT_TRUE(passes(0, &owner));
}

TEST_F(LibraryArgumentTest, TheFirstArgumentKeepsWhatItsTypeTold) {
  using First = detail::FirstArgument<KnowingTraits, float*, PointerRole::unknown>;
  detail::MemoryOwner owner;
  const DeviceView<float> view(DeviceSpan<float>(detail::DeviceAccess::pointer(x), 1), 0, &owner);
  const First of_view(view);
  EXPECT_EQ(of_view.value, x);
  EXPECT_EQ(of_view.memory_owner(), &owner);
  EXPECT_EQ(of_view.place, detail::ScalarPlace::unknown);
  float on_host[2] = {1.0F, 2.0F};
  const First of_array(on_host);
  EXPECT_EQ(of_array.value, &on_host[0]);
  EXPECT_EQ(of_array.memory_owner(), nullptr);
  EXPECT_TRUE(of_array.check(of_array.original, stream_of(0), error))
      << "an array of the program is host memory";
  EXPECT_THAT(script.taken(), IsEmpty());
  const First of_scalar(device_scalar(view));
  EXPECT_EQ(of_scalar.memory_owner(), &owner);
  EXPECT_EQ(of_scalar.place, detail::ScalarPlace::device);
}

}  // namespace
}  // namespace warpsafe::handle_test
