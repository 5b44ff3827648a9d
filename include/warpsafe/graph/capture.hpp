// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/graph/detail/capture_reports.hpp>
#include <warpsafe/graph/detail/capture_watch.hpp>
#include <warpsafe/graph/graph.hpp>
#include <warpsafe/memory/detail/graph_resources.hpp>
#include <warpsafe/memory/detail/postponed_frees.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// An open capture: work submitted to its stream becomes a graph instead of running. End it with
/// `end`. The destructor ends it and discards the work. If the capture began in a checked build and
/// holds work, the destructor prints a line to standard error, except during an exception. Another
/// stream takes part once it waits for an event of the capture. Join that stream before the end: a
/// stream of the capture must wait for it. It may be destroyed before the end; a Stream then ends
/// with the capture. Move-only.
template <class B>
class WARPSAFE_DETAIL_OWNER basic_capture {
 public:
  using backend = B;
  using is_scope_guard = void;  ///< WARPSAFE_TRYV, which would end it at once, refuses it
  /// Begins to capture `stream` (a Stream or a StreamRef; a borrowed stream must outlive the
  /// capture). `mode` selects which calls of which threads break the capture: by default global,
  /// and thread without checks.
  /// Errc::stream_capturing if the stream already captures, ::stream_null for a Stream that was
  /// moved from or closed, ::out_of_memory (of the host), ::runtime_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<basic_capture> begin(
      basic_stream_hold<B> stream, CaptureMode mode = detail::default_capture_mode<Level>,
      call_site site = call_site::current()) noexcept {
    const auto there = detail::check_stream<Level>(Name::of("capture begin"), stream.ref(), site);
    if (!there.has_value()) return there.assume_error();
    auto* const state =
        new (std::nothrow) State(std::move(stream), &basic_capture::template discard_at<Level>);
    auto* const resources = state == nullptr ? nullptr : new (std::nothrow) detail::GraphResources;
    if (resources == nullptr) {
      delete state;
      return LaunchError::make(Errc::out_of_memory, Stage::runtime_call, sizeof(State), 0,
                               Axis::none, site);
    }
    state->site = site;
    state->watch.resources = detail::ResourcesPtr(resources);
    state->watch.mode = mode;
    state->watch.vendor = B::vendor;
    state->watch.stream = {state->stream.ref().native(), state->stream.ref().number()};
    state->watch.device = state->stream.ref().device().value();
    state->watch.query_info = &basic_capture::query_info;
    state->watch.query_state = &basic_capture::query_state;
    state->watch.hold = [](std::uint64_t number) noexcept -> void* {
      return detail::SharedStream<B>::find(number);
    };
    state->watch.let_go = [](void* held) noexcept {
      static_cast<detail::SharedStream<B>*>(held)->drop();
    };
    basic_capture made(state);
    const int status = detail::on_device_of<B>(state->stream.ref(), [&]() noexcept {
      const detail::CaptureLock locked;
      return B::capture_begin(state->stream.ref().native(), mode);
    });
    if (status != 0) {
      LaunchError error = detail::runtime_error<B>(status, Name::of("capture begin"), site);
      if (is_illegal_state(status)) error.code = Errc::stream_capturing;
      error.stream = state->stream.ref().native();
      delete std::exchange(made.state_, nullptr);
      return error;
    }
    CaptureInfo begun{};
    if (query_info(state->watch.stream, begun) == 0) state->watch.id = begun.id;
    detail::open_watch(state->watch);
    detail::tell_call<Level>(state->stream.ref(), Name::of("capture begin"), site);
    return made;
  }
  /// Diagnoses an argument that is not a stream.
  template <class S, class... A>
  requires(!std::is_convertible_v<const S&, basic_stream_hold<B>>)  //
      [[nodiscard]] static result<basic_capture> begin(const S&, const A&...) noexcept {
    static_assert(
        std::is_convertible_v<const S&, basic_stream_hold<B>>,
        "warpsafe: begin a capture on a Stream or StreamRef of its backend; 0 and nullptr are a default stream, which cannot be captured");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a capture is made by a function that can fail: WARPSAFE_TRY(auto capture, Capture::begin(stream))"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_capture);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_capture(basic_capture&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  basic_capture& operator=(basic_capture&& other) noexcept {
    if (this != &other) {
      drop(true);
      state_ = std::exchange(other.state_, nullptr);
    }
    return *this;
  }
  basic_capture(const basic_capture&,  // warpsafe: move the capture, or pass a reference
                detail::MoveItOrPassAReference = {}) = delete;
  basic_capture& operator=(const basic_capture&) = delete;
  ~basic_capture() { drop(true); }

  /// Ends the capture and drops its work, on purpose.
  void discard() noexcept { drop(false); }

  /// Ends the capture. Errc::capture_broken if a call broke it, whatever the runtime returns; if
  /// that call went through this library, the error names it, with its line and the runtime's code.
  /// Errc::capture_unjoined names the stream that was not joined, and the line where it first took
  /// part. Errc::capture_wrong_thread, ::capture_unmatched, ::runtime_failed; if the stream still
  /// captures after an error, so does this object, and `end` may be called again. Checked builds
  /// print a line to standard error if this thread submitted work to a stream that takes no part in
  /// any capture, because that work ran at once; with CaptureMode::relaxed, only if the graph is
  /// empty.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<basic_graph<B>> end(call_site site = call_site::current()) && noexcept {
    if (state_ == nullptr) {
      return detail::refused_operation(Errc::capture_unmatched, B::vendor, Name::of("capture end"),
                                       site);
    }
    State* const state = state_;
    if (is_of_another_thread(*state)) {
      return detail::refused_on(state->stream.ref(), Errc::capture_wrong_thread,
                                Name::of("capture end"), site);
    }
    const auto* const unjoined = state->watch.unjoined();
    CaptureInfo before{};
    static_cast<void>(query_info(state->watch.stream, before));
    typename B::native_graph graph{};
    detail::tell_call<Level>(state->stream.ref(), Name::of("capture end"), site);
    // Memory of the capture is freed in it or after its end.
    detail::CaptureLock locked;
    const int status = end_native(*state, graph);
    if (goes_on(*state, status)) {
      state->has_failed = true;
      return end_error(status, *state, unjoined, site);
    }
    state_ = nullptr;
    detail::close_watch(state->watch);
    const bool is_lost = status != 0 || lost_work(*state, before, graph);
    if (is_lost) {
      state->watch.resources->capture_lost();
    } else {
      state->watch.resources->capture_ended();
    }
    locked.unlock();
    state->counted.reset();  // a free may wait for a device
    detail::run_postponed_frees<B>(state->stream.ref().native());
    if (is_lost) {
      const LaunchError error = end_error(status, *state, unjoined, site);
      delete state;
      return error;
    }
    if constexpr (Level == CheckLevel::full) {
      if (state->watch.outside.stream != nullptr) {
        std::size_t nodes = 1;
        if (before.tail <= 1) static_cast<void>(B::graph_nodes(graph, nodes));
        if (nodes == 0 || state->watch.mode != CaptureMode::relaxed) {
          detail::report_outside_work(state->watch, state->site, nodes == 0);
        }
      }
    }
    basic_graph<B> made(graph, state->watch.resources);
    delete state;
    return made;
  }
  /// Diagnoses `end` of a variable that could still be used afterwards.
  template <class Never = void>
  result<basic_graph<B>> end(call_site site = call_site::current()) & noexcept {
    static_assert(
        !std::is_void_v<Never>,
        "warpsafe: end() consumes the capture; write auto graph = std::move(capture).end()");
    return detail::refused_operation(Errc::capture_unmatched, B::vendor, Name::of("capture end"),
                                     site);
  }
  /// Keeps `value` (a buffer, a library handle, a token) alive as long as the graph and its
  /// instances, and returns a pointer to it. Move it in; a MemoryHold and a module's kernel are
  /// also copied. Errc::out_of_memory; `value` is then untouched. Errc::capture_unmatched after
  /// the end.
  template <class T>
  result<std::remove_cvref_t<T>*> keep(T&& value, call_site site = call_site::current()) noexcept {
    if constexpr (detail::check_keep_argument<T>()) {
      if (state_ == nullptr) {
        return detail::refused_operation(Errc::capture_unmatched, B::vendor,
                                         Name::of("capture keep"), site);
      }
      return detail::keep_value(*state_->watch.resources.get(), std::forward<T>(value), site);
    }
  }
  /// The stream that is captured. After the capture's end or a move, that of a closed Stream: calls
  /// on it return Errc::stream_null.
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept {
    return state_ == nullptr ? detail::StreamAccess::closed<B>() : state_->stream.ref();
  }

 private:
  friend struct detail::PrintAccess;
  /// Whether the status says that the stream captures already, or not at all.
  [[nodiscard]] static constexpr bool is_illegal_state(int status) noexcept {
    if constexpr (requires { B::illegal_state; }) {
      return status == B::illegal_state;
    } else {
      return false;
    }
  }

  struct State {
    /// Ends a capture without using its graph, through the calls of the level at which it began.
    using DiscardAt = void (*)(State& state, bool reported) noexcept;

    State(basic_stream_hold<B> its_stream, DiscardAt its_discard_at) noexcept
        : stream(std::move(its_stream)), discard_at(its_discard_at) {}
    basic_stream_hold<B> stream;
    DiscardAt discard_at;
    call_site site{};  ///< of the beginning
    int exceptions = std::uncaught_exceptions();
    bool has_failed = false;  ///< an end, which returned an error
    detail::CaptureWatch watch;
    /// Destroyed first: the end of what the capture kept may wait for a device.
    std::optional<detail::CountedCapture> counted{std::in_place};
  };
  explicit basic_capture(State* state) noexcept : state_(state) {}

  /// Whether a broken capture, or one that lost its nodes, ended with success, as with HIP's
  /// runtimes up to 6.4. Destroys the graph then. A capture without work has no nodes: its tail
  /// is 1.
  [[nodiscard]] static bool lost_work(const State& state, const CaptureInfo& before,
                                      typename B::native_graph graph) noexcept {
    if (graph == nullptr) return true;
    std::size_t nodes = 1;
    if (before.tail > 1) static_cast<void>(B::graph_nodes(graph, nodes));
    if (nodes != 0 && before.state != CaptureState::broken && state.watch.broken.code == Errc{}) {
      return false;
    }
    static_cast<void>(B::graph_destroy(graph));
    return true;
  }
  static basic_stream_ref<B> ref_of(const detail::WhichStream& which) noexcept {
    const detail::StreamNumber number(which.number);
    return detail::StreamAccess::make<B>(const_cast<void*>(which.handle),
                                         number.device_of_default(), number);
  }
  static int query_info(const detail::WhichStream& which, CaptureInfo& info) noexcept {
    const auto stream = ref_of(which);
    return detail::on_device_of<B>(
        stream, [&]() noexcept { return B::capture_info(stream.native(), info); });
  }
  static int query_state(const detail::WhichStream& which, CaptureState& state) noexcept {
    const auto stream = ref_of(which);
    return detail::on_device_of<B>(
        stream, [&]() noexcept { return B::capture_state(stream.native(), state); });
  }
  /// @pre CaptureLock
  [[nodiscard]] static int end_native(const State& state,
                                      typename B::native_graph& graph) noexcept {
    return detail::on_device_of<B>(state.stream.ref(), [&]() noexcept {
      return B::capture_end(state.stream.ref().native(), graph);
    });
  }
  [[WARPSAFE_DETAIL_RARE]] static LaunchError end_error(int status, const State& state,
                                                        const detail::CaptureWatch::Fork* unjoined,
                                                        call_site site) noexcept {
    LaunchError error = LaunchError::make(Errc::capture_broken, Stage::runtime_call, site);
    error.operation = Name::of("capture end");
    if (status != 0) error = detail::runtime_error<B>(status, error.operation, site);
    error.device = state.stream.ref().device().value();
    if (error.code == Errc::capture_broken && state.watch.broken.code != Errc{}) {
      detail::take_breaking_call(error, state.watch.broken);
    } else if (error.code == Errc::capture_unjoined && unjoined != nullptr) {
      error.stream = unjoined->stream.handle;
      error.site = unjoined->site;
    } else if (is_illegal_state(status)) {
      error.code = Errc::capture_unmatched;
    }
    return error;
  }
  /// Whether the handle of the captured stream means this thread's own stream, and another thread's
  /// was captured.
  [[nodiscard]] static bool is_of_another_thread(const State& state) noexcept {
    return detail::StreamNumber(state.watch.stream.number).is_of_another_thread();
  }
  /// Whether the capture is still open after an end that failed, as with AMD's runtimes after one
  /// in the wrong thread, which CUDA takes as an end.
  [[nodiscard]] static bool goes_on(const State& state, int status) noexcept {
    CaptureState now = CaptureState::none;
    return status != 0 && query_state(state.watch.stream, now) == 0 && now == CaptureState::active;
  }
  void drop(bool reported) noexcept {
    if (state_ == nullptr) return;
    State* const state = std::exchange(state_, nullptr);
    state->discard_at(
        *state, reported && !state->has_failed && std::uncaught_exceptions() <= state->exceptions);
    delete state;
  }
  /// Implements State::discard_at. Errors are dropped.
  template <CheckLevel Level>
  static void discard_at(State& state, [[maybe_unused]] bool reported) noexcept {
    typename B::native_graph graph{};
    detail::tell_call<Level>(state.stream.ref(), Name::of("capture end"), state.site);
    detail::CaptureLock locked;
    const bool reachable = !is_of_another_thread(state);
    const int status = reachable ? end_native(state, graph) : -1;
    detail::close_watch(state.watch);
    state.watch.resources->capture_lost();
    locked.unlock();
    state.counted.reset();
    detail::run_postponed_frees<B>(state.stream.ref().native());
    if constexpr (Level == CheckLevel::full) {
      std::size_t nodes = 0;
      const bool known = status == 0 && graph != nullptr && B::graph_nodes(graph, nodes) == 0;
      if (reported && (nodes != 0 || !known)) detail::report_lost_capture(state.site);
    }
    if (status == 0 && graph != nullptr) {
      static_cast<void>(B::graph_destroy(graph));
    }
  }

  State* state_;
};

