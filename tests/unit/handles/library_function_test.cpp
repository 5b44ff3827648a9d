// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "scripted_library.hpp"
#include <warpsafe/handles/detail/library_function.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

// A library's function: which parameters are the user's, and what the function gets for each.

namespace warpsafe::handle_test {
namespace {

using testing::ElementsAre;
using PlainTraits = RigTraits<ScriptedRuntime>;
using detail::PointerRole;
using detail::ScalarPlace;
using detail::TypeList;
template <auto Fn, unsigned Scalars = 0>
using FunctionOf = detail::LibraryFunction<PlainTraits, decltype(Fn), Scalars>;

/// What the last call of a function got.
struct Got {
  Rig* rig;
  ScriptedStream stream;
  int n;
  const float* from;
  float* to;
  Rig* other;
};
Got got;

int handle_first(Rig* rig, int n, const float* from, float* to) {
  got = {rig, nullptr, n, from, to, nullptr};
  return 0;
}
int handle_last(const float* from, ScriptedStream stream, float* to, Rig* rig) {
  got = {rig, stream, 0, from, to, nullptr};
  return 0;
}
int two_handles(Rig* rig, int n, Rig* other, ScriptedStream stream) {
  got = {rig, stream, n, nullptr, nullptr, other};
  return 1;
}
int only_handle(Rig* rig) {
  got = {rig, nullptr, 0, nullptr, nullptr, nullptr};
  return 2;
}
int two_streams(ScriptedStream, Rig* rig, int n, ScriptedStream stream) {
  got = {rig, stream, n, nullptr, nullptr, nullptr};
  return 3;
}

struct LibraryFunctionTest : core_test::ScriptedTest {
  LibraryFunctionTest() { got = {}; }
  const ScriptedStream stream = Runtime::handle<ScriptedStream>(4);
  float* const x = Runtime::handle<float*>(8);
  float* const y = Runtime::handle<float*>(9);
  Rig rig;
  Rig other;
};

TEST_F(LibraryFunctionTest, TheHandleAndTheStreamAreFilledInWhereTheyAre) {
  EXPECT_EQ(FunctionOf<&handle_first>::call(&handle_first, &rig, stream, 3, trust(x), trust(y)), 0);
  EXPECT_EQ(got.rig, &rig);
  EXPECT_EQ(got.n, 3);
  EXPECT_EQ(got.from, x);
  EXPECT_EQ(got.to, y);
  EXPECT_EQ(FunctionOf<&handle_last>::call(&handle_last, &rig, stream, trust(x), trust(y)), 0);
  EXPECT_EQ(got.rig, &rig);
  EXPECT_EQ(got.stream, stream);
  EXPECT_EQ(got.from, x);
  EXPECT_EQ(got.to, y);
  EXPECT_EQ(FunctionOf<&only_handle>::call(&only_handle, &rig, stream), 2);
  EXPECT_EQ(got.rig, &rig);
  EXPECT_EQ(FunctionOf<&two_streams>::call(&two_streams, &rig, stream, 5), 3);
  EXPECT_EQ(got.rig, &rig);
  EXPECT_EQ(got.stream, stream);
  EXPECT_EQ(got.n, 5);
}

TEST_F(LibraryFunctionTest, ASecondHandleIsTheUsers) {
  EXPECT_EQ(FunctionOf<&two_handles>::call(&two_handles, &rig, stream, 6, &other), 1);
  EXPECT_EQ(got.rig, &rig);
  EXPECT_EQ(got.other, &other);
  EXPECT_EQ(got.stream, stream);
  EXPECT_EQ(got.n, 6);
}

/// `check` refuses with the compiler's errors; what compiles is right, so that `call` calls it.
TEST_F(LibraryFunctionTest, WhatCompilesIsCalled) {
  using Axpy = FunctionOf<&handle_first, 0b1U>;
  using First = Axpy::First;
  const auto checked = [](bool (*check)() noexcept) { return check(); };
  EXPECT_TRUE(checked(&Axpy::check<First, HostScalar<float>, trusted_ptr<float>>));
  EXPECT_TRUE(checked(&Axpy::check<First, const float*, trusted_ptr<float>>));
  EXPECT_TRUE(checked(&Axpy::check<First, DeviceScalar<trusted_ptr<float>>, trusted_ptr<float>>));
  EXPECT_TRUE(checked(&FunctionOf<&only_handle>::check<>));
  EXPECT_TRUE(checked(&FunctionOf<&two_handles>::check<FunctionOf<&two_handles>::First, Rig*>));
}

TEST_F(LibraryFunctionTest, AScalarIsKnownByItsParameterAndItsType) {
  using Axpy = FunctionOf<&handle_first, 0b1U>;
  using Plain = FunctionOf<&handle_first>;
  const auto has = [](bool (*has_scalar)() noexcept) { return has_scalar(); };
  constexpr auto host = ScalarPlace::host;
  constexpr auto device = ScalarPlace::device;
  using There = DeviceScalar<trusted_ptr<float>>;
  EXPECT_TRUE(has(&Axpy::has_scalar<host, int, const float*, float*>));
  EXPECT_TRUE(has(&Axpy::has_scalar<device, int, There, float*>));
  EXPECT_FALSE(has(&Axpy::has_scalar<host, int, There, float*>)) << "the last one is an array";
  EXPECT_FALSE(has(&Axpy::has_scalar<device, int, const float*, float*>));
  EXPECT_TRUE(has(&Plain::has_scalar<host, int, There, float*>)) << "no table names this function";
  EXPECT_FALSE(has(&Plain::has_scalar<host, int, There, int*>));
  EXPECT_FALSE(has(&Axpy::has_scalar<host, int, const float*>)) << "another number of parameters";
  EXPECT_FALSE(has(&FunctionOf<&only_handle>::has_scalar<host>));
  EXPECT_TRUE(has(&FunctionOf<&handle_first, 0b10U>::has_scalar<host, int, There, float*>));
}

int set_mode(Rig*, int mode) { return script.call("set_mode", mode); }
int get_mode(Rig*, int* mode) {
  *mode = script.device;
  return script.status_of("get_mode");
}

TEST_F(LibraryFunctionTest, APointerModeIsOneOfTheLibrarysTwo) {
  using Modes = PointerModeCalls<&set_mode, &get_mode, 5, 6>;
  const auto asked = [&](int mode, bool before) {
    script.device = mode;
    bool on = before;
    EXPECT_EQ(Modes::get_scalars_on_device(&rig, on), 0);
    return on;
  };
  EXPECT_EQ(Modes::set_scalars_on_device(&rig, true), 0);
  EXPECT_EQ(Modes::set_scalars_on_device(&rig, false), 0);
  EXPECT_THAT(script.taken(), ElementsAre("set_mode 6", "set_mode 5"));
  EXPECT_TRUE(asked(6, false));
  EXPECT_FALSE(asked(5, true));
  script.fails = {{"set_mode", 7}, {"get_mode", 8}};
  bool on = false;
  EXPECT_EQ(Modes::set_scalars_on_device(&rig, true), 7);
  EXPECT_EQ(Modes::get_scalars_on_device(&rig, on), 8);
}

// As a macro of the library names its functions.
struct VersionedLibrary {
  static constexpr Name version_suffix = Name::of("_v2");
};
[[maybe_unused]] int f_v2(int n) { return n; }
[[maybe_unused]] int n_v2_twice_v2(int n) { return n; }

TEST_F(LibraryFunctionTest, TheVersionIsLeftOutOfANameWhereverItIs) {
  const auto text = [](Name name) { return std::string(name.data, name.size); };
  EXPECT_EQ(text(detail::FunctionName<VersionedLibrary, f_v2>::value), "f");
  EXPECT_EQ(text(detail::FunctionName<VersionedLibrary, n_v2_twice_v2>::value), "n_twice");
  EXPECT_EQ(text(detail::FunctionName<PlainTraits, f_v2>::value), "f_v2");
}

TEST_F(LibraryFunctionTest, JoinedTextHasItsPartsInOrder) {
  detail::StaticText<8> joined;
  joined.append(Name::of("abc"));
  joined.append(Name{});
  joined.append(Name{"defgh", 2});
  EXPECT_EQ(std::string(joined.data), "abcde") << "nothing behind the parts";
  EXPECT_EQ(joined.size, 5U);
  joined.append(Name::of("fgh"));
  EXPECT_STREQ(joined.data, "abcdefgh") << "a full text ends with 0 too";
}

}  // namespace
}  // namespace warpsafe::handle_test
