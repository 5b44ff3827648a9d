// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data.hpp"
#include "handles.hpp"
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/error/try.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/memory/pitched_view.hpp>

namespace ws = warpsafe;

// Owns memory, in the style of other libraries.
struct ForeignTensor {
  float* data = nullptr;
  ForeignTensor() = default;
  ForeignTensor(const ForeignTensor& other) : data(other.data) {}
  ~ForeignTensor() { data = nullptr; }
  ForeignTensor contiguous() const { return *this; }
};
template <>
struct warpsafe::device_pointer_traits<ForeignTensor> {
  static float* get(const ForeignTensor& tensor) noexcept { return tensor.data; }
};

// F02: The source ends before the copy has run.
auto f02_temporary_vector_as_source(ws::StreamRef stream, Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"this is pageable host memory"}}
  return ws::copy(stream, ws::from(std::vector<float>(5)), ws::to(buffer));
#else
  return ws::copy_and_wait(stream, ws::from(std::vector<float>(5)), ws::to(buffer));
#endif
}

// F02: A local variable ends before the copy has run.
auto f02b_local_as_source(ws::StreamRef stream, Buffer& buffer) {
#ifdef MISUSE
  const float value = 1;
  // expected-error {{"a raw pointer has no size"}}
  return ws::copy(stream, ws::from(&value), ws::to(buffer));
#else
  const float value[1] = {1};
  return ws::copy_and_wait(stream, ws::from(value), ws::to(buffer));
#endif
}

// F02: The host could change or free the source while the copy runs.
auto f02c_named_pinned_buffer(ws::StreamRef stream, Buffer& buffer, Pinned pinned) {
#ifdef MISUSE
  // expected-error {{"pass it with std::move"}}
  return ws::copy(stream, ws::from(pinned), ws::to(buffer));
#else
  return ws::copy(stream, ws::from(std::move(pinned)), ws::to(buffer));
#endif
}

// F02: A temporary buffer is freed in the statement that asks for the copy.
auto f02d_temporary_buffer(ws::StreamRef stream, Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"this buffer is a temporary"}}
  return ws::copy(stream, ws::from(Buffer::create(stream, 5).value()), ws::to(buffer));
#else
  const auto source = Buffer::create(stream, 5).value();
  return ws::copy(stream, ws::from(source), ws::to(buffer));
#endif
}

// F02: A const PinnedBuffer cannot be moved, so the copy could not keep it.
auto f02e_const_pinned_buffer(const ws::Stream& stream, Buffer& to,
                              [[maybe_unused]] const Pinned& constant,
                              [[maybe_unused]] Pinned& from) {
#ifdef MISUSE
  // expected-error {{"a const PinnedBuffer cannot be moved"}}
  return ws::copy(stream, ws::from(std::move(constant)), ws::to(to));
#else
  return ws::copy(stream, ws::from(std::move(from)), ws::to(to));
#endif
}

// F03: The asynchronous copy reads memory that the runtime has to stage.
auto f03_vector_in_a_copy(ws::StreamRef stream, Buffer& buffer, const std::vector<float>& values) {
#ifdef MISUSE
  // expected-error {{"this is pageable host memory"}}
  return ws::copy(stream, ws::from(values), ws::to(buffer));
#else
  return ws::copy_and_wait(stream, ws::from(values), ws::to(buffer));
#endif
}

// F03: The asynchronous copy writes to memory that the runtime has to stage. Whether it waits
// depends on the platform.
auto f03b_copy_into_a_vector(ws::StreamRef stream, const Buffer& buffer,
                             std::vector<float>& values) {
#ifdef MISUSE
  // expected-error {{"this is pageable host memory"}}
  return ws::copy(stream, ws::from(buffer), ws::to(values));
#else
  return ws::copy_and_wait(stream, ws::from(buffer), ws::to(values));
#endif
}

// F03: The asynchronous copy writes to a span of memory that the runtime has to stage.
auto f03c_copy_into_a_span(ws::StreamRef stream, const Buffer& buffer, std::span<float> values) {
#ifdef MISUSE
  // expected-error {{"this is pageable host memory"}}
  return ws::copy(stream, ws::from(buffer), ws::to(values));
#else
  return ws::copy_and_wait(stream, ws::from(buffer), ws::to(values));
#endif
}

// F04: A span does not know its buffer, so nothing would keep the memory for a kernel on another
// stream.
namespace f04_view_that_becomes_a_span {

WARPSAFE_KERNEL void clear(ws::DeviceSpan<float>) {}

auto launched(ws::StreamRef other, ws::DeviceView<float> view) {
  const auto config = ws::configure(ws::grid<1>, ws::block<32>);
#ifdef MISUSE
  // expected-error {{"a DeviceSpan does not track its buffer"}}
  ws::DeviceSpan<float> span = view;
  return ws::launch(other, config, ws::kernel<clear>, span);
#else
  return ws::launch(other, config, ws::kernel<clear>, view);
#endif
}

}  // namespace f04_view_that_becomes_a_span

