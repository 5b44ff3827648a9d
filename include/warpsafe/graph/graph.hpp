// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/graph/executable_graph.hpp>
#include <warpsafe/kernel/detail/parameter.hpp>
#include <warpsafe/memory/detail/graph_resources.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class B>
class basic_capture;

namespace detail {

/// Whether T refers to memory that it does not own: a pointer, a view, a span, a reference_wrapper.
template <class T>
constexpr bool is_reference_only() noexcept {
  if constexpr (std::is_pointer_v<T>) {
    return true;
  } else if constexpr (std::is_trivially_destructible_v<T>) {
    return is_view<T> || is_device_memory<T> || is_view_by_shape<T>;
  } else {
    return false;  // an owner's data() may be a sentence of the compiler
  }
}

/// Whether a T shares what it owns, as a MemoryHold and a module's kernel do: keep() copies it.
template <class T>
inline constexpr bool is_shared_owner = requires {
  typename T::is_shared_owner;
};

/// Whether a T shares what a graph keeps.
template <class T>
inline constexpr bool is_graph = false;
template <class B>
inline constexpr bool is_graph<basic_graph<B>> = true;
template <class B>
inline constexpr bool is_graph<basic_executable_graph<B>> = true;
template <class B>
inline constexpr bool is_graph<basic_capture<B>> = true;

/// Diagnoses arguments of keep() that own nothing, or that are not moved in, and graphs.
template <class T>
constexpr bool check_keep_argument() noexcept {
  constexpr bool graph = is_graph<std::remove_cvref_t<T>>;
  static_assert(
      !graph,
      "warpsafe: a graph that keeps itself or its instance is never destroyed: store the graph and the ExecutableGraph side by side in your program");
  static_assert(
      !is_reference_only<std::remove_cvref_t<T>>(),
      "warpsafe: this refers to memory without owning it; give the graph the owner: keep(std::move(buffer)), or keep(buffer.keep())");
  constexpr bool owned = !std::is_lvalue_reference_v<T> || is_shared_owner<std::remove_cvref_t<T>>;
  static_assert(owned, "warpsafe: keep takes ownership; write keep(std::move(buffer))");
  return owned && !graph && !is_reference_only<std::remove_cvref_t<T>>();
}
template <class T>
[[nodiscard]] result<std::remove_cvref_t<T>*> keep_value(GraphResources& resources, T&& value,
                                                         call_site site) noexcept {
  if constexpr (std::is_lvalue_reference_v<T>) {
    if (auto* const kept = resources.keep(std::remove_cvref_t<T>(value))) return kept;
  } else {
    if (auto* const kept = resources.keep(std::forward<T>(value))) return kept;
  }
  return LaunchError::make(Errc::out_of_memory, Stage::runtime_call, sizeof(T), 0, Axis::none,
                           site);
}

}  // namespace detail

/// The captured operations with their arguments and dependencies. This graph cannot run;
/// `instantiate` makes a graph that can. Move-only.
template <class B>
class WARPSAFE_DETAIL_OWNER basic_graph {
 public:
  using backend = B;

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a graph is the end of a capture: WARPSAFE_TRY(auto graph, std::move(capture).end())"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_graph);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_graph(basic_graph&& other) noexcept
      : native_(std::exchange(other.native_, nullptr)), resources_(std::move(other.resources_)) {}
  basic_graph& operator=(basic_graph&& other) noexcept {
    if (this != &other) {
      detail::report_dropped(close());
      native_ = std::exchange(other.native_, nullptr);
      resources_ = std::move(other.resources_);
    }
    return *this;
  }
  basic_graph(const basic_graph&,  // warpsafe: move the graph, or pass a reference
              detail::MoveItOrPassAReference = {}) = delete;
  basic_graph& operator=(const basic_graph&) = delete;
  // A destructor cannot return a status; close() does.
  ~basic_graph() { detail::report_dropped(close()); }

