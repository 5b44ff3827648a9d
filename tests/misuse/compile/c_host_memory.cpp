// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "handles.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ws = warpsafe;

// C04: The argument is the address of host memory.
auto c04_data_of_a_vector(ws::StreamRef stream, ws::device_ptr<float> data, int n,
                          [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, host.data(), n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C04: The argument is the address of a local variable.
auto c04b_address_of_a_local(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  [[maybe_unused]] float local = 1;
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, &local, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C04: The argument is an array, which decays to a pointer.
auto c04c_array(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  [[maybe_unused]] float local[4] = {};
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, local, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C04: The argument is the vector itself.
auto c04d_vector_itself(ws::StreamRef stream, ws::device_ptr<float> data, int n,
                        [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"this argument is not device memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, host, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C04: The argument is a span of host memory.
auto c04e_span_of_host_memory(ws::StreamRef stream, ws::device_ptr<float> data, int n,
                              [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"this argument is not device memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, std::span(host), n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C04: The argument owns host memory.
auto c04f_unique_ptr(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"this argument is not device memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, std::make_unique<float[]>(4), n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C04: A raw pointer does not say where it came from.
auto c04g_raw_pointer_out_of_a_device_ptr(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, data.get(), n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C04: The kernel takes a device_ptr and gets a raw pointer.
namespace c04h_raw_pointer_for_a_device_ptr {

WARPSAFE_KERNEL void fill(ws::device_ptr<float>, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n,
              [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, host.data(), n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

}  // namespace c04h_raw_pointer_for_a_device_ptr

// C04: The kernel takes a DeviceSpan and gets a raw pointer.
namespace c04i_raw_pointer_for_a_span {

WARPSAFE_KERNEL void fill(ws::DeviceSpan<float>, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n,
              [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a DeviceSpan"}}
  return ws::launch(stream, config, ws::kernel<fill>, host.data(), n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, ws::DeviceSpan<float>(data, 4), n);
#endif
}

}  // namespace c04i_raw_pointer_for_a_span

// C04: The kernel takes a DeviceSpan and gets a vector, which has a pointer and a size too.
namespace c04j_vector_for_a_span {

WARPSAFE_KERNEL void fill(ws::DeviceSpan<float>, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n,
              [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a DeviceSpan"}}
  return ws::launch(stream, config, ws::kernel<fill>, host, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, ws::DeviceSpan<float>(data, 4), n);
#endif
}

}  // namespace c04j_vector_for_a_span

// C04: The kernel takes void*, to which every raw pointer converts.
namespace c04k_raw_pointer_for_void {

WARPSAFE_KERNEL void fill(void*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<unsigned char> data, int n,
              [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, static_cast<void*>(host.data()), n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

}  // namespace c04k_raw_pointer_for_void

// C04: 0 is meant as a null pointer, and is an int here.
auto c04l_zero_for_a_pointer(ws::StreamRef stream, [[maybe_unused]] ws::device_ptr<float> data,
                             int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"this argument is not device memory"}}
  return ws::launch(stream, config, ws::kernel<fill>, 0, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, nullptr, n);
#endif
}

// C04: A library takes device memory and gets a host vector.
auto c04n_vector_to_a_library(Library& library, [[maybe_unused]] const std::vector<float>& v,
                              [[maybe_unused]] ws::DeviceBuffer<float>& x,
                              ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"warpsafe: this argument is not device memory"}}
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), v, y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}

// C04: The library writes its result on the host and gets a view, which is device memory.
auto c04o_view_for_a_librarys_scalar(Library& library, ws::DeviceBuffer<float>& x,
                                     ws::DeviceBuffer<float>& result) {
#ifdef MISUSE
  // expected-error {{"warpsafe: the library takes a scalar here"}}
  return library.call<library_dot>(1, x.view(), x.view(), result.view());
#else
  return library.call<library_dot>(1, x.view(), x.view(), ws::device_scalar(result.view()));
#endif
}

// C04: As above, for memory of other code.
auto c04p_trusted_pointer_for_a_librarys_scalar(Library& library, ws::DeviceBuffer<float>& x,
                                                [[maybe_unused]] float* on_device,
                                                [[maybe_unused]] float& on_host) {
#ifdef MISUSE
  // expected-error {{"warpsafe: the library takes a scalar here"}}
  return library.call<library_dot>(1, x.view(), x.view(), ws::trust(on_device));
#else
  return library.call<library_dot>(1, x.view(), x.view(), &on_host);
#endif
}

// C04: As above, for the first argument.
auto c04q_view_for_a_librarys_first_scalar(Library& library, ws::DeviceBuffer<float>& c,
                                           ws::DeviceBuffer<float>& x) {
#ifdef MISUSE
  // expected-error {{"warpsafe: the library takes a scalar here"}}
  return library.call<library_turn>(c.view(), ws::device_scalar(c.view()), x.view());
#else
  return library.call<library_turn>(ws::device_scalar(c.view()), ws::device_scalar(c.view()),
                                    x.view());
#endif
}

// C04: The library takes an array in device memory and gets a number of the host.
auto c04r_scalar_for_a_librarys_array(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                      float& result) {
#ifdef MISUSE
  // expected-error {{"warpsafe: the library takes an array in device memory here"}}
  return library.call<library_dot>(1, ws::host_scalar(1.0F), ws::host_scalar(1.0F), &result);
#else
  return library.call<library_dot>(1, x.view(), x.view(), &result);
#endif
}
