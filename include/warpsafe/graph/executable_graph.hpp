// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/graph/detail/capture_watch.hpp>
#include <warpsafe/launch/detail/watched_launch.hpp>
#include <warpsafe/memory/detail/graph_resources.hpp>
#include <warpsafe/memory/detail/postponed_frees.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/detail/stream_uses.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class B>
class basic_graph;

/// A graph that can be launched any number of times. CUDA runs its launches one after another. The
/// memory that it keeps is freed after its last launch. If it keeps anything else alive, the
/// destructor waits for the last launch first, also while the stream captures; a launch then also
/// records an event. So does one on a stream of other code, if the graph keeps memory of another
/// stream: if the stream captures at the end, the destructor waits. On CUDA, buffers that the graph
/// allocated keep the vendor's executable graph: it is destroyed after the last of them is freed.
/// Move-only. Two threads must not use one object at the same time.
template <class B>
class WARPSAFE_DETAIL_OWNER basic_executable_graph {
 public:
  using backend = B;

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: an executable graph is made by a function that can fail: WARPSAFE_TRY(auto exec, graph.instantiate())"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_executable_graph);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_executable_graph(basic_executable_graph&& other) noexcept
      : native_(std::exchange(other.native_, nullptr)),
        resources_(std::move(other.resources_)),
        last_(std::exchange(other.last_, std::nullopt)),
        last_number_(other.last_number_),
        launched_(std::move(other.launched_)),
        uses_resources_(std::exchange(other.uses_resources_, false)),
        is_marked_(std::exchange(other.is_marked_, false)),
        drop_(other.drop_) {}
  basic_executable_graph& operator=(basic_executable_graph&& other) noexcept {
    if (this != &other) {
      this->~basic_executable_graph();
      ::new (static_cast<void*>(this)) basic_executable_graph(std::move(other));
    }
    return *this;
  }
  basic_executable_graph(const basic_executable_graph&,  // warpsafe: move it, or pass a reference
                         detail::MoveItOrPassAReference = {}) = delete;
  basic_executable_graph& operator=(const basic_executable_graph&) = delete;
  // A destructor cannot return a status; close() does.
  ~basic_executable_graph() { drop_(*this); }

