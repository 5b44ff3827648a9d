// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"

namespace ws = warpsafe;

// C15: The device is a bare number, which could be anything else.
ws::DeviceId c15_device_as_a_number() {
#ifdef MISUSE
  // expected-error {{"conver"}}
  return 0;
#else
  return ws::DeviceId(0);
#endif
}

// C15: The device of a borrowed stream is a bare number.
auto c15b_device_of_a_borrowed_stream(ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"pass the device of a borrowed stream"}}
  return ws::StreamRef::borrow(stream.native(), 0);
#else
  return ws::StreamRef::borrow(stream.native(), ws::DeviceId(0));
#endif
}

// C15: The stream is borrowed without its device.
auto c15c_borrowed_without_a_device(ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"pass the device of a borrowed stream"}}
  return ws::StreamRef::borrow(stream.native());
#else
  return ws::StreamRef::borrow(stream.native(), ws::DeviceId(0));
#endif
}

// C15: The number could be a device or a priority.
auto c15d_stream_on_a_bare_number() {
#ifdef MISUSE
  // expected-error {{"a bare number could be a device or a priority"}}
  return ws::Stream::create(1);
#else
  return ws::Stream::create(ws::DeviceId(1));
#endif
}

// C17: HIP compiles a kernel with 40 KB of parameters, and no runtime passes them.
// only: g++ clang++ hipcc
namespace c17_large_argument {

struct Table {
  float values[10000];
};

WARPSAFE_KERNEL void bad(Table) {}
WARPSAFE_KERNEL void good(Table*) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"exceed the runtime's limit for parameter bytes"}}
  return ws::launch(stream, config, ws::kernel<bad>, Table{});
#else
  return ws::launch(stream, config, ws::kernel<good>, ws::device_ptr<Table>());
#endif
}

}  // namespace c17_large_argument

// C17: Each parameter fits, and their sum does not.
// only: g++ clang++ hipcc
namespace c17b_large_sum_of_arguments {

struct Table {
  float values[500];
};

WARPSAFE_KERNEL void bad(Table, Table, Table) {}
WARPSAFE_KERNEL void good(Table) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"exceed the runtime's limit for parameter bytes"}}
  return ws::launch(stream, config, ws::kernel<bad>, Table{}, Table{}, Table{});
#else
  return ws::launch(stream, config, ws::kernel<good>, Table{});
#endif
}

}  // namespace c17b_large_sum_of_arguments

// C18: The kernel does not wait, so it may start before its input is written.
// only: g++ clang++ nvcc
auto c18_dependent_launch_that_does_not_wait(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<4>, ws::block<256>, ws::dependent_launch);
#ifdef MISUSE
  // expected-error {{"only for kernels declared waits_for_predecessor"}}
  return ws::launch(stream, config, ws::kernel<nothing>);
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::waits_for_predecessor>);
#endif
}

// C18: A kernel for HIP cannot wait for its predecessor. Inline, so that hipcc makes no host code.
// only: hipcc
inline void c18c_wait_on_amd() {
#ifdef MISUSE
  // expected-error {{"HIP has no dependent launch, so no kernel can wait for its predecessor"}}
  ws::wait_for_predecessor();
#else
  ws::sync_block();
#endif
}

// C18: HIP has no trigger either.
// only: hipcc
inline void c18d_trigger_on_amd() {
#ifdef MISUSE
  // expected-error {{"HIP has no dependent launch, so no kernel can allow its dependents"}}
  ws::allow_dependents();
#else
  ws::sync_block();
#endif
}

// C18: Dependent launches are an option of CUDA.
// only: hipcc
auto c18b_dependent_launch_on_amd(ws::StreamRef stream) {
  [[maybe_unused]] const auto config =
      ws::configure(ws::grid<4>, ws::block<256>, ws::dependent_launch);
#ifdef MISUSE
  // expected-error {{"this backend has no programmatic dependent launch"}}
  return ws::launch(stream, config, ws::kernel<nothing, ws::waits_for_predecessor>);
#else
  return ws::launch(stream, ws::configure(ws::grid<4>, ws::block<256>), ws::kernel<nothing>);
#endif
}
