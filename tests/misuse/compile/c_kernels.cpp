// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/kernel/functor.hpp>

namespace ws = warpsafe;

// C12: The kernel is given by its name.
auto c12_kernel_by_name(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"launch takes the kernel as kernel<fn>"}}
  return ws::launch(stream, config, "fill", data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C12: The kernel is given by its address, which does not carry its name.
auto c12b_kernel_by_pointer(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"launch takes the kernel as kernel<fn>"}}
  return ws::launch(stream, config, &fill, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C12: A number stands where the kernel belongs.
auto c12c_kernel_that_is_no_function(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"kernel<fn> takes a function"}}
  return ws::launch(stream, config, ws::kernel<256>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C12: The kernel returns a value.
namespace c12d_kernel_that_returns {

inline int sum() { return 0; }

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"a kernel returns void"}}
  return ws::launch(stream, config, ws::kernel<sum>);
#else
  return ws::launch(stream, config, ws::kernel<nothing>);
#endif
}

}  // namespace c12d_kernel_that_returns

// C12: The type among the needs is no need. nvcc loses track of the code after this line.
// alone: nvcc
auto c12e_need_that_is_none(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"takes needs: max_threads<256>"}}
  return ws::launch(stream, config, ws::kernel<fill, float>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C12: The call operator is a template, so it is not one kernel.
namespace c12f_generic_lambda {

struct Fill {
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"functor takes an object with one call operator"}}
  return ws::launch(stream, config, ws::functor([](auto) {}), 4);
#else
  return ws::launch(stream, config, ws::functor(Fill{}), 4);
#endif
}

}  // namespace c12f_generic_lambda

// C12: The call operator has two overloads, so it is not one kernel.
namespace c12g_overloaded_call_operator {

struct Two {
  WARPSAFE_FN void operator()(int) const {}
  WARPSAFE_FN void operator()(float) const {}
};
struct Fill {
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"functor takes an object with one call operator"}}
  return ws::launch(stream, config, ws::functor(Two{}), 4);
#else
  return ws::launch(stream, config, ws::functor(Fill{}), 4);
#endif
}

}  // namespace c12g_overloaded_call_operator

// C12: Each thread would change its own copy, which is then lost.
namespace c12h_call_operator_that_changes_its_object {

struct Counts {
  int count = 0;
  WARPSAFE_FN void operator()(int) { ++count; }
};
struct Fill {
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"a functor's call operator must be const"}}
  return ws::launch(stream, config, ws::functor(Counts{}), 4);
#else
  return ws::launch(stream, config, ws::functor(Fill{}), 4);
#endif
}

}  // namespace c12h_call_operator_that_changes_its_object

// C12: functor() takes objects. kernel<fn> names a function.
namespace c12i_function_as_a_functor {

WARPSAFE_KERNEL void fill([[maybe_unused]] int count) {}

struct Fill {
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"functor takes an object with one call operator"}}
  return ws::launch(stream, config, ws::functor(fill), 4);
#else
  return ws::launch(stream, config, ws::functor(Fill{}), 4);
#endif
}

}  // namespace c12i_function_as_a_functor

// C12: The object is not wrapped in functor().
namespace c12j_functor_without_its_name {

struct Fill {
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"launch takes the kernel as kernel<fn>"}}
  return ws::launch(stream, config, Fill{}, 4);
#else
  return ws::launch(stream, config, ws::functor(Fill{}), 4);
#endif
}

}  // namespace c12j_functor_without_its_name

// C14: The device compiler compiled the kernel, and the stream belongs to the host backend.
// only: nvcc hipcc
auto c14_device_kernel_on_a_host_stream(
    [[maybe_unused]] ws::basic_stream_ref<ws::host_backend> host,
    [[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"this kernel is compiled for a device"}}
  return ws::launch(host, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C14: The host compiler compiled the kernel, and the stream belongs to a device.
// only: g++ clang++
auto c14b_host_kernel_on_a_device_stream(
    [[maybe_unused]] ws::basic_stream_ref<ws::cuda_backend> device,
    [[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"this kernel is compiled for the host"}}
  return ws::launch(device, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
