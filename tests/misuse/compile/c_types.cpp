// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "handles.hpp"

namespace ws = warpsafe;

// C02: The pointer and the number are swapped.
auto c02_arguments_swapped(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"warpsafe: this argument"}}
  return ws::launch(stream, config, ws::kernel<fill>, n, data);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C02: The kernel takes a number and gets a structure.
namespace c02b_structure_for_a_number {

struct Params {
  int n;
};

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"does not convert to the kernel"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, Params{n});
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

}  // namespace c02b_structure_for_a_number

// C02: Every pointer converts to bool.
namespace c02c_pointer_for_a_bool {

WARPSAFE_KERNEL void scale(bool) {}

auto launched(ws::StreamRef stream, const float* host, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"or it is a pointer that converts to bool"}}
  return ws::launch(stream, config, ws::kernel<scale>, host);
#else
  return ws::launch(stream, config, ws::kernel<scale>, host != nullptr);
#endif
}

}  // namespace c02c_pointer_for_a_bool

// C02: The kernel takes floats and gets a buffer of ints.
auto c02d_buffer_of_another_type(ws::StreamRef stream, [[maybe_unused]] ws::device_ptr<int> data,
                                 int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the buffer's elements have a different type"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, ws::device_ptr<float>(), n);
#endif
}

// C02: The kernel writes to the buffer, which is constant.
namespace c02e_constant_buffer_to_write {

WARPSAFE_KERNEL void fill(float*, int) {}
WARPSAFE_KERNEL void look(const float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<const float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"or are const where the kernel writes"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<look>, data, n);
#endif
}

}  // namespace c02e_constant_buffer_to_write

// C02: trust() vouches for the place of the memory, not for its type.
auto c02f_trusted_pointer_of_another_type(ws::StreamRef stream, [[maybe_unused]] double* other,
                                          [[maybe_unused]] float* mine, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the buffer's elements have a different type"}}
  return ws::launch(stream, config, ws::kernel<fill>, ws::trust(other), n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, ws::trust(mine), n);
#endif
}

// C02: The kernel takes floats and gets a span of ints.
namespace c02g_span_of_another_type {

WARPSAFE_KERNEL void fill(ws::DeviceSpan<float>) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] ws::DeviceSpan<int> span, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the kernel takes a DeviceSpan of these elements"}}
  return ws::launch(stream, config, ws::kernel<fill>, span);
#else
  return ws::launch(stream, config, ws::kernel<fill>, ws::DeviceSpan<float>());
#endif
}

}  // namespace c02g_span_of_another_type

// C02: The kernel takes an array of buffers and gets one buffer.
namespace c02h_pointer_to_pointers {

WARPSAFE_KERNEL void gather(float**) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] ws::device_ptr<float> data,
              [[maybe_unused]] ws::device_ptr<float*> table, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the buffer's elements have a different type"}}
  return ws::launch(stream, config, ws::kernel<gather>, data);
#else
  return ws::launch(stream, config, ws::kernel<gather>, table);
#endif
}

}  // namespace c02h_pointer_to_pointers

// C02: The function belongs to another library.
auto c02i_another_librarys_function(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                    ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"takes another library's handle"}}
  return library.call<other_run>(1, ws::host_scalar(1.0F), y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}

// C02: The function returns no status.
auto c02j_function_that_is_no_call(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                   ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"returns the library's status"}}
  return library.call<library_forget>(1);
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}

// C02: The library takes an enumeration and gets a number.
auto c02k_number_for_an_enumeration(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                    ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"the library's enumeration"}}
  return library.call<library_axpy>(0, 1, ws::host_scalar(1.0F), x.view(), y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}

// C02: The library takes floats and gets a buffer of doubles.
auto c02l_library_buffer_of_another_type(Library& library,
                                         [[maybe_unused]] ws::DeviceBuffer<double>& d,
                                         [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                         ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"a different type"}}
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), d.view(), y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}

// C02: The library takes a float and gets a double.
auto c02m_scalar_of_another_type(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& x,
                                 ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"this scalar has a different type"}}
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0), x.view(), y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), x.view(), y.view());
#endif
}

// C02: One scalar is on the device, the other on the host. The handle has one mode for both.
auto c02n_scalars_in_two_places(Library& library, ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"the scalars of one call are all on the host"}}
  return library.call<library_add>(1, ws::device_scalar(y.view()), ws::host_scalar(1.0F), y.view());
#else
  return library.call<library_add>(1, ws::device_scalar(y.view()), ws::device_scalar(y.view()),
                                   y.view());
#endif
}

// C02: The library reads its scalars on the host, and this one is on the device.
auto c02o_device_scalar_where_none_is_read(Other& other,
                                           [[maybe_unused]] ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"reads its scalars on the host"}}
  return other.call<other_run>(1, ws::device_scalar(y.view()));
#else
  return other.call<other_run>(1, ws::host_scalar(1.0F));
#endif
}

// C02: device_scalar gets a host variable.
auto c02p_host_pointer_as_a_device_scalar(Library& library, [[maybe_unused]] const float& one,
                                          ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"device_scalar takes device memory"}}
  return library.call<library_add>(1, ws::device_scalar(&one), ws::device_scalar(y.view()),
                                   y.view());
#else
  return library.call<library_add>(1, ws::device_scalar(y.view()), ws::device_scalar(y.view()),
                                   y.view());
#endif
}

// C02: A pointer to a class converts to one to its base, and the kernel would advance by the
// size of the base.
namespace c02q_buffer_of_a_derived_class {

struct Particle {
  float mass;
};
struct Charged : Particle {
  float charge;
};

WARPSAFE_KERNEL void move(Particle*, int) {}
WARPSAFE_KERNEL void move_charged(Charged*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<Charged> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"elements have a different type"}}
  return ws::launch(stream, config, ws::kernel<move>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<move_charged>, data, n);
#endif
}

}  // namespace c02q_buffer_of_a_derived_class

// C02: The kernel takes the base, and would lose the members of the derived class.
namespace c02r_derived_class_for_its_base {

struct Settings {
  float step;
};
struct MoreSettings : Settings {
  float damping;
};

WARPSAFE_KERNEL void step(Settings) {}
WARPSAFE_KERNEL void damp(MoreSettings) {}

auto launched(ws::StreamRef stream, MoreSettings settings, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"would be sliced to the base class"}}
  return ws::launch(stream, config, ws::kernel<step>, settings);
#else
  return ws::launch(stream, config, ws::kernel<damp>, settings);
#endif
}

}  // namespace c02r_derived_class_for_its_base

// C02: The library takes the scalar by address and gets it by value.
auto c02u_number_for_a_librarys_pointer(Library& library, ws::DeviceBuffer<float>& x,
                                        ws::DeviceBuffer<float>& y) {
#ifdef MISUSE
  // expected-error {{"the library takes this number by its address: pass host_scalar(x)"}}
  return library.call<library_axpy>(library_plain, 1, 2.0F, x.view(), y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(2.0F), x.view(), y.view());
#endif
}
