// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data.hpp"
#include "handles.hpp"
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>

#include <utility>

namespace ws = warpsafe;

// E03: The stream ends before its first use.
auto e03_reference_to_a_temporary_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this stream is a temporary"}}
  return ws::StreamRef(ws::Stream::create().value());
#else
  return ws::StreamRef(stream);
#endif
}

// E03: ref() refers to a stream that ends before its first use.
auto e03b_ref_of_a_temporary_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this stream is a temporary"}}
  return ws::Stream::create().value().ref();
#else
  return stream.ref();
#endif
}

// E03: The stream gets two owners.
auto e03c_copy_of_a_stream(ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"deleted"}}
  return ws::Stream(stream);
#else
  return ws::Stream(std::move(stream));
#endif
}

// E03: The stream ends before the handle's first use.
auto e03d_handle_on_a_temporary_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this stream is a temporary"}}
  return Library::create(ws::Stream::create().value());
#else
  return Library::create(stream);
#endif
}

// E03: The handle's new stream ends before its first use.
auto e03e_rebind_to_a_temporary_stream(Library library, [[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this stream is a temporary"}}
  return std::move(library).rebind(ws::Stream::create().value());
#else
  return std::move(library).rebind(stream);
#endif
}

// E03: The stream ends before the buffer that is bound to it.
auto e03f_buffer_on_a_temporary_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this stream is a temporary"}}
  return Buffer::create(ws::Stream::create().value(), 5);
#else
  return Buffer::create(stream, 5);
#endif
}

// E03: The stream ends before its copy is done.
auto e03g_copy_on_a_temporary_stream([[maybe_unused]] const ws::Stream& stream, Buffer& to,
                                     const Buffer& from) {
#ifdef MISUSE
  // expected-error {{"this stream is a temporary and ends before the copy is done"}}
  return ws::copy(ws::Stream::create().value(), ws::from(from), ws::to(to));
#else
  return ws::copy(stream, ws::from(from), ws::to(to));
#endif
}

// E07: 0 is a default stream, and there are two of them.
auto e07_stream_ref_of_zero([[maybe_unused]] ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"0 and nullptr are a default stream"}}
  return ws::StreamRef(0);
#else
  return stream;
#endif
}

// E07: nullptr is a default stream.
auto e07b_stream_ref_of_nullptr([[maybe_unused]] ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"0 and nullptr are a default stream"}}
  return ws::StreamRef(nullptr);
#else
  return stream;
#endif
}

// E07: borrow gets 0.
auto e07c_borrowed_zero([[maybe_unused]] ws::default_backend::native_stream stream) {
#ifdef MISUSE
  // expected-error {{"0 and nullptr are a default stream"}}
  return ws::StreamRef::borrow(0, ws::DeviceId(0));
#else
  return ws::StreamRef::borrow(stream, ws::DeviceId(0));
#endif
}

// E07: borrow gets nullptr.
auto e07d_borrowed_nullptr([[maybe_unused]] ws::default_backend::native_stream stream) {
#ifdef MISUSE
  // expected-error {{"0 and nullptr are a default stream"}}
  return ws::StreamRef::borrow(nullptr, ws::DeviceId(0));
#else
  return ws::StreamRef::borrow(stream, ws::DeviceId(0));
#endif
}

// E07: borrow gets a pointer that is no stream.
auto e07e_borrowed_pointer_to_anything([[maybe_unused]] ws::default_backend::native_stream stream,
                                       [[maybe_unused]] int& number) {
#ifdef MISUSE
  // expected-error {{"borrow takes a stream of this backend's own type"}}
  return ws::StreamRef::borrow(&number, ws::DeviceId(0));
#else
  return ws::StreamRef::borrow(stream, ws::DeviceId(0));
#endif
}

// E07: borrow gets a number that CUDA casts to a default stream.
auto e07f_borrowed_by_number([[maybe_unused]] ws::default_backend::native_stream stream) {
#ifdef MISUSE
  // expected-error {{"0 and nullptr are a default stream"}}
  return ws::StreamRef::borrow(2, ws::DeviceId(0));
#else
  return ws::StreamRef::borrow(stream, ws::DeviceId(0));
#endif
}

// E07: 0 initialises a stream.
auto e07g_stream_assigned_from_zero([[maybe_unused]] ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"0 and nullptr are a default stream"}}
  ws::StreamRef mine = 0;
  return mine;
#else
  return stream;
#endif
}

// E08: cudaMemcpy runs on the null stream, and a non-blocking stream does not wait for it.
auto e08_copy_without_a_stream([[maybe_unused]] const ws::Stream& stream,
                               ws::DeviceBuffer<float>& to, ws::DeviceBuffer<float>& from) {
#ifdef MISUSE
  // expected-error {{"takes a stream and no number of elements or bytes"}}
  return ws::copy(to, from);
#else
  return ws::copy(stream, ws::from(from), ws::to(to));
#endif
}

// E09: Freeing memory is no wait, though older runtimes did wait there.
auto e09_free_as_a_barrier(ws::StreamRef stream, Buffer buffer) {
#ifdef MISUSE
  auto pending = buffer.to_host(stream);
  buffer.close().value();
  // expected-error {{"call std::move(pending).get(), which waits"}}
  const std::vector<float> values = pending;
  return values.size();
#else
  auto pending = buffer.to_host(stream);
  buffer.close().value();
  return std::move(pending).get().value().size();
#endif
}