// F04: A structure that a kernel takes holds a span. span() makes it by name.
namespace f04b_view_in_a_structure {

struct Job {
  ws::DeviceSpan<const float> from;
  int n;
};
WARPSAFE_KERNEL void run(Job) {}

auto launched(ws::StreamRef other, ws::DeviceView<const float> view) {
  const auto config = ws::configure(ws::grid<1>, ws::block<32>);
#ifdef MISUSE
  // expected-error {{"a DeviceSpan does not track its buffer"}}
  return ws::launch(other, config, ws::kernel<run>, Job{view, 1});
#else
  return ws::launch(other, config, ws::kernel<run>, Job{view.span(), 1});
#endif
}

}  // namespace f04b_view_in_a_structure

// F04: The span of a matrix does not know its buffer either.
auto f04c_matrix_that_becomes_a_span(ws::PitchedView<float> view) {
#ifdef MISUSE
  // expected-error {{"a PitchedSpan does not track its buffer"}}
  const ws::PitchedSpan<const float> span = view;
  return span;
#else
  return view;
#endif
}

// F05: A number of elements stands where the runtime counts bytes.
auto f05_copy_of_n_bytes(ws::StreamRef stream, Buffer& buffer, const Buffer& other, std::size_t n) {
#ifdef MISUSE
  // expected-error {{"no number of elements or bytes"}}
  return ws::copy(stream, buffer, other, n);
#else
  return ws::copy(stream, ws::from(other.view().subspan(0, n).value()),
                  ws::to(buffer.view().subspan(0, n).value()));
#endif
}

// F05: The arguments are memcpy's, without a stream.
auto f05b_copy_like_memcpy([[maybe_unused]] ws::StreamRef stream, Buffer& buffer,
                           const Buffer& other) {
#ifdef MISUSE
  // expected-error {{"every copy names its stream first"}}
  return ws::copy(buffer, other, buffer.size() * sizeof(float));
#else
  return ws::copy(stream, ws::from(other), ws::to(buffer));
#endif
}

// F05: Both sides have the same number of elements, and one has twice the bytes.
auto f05c_elements_of_another_type(ws::StreamRef stream, [[maybe_unused]] Buffer& buffer,
                                   ws::DeviceBuffer<double>& doubles,
                                   const ws::DeviceBuffer<double>& other) {
#ifdef MISUSE
  static_cast<void>(other);
  // expected-error {{"elements of different types"}}
  return ws::copy(stream, ws::from(doubles), ws::to(buffer));
#else
  static_cast<void>(buffer);
  return ws::copy(stream, ws::from(other), ws::to(doubles));
#endif
}

// F05: Source and target are swapped.
auto f05d_source_and_target_swapped(ws::StreamRef stream, Buffer& buffer, const Buffer& source) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy(stream, source, buffer);
#else
  return ws::copy(stream, ws::from(source), ws::to(buffer));
#endif
}

// F05: Both sides are named as the source.
auto f05f_two_sources(ws::StreamRef stream, Buffer& buffer, Buffer& other) {
#ifdef MISUSE
  // expected-error {{"both sides of this copy have the same name"}}
  return ws::copy(stream, ws::from(buffer), ws::from(other));
#else
  return ws::copy(stream, ws::from(buffer), ws::to(other));
#endif
}

// F05: As f05f, for a copy that waits.
auto f05g_two_targets(ws::StreamRef stream, Buffer& buffer, std::vector<float>& values) {
#ifdef MISUSE
  // expected-error {{"both sides of this copy have the same name"}}
  return ws::copy_and_wait(stream, ws::to(values), ws::to(buffer));
#else
  return ws::copy_and_wait(stream, ws::from(values), ws::to(buffer));
#endif
}

// F05: The side that is named as the target is const.
auto f05h_named_target_that_is_const(ws::StreamRef stream, Buffer& buffer, const Buffer& source) {
#ifdef MISUSE
  // expected-error {{"are source and target swapped? copy(stream, from(x), to(y))"}}
  return ws::copy(stream, ws::from(buffer), ws::to(source));
#else
  return ws::copy(stream, ws::from(source), ws::to(buffer));
#endif
}

// F05: Both buffers can be written, so the copy would compile in the wrong direction too.
auto f05i_direction_by_position(ws::StreamRef stream, Buffer& buffer, Buffer& other) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy(stream, buffer, other);
#else
  return ws::copy(stream, ws::from(other), ws::to(buffer));
