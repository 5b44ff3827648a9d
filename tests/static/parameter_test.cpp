// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Types that kernels take by value, as far as their members can be inspected.

#include <warpsafe/args/aligned_ptr.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/args/pitched_span.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/kernel/detail/parameter.hpp>

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

namespace warpsafe::core_test {

class Closed {
 public:
  explicit Closed(float* value) : value_(value) {}

 private:
  [[maybe_unused]] float* value_;
};
class Opened : public Closed {
 public:
  using Closed::Closed;
};

}  // namespace warpsafe::core_test

template <>
inline constexpr bool warpsafe::is_device_copyable<warpsafe::core_test::Opened> = true;

namespace warpsafe::core_test {
namespace {

template <class... T>
constexpr bool taken = (is_device_copyable<T> && ...);
template <class... T>
constexpr bool refused = (!is_device_copyable<T> && ...);

static_assert(taken<int, float*, device_ptr<float>, DeviceSpan<float>, PitchedSpan<float>,
                    aligned_ptr<float, 16>, trusted_ptr<float>, trusted_span<float>>);
static_assert(taken<rows, x, extent<1>, extent<3>, Index3>);
static_assert(refused<DeviceView<float>>, "host code's");

// A type that cannot be inspected is refused if it has room for an address, unless it declares that
// it consists of numbers.
class Small {
 public:
  explicit Small(float value) : value_(value) {}

 private:
  [[maybe_unused]] float value_;
};
union Either {
  double number;
  float* pointer;
};
union Numbers {
  float real;
  int whole;
};
static_assert(taken<Small, Numbers, Opened> && refused<Closed, Either>);

// Private numbers are examined, with and without a constexpr constructor.
class Range {
 public:
  Range(double low, double high) : low_(low), high_(high) {}

 private:
  [[maybe_unused]] double low_, high_;
};
struct Vector {
  Vector(double a, double b, double c) : x(a), y(b), z(c) {}
  double x, y, z;
};
class Quaternion {
 public:
  explicit Quaternion(double a) : v_{a, a, a, a} {}

 private:
  [[maybe_unused]] double v_[4];
};
// Different numbers in any order, without a constexpr constructor.
template <class... Member>
class Private;
template <class A, class B>
class Private<A, B> {
 public:
  explicit Private(A a);

 private:
  [[maybe_unused]] A a_;
  [[maybe_unused]] B b_;
};
template <class A, class B, class C>
class Private<A, B, C> {
 public:
  explicit Private(A a);

 private:
  [[maybe_unused]] A a_;
  [[maybe_unused]] B b_;
  [[maybe_unused]] C c_;
};
template <class A, class B, class C, class D>
class Private<A, B, C, D> {
 public:
  explicit Private(A a);

 private:
  [[maybe_unused]] A a_;
  [[maybe_unused]] B b_;
  [[maybe_unused]] C c_;
  [[maybe_unused]] D d_;
};
static_assert(taken<Private<double, int>, Private<long, double>> &&
              refused<Private<double, float*>, Private<int, const int&>>);
static_assert(taken<Private<int, double>, Private<long long, bool>,
                    Private<std::size_t, float, unsigned>, Private<double, double, int, float>,
                    Private<float, int, double, long>, Private<double, long, double, long>>);
static_assert(taken<Private<unsigned long long, int>, Private<double, unsigned long long>,
                    Private<float, unsigned long long, int>>);
static_assert(refused<Private<int, float*>, Private<float*, double>, Private<long, void (*)()>,
                      Private<double, double, float*>, Private<long, int, double*>,
                      Private<double, int, double, float*>, Private<double, Private<int, float*>>>);
// Of any types, and classes inside.
static_assert(taken<Private<short, long>, Private<char, double>, Private<std::byte, double, short>,
                    Private<Private<double, int>, Private<long, bool>>,
                    Private<std::array<double, 3>, std::size_t>, Private<extent<2>, double>,
                    Private<std::chrono::nanoseconds, int, char, double>>);
static_assert(refused<Private<double, Private<int, const Either*>>, Private<int, int Vector::*>,
                      Private<DeviceSpan<float>, int>>);
#if !defined(__clang__) && !defined(__CUDACC__)  // which make no std::complex of bytes
static_assert(taken<Private<std::complex<double>, int>>);
#endif

class TwoPointers {
 public:
  explicit TwoPointers(float* a) : first_(a), second_{a, a} {}

 private:
  [[maybe_unused]] float* first_;
  [[maybe_unused]] float* second_[2];
};
class Count {
 public:
  explicit Count(std::size_t value) : value_(value) {}

