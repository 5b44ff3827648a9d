// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "handles.hpp"

namespace ws = warpsafe;

// C01: The kernel has two parameters and gets one argument.
auto c01_one_argument_too_few(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the number of arguments differs from the kernel's number"}}
  return ws::launch(stream, config, ws::kernel<fill>, data);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C01: The kernel gets one argument too many.
auto c01b_one_argument_too_many(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the number of arguments differs from the kernel's number"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C01: The kernel gets no arguments.
auto c01c_no_arguments(ws::StreamRef stream, [[maybe_unused]] ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the number of arguments differs from the kernel's number"}}
  return ws::launch(stream, config, ws::kernel<fill>);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C01: The kernel gets an array of pointers to its arguments, as in cudaLaunchKernel.
auto c01d_array_of_argument_pointers(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  [[maybe_unused]] void* arguments[] = {&data, &n};
#ifdef MISUSE
  // expected-error {{"the number of arguments differs from the kernel's number"}}
  return ws::launch(stream, config, ws::kernel<fill>, arguments);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C01: The handle is repeated before the arguments.
auto c01e_library_call_with_its_handle(Library& library, ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"warpsafe: "}}
  return library.call<library_add>(library.native(), 1, ws::host_scalar(1.0F),
                                   ws::host_scalar(1.0F), y.view());
#else
  return library.call<library_add>(1, ws::host_scalar(1.0F), ws::host_scalar(1.0F), y.view());
#endif
}

// C01: The library's function gets one argument too few.
auto c01f_library_call_with_too_few(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                    ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"wrong number of arguments for this function"}}
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}

// C01: The library's function gets no arguments.
auto c01g_library_call_with_none(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                 ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"wrong number of arguments for this function"}}
  return library.call<library_axpy>();
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}
