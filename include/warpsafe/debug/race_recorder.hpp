// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/call_site.hpp>
#include <warpsafe/debug/memory_access.hpp>
#include <warpsafe/debug/race_checker.hpp>
#include <warpsafe/debug/race_report.hpp>
#include <warpsafe/debug/stream_history.hpp>
#include <warpsafe/name.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::debug {

/// Writes down what a program gives the streams of a real device, and what its host code waits for,
/// and finds what nothing orders (race_checker.hpp), whether or not it went wrong. What it knows,
/// it is told: by the backend Recorded<B> (recorded_backend.hpp), or by hand for calls that do not
/// go through this library. One for the program; all threads of the host count as one. Thread-safe.
class RaceRecorder {
 public:
  /// The one that Recorded<B> tells.
  [[nodiscard, gnu::visibility("default")]] static RaceRecorder& get() {
    static RaceRecorder one;
    return one;
  }
  /// Forgets everything, and listens from here on. @pre the device has no work
  void begin() {
    const std::lock_guard lock(mutex_);
    checker_.clear();
    history_.clear();
    races_.clear();
    uses_of_no_stream_.clear();
    columns_.clear();
    events_.clear();
    races_left_out_ = 0;
    host_ = checker_.add_strand();
    listening_ = true;
  }
  /// Listens no more. What was found; the first `kept` races are told in words.
  [[nodiscard]] RaceReport end() {
    const std::lock_guard lock(mutex_);
    listening_ = false;
    RaceReport report;
    report.left_out = races_left_out_;
    add_findings(report, history_, races_, uses_of_no_stream_);
    return report;
  }
  /// How many things were written down.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return history_.actions.size();
  }

  /// Work at the end of a stream, the vendor's own. `what`: a kernel's or a function's name.
  void submitted(const void* stream, ActionKind kind, std::span<const MemoryAccess> accesses,
                 call_site site, Name what = {}) {
    const std::lock_guard lock(mutex_);
    if (!listening_) return;
    // A kernel's accesses are whole allocations: nothing that a report would say of it.
    const bool sized = kind != ActionKind::kernel && !accesses.empty();
    const std::size_t bytes = sized ? accesses.front().bytes * accesses.front().rows : 0;
    on_stream(stream, {kind, 0, no_point, site, what, bytes}, no_point, accesses);
  }
  /// An event is recorded: from here on it stands for all that the stream was given so far.
  void recorded(const void* event, const void* stream, call_site site) {
    const std::lock_guard lock(mutex_);
    if (!listening_) return;
    on_stream(stream, {ActionKind::record, 0, no_point, site, {}, 0}, no_point, {});
    const Point point = last_point();
    for (auto& [known, its_point] : events_) {
      if (known == event) {
        its_point = point;
        return;
      }
    }
    events_.emplace_back(event, point);
  }
  /// What the stream is given from now on waits for what the event stands for now.
  void waits(const void* stream, const void* event, call_site site) {
    const std::lock_guard lock(mutex_);
    if (!listening_) return;
    const Point after = point_of(event);
    const ActionKind kind = after == no_point ? ActionKind::wait_for_nothing : ActionKind::wait;
    on_stream(stream, {kind, 0, after, site, {}, 0}, after, {});
  }
  void event_destroyed(const void* event) {
    const std::lock_guard lock(mutex_);
    std::erase_if(events_, [&](const auto& known) { return known.first == event; });
  }

  /// What a wait for the stream, or for the event, that begins now will have waited for.
  [[nodiscard]] Point end_of_stream(const void* stream) {
    const std::lock_guard lock(mutex_);
    return listening_ ? checker_.order().last(columns_[column_of(stream) - 1].strand) : no_point;
  }
  [[nodiscard]] Point end_of_event(const void* event) {
    const std::lock_guard lock(mutex_);
    return point_of(event);
  }
  /// The same for all streams.
  [[nodiscard]] std::vector<Point> end_of_all() {
    const std::lock_guard lock(mutex_);
    std::vector<Point> ends;
    for (const Column& column : columns_) ends.push_back(checker_.order().last(column.strand));
    return ends;
  }
  /// The host does something, once it knows that all of `after` is done.
  void on_host(ActionKind kind, std::span<const Point> after,
               std::span<const MemoryAccess> accesses, call_site site) {
    const std::lock_guard lock(mutex_);
    if (!listening_) return;
    const Point newest = after.empty() ? no_point : after.back();
    const std::size_t bytes = accesses.empty() ? 0 : accesses.front().bytes;
    note({kind, 0, newest, site, {}, bytes}, host_, after, accesses);
  }
  void stream_destroyed(const void* stream, call_site site) {
    const std::lock_guard lock(mutex_);
    if (!listening_) return;
    Column& column = columns_[column_of(stream) - 1];
    note({ActionKind::destroy_stream, 0, no_point, site, {}, 0}, host_, {}, {});
    column.stream = gone();  // another one may get its address
  }

 private:
  struct Column {
    const void* stream;
    Strand strand;
  };
  // Races beyond these are counted: they are seldom of another kind.
  static constexpr std::size_t kept = 20;

  RaceRecorder() = default;
  [[nodiscard]] static const void* gone() noexcept { return &gone_address; }
  [[nodiscard]] Point last_point() const noexcept {
    return static_cast<Point>(history_.actions.size() - 1);
  }
  [[nodiscard]] Point point_of(const void* event) const noexcept {
    for (const auto& [known, point] : events_) {
      if (known == event) return point;
    }
    return no_point;
  }
  /// The streams that the vendors call default have the addresses 0, 1 (legacy) and 2 (per thread).
  [[nodiscard]] static bool is_default(const void* stream) noexcept {
    return reinterpret_cast<std::uintptr_t>(stream) <= 2;
  }
  [[nodiscard]] std::uint32_t column_of(const void* stream) {
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].stream == stream) return i + 1;
    }
    columns_.push_back({stream, checker_.add_strand()});
    history_.is_default.push_back(is_default(stream));
    return static_cast<std::uint32_t>(columns_.size());
  }
  void on_stream(const void* stream, Action action, Point after,
                 std::span<const MemoryAccess> accesses) {
    action.column = column_of(stream);
    const Point before[] = {checker_.order().last(host_), after};
    note(action, columns_[action.column - 1].strand, before, accesses);
  }
  void note(const Action& action, Strand strand, std::span<const Point> after,
            std::span<const MemoryAccess> accesses) {
    checker_.add(strand, after, accesses, races_);
    history_.actions.push_back(action);
    history_.moments.push_back({last_point(), action.column != 0});
    if (races_.size() > kept) {
      races_left_out_ += races_.size() - kept;
      races_.erase(races_.begin() + static_cast<std::ptrdiff_t>(kept), races_.end());
    }
  }

  static inline const char gone_address = 0;
  mutable std::mutex mutex_;
  bool listening_ = false;
  RaceChecker checker_;
  StreamHistory history_;
  std::vector<Race> races_;
  std::uint64_t races_left_out_ = 0;
  std::vector<std::pair<Point, Point>> uses_of_no_stream_;  // none: such a call can end the program
  std::vector<Column> columns_;
  std::vector<std::pair<const void*, Point>> events_;
  Strand host_ = 0;
};

}  // namespace warpsafe::debug
