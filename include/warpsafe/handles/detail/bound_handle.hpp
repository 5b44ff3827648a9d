// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/handles/detail/handle_error.hpp>
#include <warpsafe/handles/detail/library_argument.hpp>
#include <warpsafe/handles/handle_traits.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpsafe::detail {

/// A library's handle, the stream that it is on, and the workspace that it was given: what a
/// StreamBound owns, and what is done to it by the functions of handle_traits.
template <class Traits>
struct BoundHandle {
  using B = typename Traits::backend;
  using Native = typename Traits::native;
  using StatusType = typename Traits::status;
  using Step = HandleStep;

  static constexpr bool has_stream = requires(Native handle, typename B::native_stream stream) {
    Traits::set_stream(handle, stream);
  };
  static constexpr bool has_workspace = requires(Native handle) {
    Traits::set_workspace(handle, nullptr, std::size_t{});
  };
  static_assert(
      !has_stream || requires { Traits::inner_handles; },
      "warpsafe: handle_traits has to say how many handles with a stream of their own this "
      "one holds: inner_handles = 0 for none, else with get_stream(handle, inner, stream)");
  static constexpr int inner_handles = [] {
    if constexpr (requires { Traits::inner_handles; }) {
      return Traits::inner_handles;
    } else {
      return 0;
    }
  }();

  BoundHandle(Native handle, basic_stream_hold<B> its_stream) noexcept
      : native(handle), stream(std::move(its_stream)) {}
  BoundHandle(BoundHandle&& other) noexcept
      : native(other.native),
        stream(std::move(other.stream)),
        workspace(std::exchange(other.workspace, nullptr)),
        owned(std::exchange(other.owned, false)),
        drop_(other.drop_) {}
  /// @pre destroyed
  BoundHandle& operator=(BoundHandle&& other) noexcept {
    native = other.native;
    stream = std::move(other.stream);
    workspace = std::exchange(other.workspace, nullptr);
    owned = std::exchange(other.owned, false);
    drop_ = other.drop_;
    return *this;
  }
  ~BoundHandle() = default;  // StreamBound has an error to give up, or not

  /// The handle on `stream`, scalars on the host, and the workspace, which some libraries forget
  /// with each change of the stream. @pre check_bindable
  template <CheckLevel Level>
  [[nodiscard]] result<void> bind(call_site site) noexcept {
    drop_ = &drop_by<Level>;
    if constexpr (has_stream) {
      const StatusType bound = Traits::set_stream(native, stream.ref().native());
      if (library_failed<Traits>(bound)) return error_of<Step::bind>(bound, site);
      if (const int astray = inner_handle_astray()) {
        LaunchError error = handle_refused(Errc::handle_partly_bound,
                                           StepName<Traits, Step::bind>::value, stream.ref(), site);
        error.value = static_cast<std::uint64_t>(astray);
        error.limit = static_cast<std::uint64_t>(inner_handles);
        return error;
      }
    }
    const auto on_host = set_scalars_on_device(false, site);
    if (!on_host.has_value()) return on_host.assume_error();
    if constexpr (has_workspace) {
      const std::size_t bytes = Traits::workspace_bytes(stream.ref().device().value());
      if (workspace == nullptr) {
        const auto made =
            DeviceMemory<B>::template allocate<Level>(stream, Bytes(bytes), false, site);
        if (!made.has_value()) {
          LaunchError error = made.assume_error();
          error.operation = StepName<Traits, Step::allocate_workspace>::value;
          return error;
        }
        workspace = made.assume_value();
      }
      workspace->move_to(stream);  // rebind brings the handle's work to another stream
      const StatusType set = Traits::set_workspace(native, workspace->data(), bytes);
      if (library_failed<Traits>(set)) return error_of<Step::set_workspace>(set, site);
    }
    return success();
  }
  [[nodiscard]] result<void> set_scalars_on_device([[maybe_unused]] bool on,
                                                   [[maybe_unused]] call_site site) noexcept {
    if constexpr (has_pointer_mode<Traits>) {
      const StatusType set = Traits::set_scalars_on_device(native, on);
      if (library_failed<Traits>(set)) return error_of<Step::set_mode>(set, site);
    }
    return success();
  }
  /// Destroys the handle, with its device current, and frees the workspace. The first error.
  template <CheckLevel Level>
  [[nodiscard]] result<void> destroy(call_site site) noexcept {
    if (!std::exchange(owned, false)) return success();
    const auto guard = basic_device_guard<B>::template create<Level>(stream.ref().device(), site);
    const StatusType destroyed = Traits::destroy(native);
    const int freed = free_workspace();
    if (library_failed<Traits>(destroyed)) return error_of<Step::destroy>(destroyed, site);
    if (freed != 0) return runtime_error<B>(freed, Name::of("free workspace"), site);
    if (!guard.has_value()) return guard.assume_error();
    return success();
  }
  /// destroy, as by the level of who bound it: nobody can take the error.
  void drop(call_site site) noexcept {
    if (drop_ != nullptr) drop_(*this, site);
  }
  /// Frees the workspace after the handle's work. Returns the runtime's status.
  [[nodiscard]] int free_workspace() noexcept {
    return workspace == nullptr ? 0 : std::exchange(workspace, nullptr)->release();
  }

  /// The first of the inner handles that is not on the stream, counted from 1; 0 if all are.
  [[nodiscard]] int inner_handle_astray() noexcept {
    for (int inner = 0; inner < inner_handles; ++inner) {
      if constexpr (inner_handles != 0) {
        typename B::native_stream now{};
        if (library_failed<Traits>(Traits::get_stream(native, inner, now)) ||
            now != stream.ref().native()) {
          return inner + 1;
        }
      }
    }
    return 0;
  }
  /// What somebody changed of the handle by the library's own functions, or nothing. A library that
  /// cannot tell says so by the function that is called next.
  [[nodiscard]] Errc find_change() noexcept {
    if (inner_handle_astray() != 0) return Errc::handle_stream_changed;
    if constexpr (requires(typename B::native_stream & now) { Traits::get_stream(native, now); }) {
      typename B::native_stream now{};
      if (!library_failed<Traits>(Traits::get_stream(native, now)) &&
          now != stream.ref().native()) {
        return Errc::handle_stream_changed;
      }
    }
    if constexpr (has_pointer_mode<Traits>) {
      bool on_device = false;
      if (!library_failed<Traits>(Traits::get_scalars_on_device(native, on_device)) && on_device) {
        return Errc::handle_pointer_mode;
      }
    }
    return Errc{};
  }

  Native native;
  basic_stream_hold<B> stream;
  DeviceMemory<B>* workspace = nullptr;
  bool owned = true;
  // A thread is in `call`. The same at every check level, so that layouts agree.
  bool busy = false;

 private:
  template <CheckLevel Level>
  static void drop_by(BoundHandle& self, call_site site) noexcept {
    static_cast<void>(self.template destroy<Level>(site));
  }
  template <Step Which>
  [[nodiscard]] LaunchError error_of(StatusType status, call_site site) const noexcept {
    return step_error<Traits, Which>(status, stream.ref(), site);
  }

  void (*drop_)(BoundHandle& self, call_site site) noexcept = nullptr;  ///< nullptr: never bound
};

}  // namespace warpsafe::detail
