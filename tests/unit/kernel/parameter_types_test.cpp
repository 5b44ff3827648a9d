// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How the types of parameters are examined for addresses of host memory. tests/static has the
// types themselves; here each question is asked alone.

#include "rule_table.hpp"
#include <warpsafe/args/device_span.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/kernel/detail/parameter.hpp>

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

namespace warpsafe::core_test {
namespace {

/// Private members, which cannot be examined one by one.
template <class T>
class Kept {
 public:
  explicit Kept(T value) : value_(value) {}

 private:
  [[maybe_unused]] T value_;
};
union NumberOrPointer {
  double number;
  float* pointer;
};
union TwoNumbers {
  float real;
  int whole;
};
class WithReference {
 public:
  explicit WithReference(int& target) : target_(target) {}

 private:
  [[maybe_unused]] int& target_;
};
class WithConstNumber {
 public:
  explicit WithConstNumber(long number) : number_(number) {}

 private:
  [[maybe_unused]] const long number_;
};
/// A pointer that stays in its place: only a move assigns it.
class Moved {
 public:
  explicit Moved(float* target) : target_(target) {}
  Moved(const Moved&) = default;
  Moved(Moved&&) = default;
  Moved& operator=(const Moved&) = delete;
  Moved& operator=(Moved&&) = default;

 private:
  [[maybe_unused]] float* target_;
};
/// As above, and only a copy assigns it.
class Copied {
 public:
  explicit Copied(float* target) : target_(target) {}
  Copied(const Copied&) = default;
  Copied(Copied&&) = default;
  Copied& operator=(const Copied&) = default;
  Copied& operator=(Copied&&) = delete;

 private:
  [[maybe_unused]] float* target_;
};
/// As HIP's float4: a class with a vector of the compiler.
class VendorVector {
 public:
  using Native_vec_ = float;
  explicit VendorVector(double* target) : target_(target) {}

 private:
  [[maybe_unused]] double* target_;
};
struct Nothing {};
struct One {
  int a;
};
struct Numbers3 {
  int a;
  double b;
  One c;
};
struct Array2 {
  float values[2];
  int more;
};
struct PointerFirst {
  float* a;
  int b;
};
struct PointerLast {
  int a;
  One b;
  const float* c;
};
struct PointerInside {
  int a;
  PointerFirst b;
};
struct ClosedInside {
  int a;
  Kept<float*> b;
};
struct SpanInside {
  int a;
  DeviceSpan<float> b;
};
template <class T, std::size_t Count, class Last>
struct Behind {
  T many[Count];
  Last last;
};
struct Method {
  void call() {}
};

// They look like std::optional and std::complex, and hold an address.
template <class T>
class OptionalReference {
 public:
  using value_type = T;
  explicit OptionalReference(T& value) : pointer_(&value) {}
  [[nodiscard]] bool has_value() const { return pointer_ != nullptr; }

 private:
  T* pointer_;
};
template <class T>
class FlaggedReference : OptionalReference<T> {
 public:
  using value_type = T;
  using OptionalReference<T>::OptionalReference;
  [[nodiscard]] bool has_value() const { return there_; }

 private:
  bool there_ = true;
};
template <class T>
class ComplexReference {
 public:
  using value_type = T;
  explicit ComplexReference(T* first) : first_(first) {}
  [[nodiscard]] T real() const { return first_[0]; }
  [[nodiscard]] T imag() const { return first_[1]; }