using Capture = basic_capture<default_backend>;

namespace detail {

/// Whether Body can be captured: it must be callable with the open capture.
template <class Body, class B>
inline constexpr bool is_capture_body =
    std::is_invocable_r_v<result<void>, Body&, basic_capture<B>&>;

template <CheckLevel Level, class B, class Body>
[[nodiscard]] result<basic_graph<B>> capture_body(basic_stream_hold<B> stream, CaptureMode mode,
                                                  Body& body, call_site site) {
  static_assert(
      is_capture_body<Body, B>,
      "warpsafe: capture takes a function of the Capture that returns result<void>: [&](Capture& capture) -> result<void> { … }");
  if constexpr (is_capture_body<Body, B>) {
    auto open = basic_capture<B>::template begin<Level>(std::move(stream), mode, site);
    if (!open.has_value()) return open.assume_error();
    const result<void> done = body(open.assume_value());
    if (!done.has_value()) {
      open.assume_value().discard();
      return done.assume_error();
    }
    return std::move(open).assume_value().template end<Level>(site);
  } else {
    return LaunchError::make(Errc::capture_unmatched, Stage::construction, site);
  }
}

}  // namespace detail

/// Captures the work that `body(capture)` submits: begins a capture, calls `body`, ends the
/// capture. If `body` returns an error or throws, the capture is discarded and the error is passed
/// on. Other errors are those of Capture::begin and ::end.
template <CheckLevel Level = current_level, class B, class Body>
[[nodiscard]] result<basic_graph<B>> capture(const basic_stream<B>& stream, Body&& body,
                                             CaptureMode mode = detail::default_capture_mode<Level>,
                                             call_site site = call_site::current()) {
  return detail::capture_body<Level, B>(stream, mode, body, site);
}
template <CheckLevel Level = current_level, class B, class Body>
[[nodiscard]] result<basic_graph<B>> capture(basic_stream_ref<B> stream, Body&& body,
                                             CaptureMode mode = detail::default_capture_mode<Level>,
                                             call_site site = call_site::current()) {
  return detail::capture_body<Level, B>(stream, mode, body, site);
}
template <CheckLevel Level = current_level, class B, class Body>
result<basic_graph<B>> capture(basic_stream<B>&&, Body&&, CaptureMode = {}, call_site = {}) =
    delete;  // a temporary stream would not outlive the graph

/// Captures `body` again and updates `exec` with the result. Use it to change the arguments of
/// captured kernels. It replaces everything that `exec` does and keeps alive. Errors are those of
/// capture and update.
template <CheckLevel Level = current_level, class B, class S, class Body>
[[nodiscard]] result<void> recapture(basic_executable_graph<B>& exec, const S& stream, Body&& body,
                                     CaptureMode mode = detail::default_capture_mode<Level>,
                                     call_site site = call_site::current()) {
  const auto graph = capture<Level>(stream, body, mode, site);
  if (!graph.has_value()) return graph.assume_error();
  return exec.template update<Level>(graph.assume_value(), site);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