 private:
  [[maybe_unused]] std::size_t value_;
};
template <class T>
class Three {
 public:
  explicit Three(T a) : a_{a, a, a} {}

 private:
  [[maybe_unused]] T a_[3];
};
static_assert(taken<Three<double>, Three<long>, Three<unsigned long>, Three<long long>,
                    Three<unsigned long long>>);
// Arrays with other members beside them: of numbers without a constexpr constructor, and of
// pointers with one.
template <class T, std::size_t N, class... Beside>
class ArrayBehind;
template <class T, std::size_t N, class A>
class ArrayBehind<T, N, A> {
 public:
  explicit ArrayBehind(A a);

 private:
  [[maybe_unused]] A a_;
  [[maybe_unused]] T array_[N];
};
template <class T, std::size_t N, class... Beside>
class ArrayBefore;
template <class T, std::size_t N, class A>
class ArrayBefore<T, N, A> {
 public:
  explicit ArrayBefore(A a);

 private:
  [[maybe_unused]] T array_[N];
  [[maybe_unused]] A a_;
};
template <class T, std::size_t N, class A, class B>
class ArrayBefore<T, N, A, B> {
 public:
  explicit ArrayBefore(A a);

 private:
  [[maybe_unused]] T array_[N];
  [[maybe_unused]] A a_;
  [[maybe_unused]] B b_;
};
static_assert(taken<ArrayBehind<double, 3, int>, ArrayBehind<float, 4, double>,
                    ArrayBefore<double, 9, int>, ArrayBefore<double, 2, bool>,
                    ArrayBefore<float, 4, double>, ArrayBefore<double, 4, int, float>>);
template <class T, std::size_t N>
class Batch {
 public:
  constexpr explicit Batch(int count) : count_(count) {}

 private:
  [[maybe_unused]] T rows_[N] = {};
  [[maybe_unused]] int count_;
};
template <class T, class A, class B>
class Between {
 public:
  constexpr Between() = default;

 private:
  [[maybe_unused]] A a_ = {};
  [[maybe_unused]] T rows_[2] = {};
  [[maybe_unused]] B b_ = {};
};
template <class T>
class Behind {
 public:
  constexpr Behind() = default;

 private:
  [[maybe_unused]] std::size_t a_ = {}, b_ = {};
  [[maybe_unused]] T rows_[3] = {};
};
static_assert(
    refused<Batch<float*, 2>, Batch<const double*, 4>, Batch<void*, 1>, Between<int*, int, bool>,
            Between<const float*, double, double>, Behind<char*>, Behind<const void*>>);
static_assert(taken<Batch<float, 2>, Batch<double, 4>, Between<int, int, bool>,
                    Between<double, char, long>, Behind<double>, Behind<std::size_t>>);
// What g++ does not show: an array of pointers to another type, two arrays, and more members.
template <class T>
class TwoArrays {
 public:
  constexpr TwoArrays() = default;

 private:
  [[maybe_unused]] T a_[2] = {}, b_[2] = {};
};
class ThreeBeside {
 public:
  constexpr ThreeBeside() = default;

 private:
  [[maybe_unused]] double a_ = 0, b_ = 0, c_ = 0;
  [[maybe_unused]] float* rows_[2] = {};
};
class Node {
 public:
  explicit Node(int value);

 private:
  [[maybe_unused]] Node* children_[2];
  [[maybe_unused]] int value_;
};
static_assert(refused<Node>);
#if defined(__clang__)
static_assert(refused<Batch<Small*, 2>, TwoArrays<float*>, ThreeBeside>);
#elif !defined(__CUDACC__) && __GNUC__ < 13
static_assert(taken<Batch<Small*, 2>, TwoArrays<float*>, ThreeBeside>,
              "better than docs/guide/kernels.md says: change the page");
#endif
class Mixed {
 public:
  constexpr Mixed(double scale, bool flag) : scale_(scale), flag_(flag) {}

 private:
  [[maybe_unused]] double scale_;
  [[maybe_unused]] double more_[3] = {};
  [[maybe_unused]] bool flag_;
};
class Holder {
 public:
  constexpr Holder() = default;

