// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/handles/detail/library_argument.hpp>
#include <warpsafe/handles/handle_traits.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

// Errors of library handles.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The error of a library's function, with the library's own text.
template <class Traits>
[[WARPSAFE_DETAIL_RARE]] LaunchError library_error(
    typename Traits::status status, Name function,
    basic_stream_ref<typename Traits::backend> stream, call_site site) noexcept {
  LaunchError error = LaunchError::make(Errc::library_failed, Stage::runtime_call, site);
  error.raw = static_cast<std::int32_t>(status);
  error.raw_name = Traits::status_name(status);
  error.raw_text = Traits::status_text(status);
  error.operation = function;
  error.vendor = Traits::backend::vendor;
  error.stream = stream.native();
  error.device = stream.device().value();
  report_to_captures(error);
  return error;
}
/// The error of an operation of StreamBound on the handle itself.
template <class Traits, HandleStep Step>
[[nodiscard]] LaunchError step_error(typename Traits::status status,
                                     basic_stream_ref<typename Traits::backend> stream,
                                     call_site site) noexcept {
  return library_error<Traits>(status, StepName<Traits, Step>::value, stream, site);
}

template <class Traits>
[[nodiscard]] bool library_failed(typename Traits::status value) noexcept {
  if constexpr (requires { Traits::is_success(value); }) {
    return !Traits::is_success(value);
  } else {
    return value != static_cast<typename Traits::status>(0);
  }
}

/// Errc::stream_wrong_device unless the stream's device is current: handles, events and memory
/// belong to the device that is current when they are made. Errc::stream_null for a Stream that was
/// moved from or closed.
template <CheckLevel Level, class B>
[[nodiscard]] result<void> check_handle_device(Name operation, basic_stream_ref<B> stream,
                                               call_site site) noexcept {
  const auto there = check_stream<Level>(operation, stream, site);
  if (!there.has_value()) return there;
  if (is_only_device<B>(stream.device().value())) [[likely]]
    return success();
  int current = -1;
  if (const int status = B::current_device(current)) {
    return runtime_error<B>(status, Name::of("current device"), site);
  }
  if (current == stream.device().value()) return success();
  LaunchError error = refused_on(stream, Errc::stream_wrong_device, operation, site);
  error.value = static_cast<std::uint64_t>(current);
  error.limit = static_cast<std::uint64_t>(stream.device().value());
  return error;
}
/// The errors of check_handle_device, and Errc::stream_capturing while the stream captures a graph.
/// A library's allocations would break the capture, and so would the ordering that rebind needs.
template <CheckLevel Level, class B>
[[nodiscard]] result<void> check_bindable(Name operation, basic_stream_ref<B> stream,
                                          call_site site) noexcept {
  const auto usable = check_handle_device<Level>(operation, stream, site);
  if (!usable.has_value()) return usable.assume_error();
  bool capturing = false;
  if (const int status = B::stream_capturing(stream.native(), capturing)) {
    return runtime_error<B>(status, Name::of("stream capturing"), site);
  }
  if (capturing) return refused_on(stream, Errc::stream_capturing, operation, site);
  return success();
}

/// The handles of a library that a StreamBound owns, in the whole program.
template <class Traits>
class OwnedHandles {
 public:
  using Native = typename Traits::native;
  struct Entry {
    Native handle;
    Entry* next;
  };
  /// Records an owner. Returns false if there is one already and `alone` asks for it. `entry` stays
  /// nullptr if the host has no memory left; a second owner is not found then.
  [[nodiscard]] static bool add(Native handle, bool alone, Entry*& entry) noexcept {
    auto* const made = new (std::nothrow) Entry{handle, nullptr};
    {
      const Locked lock(guard);
      const Entry* at = alone ? first : nullptr;
      while (at != nullptr && !is_same(at->handle, handle)) at = at->next;
      if (at == nullptr) {
        entry = made;
        if (made == nullptr) return true;
        made->next = first;
        __atomic_store_n(&first, made, __ATOMIC_RELEASE);
        return true;
      }
    }
    delete made;
    return false;
  }
  static void remove(Entry* entry) noexcept {
    if (entry == nullptr) return;
    {
      const Locked lock(guard);
      Entry** at = &first;
      while (*at != entry) at = &(*at)->next;
      __atomic_store_n(at, entry->next, __ATOMIC_RELEASE);
    }
    delete entry;
  }

 private:
  /// Handles that cannot be compared are never the same.
  [[nodiscard]] static bool is_same(Native one, Native other) noexcept {
    if constexpr (requires { one == other; }) {
      return one == other;
    } else {
      return false;
    }
  }
  [[gnu::visibility("default")]] static inline ProcessLock guard{};
  [[gnu::visibility("default")]] static inline Entry* first = nullptr;
};

