// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/kernel/functor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ws = warpsafe;

// C05: The bytes of a vector point to host memory.
namespace c05_vector_by_value {

WARPSAFE_KERNEL void bad(std::vector<float>) {}
WARPSAFE_KERNEL void good(ws::DeviceSpan<float>) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a type that is not trivially copyable"}}
  return ws::launch(stream, config, ws::kernel<bad>, std::vector<float>(4));
#else
  return ws::launch(stream, config, ws::kernel<good>, ws::DeviceSpan<float>());
#endif
}

}  // namespace c05_vector_by_value

// C05: The bytes of a string point to host memory.
namespace c05b_string_by_value {

WARPSAFE_KERNEL void bad(std::string) {}
WARPSAFE_KERNEL void good(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a type that is not trivially copyable"}}
  return ws::launch(stream, config, ws::kernel<bad>, std::string());
#else
  return ws::launch(stream, config, ws::kernel<good>, n);
#endif
}

}  // namespace c05b_string_by_value

// C05: Host and device would both free what this owner holds.
namespace c05c_owner_by_value {

WARPSAFE_KERNEL void bad(std::shared_ptr<float>) {}
WARPSAFE_KERNEL void good(ws::device_ptr<float>) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a type that is not trivially copyable"}}
  return ws::launch(stream, config, ws::kernel<bad>, std::make_shared<float>());
#else
  return ws::launch(stream, config, ws::kernel<good>, ws::device_ptr<float>());
#endif
}

}  // namespace c05c_owner_by_value

// C05: The table of virtual functions points to host code.
namespace c05d_polymorphic_type {

struct Shape {
  WARPSAFE_FN virtual float area() const { return 0; }
};

WARPSAFE_KERNEL void bad(Shape) {}
WARPSAFE_KERNEL void good(float) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a polymorphic type"}}
  return ws::launch(stream, config, ws::kernel<bad>, Shape{});
#else
  return ws::launch(stream, config, ws::kernel<good>, 1.0F);
#endif
}

}  // namespace c05d_polymorphic_type

// C05: The device would destroy its copy of the structure too.
namespace c05e_structure_with_a_destructor {

struct Params {
  int n = 0;
  WARPSAFE_FN ~Params() {}
};
struct Plain {
  int n = 0;
};

WARPSAFE_KERNEL void bad(Params) {}
WARPSAFE_KERNEL void good(Plain) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a type that is not trivially copyable"}}
  return ws::launch(stream, config, ws::kernel<bad>, Params{});
#else
  return ws::launch(stream, config, ws::kernel<good>, Plain{});
#endif
}

}  // namespace c05e_structure_with_a_destructor

// C07: The reference avoids a copy, and the kernel gets the address of a host object.
namespace c07_constant_reference {

struct Params {
  int n = 0;
};

WARPSAFE_KERNEL void bad(const Params&) {}
WARPSAFE_KERNEL void good(Params) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a reference"}}
  return ws::launch(stream, config, ws::kernel<bad>, Params{});
#else
  return ws::launch(stream, config, ws::kernel<good>, Params{});
#endif
}

}  // namespace c07_constant_reference

// C07: The kernel writes its result through a reference.
namespace c07b_reference_for_a_result {

WARPSAFE_KERNEL void bad(int&) {}
WARPSAFE_KERNEL void good(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a reference"}}
  return ws::launch(stream, config, ws::kernel<bad>, n);
#else
  return ws::launch(stream, config, ws::kernel<good>, n);
#endif
}

}  // namespace c07b_reference_for_a_result

// C07: The kernel takes a reference to a temporary.
// only: g++ clang++ hipcc
namespace c07c_rvalue_reference {

WARPSAFE_KERNEL void bad(int&&) {}
WARPSAFE_KERNEL void good(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a reference"}}
  return ws::launch(stream, config, ws::kernel<bad>, 5);
#else
  return ws::launch(stream, config, ws::kernel<good>, 5);
#endif
}

}  // namespace c07c_rvalue_reference

// C07: The structure can be copied, and its reference still points to the host.
namespace c07d_reference_in_a_structure {

struct ByReference {
  float& scale;
};
struct ByValue {
  float scale;
};

WARPSAFE_KERNEL void bad([[maybe_unused]] ByReference parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] ByValue parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"a lambda with captures, or a type with a reference"}}
  return ws::launch(stream, config, ws::kernel<bad>, ByReference{host[0]});
#else
  return ws::launch(stream, config, ws::kernel<good>, ByValue{2.0F});
#endif
}

}  // namespace c07d_reference_in_a_structure

// C07: A reference_wrapper can be assigned, and still points to the host.
namespace c07e_reference_wrapper {

WARPSAFE_KERNEL void bad([[maybe_unused]] std::reference_wrapper<float> parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] float parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"holds a raw pointer, or is a view"}}
  return ws::launch(stream, config, ws::kernel<bad>, std::ref(host[0]));
#else
  return ws::launch(stream, config, ws::kernel<good>, 2.0F);
#endif
}

}  // namespace c07e_reference_wrapper

// C07: [&] captures variables on the stack of the host.
// only: g++ clang++ hipcc
namespace c07f_lambda_that_captures_by_reference {

struct Fill {
  float value;
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream, [[maybe_unused]] float value) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"a lambda with captures, or a type with a reference"}}
  return ws::launch(stream, config, ws::functor([&](int) { static_cast<void>(value); }), 4);
#else
  return ws::launch(stream, config, ws::functor(Fill{value}), 4);
#endif
}

}  // namespace c07f_lambda_that_captures_by_reference

// C07: A lambda captures a pointer to host memory by copy.
// only: g++ clang++ hipcc
namespace c07g_lambda_that_captures_by_copy {

auto launched(ws::StreamRef stream, [[maybe_unused]] double value, [[maybe_unused]] float* host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"a lambda with captures, or a type with a reference"}}
  return ws::launch(stream, config, ws::functor([=](int) { static_cast<void>(host); }), 4);
#else
  return ws::launch(stream, config, ws::functor([=](int) { static_cast<void>(value); }), 4);
#endif
}

}  // namespace c07g_lambda_that_captures_by_copy

// C07: A pair holds a pointer to host memory.
namespace c07h_pointer_in_a_pair {

WARPSAFE_KERNEL void bad(std::pair<int, const float*>) {}
WARPSAFE_KERNEL void good(std::pair<int, float>, std::tuple<double, int>) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] const float* host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"holds a raw pointer, or is a view"}}
  return ws::launch(stream, config, ws::kernel<bad>, std::pair(4, host));
#else
  return ws::launch(stream, config, ws::kernel<good>, std::pair(4, 1.0F), std::tuple(2.0, 3));
#endif
}

}  // namespace c07h_pointer_in_a_pair

// C07: The private members of a class hold a pointer to host memory beside numbers.
namespace c07i_private_pointer_beside_numbers {

template <class Last>
class Parameters {
 public:
  constexpr Parameters(double scale, Last last) : scale_(scale), last_(last) {}

 private:
  [[maybe_unused]] double scale_;
  [[maybe_unused]] Last last_;
};

WARPSAFE_KERNEL void bad(Parameters<const float*>) {}
WARPSAFE_KERNEL void good(Parameters<int>) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] const float* host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"could hide the address of host memory"}}
  return ws::launch(stream, config, ws::kernel<bad>, Parameters<const float*>(2.0, host));
#else
  return ws::launch(stream, config, ws::kernel<good>, Parameters<int>(2.0, 3));
#endif
}

}  // namespace c07i_private_pointer_beside_numbers
