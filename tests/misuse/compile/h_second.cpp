// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The programs of tests/misuse/second that do not compile. There each stands whole; here is its
// wrong line.

#include "data.hpp"
#include "handles.hpp"
#include <warpsafe/error/try.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/stream/device.hpp>

#include <string>

namespace ws = warpsafe;

WARPSAFE_KERNEL void h_fill(float value, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = value;
}

// H17: The guard ends in the same line.
ws::result<void> h17_guard_dropped_at_once() {
#ifdef MISUSE
  // expected-error {{"this object would end in the same statement"}}
  WARPSAFE_TRYV(ws::DeviceGuard::create(ws::DeviceId(1)));
#else
  WARPSAFE_TRY(const auto guard, ws::DeviceGuard::create(ws::DeviceId(1)));
#endif
  return ws::success();
}

// H17: The capture ends in the same line.
ws::result<void> h17b_capture_dropped_at_once(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this object would end in the same statement"}}
  WARPSAFE_TRYV(ws::Capture::begin(stream));
#else
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));
  static_cast<void>(capture);
#endif
  return ws::success();
}

// H19: Free memory is asked of the current device, and the buffer goes to another.
auto h19_memory_of_no_named_device(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"memory_info"}}
  return ws::memory_info();
#else
  return ws::memory_info(stream.device());
#endif
}

// H29: The view of a buffer that is a temporary.
auto h29_view_of_a_temporary(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this temporary buffer frees its memory at the end of the statement"}}
  return ws::DeviceBuffer<float>::create(stream, 10).value().view();
#else
  return ws::DeviceBuffer<float>::create(stream, 10);
#endif
}

// H44: Source and target of a copy are swapped.
auto h44_copy_the_wrong_way(const ws::Stream& stream, Buffer& from, Buffer& to) {
#ifdef MISUSE
  // expected-error {{"both sides of this copy can be written"}}
  return ws::copy(stream, from.view(), to.view());
#else
  return ws::copy(stream, ws::from(from.view()), ws::to(to.view()));
#endif
}

// H45: Source and target of a copy are swapped, and the source is const.
auto h45_copy_to_the_const_source(const ws::Stream& stream, const Buffer& from, Buffer& to) {
#ifdef MISUSE
  // expected-error {{"source and target are swapped? copy(stream, from(x), to(y))"}}
  return ws::copy(stream, from.view(), to.view());
#else
  return ws::copy(stream, to.view(), from.view());
#endif
}

// H51: Elements that own host memory.
auto h51_strings_on_the_device(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"a buffer holds only trivially copyable elements"}}
  return ws::DeviceBuffer<std::string>::create(stream, 10);
#else
  return ws::DeviceBuffer<char>::create(stream, 10);
#endif
}

// H52: An assignment from values of another type.
auto h52_doubles_for_floats(Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"assign"}}
  return buffer.assign(std::vector<double>(10, 1.0));
#else
  return buffer.assign(std::vector<float>(10, 1.0F));
#endif
}

// H56: A buffer is copied by its copy constructor.
auto h56_copy_of_a_buffer(Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"basic_device_buffer"}}
  Buffer other = buffer;
#else
  Buffer other = std::move(buffer);
#endif
  return other.size();
}

// H79: A function object with a pointer to a function of the host.
struct HApply {
  float (*op)(float);
  WARPSAFE_FN void operator()(ws::DeviceSpan<float> x) const {
    for (auto i : ws::grid_stride(x.size())) x[i] = op(x[i]);
  }
};
struct HScale {
  float factor;
  WARPSAFE_FN void operator()(ws::DeviceSpan<float> x) const {
    for (auto i : ws::grid_stride(x.size())) x[i] *= factor;
  }
};
auto h79_host_function_in_a_functor(const ws::Stream& stream, Buffer& buffer, float (*op)(float)) {
  constexpr ws::LaunchConfig one{ws::grid<1>, ws::block<32>};
#ifdef MISUSE
  // expected-error {{"raw pointer"}}
  return ws::launch(stream, one, ws::functor(HApply{op}), buffer.view());
#else
  static_cast<void>(op);
  return ws::launch(stream, one, ws::functor(HScale{2}), buffer.view());
#endif
}

// H80: An object with virtual functions as a parameter.
struct HShape {
  virtual ~HShape() = default;
  virtual float area() const { return 1; }
};
WARPSAFE_KERNEL void h_polymorphic(HShape) {}
struct HArea {
  float area;
};
WARPSAFE_KERNEL void h_plain(HArea) {}
auto h80_polymorphic_parameter(const ws::Stream& stream) {
  constexpr ws::LaunchConfig one{ws::grid<1>, ws::block<32>};
#ifdef MISUSE
  // expected-error {{"the kernel takes a polymorphic type"}}
  return ws::launch(stream, one, ws::kernel<h_polymorphic>, HShape{});
#else
  return ws::launch(stream, one, ws::kernel<h_plain>, HArea{2});
#endif
}

// H81: An integer that float cannot hold, for a float parameter.
auto h81_int_for_float(const ws::Stream& stream, Buffer& buffer, int value) {
  constexpr ws::LaunchConfig one{ws::grid<1>, ws::block<32>};
#ifdef MISUSE
  // expected-error {{"this argument may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, one, ws::kernel<h_fill>, value, buffer.view(), buffer.size());
#else
  return ws::launch(stream, one, ws::kernel<h_fill>, static_cast<float>(value), buffer.view(),
                    buffer.size());
#endif
}

// H102: A scalar of another type than the library reads.
auto h102_int_for_the_librarys_float(ws::StreamBound<LibraryHandle>& library, Buffer& x,
                                     Buffer& y) {
#ifdef MISUSE
  // expected-error {{"this scalar has a different type than the library's parameter points to"}}
  return library.call<library_axpy>(library_plain, 10, ws::host_scalar(2), x.view(), y.view());
#else
  return library.call<library_axpy>(library_plain, 10, ws::host_scalar(2.0F), x.view(), y.view());
#endif
}

// H103: A scalar in device memory for a library that reads its scalars on the host.
auto h103_device_scalar_for_the_host(ws::StreamBound<OtherHandle>& library, Buffer& alpha) {
#ifdef MISUSE
  // expected-error {{"this library reads its scalars on the host"}}
  return library.call<other_run>(10, ws::device_scalar(alpha.view()));
#else
  static_cast<void>(alpha);
  return library.call<other_run>(10, ws::host_scalar(2.0F));
#endif
}

// H06: The value of an event's query is used as a bool.
bool h06_progress_as_a_bool(const ws::Event& event) {
#ifdef MISUSE
  // expected-error {{"bool"}}
  while (event.query().value()) {
  }
#else
  while (event.query().value() != ws::Progress::ready) {
  }
#endif
  return true;
}

// H64: A kernel that counts along x, and a block that is long in y.
auto h64_block_of_two_axes_for_a_size(std::size_t n) {
#ifdef MISUSE
  // expected-error {{"a block of several axes needs an extent of as many axes"}}
  return ws::SafeGrid<>::cover(n, ws::block<1, 64>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<64>);
#endif
}

// H86: A cluster is counted as one block of the grid.
// only: g++ clang++ nvcc
auto h86_cluster_counted_as_a_block() {
#ifdef MISUSE
  // expected-error {{"the cluster does not divide the grid"}}
  constexpr ws::LaunchConfig config{ws::grid<5>, ws::block<32>, ws::cluster<4, 1, 1>};
#else
  constexpr ws::LaunchConfig config{ws::grid<20>, ws::block<32>, ws::cluster<4, 1, 1>};
#endif
  return config;
}