/// A library's handle with its stream and workspace. StreamBound owns one; the functions of
/// handle_traits work on it.
template <class Traits>
struct BoundHandle {
  using B = typename Traits::backend;
  using Native = typename Traits::native;
  using StatusType = typename Traits::status;
  using Step = HandleStep;

  static constexpr bool has_workspace = requires(Native handle) {
    Traits::set_workspace(handle, nullptr, std::size_t{});
  };
  static_assert(
      !SetsStream<Traits> || requires { Traits::inner_handles; },
      "warpsafe: handle_traits must define inner_handles, the number of inner handles that have a stream of their own: 0 for none, otherwise also define get_stream(handle, inner, stream)");
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
        number(other.number),
        workspace(std::exchange(other.workspace, nullptr)),
        graph_workspace(other.graph_workspace),
        workspace_graph(other.workspace_graph),
        owned(std::exchange(other.owned, false)),
        entry(std::exchange(other.entry, nullptr)),
        drop_(other.drop_) {}
  /// @pre this handle was destroyed
  BoundHandle& operator=(BoundHandle&& other) noexcept {
    native = other.native;
    stream = std::move(other.stream);
    number = other.number;
    workspace = std::exchange(other.workspace, nullptr);
    graph_workspace = other.graph_workspace;
    workspace_graph = other.workspace_graph;
    owned = std::exchange(other.owned, false);
    entry = std::exchange(other.entry, nullptr);
    drop_ = other.drop_;
    return *this;
  }
  ~BoundHandle() =
      default;  // StreamBound destroys the handle, because only close() can return an error

