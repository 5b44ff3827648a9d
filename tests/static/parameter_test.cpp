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
#include <optional>
#include <variant>

namespace warpsafe::core_test {

class Closed {
 public:
  explicit Closed(double value) : value_(value) {}

 private:
  [[maybe_unused]] double value_;
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
static_assert(taken<std::complex<double>, std::chrono::nanoseconds, std::optional<double>,
                    std::variant<int, float>>);
static_assert(refused<std::optional<float*>, std::variant<int, float*>>);

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
static_assert(fine<double> && fine<Small> && fine<Opened> && fine<Numbers> &&
              fine<DeviceSpan<float>> && fine<extent<2>> && fine<trusted_ptr<float>> &&
              fine<std::optional<long>> && fine<std::complex<double>>);

}  // namespace
}  // namespace warpsafe::core_test