 private:
  [[maybe_unused]] double scale_ = 0;
  [[maybe_unused]] const double* values_ = nullptr;
};
struct Derived : Mixed {
  using Mixed::Mixed;
};
struct DerivedHolder : Holder {
  constexpr DerivedHolder() = default;
};
static_assert(taken<Range, Vector, Quaternion, Count, Mixed, Derived> &&
              refused<Holder, DerivedHolder, TwoPointers>);
// Members and bases without members of their own, and unions without a name, hide nothing.
struct Tag {};
struct TagOfTag {
  Tag tag;
};
template <class T>
struct Tagged : Tag {
  int count;
  TagOfTag tag;
  T value;
};
template <class T>
struct TagFirst {
  [[no_unique_address]] Tag tag;
  T value;
};
template <class T>
struct Unnamed {
  int kind;
  union {
    int whole;
    float real;
  };
  T value;
};
static_assert(taken<Tag, Tagged<double>, TagFirst<double>, Unnamed<double>> &&
              refused<Tagged<float*>, TagFirst<float*>, Unnamed<float*>>);
struct Constant {
  const double value;
  const int count;
};
struct ConstantPointer {
  const double* const value;
};
static_assert(taken<Constant, const double> && refused<ConstantPointer>);

// The captures of a lambda.
constexpr auto captures_nothing = [] {};
constexpr auto captures_a_float = [a = 1.0F] { return a; };
constexpr auto captures_numbers = [a = 1.0, b = 2, c = std::size_t{3}] {
  return static_cast<double>(c) + a + b;
};
constexpr auto captures_a_class = [a = Mixed(1, true)] { return sizeof a; };
constexpr auto captures_a_pointer = [a = static_cast<float*>(nullptr)] { return a; };
constexpr int global = 0;
constexpr auto captures_a_reference = [&a = global] { return a; };
static_assert(taken<decltype(captures_nothing), decltype(captures_a_float),
                    decltype(captures_numbers), decltype(captures_a_class)>);
static_assert(refused<decltype(captures_a_pointer), decltype(captures_a_reference)>);

static_assert(taken<std::pair<int, float>, std::tuple<double, int, char>, std::tuple<>,
                    std::pair<std::array<double, 3>, std::complex<float>>,
                    std::pair<const int, double>, std::pair<DeviceSpan<float>, int>>);
static_assert(refused<std::pair<int, float*>, std::tuple<double, const int*>, std::pair<int&, int>,
                      std::pair<std::pair<int, Closed>, int>, std::pair<std::string, int>,
                      std::tuple<int, ConstantPointer>>);
static_assert(taken<std::array<std::array<double, 3>, 3>, std::array<std::complex<double>, 4>,
                    std::array<float, 100>, std::array<double, 0>>);

static_assert(taken<std::complex<double>, std::chrono::nanoseconds, std::optional<double>,
                    std::variant<int, float>>);
static_assert(taken<std::optional<std::array<double, 3>>, std::optional<std::complex<double>>,
                    std::optional<Range>>);
static_assert(refused<std::optional<float*>, std::optional<Holder>, std::variant<int, float*>>);
// The name of a number's type does not make a class a number.
template <class Number>
class RefersTo {
 public:
  using value_type = Number;
  explicit constexpr RefersTo(Number* to) : to_(to) {}
  [[nodiscard]] Number* get() const { return to_; }

 private:
  Number* to_;
};
static_assert(refused<RefersTo<float>, RefersTo<double>, std::optional<RefersTo<double>>>);

// The same type as a member, at any position.
template <class Member>
struct First {
  Member member;
  int more;
};
template <class Member>
struct Last {
  int less[3];
  Member member;
};
template <class Member>
struct BesideOneThatHasToBeGiven {
  Member member;
  rows given;
};
template <class Member>
struct Within {
  int less;
  struct {
    Member member[2];
  } inner;
};
template <class Member>
constexpr bool seen = refused<First<Member>, Last<Member>, BesideOneThatHasToBeGiven<Member>,
                              Within<Member>, std::array<Member, 2>>;
template <class Member>
constexpr bool fine = taken<First<Member>, Last<Member>, BesideOneThatHasToBeGiven<Member>,
                            Within<Member>, std::array<Member, 2>>;
static_assert(seen<float*> && seen<Closed> && seen<Either> && seen<DeviceView<float>> &&
              seen<std::optional<const float*>>);
static_assert(seen<std::pair<int, float*>> && seen<Holder> && seen<decltype(captures_a_pointer)> &&
              seen<ConstantPointer>);
static_assert(fine<Range> && fine<Mixed> && fine<std::pair<int, double>> &&
              fine<std::tuple<double, std::pair<char, short>>> && fine<std::array<float, 3>>);
static_assert(fine<double> && fine<Small> && fine<Opened> && fine<Numbers> &&
              fine<DeviceSpan<float>> && fine<extent<2>> && fine<trusted_ptr<float>> &&
              fine<std::optional<long>> && fine<std::complex<double>>);

}  // namespace
}  // namespace warpsafe::core_test
