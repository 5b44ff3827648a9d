// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled by nvcc and by hipcc.
#include "device_launches.hpp"

#include "kernels.hpp"
#include <warpsafe/kernel/functor.hpp>

namespace vendor_test {

namespace ws = warpsafe;

namespace {

constexpr auto one = ws::LaunchConfig{ws::grid<1>, ws::block<32>};

WARPSAFE_KERNEL void local_kernel(int) {}
template <class T>
WARPSAFE_KERNEL void typed_kernel(T) {}
WARPSAFE_KERNEL void overloaded(int) {}
WARPSAFE_KERNEL void overloaded(double) {}

}  // namespace

ws::result<void> launch_local(ws::StreamRef stream, int value) {
  return ws::launch(stream, one, ws::kernel<local_kernel>, value);
}
ws::result<void> launch_template_float(ws::StreamRef stream, float value) {
  return ws::launch(stream, one, ws::kernel<typed_kernel<float>>, value);
}
ws::result<void> launch_template_long(ws::StreamRef stream, long value) {
  return ws::launch(stream, one, ws::kernel<typed_kernel<long>>, value);
}
ws::result<void> launch_overload_int(ws::StreamRef stream, int value) {
  return ws::launch(stream, one, ws::kernel<ws::overload<void(int)>(overloaded)>, value);
}
ws::result<void> launch_overload_double(ws::StreamRef stream, double value) {
  return ws::launch(stream, one, ws::kernel<ws::overload<void(double)>(overloaded)>, value);
}
ws::result<void> launch_functor(ws::StreamRef stream, Scale scale, unsigned long count) {
  return ws::launch(stream, one, ws::functor(scale), nullptr, count);
}
ws::result<void> launch_floats_from_device_file(ws::StreamRef stream, float a, double b) {
  return ws::launch(stream, one, ws::kernel<floats>, a, b);
}

}  // namespace vendor_test
