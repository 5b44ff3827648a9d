// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/config.hpp>
#include <warpsafe/detail/arguments.hpp>
#include <warpsafe/detail/library_call.hpp>
#include <warpsafe/event.hpp>
#include <warpsafe/result.hpp>
#include <warpsafe/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace warpsafe {

/// How StreamBound handles the handle of one library. Specialise it, for a library of your own too:
///
///   template <> struct handle_traits<my_handle> {
///     using backend = cuda_backend;          // whose streams it runs on
///     using native = my_handle_t;            // the C handle
///     static int create(native& handle, backend::native_stream stream) noexcept;  // already bound
///     static int destroy(native handle) noexcept;
///     static int stream_of(native handle, backend::native_stream& stream) noexcept;
///     static Name status_name(int status) noexcept;
///     static Name status_text(int status) noexcept;
///     template <auto Fn> static constexpr bool undoes_binding = false;  // set-stream, destroy
///   };
///
/// The functions return the library's own status as an int, 0 for success.
template <class Handle>
struct handle_traits;

/// A library handle that can only run on one stream. There is no way to make one without a stream,
/// none to change the stream under work that is pending, and no copy that another thread could use;
/// the stream lives at least as long. Move-only.
template <class Handle>
class [[nodiscard]] StreamBound {
  using Traits = handle_traits<Handle>;
  using B = typename Traits::backend;

 public:
  using native_handle = typename Traits::native;

  /// A new handle of the library, bound to `stream` (a Stream, or a StreamRef whose owner then has
  /// to outlive the handle; not a temporary). Errc::stream_wrong_device if another device is
  /// current: a handle belongs to the device that it is made on. Errc::library_failed with the
  /// library's own words.
  [[nodiscard]] static result<StreamBound> create(basic_stream_hold<B> stream,
                                                  call_site site = call_site::current()) noexcept {
    int current = -1;
    if (const int status = B::current_device(current)) {
      return detail::runtime_error<B>(status, Name::of("current device"), site);
    }
    const int device = stream.ref().device().value();
    if (current != device) {
      LaunchError error = LaunchError::make(Errc::stream_wrong_device, Stage::construction,
                                            static_cast<std::uint64_t>(current),
                                            static_cast<std::uint64_t>(device), Axis::none, site);
      error.device = device;
      return error;
    }
    native_handle handle{};
    if (const int status = Traits::create(handle, stream.ref().native())) {
      return detail::library_error<Handle>(status, Name::of("create"), stream.ref(), site);
    }
    return StreamBound(handle, std::move(stream));
  }

  StreamBound(StreamBound&& other) noexcept
      : handle_(other.handle_),
        stream_(std::move(other.stream_)),
        owned_(std::exchange(other.owned_, false)) {}
  StreamBound& operator=(StreamBound&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      handle_ = other.handle_;
      stream_ = std::move(other.stream_);
      owned_ = std::exchange(other.owned_, false);
    }
    return *this;
  }
  StreamBound(const StreamBound&) = delete;
  StreamBound& operator=(const StreamBound&) = delete;
  // Nobody can take a status here; close() is for who wants it.
  ~StreamBound() { static_cast<void>(close()); }

  /// Destroys the handle and returns what the library says of it. Errc::library_failed.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    if (!std::exchange(owned_, false)) return success();
    if (const int status = Traits::destroy(handle_)) {
      return detail::library_error<Handle>(status, Name::of("destroy"), stream_.ref(), site);
    }
    return success();
  }

  /// The handle on another stream of the same device: what the new stream is given from now on
  /// waits for what the old one was given (a library may share one workspace between them). Uses
  /// this one up. Errc::stream_wrong_device, ::library_failed, ::runtime_failed.
  [[nodiscard]] result<StreamBound> rebind(basic_stream_hold<B> stream,
                                           call_site site = call_site::current()) && noexcept {
    if (stream.ref().device() != stream_.ref().device()) {
      return LaunchError::make(Errc::stream_wrong_device, Stage::construction,
                               static_cast<std::uint64_t>(stream_.ref().device().value()),
                               static_cast<std::uint64_t>(stream.ref().device().value()),
                               Axis::none, site);
    }
    const auto done = basic_event<B, false>::create(stream_.ref(), site);
    if (!done.has_value()) return done.assume_error();
    const auto ordered = wait(stream.ref(), done.assume_value(), site);
    if (!ordered.has_value()) return ordered.assume_error();
    if (const int status = Traits::bind(handle_, stream.ref().native())) {
      return detail::library_error<Handle>(status, Name::of("set stream"), stream.ref(), site);
    }
    stream_ = std::move(stream);
    return std::move(*this);
  }

  /// Calls a function of the library with the handle in front: `blas.call<cublasSgemm>(…)`. The
  /// arguments keep their value, as those of a kernel; device memory goes in as a view. Release
  /// builds make the bare call. Checked builds find a stream that was changed behind the handle's
  /// back (Errc::handle_stream_changed) and two threads in one handle at once (Errc::handle_busy).
  /// All builds: Errc::library_failed with the function's name and the library's own words.
  template <auto Fn, CheckLevel Level = current_level, class... A>
  [[nodiscard]] result<void> call(const A&... arguments) noexcept {
    static_assert(
        !Traits::template undoes_binding<Fn>,
        "warpsafe: this function would undo the handle's binding; the stream is changed with "
        "rebind, the handle destroyed with close");
    using Function = detail::LibraryFunction<decltype(Fn)>;
    if constexpr (Function::template check<native_handle, A...>() &&
                  !Traits::template undoes_binding<Fn>) {
      const detail::InUse<Level != CheckLevel::off> mine(busy_);
      if constexpr (Level != CheckLevel::off) {
        LaunchError error;
        if (!check_binding<Level>(mine.alone(), detail::name_of<Fn>(), error)) return error;
      }
      const int status = Function::call(Fn, handle_, arguments...);
      if (status != 0) [[unlikely]] {
        return detail::library_error<Handle>(status, detail::name_of<Fn>(), stream_.ref(), {});
      }
    }
    return success();
  }

  /// The library's own handle, for what `call` cannot express. Its stream is not to be changed.
  [[nodiscard]] native_handle native() const noexcept { return handle_; }
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept { return stream_.ref(); }

 private:
  StreamBound(native_handle handle, basic_stream_hold<B> stream) noexcept
      : handle_(handle), stream_(std::move(stream)) {}

  template <CheckLevel Level>
  [[nodiscard]] bool check_binding(bool alone, Name function, LaunchError& error) noexcept {
    Errc code{};
    if (!owned_) code = Errc::handle_moved;
    if (!alone) code = Errc::handle_busy;
    if (code == Errc{} && Level == CheckLevel::full) {
      typename B::native_stream now{};
      if (Traits::stream_of(handle_, now) == 0 && now != stream_.ref().native()) {
        code = Errc::handle_stream_changed;
      }
    }
    if (code == Errc{}) return true;
    error = LaunchError::make(code, Stage::validation);
    error.operation = function;
    error.stream = stream_.ref().native();
    error.device = stream_.ref().device().value();
    return false;
  }

  native_handle handle_;
  basic_stream_hold<B> stream_;
  bool owned_ = true;
  bool busy_ =
      false;  // a thread is in `call`; the same at every check level, so that layouts agree
};

}  // namespace warpsafe