 private:
  T* first_;
};

TEST(ParameterTypes, AClassWithRoomForAnAddressMayHideOne) {
  using detail::may_hide_address;
  expect_rules({
      {&may_hide_address<Kept<float*>>, true},
      {&may_hide_address<NumberOrPointer>, true},
      {&may_hide_address<Kept<double>>, false},
      {&may_hide_address<Kept<int>>, false},
      {&may_hide_address<TwoNumbers>, false},
      {&may_hide_address<DeviceSpan<float>>, false},
      {&may_hide_address<device_ptr<float>>, false},
      {&may_hide_address<VendorVector>, false},
      {&may_hide_address<std::optional<double>>, false},
      {&may_hide_address<std::complex<double>>, false},
      {&may_hide_address<std::optional<float*>>, true},
      {&may_hide_address<std::optional<std::pair<int, double>>>, false},
      {&may_hide_address<OptionalReference<float>>, true},
      {&may_hide_address<OptionalReference<double>>, true},
      {&may_hide_address<FlaggedReference<double>>, true},
      {&may_hide_address<ComplexReference<float>>, true},
      {&may_hide_address<ComplexReference<double>>, true},
  });
}

TEST(ParameterTypes, OnlyCopiesOfBytesThatAreNoUnionAreMadeOfBytes) {
  using detail::is_made_of_bytes;
  expect_rules({
      {&is_made_of_bytes<Numbers3>, true},
      {&is_made_of_bytes<Kept<double>>, true},
      {&is_made_of_bytes<TwoNumbers>, false},
      {&is_made_of_bytes<std::string>, false},
  });
}

TEST(ParameterTypes, MembersOfAnAggregateAreCounted) {
  using detail::count_members;
  expect_rules<std::size_t>({
      {&count_members<Nothing>, 0},
      {&count_members<One>, 1},
      {&count_members<Numbers3>, 3},
      {&count_members<PointerLast>, 3},
      {&count_members<Array2>, 3},
      {&count_members<PointerInside>, 3},
      {&count_members<std::array<int, 5>>, 5},
      {&count_members<std::array<char, 70>>, 64},
  });
}

TEST(ParameterTypes, AMemberIsInitialisedWhereItStands) {
  using detail::AnyAddress;
  using detail::AnyMember;
  using None = std::index_sequence<>;
  const auto takes = []<class P, class Probe, class Before, class After>() {
    const auto asked = static_cast<bool (*)(Before, After) noexcept>(&detail::takes<P, Probe>);
    return asked(Before{}, After{});
  };
  const auto address_at = [&]<class P, class Before, class After>() {
    return takes.template operator()<P, AnyAddress, Before, After>();
  };
  using First = std::index_sequence<0>;
  using Both = std::index_sequence<0, 1>;
  EXPECT_TRUE((takes.operator()<Numbers3, AnyMember, Both, None>()));
  EXPECT_TRUE((takes.operator()<Numbers3, AnyMember, None, None>()));
  EXPECT_FALSE((takes.operator()<Numbers3, AnyMember, Both, First>())) << "there are three";
  EXPECT_TRUE((address_at.operator()<PointerFirst, None, First>()));
  EXPECT_FALSE((address_at.operator()<PointerFirst, First, None>()));
  EXPECT_TRUE((address_at.operator()<PointerLast, Both, None>()));
  EXPECT_FALSE((address_at.operator()<PointerLast, None, Both>()));
}

TEST(ParameterTypes, AnAggregateHasTheAddressesOfItsMembers) {
  using detail::has_address;
  expect_rules({
      {&has_address<PointerFirst>, true},
      {&has_address<PointerLast>, true},
      {&has_address<PointerInside>, true},
      {&has_address<ClosedInside>, true},
      {&has_address<Numbers3>, false},
      {&has_address<Array2>, false},
      {&has_address<SpanInside>, false},
      {&has_address<Behind<float, 64, const float*>>, true},
      {&has_address<Behind<char, 200, PointerInside>>, true},
      {&has_address<Behind<char, 100, DeviceSpan<float>>>, false},
      {&has_address<Behind<double, 400, int>>, false},
      {&has_address<Nothing>, false},
      {&has_address<std::array<float*, 2>>, true},
      {&has_address<std::array<float, 2>>, false},
  });
}

TEST(ParameterTypes, WhatShowsAnAddressIsAViewOrHidesOne) {
  using detail::shows_address;
  expect_rules({
      {&shows_address<int>, false},
      {&shows_address<float*>, false},
      {&shows_address<void (Method::*)()>, true},
      {&shows_address<int One::*>, false},
      {&shows_address<std::string_view>, true},
      {&shows_address<std::span<float>>, true},
      {&shows_address<std::optional<float*>>, true},
      {&shows_address<std::pair<int, float*>>, true},
      {&shows_address<std::pair<int, double>>, false},
      {&shows_address<std::tuple<int, double>>, false},
      {&shows_address<std::tuple<int, float*>>, true},
      {&shows_address<std::variant<long, double>>, false},
      {&shows_address<Kept<float*>>, true},
      {&shows_address<Kept<double>>, false},
      {&shows_address<NumberOrPointer>, true},
      {&shows_address<TwoNumbers>, false},
      {&shows_address<PointerLast>, true},
      {&shows_address<Numbers3>, false},
      {&shows_address<SpanInside>, false},
  });
}

TEST(ParameterTypes, WhatCannotBeAssignedMayRefer) {
  using detail::may_refer;
  double here = 0;
  const auto captures = [&here] { return here; };
  const auto counts = [here] { return here; };
  expect_rules({
      {&may_refer<WithReference>, true},
      {&may_refer<std::remove_const_t<decltype(captures)>>, true},
      {&may_refer<std::remove_const_t<decltype(counts)>>, false},
      {&may_refer<WithConstNumber>, false},
      {&may_refer<Moved>, false},
      {&may_refer<Copied>, false},
      {&may_refer<Kept<float*>>, false},
      {&may_refer<std::pair<int&, int>>, false},
      {&may_refer<int>, false},
      {&may_refer<float*>, false},
  });
}

TEST(ParameterTypes, MembersAndElementsAreRefusedAsParametersAre) {
  using detail::is_refused_element;
  using detail::is_refused_member;
  expect_rules({
      {&is_refused_member<Kept<float*>>, true},
      {&is_refused_member<NumberOrPointer>, true},
      {&is_refused_member<Kept<double>>, false},
      {&is_refused_member<TwoNumbers>, false},
      {&is_refused_member<PointerFirst>, false},  // its members are asked
      {&is_refused_member<float*>, false},        // AnyAddress has its own conversion
      {&is_refused_member<int>, false},
      {&is_refused_element<float*>, true},
      {&is_refused_element<int&>, true},
      {&is_refused_element<PointerFirst>, true},
      {&is_refused_element<Kept<float*>>, true},
      {&is_refused_element<int>, false},
      {&is_refused_element<Numbers3>, false},
      {&is_refused_element<DeviceSpan<float>>, false},
  });
}

}  // namespace
}  // namespace warpsafe::core_test