  /// Makes a graph that can be launched. It shares what this graph keeps alive, so this graph may
  /// be destroyed. Errc::graph_moved for a graph that was moved from or closed, ::runtime_failed,
  /// ::out_of_memory.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<basic_executable_graph<B>> instantiate(
      call_site site = call_site::current()) const noexcept;
  /// Diagnoses the launch of a graph that was not instantiated.
  template <class S>
  [[nodiscard]] result<void> launch(const S&) const noexcept {
    static_assert(
        std::is_void_v<S>,
        "warpsafe: a graph is launched after WARPSAFE_TRY(auto exec, graph.instantiate()): exec.launch(stream)");
    return success();
  }
  /// Keeps `value` (a buffer, a library handle, a token) alive as long as this graph and its
  /// instances, and returns a pointer to it. Move it in; a MemoryHold and a module's kernel are
  /// also copied. A launch of an instance that has ended already does not wait for it.
  /// Errc::out_of_memory, and ::graph_moved for a graph that was moved from or closed; `value` is
  /// then untouched.
  template <class T>
  result<std::remove_cvref_t<T>*> keep(T&& value, call_site site = call_site::current()) noexcept {
    if constexpr (detail::check_keep_argument<T>()) {
      if (native_ == nullptr) {
        return detail::refused_operation(Errc::graph_moved, B::vendor, Name::of("graph keep"),
                                         site);
      }
      return detail::keep_value(*resources_.get(), std::forward<T>(value), site);
    }
  }
  /// The number of operations: `node_count().value()`. Errc::graph_moved for a graph that was moved
  /// from or closed, ::runtime_failed.
  [[nodiscard]] answer<std::size_t> node_count(
      call_site site = call_site::current()) const noexcept {
    if (native_ == nullptr) {
      return detail::refused_operation(Errc::graph_moved, B::vendor, Name::of("graph nodes"), site);
    }
    std::size_t count = 0;
    if (const int status = B::graph_nodes(native_, count)) {
      return detail::runtime_error<B>(status, Name::of("graph nodes"), site);
    }
    return count;
  }
  /// The vendor's graph, still owned by this object.
  [[nodiscard]] typename B::native_graph native() const noexcept { return native_; }
  /// Destroys the graph; its instances live on. Errc::runtime_failed.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    const auto native = std::exchange(native_, nullptr);
    const int status = native == nullptr ? 0 : B::graph_destroy(native);
    // After it: the end of NCCL's communicator waits for the end of each graph with its calls.
    resources_ = detail::ResourcesPtr{};
    if (status != 0) return detail::runtime_error<B>(status, Name::of("graph destroy"), site);
    return success();
  }

 private:
  friend class basic_capture<B>;
  friend class basic_executable_graph<B>;
  basic_graph(typename B::native_graph native, detail::ResourcesPtr resources) noexcept
      : native_(native), resources_(std::move(resources)) {}

  typename B::native_graph native_;
  detail::ResourcesPtr resources_;
};

template <class B>
template <CheckLevel Level>
result<basic_executable_graph<B>> basic_graph<B>::instantiate(call_site site) const noexcept {
  if (native_ == nullptr) {
    return detail::refused_operation(Errc::graph_moved, B::vendor, Name::of("graph instantiate"),
                                     site);
  }
  using native_exec = typename B::native_graph_exec;
  native_exec exec{};
  if constexpr (B::vendor == Vendor::nvidia) {
    if (resources_->allocates()) exec = static_cast<native_exec>(resources_->take_late_exec());
  }
  const detail::RelaxedCaptureScope<B, Level> outside;
  if (const int status = exec != nullptr ? 0 : B::graph_instantiate(exec, native_)) {
    return detail::runtime_error<B>(status, Name::of("graph instantiate"), site);
  }
  return basic_executable_graph<B>(exec, resources_,
                                   &basic_executable_graph<B>::template drop_at<Level>);
}

using Graph = basic_graph<default_backend>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