  /// Sets the stream, puts scalars on the host, and sets the workspace, which some libraries lose
  /// whenever the stream changes. @pre check_bindable
  template <CheckLevel Level>
  [[nodiscard]] result<void> bind(call_site site) noexcept {
    drop_ = &drop_at<Level>;
    number = StreamNumber(stream.ref().number());
    if constexpr (SetsStream<Traits>) {
      const StatusType bound = Traits::set_stream(native, stream.ref().native());
      if (library_failed<Traits>(bound)) return error_of<Step::bind>(bound, site);
      if (const int astray = misplaced_inner_handle()) {
        LaunchError error = refused_on(stream.ref(), Errc::handle_partly_bound,
                                       StepName<Traits, Step::bind>::value, site);
        error.value = static_cast<std::uint64_t>(astray);
        error.limit = static_cast<std::uint64_t>(inner_handles);
        return error;
      }
    }
    const auto on_host = set_scalars_on_device(false, site);
    if (!on_host.has_value()) return on_host.assume_error();
    if constexpr (has_workspace) {
      if (workspace == nullptr) {
        const auto made = allocate_workspace<Level>(stream, site);
        if (!made.has_value()) return made.assume_error();
        workspace = made.assume_value();
      }
      workspace->move_to(stream);  // rebind moves the handle's work to another stream
      return set_workspace(workspace->data(), site);
    }
    return success();
  }
  /// Before a call while something is captured: if the stream captures, sets the workspace of the
  /// calls that this capture contains. Its graph may run beside the handle's own work and beside
  /// other graphs. The graph keeps the workspace. Returns whether it was set.
  [[nodiscard, WARPSAFE_DETAIL_RARE]] answer<bool> set_workspace_of_graph(call_site site) noexcept {
    const ResourcesPtr graph = DeviceMemory<B>::open_graph(stream.ref());
    if (graph.get() == nullptr) return false;
    if (graph.get()->number() != workspace_graph) {
      // Calls through native() use the handle's own. So do all where one stream does all work.
      const result<void> kept = record_uses(stream.ref(), site, workspace);
      if (!kept.has_value()) return kept.assume_error();
      const auto made = wants_one_stream() ? result<DeviceMemory<B>*>(workspace)
                                           : make_workspace_for(*graph.get(), site);
      if (!made.has_value()) return made.assume_error();
      graph_workspace = made.assume_value()->data();
      workspace_graph = graph.get()->number();
    }
    const result<void> set = set_workspace(graph_workspace, site);
    if (!set.has_value()) return set.assume_error();
    return true;
  }
  /// Sets the workspace in the library.
  [[nodiscard]] result<void> set_workspace(void* memory, call_site site) noexcept {
    const std::size_t bytes = Traits::workspace_bytes(stream.ref().device().value());
    const StatusType set = Traits::set_workspace(native, memory, bytes);
    if (library_failed<Traits>(set)) return error_of<Step::set_workspace>(set, site);
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
  /// Destroys the handle, with its device current, and frees the workspace. Returns the first
  /// error.
  template <CheckLevel Level>
  [[nodiscard]] result<void> destroy(call_site site) noexcept {
    if (!std::exchange(owned, false)) return success();
    // The library may give the next handle the same value at once.
    OwnedHandles<Traits>::remove(std::exchange(entry, nullptr));
    auto guard = basic_device_guard<B>::template create<Level>(stream.ref().device(), site);
    const bool is_there = guard.has_value();      // a guard that nobody asks reports itself
    const RelaxedCaptureScope<B, Level> outside;  // a library frees
    const StatusType destroyed = Traits::destroy(native);
    const int freed = free_workspace();
    if (library_failed<Traits>(destroyed)) return error_of<Step::destroy>(destroyed, site);
    if (freed != 0) return runtime_error<B>(freed, Name::of("free workspace"), site);
    if (!is_there) return guard.assume_error();
    return guard.assume_value().close(site);
  }
  /// Destroys at the check level of the last bind. The error is dropped.
  void drop(call_site site) noexcept {
    if (drop_ != nullptr) drop_(*this, site);
  }
  /// Frees the workspace after the handle's work. Returns the runtime's status.
  [[nodiscard]] int free_workspace() noexcept {
    return workspace == nullptr ? 0 : std::exchange(workspace, nullptr)->release();
  }

  /// The first inner handle that is not on the stream, counted from 1; 0 if all are.
  [[nodiscard]] int misplaced_inner_handle() noexcept {
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
  /// What other code changed through the library's own functions, or that the stream's handle means
  /// another stream in this thread; Errc{} if nothing. If the library
  /// fails to answer, the next call reports it.
  [[nodiscard]] Errc find_change() noexcept {
    if (number.is_of_another_thread()) return Errc::handle_stream_changed;
    if (misplaced_inner_handle() != 0) return Errc::handle_stream_changed;
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
  StreamNumber number{};  ///< of the stream, for the thread that bound the handle
  DeviceMemory<B>* workspace = nullptr;
  void* graph_workspace = nullptr;    ///< exists while that graph is captured
  std::uint64_t workspace_graph = 0;  ///< GraphResources::number
  bool owned = true;
  typename OwnedHandles<Traits>::Entry* entry = nullptr;
  // Whether a thread is in `call`. It exists at every check level, so that layouts agree.
  bool busy = false;

 private:
  /// A workspace that is freed in the order of `order`.
  template <CheckLevel Level>
  [[nodiscard]] static result<DeviceMemory<B>*> allocate_workspace(basic_stream_hold<B> order,
                                                                   call_site site) noexcept {
    const std::size_t bytes = Traits::workspace_bytes(order.ref().device().value());
    const auto made =
        DeviceMemory<B>::template allocate<Level>(std::move(order), Bytes(bytes), false, site);
    if (made.has_value()) return made.assume_value();
    LaunchError error = made.assume_error();
    error.operation = StepName<Traits, Step::allocate_workspace>::value;
    return error;
  }
  /// In the order of a stream of its own, because this one captures.
  [[nodiscard]] result<DeviceMemory<B>*> make_workspace_for(GraphResources& graph,
                                                            call_site site) noexcept {
    const RelaxedCaptureScope<B> outside;
    const auto own = basic_stream<B>::template create<CheckLevel::off>(stream.ref().device(), site);
    if (!own.has_value()) return own.assume_error();
    const basic_stream<B>& order = own.assume_value();
    const auto made = allocate_workspace<CheckLevel::off>(order, site);
    if (!made.has_value()) return made.assume_error();
    DeviceMemory<B>& memory = *made.assume_value();
    keep_module();
    int status = wait_for_stream(order.ref(), {}, false);
    if (status == 0 && !memory.hold_in(graph)) status = no_host_memory;
    memory.drop();  // the graph has it
    if (status == 0) return &memory;
    return runtime_error<B>(status, StepName<Traits, Step::allocate_workspace>::value, site);
  }
  template <CheckLevel Level>
  static void drop_at(BoundHandle& self, call_site site) noexcept {
    report_dropped(self.template destroy<Level>(site));
  }
  template <Step Which>
  [[nodiscard]] LaunchError error_of(StatusType status, call_site site) const noexcept {
    return step_error<Traits, Which>(status, stream.ref(), site);
  }

  void (*drop_)(BoundHandle& self, call_site site) noexcept = nullptr;  ///< nullptr if never bound
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
