// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "handles.hpp"

#include <utility>

namespace ws = warpsafe;

// E01: A handle without a stream works on the default stream.
auto e01_handle_without_a_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"a handle is made on its stream"}}
  return ws::result<Library>(Library());
#else
  return Library::create(stream);
#endif
}

// E01: The factory gets no stream.
auto e01b_handle_made_of_nothing([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create a library handle with a Stream"}}
  return Library::create();
#else
  return Library::create(stream);
#endif
}

// E01: The stream is a vendor's, whose device is unknown.
auto e01c_handle_on_a_vendors_stream([[maybe_unused]] LibraryStream raw,
                                     [[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create a library handle with a Stream"}}
  return Library::create(raw);
#else
  return Library::create(stream);
#endif
}

// E01: The stream is the default stream, written as 0.
auto e01d_handle_on_stream_0([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create a library handle with a Stream"}}
  return Library::create(0);
#else
  return Library::create(stream);
#endif
}

// E01: The stream is the default stream, written as nullptr.
auto e01e_handle_on_stream_nullptr([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create a library handle with a Stream"}}
  return Library::create(nullptr);
#else
  return Library::create(stream);
#endif
}

// E01: The handle converts to the raw one for a C call. native() is the named way.
auto e01f_bound_handle_in_a_c_call([[maybe_unused]] Library& library) {
#ifdef MISUSE
  // expected-error {{"Library"}}
  return static_cast<LibraryHandle>(library);
#else
  return library.native();
#endif
}

// E01: A handle of other code may be on any stream. adopt() binds it.
auto e01g_raw_handle_made_bound(LibraryHandle raw, [[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"a handle is made on its stream"}}
  return ws::result<Library>(Library(raw));
#else
  return Library::adopt(raw, stream);
#endif
}

// E01: This library's handle needs an option, which is missing.
auto e01h_handle_without_its_options([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create a library handle with a Stream"}}
  return Other::create(stream);
#else
  return Other::create(stream, library_plain);
#endif
}

// E01: No traits describe this type of handle.
auto e01i_handle_on_another_librarys_traits([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"no handle_traits for this handle"}}
  return ws::StreamBound<LibraryContext>::create(stream);
#else
  return Library::create(stream);
#endif
}

// E02: Setting the stream of a handle may leave its inner handles on another stream. Its traits
// must say how many there are.
using SolverStream = LibraryStream;
using SolverHandle = struct Solver*;
int solver_create(SolverHandle* handle) noexcept;
int solver_destroy(SolverHandle handle) noexcept;
int solver_set_stream(SolverHandle handle, SolverStream stream) noexcept;
int solver_get_stream(SolverHandle handle, int which, SolverStream* stream) noexcept;

template <>
struct warpsafe::handle_traits<SolverHandle> {
  using backend = warpsafe::Stream::backend;
  using native = SolverHandle;
  using status = int;
  using refused = Functions<solver_set_stream, solver_destroy>;
  static constexpr Name name = Name::of("solver");
  static status create(native& handle) noexcept { return solver_create(&handle); }
  static status destroy(native handle) noexcept { return solver_destroy(handle); }
  static status set_stream(native handle, SolverStream stream) noexcept {
    return solver_set_stream(handle, stream);
  }
#ifndef MISUSE
  static constexpr int inner_handles = 2;
  static status get_stream(native handle, int inner, SolverStream& stream) noexcept {
    return solver_get_stream(handle, inner, &stream);
  }
#endif
  static Name status_name(status) noexcept { return {}; }
  static Name status_text(status) noexcept { return {}; }
};

// expected-error {{"handle_traits must define inner_handles"}}
auto e02_handle_that_may_hold_others(const ws::Stream& stream) {
  return ws::StreamBound<SolverHandle>::create(stream);
}

// E04: The stream changes while work is pending on the first one.
auto e04_set_stream(Library& library, [[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"set_stream"}}
  return library.set_stream(stream);
#else
  return std::move(library).rebind(stream);
#endif
}

// E04: The handle is bound again, and the old one stays in use.
auto e04b_rebind_of_a_variable(Library& library, const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"rebind consumes the handle"}}
  return library.rebind(stream);
#else
  return std::move(library).rebind(stream);
#endif
}

// E04: The library's own function changes the stream.
auto e04c_set_stream_by_call(Library& library, const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"would undo the handle's binding"}}
  return library.call<library_set_stream>(stream.native());
#else
  return std::move(library).rebind(stream);
#endif
}

// E04: The owner of the workspace may free it while the handle uses it.
auto e04d_set_workspace_by_call(Library& library,
                                [[maybe_unused]] ws::DeviceBuffer<float>& memory) {
#ifdef MISUSE
  // expected-error {{"would undo the handle's binding"}}
  return library.call<library_set_workspace>(memory.view(), memory.size());
#else
  return library.call<library_get_stream>(nullptr);
#endif
}

// E04: The next call does not expect this pointer mode.
auto e04e_set_pointer_mode_by_call(Library& library) {
#ifdef MISUSE
  // expected-error {{"would undo the handle's binding"}}
  return library.call<library_set_mode>(library_device);
#else
  return library.call<library_get_mode>(nullptr);
#endif
}

// E04: The handle is destroyed twice.
auto e04f_destroy_by_call(Library& library) {
#ifdef MISUSE
  // expected-error {{"would undo the handle's binding"}}
  return library.call<library_destroy>();
#else
  return library.close();
#endif
}

// E05: Two threads share a handle by a copy.
auto e05_copy_of_a_handle(Library& library) {
#ifdef MISUSE
  // expected-error {{"deleted"}}
  return Library(library);
#else
  return Library(std::move(library));
#endif
}

// E05: Two threads share a handle by an assignment.
auto e05b_assigned_handle(Library& library, Library& other) {
#ifdef MISUSE
  // expected-error {{"deleted"}}
  return (void)(other = library);
#else
  return (void)(other = std::move(library));
#endif
}

// E05: Two threads share a handle by a lambda's capture.
auto e05c_handle_captured_by_copy(Library& library) {
#ifdef MISUSE
  // expected-error {{"deleted"}}
  return [library] { return library.native(); };
#else
  return [library = std::move(library)] { return library.native(); };
#endif
}