  /// Runs the graph in the order of `stream` (a Stream or a StreamRef; a borrowed stream must
  /// outlive this object), after its own earlier launches. The arguments are those of the capture
  /// or of the last update. Errc::stream_capturing if the stream captures; capture the work again
  /// to make it part of another graph. Errc::graph_memory_freed (checked builds) if a captured
  /// kernel uses memory of a freed buffer. Errc::graph_moved for a graph that was moved from or
  /// closed. Errc::stream_null for a Stream that was moved from or closed, ::runtime_failed,
  /// ::execution_failed of earlier work.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> launch(basic_stream_hold<B> stream,
                                    call_site site = call_site::current()) noexcept {
    if (native_ == nullptr) [[unlikely]] {
      return detail::refused_operation(Errc::graph_moved, B::vendor, Name::of("graph launch"),
                                       site);
    }
    if constexpr (Level == CheckLevel::full) {
      if (const void* const freed = resources_->freed()) [[unlikely]]
        return memory_freed(freed, stream.ref(), site);
    }
    const result<void> there =
        detail::check_stream<Level>(Name::of("graph launch"), stream.ref(), site);
    if (!there.has_value()) return there;
    LaunchError error;
    if (is_captured<Level>(stream.ref(), site, error)) return error;
    const detail::CallScope<B> here(site);
    if constexpr (Level == CheckLevel::full) {
      detail::tell_captures(stream.ref(), Name::of("graph launch"), site);
      // Observers see one launch, however many kernels the graph holds.
      const detail::Located<B> at(stream.ref(), site);
      detail::Observation seen = detail::observe(at, LaunchShape{}, Name::of("(graph)"));
      const result<void> launched = submit(std::move(stream), site);
      if (!launched.has_value()) error = detail::UnwrapWithTryOrValue::error_in(launched);
      if (detail::end_observation(seen, launched.has_value(), error)) return success();
      return error;
    } else {
      return submit(std::move(stream), site);
    }
  }
  /// Diagnoses an argument that is not a stream.
  template <class S>
  requires(!std::is_convertible_v<const S&, basic_stream_hold<B>>)  //
      result<void> launch(const S&)
  noexcept {
    static_assert(std::is_convertible_v<const S&, basic_stream_hold<B>>,
                  "warpsafe: launch a graph on a Stream or StreamRef of its backend");
    return success();
  }

  /// Replaces the operations and arguments of the coming launches with those of `graph`; use it to
  /// give captured kernels other scalars or buffers. `graph` must have the same operations in the
  /// same order with the same dependencies, and neither may leave memory allocated. Otherwise
  /// Errc::graph_update_refused says what differs, and this graph stays unchanged.
  /// Errc::graph_moved if one of them was moved from or closed, ::runtime_failed. After the update,
  /// ::execution_failed of an earlier launch that had to end first.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> update(const basic_graph<B>& graph,
                                    call_site site = call_site::current()) noexcept {
    if (native_ == nullptr || graph.native_ == nullptr) {
      return detail::refused_operation(Errc::graph_moved, B::vendor, Name::of("graph update"),
                                       site);
    }
    GraphChange change = GraphChange::none;
    // The memory of the graph before needs this executable graph for its free (LateExec).
    if (resources_->allocates() || graph.resources_->allocates()) {
      LaunchError error = detail::refused_operation(Errc::graph_update_refused, B::vendor,
                                                    Name::of("graph update"), site);
      error.value = static_cast<std::uint64_t>(GraphChange::unsupported);
      return error;
    }
    if (const int status = B::graph_update(native_, graph.native_, change)) {
      LaunchError error = detail::runtime_error<B>(status, Name::of("graph update"), site);
      if (error.code == Errc::graph_update_refused) {
        error.value = static_cast<std::uint64_t>(change);
      }
      return error;
    }
    const int waited = release_resources<Level>();
    resources_ = graph.resources_;
    uses_resources_ = false;
    if (waited != 0) return detail::runtime_error<B>(waited, Name::of("graph launch"), site);
    return success();
  }

  /// The vendor's executable graph, still owned by this object.
  [[nodiscard]] typename B::native_graph_exec native() const noexcept { return native_; }
  /// Destroys the graph; launches in flight continue, and the memory that it keeps is freed after
  /// them. If it keeps anything else alive, waits for the last launch before releasing it.
  /// Errc::runtime_failed, ::execution_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    const End end = destroy<Level>();
    if (end.waited != 0) {
      return detail::runtime_error<B>(end.waited, Name::of("graph launch"), site,
                                      Stage::completion);
    }
    if (end.destroyed != 0) {
      return detail::runtime_error<B>(end.destroyed, Name::of("graph destroy"), site);
    }
    return success();
  }

 private:
  using native_graph_exec = typename B::native_graph_exec;
  /// The runtime's statuses.
  struct End {
    int waited = 0;
    int destroyed = 0;
  };
  template <CheckLevel Level>
  [[nodiscard]] End destroy() noexcept {
    if (native_ == nullptr) return {};
    End end;
    const detail::ResourcesPtr resources = resources_;
    end.waited = release_resources<Level>();
    const native_graph_exec exec = std::exchange(native_, nullptr);
    if (!is_destroyed_later<Level>(exec, *resources.get())) end.destroyed = destroy<Level>(exec);
    last_ = std::nullopt;
    launched_ = {};
    uses_resources_ = false;
    is_marked_ = false;
    return end;
  }
  template <CheckLevel Level>
  [[nodiscard]] static int destroy(native_graph_exec exec) noexcept {
    const detail::RelaxedCaptureScope<B, Level> outside;
    return B::graph_exec_destroy(exec);
  }
  template <CheckLevel Level>
  [[nodiscard]] static bool is_destroyed_later(native_graph_exec exec,
                                               detail::GraphResources& resources) noexcept {
    if constexpr (B::vendor == Vendor::nvidia) {
      if (!resources.allocates()) return false;
      detail::keep_module();
      return resources.destroy_after_memory(exec, [](void* late) noexcept {
        detail::report_dropped<B>(destroy<Level>(static_cast<native_graph_exec>(late)),
                                  Name::of("graph destroy"),
                                  "close the graph's buffers first, then close() returns it");
      });
    }
    return false;
  }
  [[nodiscard]] result<void> submit(basic_stream_hold<B>&& stream, call_site site) noexcept {
    const bool allocates = resources_->allocates();
    int launched = 0;
    int status = 0;
    {
      const detail::AllocatingLaunch known(allocates);
      const auto& ref = stream.ref();
      const auto launch = [&]() noexcept { return B::graph_launch(native_, ref.native()); };
      if (allocates) [[unlikely]]
        launched = resources_->order_frees_before(ref.native(), ref.device().value(), ref.number());
      if (launched == 0) {
        launched = detail::StreamNumber::is_default(ref.native())
                       ? detail::submit_on_device(ref.device().value(), ref, launch)
                       : launch();
      }
      if (allocates && launched == 0) [[unlikely]] {
        status = resources_->has_run(ref.native(), ref.device().value(), ref.number());
      }
    }
    if (launched != 0) {
      // As for a kernel launch, a fault reported here belongs to earlier work.
      LaunchError error =
          detail::runtime_error<B>(launched, Name::of("graph launch"), site, Stage::launch);
      error.stage = Stage::runtime_call;
      error.stream = stream.ref().native();
      error.device = stream.ref().device().value();
      return error;
    }
    last_number_ = detail::StreamNumber(stream.ref().number());
    if (!last_.has_value() || last_->ref() != stream.ref()) {
      // An event of one device cannot be recorded in a stream of another.
      if (last_.has_value() && last_->ref().device() != stream.ref().device()) launched_ = {};
      last_ = std::move(stream);
    }
    uses_resources_ = true;
    is_marked_ = false;
    if (resources_->notes_each_launch()) {
      const int noted = note_launch(last_->ref());
      if (status == 0) status = noted;
    }
    if (allocates) [[unlikely]]
      detail::run_postponed_frees<B>(last_->ref().native());
    if ((resources_->has_kept_values() || needs_mark()) && status == 0) {
      status = launched_.set(last_->ref());
      is_marked_ = status == 0;
    }
    if (status == 0) [[likely]]
      return success();
    LaunchError error = detail::runtime_error<B>(status, Name::of("event record"), site);
    error.stream = last_->ref().native();
    error.device = last_->ref().device().value();
    return error;
  }
  [[nodiscard]] int note_launch(const basic_stream_ref<B>& stream) noexcept {
    return resources_->note_launch(stream.native(), stream.device().value(), stream.number());
  }

  /// Whether the stream captures. Neither vendor makes the launch part of the graph: CUDA 13.0
  /// returns 900 and breaks the capture in every mode (seen on an H200), and AMD's runtime runs the
  /// graph at once (seen on 5.2.3, 5.7.1 and 6.4.3). Checked builds also find captures that other
  /// code began.
  template <CheckLevel Level>
  [[nodiscard]] static bool is_captured(const basic_stream_ref<B>& stream, call_site site,
                                        LaunchError& error) noexcept {
    if (Level == CheckLevel::off && detail::open_captures() == nullptr) return false;
    // If the query fails, the launch reports the error.
    if (!detail::captures<Level>(stream)) return false;
    error = detail::refused_on(stream, Errc::stream_capturing, Name::of("graph launch"), site);
    return true;
  }

  friend class basic_graph<B>;
  /// Runs `destroy` at the check level of the graph's creator.
  using Drop = void (*)(basic_executable_graph& self) noexcept;
  template <CheckLevel Level>
  static void drop_at(basic_executable_graph& self) noexcept {
    const int device = self.last_.has_value() ? self.last_->ref().device().value() : -1;
    const End end = self.template destroy<Level>();
    const int status = end.waited != 0 ? end.waited : end.destroyed;
    detail::report_dropped<B>(status,
                              Name::of(status == end.waited ? "graph launch" : "graph destroy"),
                              "call close() to get it", device);
  }
  basic_executable_graph(native_graph_exec native, detail::ResourcesPtr resources,
                         Drop drop) noexcept
      : native_(native), resources_(std::move(resources)), drop_(drop) {}

  /// Whether memory must be freed behind the last launch, whose stream may capture by then. Of the
  /// streams that capture, only those of this library can be noted.
  [[nodiscard]] bool needs_mark() const noexcept {
    return !last_number_.is_of_library() && resources_->needs_note(last_number_.value());
  }
  /// Releases what the launches so far need: objects after the launches have ended, and memory in
  /// their order. Returns a status.
  template <CheckLevel Level>
  int release_resources() noexcept {
    int status = 0;
    if (uses_resources_) {
      const auto stream = detail::reachable_stream(last_->ref(), last_number_);
      bool waits = resources_->has_kept_values();
      bool captured = false;
      {
        const detail::CaptureLock locked;
        const bool marks = needs_mark();
        captured = ((waits && !is_marked_) || marks) && detail::meets_capture<Level>(stream);
        if (captured && marks) {
          waits = true;
        } else if (marks || resources_->needs_note(last_number_.value())) {
          status = note_launch(stream);
        }
      }
      if (captured && !is_marked_) {
        leak_resources(
            "a capture forbids to wait for its last launch; end the capture before you close, "
            "update or destroy the graph");
      } else if (waits) {
        const int waited = wait_for_last<Level>(stream);
        if (waited != 0) status = waited;
        if (detail::EndOfUses<B>::is_unknown(waited)) {
          leak_resources(
              "the wait for its last launch failed; synchronize the stream before you "
              "close, update or destroy the graph");
        }
      }
    }
    resources_ = detail::ResourcesPtr{};
    return status;
  }
  template <CheckLevel Level>
  int wait_for_last(const basic_stream_ref<B>& stream) noexcept {
    if (is_marked_) return launched_.template wait<Level>({}, false);
    // Other streams may capture, and an ordinary wait would break their captures.
    const detail::RelaxedCaptureScope<B, Level> outside;
    return detail::wait_for_stream(stream, {}, false);
  }
  /// Nothing can tell when the last launch ends.
  [[WARPSAFE_DETAIL_RARE]] void leak_resources(const char* why) noexcept {
    const detail::WithoutCancel whole;
    resources_->leak();
    std::fprintf(stderr,
                 "warpsafe: what an executable graph uses is never freed: on stream %p, %s\n",
                 static_cast<const void*>(last_->ref().native()), why);
  }
  [[WARPSAFE_DETAIL_RARE]] static LaunchError memory_freed(const void* memory,
                                                           basic_stream_ref<B> stream,
                                                           call_site site) noexcept {
    LaunchError error =
        detail::refused_on(stream, Errc::graph_memory_freed, Name::of("graph launch"), site);
    error.value = reinterpret_cast<std::uintptr_t>(memory);
    return error;
  }

  native_graph_exec native_;
  detail::ResourcesPtr resources_;
  std::optional<basic_stream_hold<B>> last_;  ///< of the newest launch
  detail::StreamNumber last_number_{};        ///< its number for the thread that launched
  /// The end of the newest launch, if something must wait for it. Unlike the stream, it can be
  /// waited for while the stream captures.
  detail::StreamMark<B> launched_;
  bool uses_resources_ = false;  ///< a launch since the last update
  bool is_marked_ = false;       ///< `launched_` is behind that launch
  Drop drop_;
};

using ExecutableGraph = basic_executable_graph<default_backend>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
