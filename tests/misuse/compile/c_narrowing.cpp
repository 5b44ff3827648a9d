// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "handles.hpp"
#include <warpsafe/dims/launch_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(float) {}

// C03: The parameter is an int, and the number of elements has 64 bits.
auto c03_int64_to_int(ws::StreamRef stream, ws::device_ptr<float> data, long long n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, 1000);
#endif
}

// C03: The parameter is an int, and the size of a container has 64 bits.
namespace c03b_size_to_int {

WARPSAFE_KERNEL void fill(float*, int) {}
WARPSAFE_KERNEL void wide(float*, std::size_t) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, const std::vector<float>& n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n.size());
#else
  return ws::launch(stream, config, ws::kernel<wide>, data, n.size());
#endif
}

}  // namespace c03b_size_to_int

// C03: An unsigned number of 2^31 or more becomes a negative int.
auto c03c_unsigned_to_int(ws::StreamRef stream, ws::device_ptr<float> data, unsigned n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, 1000);
#endif
}

// C03: The parameter is a float, and the literal a double.
auto c03d_double_to_float(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, 0.1);
#else
  return ws::launch(stream, config, ws::kernel<scale>, 0.1F);
#endif
}

// C03: A float holds every int below 2^24, and not every one above.
auto c03e_int_to_float(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, n);
#else
  return ws::launch(stream, config, ws::kernel<scale>, static_cast<float>(n));
#endif
}

// C03: The parameter is an int, and the quotient a double.
namespace c03f_double_to_int {

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, 0.5 * n);
#else
  return ws::launch(stream, config, ws::kernel<scale>, n / 2);
#endif
}

}  // namespace c03f_double_to_int

// C03: 2 and 1 become the same bool.
namespace c03g_int_to_bool {

WARPSAFE_KERNEL void scale(bool) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, n);
#else
  return ws::launch(stream, config, ws::kernel<scale>, n != 0);
#endif
}

}  // namespace c03g_int_to_bool

// C03: The enumeration's underlying type has 64 bits.
namespace c03h_wide_enumeration_to_int {

enum Offset : long long { offset = 1 };

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, offset);
#else
  return ws::launch(stream, config, ws::kernel<scale>,
                    static_cast<long long>(offset) < 100 ? 1 : 2);
#endif
}

}  // namespace c03h_wide_enumeration_to_int

// C03: The class converts to a number of 64 bits, which is then cut to 32.
namespace c03i_wrapped_int64_to_int {

struct Length {
  long long value = 1LL << 40;
  operator long long() const { return value; }
};

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, Length{});
#else
  return ws::launch(stream, config, ws::kernel<scale>, static_cast<int>(Length{} % 1000));
#endif
}

}  // namespace c03i_wrapped_int64_to_int

// C03: std::ref refers to a number of 64 bits.
namespace c03j_reference_to_int64 {

inline long long wide = 1LL << 40;

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, std::ref(wide));
#else
  return ws::launch(stream, config, ws::kernel<scale>, std::ref(n));
#endif
}

}  // namespace c03j_reference_to_int64

// C03: The class is made of a float, and the argument has 64 bits.
namespace c03k_int64_to_a_class_of_float {

struct Angle {
  WARPSAFE_FN constexpr Angle(float degrees) : value(degrees) {}
  float value;
};

WARPSAFE_KERNEL void scale(Angle) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, 1LL << 40);
#else
  return ws::launch(stream, config, ws::kernel<scale>, 1.0F);
#endif
}

}  // namespace c03k_int64_to_a_class_of_float

// C03: The parameter is an int, and the argument a ptrdiff_t.
namespace c03l_long_to_int {

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, static_cast<std::ptrdiff_t>(n));
#else
  return ws::launch(stream, config, ws::kernel<scale>, n);
#endif
}

}  // namespace c03l_long_to_int

// C03: Devices have no long double.
namespace c03m_long_double {

WARPSAFE_KERNEL void scale(double) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, config, ws::kernel<scale>, 1.0L);
#else
  return ws::launch(stream, config, ws::kernel<scale>, 1.0);
#endif
}

}  // namespace c03m_long_double

// C03: The library takes an int, and the size has 64 bits.
auto c03n_int64_to_a_librarys_int(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                  ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"may lose its value"}}
  return library.call<library_axpy>(library_plain, x.size(), ws::host_scalar(1.0F), x.view(),
                                    y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}

// C03: A priority is an integer.
auto c03o_priority_of_a_fraction([[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"a priority is a whole number"}}
  return ws::priority(0.5);
#else
  return ws::priority(-1);
#endif
}

// C03: 3000000000 as an int is negative, the most urgent priority.
auto c03q_priority_beyond_int([[maybe_unused]] unsigned n) {
#ifdef MISUSE
  // expected-error {{"a priority is a whole number of a type whose values all fit in int"}}
  return ws::priority(n);
#else
  return ws::priority(static_cast<short>(-1));
#endif
}

// C03: The optional's conversion cuts its number of 64 bits.
namespace c03p_optional_of_a_wider_number {

WARPSAFE_KERNEL void fill(std::optional<int>) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::optional<std::int64_t> wide,
              [[maybe_unused]] std::optional<int> fitting) {
  const auto config = ws::configure(ws::grid<4>, ws::block<256>);
#ifdef MISUSE
  // expected-error {{"may lose its value"}}
  return ws::launch(stream, config, ws::kernel<fill>, wide);
#else
  return ws::launch(stream, config, ws::kernel<fill>, fitting);
#endif
}

}  // namespace c03p_optional_of_a_wider_number