#endif
}

// F05: As f05i, for a download that may be meant as an upload.
auto f05j_download_or_upload(ws::StreamRef stream, Buffer& buffer, std::vector<float>& values) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy_and_wait(stream, values, buffer);
#else
  return ws::copy_and_wait(stream, ws::from(buffer), ws::to(values));
#endif
}

// F05: As f05j, with the sides the other way round.
auto f05k_upload_or_download(ws::StreamRef stream, Buffer& buffer, std::span<float> values) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy_and_wait(stream, buffer, values);
#else
  return ws::copy_and_wait(stream, ws::from(values), ws::to(buffer));
#endif
}

// F05: A PinnedBuffer takes part in copies of both directions.
auto f05l_pinned_memory_by_position(ws::StreamRef stream, Buffer& buffer, Pinned& pinned) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy(stream, buffer, std::move(pinned));
#else
  return ws::copy(stream, ws::from(std::move(pinned)), ws::to(buffer));
#endif
}

// F05: Both sides are host memory.
auto f05n_pinned_source_of_a_blocking_copy(ws::StreamRef stream, Buffer& buffer,
                                           std::vector<float>& values,
                                           [[maybe_unused]] Pinned& pinned) {
#ifdef MISUSE
  // expected-error {{"takes no PinnedBuffer; pass its span()"}}
  return ws::copy_and_wait(stream, ws::from(pinned), ws::to(values));
#else
  return ws::copy_and_wait(stream, ws::from(buffer), ws::to(values));
#endif
}

// F05: A PinnedBuffer has a span, whose owner may go on once the copy has ended.
auto f05o_pinned_target_of_a_blocking_copy(ws::StreamRef stream, Buffer& buffer, Pinned& pinned) {
#ifdef MISUSE
  // expected-error {{"takes no PinnedBuffer; pass its span()"}}
  return ws::copy_and_wait(stream, ws::from(buffer), ws::to(pinned));
#else
  return ws::copy_and_wait(stream, ws::from(buffer), ws::to(pinned.span()));
#endif
}

// F05: The elements would end with the temporary vector.
auto f05m_temporary_vector_as_target(ws::StreamRef stream, const Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"pass a std::span, or a std::vector that has a name"}}
  return ws::copy_and_wait(stream, ws::from(buffer), ws::to(std::vector<float>(5)));
#else
  std::vector<float> values(5);
  return ws::copy_and_wait(stream, ws::from(buffer), ws::to(values));
#endif
}

// F05: The part may be larger than the view, and nothing has asked.
namespace f05e_part_that_is_not_checked {

WARPSAFE_KERNEL void fill(float*, int) {}

ws::result<void> launched(ws::StreamRef stream, ws::DeviceView<float> all) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(10, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"an argument of the launch is a result"}}
  return ws::launch(stream, config, ws::kernel<fill>, all.subspan(0, 10), 10);
#else
  WARPSAFE_TRY(auto part, all.subspan(0, 10));
  return ws::launch(stream, config, ws::kernel<fill>, part, 10);
#endif
}

}  // namespace f05e_part_that_is_not_checked

// F04: The temporary frees its memory at the end of the statement.
namespace f04d_temporary_owner_of_another_library {

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] const ForeignTensor& tensor) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(10, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"this temporary frees its device memory at the end of the statement"}}
  return ws::launch(stream, config, ws::kernel<fill>, tensor.contiguous(), 10);
#else
  return ws::launch(stream, config, ws::kernel<fill>, tensor, 10);
#endif
}

}  // namespace f04d_temporary_owner_of_another_library

// F04: The same in a call of a library.
auto f04e_temporary_owner_in_a_library_call(Library& library, Buffer& y,
                                            [[maybe_unused]] const ForeignTensor& tensor) {
#ifdef MISUSE
  // expected-error {{"this temporary frees its device memory at the end of the statement"}}
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), tensor.contiguous(),
                                    y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::host_scalar(1.0F), tensor, y.view());
#endif
}

// F04: The same as a scalar on the device.
auto f04g_temporary_owner_as_a_device_scalar(Library& library, Buffer& y,
                                             [[maybe_unused]] const ForeignTensor& tensor) {
#ifdef MISUSE
  // expected-error {{"this temporary frees its device memory at the end of the statement"}}
  return library.call<library_axpy>(library_plain, 1, ws::device_scalar(tensor.contiguous()),
                                    y.view(), y.view());
#else
  return library.call<library_axpy>(library_plain, 1, ws::device_scalar(tensor), y.view(),
                                    y.view());
#endif
}
