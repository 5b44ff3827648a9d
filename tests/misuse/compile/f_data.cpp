// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data.hpp"
#include <warpsafe/args/align.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>

#include <vector>

namespace ws = warpsafe;

// F07: The aligned memory may belong to the host.
auto f07_align_of_a_raw_pointer([[maybe_unused]] ws::DeviceView<float> view,
                                [[maybe_unused]] float* host) {
#ifdef MISUSE
  // expected-error {{"align takes a device buffer"}}
  return ws::align<16>(host);
#else
  return ws::align<16>(view);
#endif
}

// F07: No allocator promises this alignment.
auto f07d_more_than_memory_is_aligned_to(ws::DeviceView<float> view) {
#ifdef MISUSE
  // expected-error {{"a larger alignment holds by chance only"}}
  return ws::align<512>(view);
#else
  return ws::align<256>(view);
#endif
}

// F07: The elements need more than any allocation is aligned to.
namespace f07e_element_that_needs_more {

#ifdef MISUSE
struct alignas(512) Wide {
  float values[128];
};
#else
struct alignas(256) Wide {
  float values[64];
};
#endif

auto made(ws::StreamRef stream) {
  // expected-error {{"this element type (alignas) needs more"}}
  return ws::DeviceBuffer<Wide>::create(stream, 10);
}

}  // namespace f07e_element_that_needs_more

// F07: Nothing has checked this alignment.
auto f07b_aligned_pointer_by_hand([[maybe_unused]] ws::DeviceView<float> view,
                                  [[maybe_unused]] float* host) {
#ifdef MISUSE
  // expected-error {{"make an aligned_ptr with align<16>"}}
  return ws::aligned_ptr<float, 16>(host);
#else
  return ws::align<16>(view);
#endif
}

// F07: A float4 is read at an address that suits a float.
namespace f07c_wide_elements_of_a_narrower_alignment {

struct alignas(16) Four {
  float values[4];
};

WARPSAFE_KERNEL void bad([[maybe_unused]] ws::aligned_ptr<float, 16> parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] ws::device_ptr<float> parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"does not convert to the kernel"}}
  return ws::launch(stream, config, ws::kernel<bad>, ws::DeviceSpan<float>().pointer());
#else
  return ws::launch(stream, config, ws::kernel<good>, nullptr);
#endif
}

}  // namespace f07c_wide_elements_of_a_narrower_alignment

// F08: The rows have gaps between them, and the kernel reads them as one array.
namespace f08_matrix_for_a_pointer {

using Matrix = ws::PitchedBuffer<float>;
WARPSAFE_KERNEL void flat(float*) {}
WARPSAFE_KERNEL void rows(ws::PitchedSpan<float>) {}

auto copied(ws::StreamRef stream, Matrix& matrix) {
#ifdef MISUSE
  // expected-error {{"the rows of this matrix have padding between them"}}
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<flat>,
                    matrix.view());
#else
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<rows>,
                    matrix.view());
#endif
}

}  // namespace f08_matrix_for_a_pointer

// F09: The kernel takes void*, so the type of its elements is unknown.
namespace f09_buffer_for_a_void_parameter {

WARPSAFE_KERNEL void scale(void*, int) {}

auto launched(ws::StreamRef stream, Buffer& buffer, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"void* parameter takes memory of any type"}}
  return ws::launch(stream, config, ws::kernel<scale>, buffer.view(), n);
#else
  return ws::launch(stream, config, ws::kernel<scale>, ws::as_writable_bytes(buffer.view()), n);
#endif
}

}  // namespace f09_buffer_for_a_void_parameter

// F12: The host reads managed memory while the device may be working.
namespace f12_managed_memory_read_at_once {

using Managed = ws::ManagedBuffer<float>;

auto copied([[maybe_unused]] ws::StreamRef stream, Managed managed) {
#ifdef MISUSE
  // expected-error {{"host code cannot read or write device memory"}}
  return managed.view()[0];
#else
  return std::move(managed).to_host(stream).get().value().size();
#endif
}

}  // namespace f12_managed_memory_read_at_once

// F12: The host holds the memory, and a kernel gets it.
namespace f12b_managed_memory_of_the_host_in_a_kernel {

using Host = ws::HostManaged<float>;
WARPSAFE_KERNEL void overwrite(float*) {}

auto copied(ws::StreamRef stream, Host managed) {
#ifdef MISUSE
  // expected-error {{"this argument is not device memory"}}
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<overwrite>,
                    managed);
#else
  auto buffer = std::move(managed).to_device();
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<overwrite>,
                    buffer.view());
#endif
}

}  // namespace f12b_managed_memory_of_the_host_in_a_kernel

// F12: The host reads managed memory before the work has ended.
namespace f12c_managed_token_read {

using Managed = ws::ManagedBuffer<float>;

auto copied(ws::StreamRef stream, Managed managed) {
#ifdef MISUSE
  // expected-error {{"call std::move(pending).get(), which waits"}}
  return std::move(managed).to_host(stream)->size();
#else
  return std::move(managed).to_host(stream).get().value().size();
#endif
}

}  // namespace f12c_managed_token_read

// F14: A fill sets bytes, and -10000.0F is no byte.
auto f14_fill_with_a_float(ws::StreamRef stream, Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"a fill sets single bytes"}}
  return buffer.fill_bytes(stream, -10000.0F);
#else
  return buffer.fill_bytes(stream, std::byte{0xff});
#endif
}

// F14: An int whose bytes are all 1 is 16843009.
auto f14b_fill_with_an_int(ws::StreamRef stream, ws::DeviceBuffer<int>& buffer) {
#ifdef MISUSE
  // expected-error {{"a fill sets single bytes"}}
  return buffer.fill_bytes(stream, 1);
#else
  return buffer.zero(stream);
#endif
}

// G03: The program is right only if launches block.
auto g03_value_right_after_the_launch(Token pending) {
#ifdef MISUSE
  // expected-error {{"call std::move(pending).get(), which waits"}}
  return pending.value().size();
#else
  return std::move(pending).get().value().size();
#endif
}
