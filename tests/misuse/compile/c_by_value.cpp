// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/kernel/functor.hpp>

#include <functional>
#include <memory>
#include <string>
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

// C07: The captures of a lambda cannot be inspected, and may be host pointers.
// only: g++ clang++ hipcc
namespace c07g_lambda_that_captures_by_copy {

struct Fill {
  float value;
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream, [[maybe_unused]] float value) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"a lambda with captures, or a type with a reference"}}
  return ws::launch(stream, config, ws::functor([=](int) { static_cast<void>(value); }), 4);
#else
  return ws::launch(stream, config, ws::functor(Fill{value}), 4);
#endif
}

}  // namespace c07g_lambda_that_captures_by_copy
