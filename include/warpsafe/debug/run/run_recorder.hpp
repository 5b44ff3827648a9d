// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>
#include <warpsafe/debug/hooks/install.hpp>
#include <warpsafe/debug/journal/detail/completion.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/run/detail/describe_environment.hpp>
#include <warpsafe/debug/run/detail/gpu_clock.hpp>
#include <warpsafe/debug/run/run_record.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/launch/observe.hpp>

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// What a RunRecorder records in addition.
struct RecordOptions {
  /// Two events around each launch measure when the GPU began it and ended it. They cost a few
  /// microseconds per launch, and a gap between kernels that would otherwise run back to back.
  bool gpu_times = false;
};

/// Records every launch, wait and error of checked code from `start` to `stop`, for a journal in a
/// file (journal_file.hpp), a timeline (timeline_export.hpp) or the program itself. Unlike the
/// journal it drops nothing: it allocates, and takes a lock at each launch. This header installs
/// the debug tools as <warpsafe/debug.hpp> does. If no file of the program is compiled with
/// checks, the recorder records nothing, and a warning says so.
class RunRecorder {
 public:
  RunRecorder() {
    observer_.launching = [](void* self, LaunchRecord& record,
                             const warpsafe::detail::BackendCalls&) noexcept {
      locked(self, [&](RunRecorder& recorder) { recorder.clock_.launching(record); });
      return false;
    };
    observer_.launched = [](void* self, const LaunchRecord& record, std::uint64_t begun,
                            std::uint64_t ended) noexcept {
      locked(self, [&](RunRecorder& recorder) { recorder.launched(record, begun, ended); });
    };
    observer_.waited = [](void* self, const WaitRecord& wait) noexcept {
      locked(self, [&](RunRecorder& recorder) { recorder.waited(wait); });
    };
    observer_.failed = [](void* self, const LaunchError& error) noexcept {
      if (static_cast<RunRecorder*>(self)->forked()) return;
      char text[4096];
      // Without the lock: an observer's `explain` may call the library, which tells this recorder.
      const std::size_t size = format_error(error, text, sizeof text);
      locked(self, [&](RunRecorder& recorder) { recorder.failed(error, {text, size}); });
    };
    observer_.user = this;
  }
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;
  /// Stops. @pre no other thread launches or waits
  ~RunRecorder() { stop(); }

  /// Starts recording; call it once. Describes the process as it runs on backend B. Only launches
  /// of backend B get GPU times. Throws std::bad_alloc if the host has no memory left, and then
  /// does not record. @pre no graph is being captured
  template <class B = default_backend, CheckLevel Level = current_level>
  void start(RecordOptions options = {}) {
    run_.environment = describe_environment<B, Level>();
    if (options.gpu_times) clock_.use(&detail::TimingCallsOf<B>::calls);
    zero_ = detail::nanoseconds_now();
    run_.lost = Journal::get().last();
    observe(observer_);
    if (*warpsafe::detail::link_to(detail::observer) == nullptr && !Environment::get().silent) {
      detail::log_line(LogLevel::warn,
                       "warpsafe: this RunRecorder records nothing: no file of the program is "
                       "compiled with all checks; build one without NDEBUG, or with "
                       "WARPSAFE_CHECKS=1");
    }
  }
  /// Stops recording. @pre no other thread launches or waits
  void stop() noexcept { stop_observing(observer_); }

  /// The run so far. A launch has GPU times if it has ended. Throws std::bad_alloc if the host has
  /// no memory left for the copy. In the child of a fork, which records nothing, an empty run.
  [[nodiscard]] RunRecord run() {
    if (forked()) return {};
    const warpsafe::detail::Locked lock(lock_);
    RunRecord copy = run_;
    for (std::size_t i = 0; i < copy.launches.size(); ++i) {
      RunLaunch& one = copy.launches[i];
      if (one.record.state == LaunchState::submitted &&
          Completion::get().is_complete(one.record, submitted_at_[i])) {
        one.record.state = LaunchState::complete;
      }
    }
    clock_.times([&](std::uint64_t sequence, std::uint64_t begun, std::uint64_t ended) {
      const auto found = std::partition_point(
          copy.launches.begin(), copy.launches.end(),
          [&](const RunLaunch& one) { return one.record.sequence < sequence; });
      if (found == copy.launches.end() || found->record.sequence != sequence) return;
      found->gpu_begun = since_start(begun);
      found->gpu_ended = since_start(ended);
    });
    return copy;
  }

 private:
  /// Whether this process is a child of the recorder's. Another thread may have been changing the
  /// lists at the fork.
  [[nodiscard]] bool forked() const noexcept {
    return process_ != warpsafe::detail::process_number();
  }
  /// Calls `body` with the observer's recorder, under its lock. If memory runs out, the run is
  /// marked as incomplete.
  template <class Body>
  static void locked(void* self, const Body& body) noexcept {
    auto& recorder = *static_cast<RunRecorder*>(self);
    if (recorder.forked()) return;
    const warpsafe::detail::Locked lock(recorder.lock_);
    if (!detail::has_memory_for([&] { body(recorder); })) recorder.run_.incomplete = true;
  }
  void launched(const LaunchRecord& record, std::uint64_t begun, std::uint64_t ended) {
    clock_.launched(record);
    const RunLaunch made{record, since_start(begun), since_start(ended), 0, 0, thread()};
    // The two lists stay of one length, also if the other one finds no memory.
    if (submitted_at_.size() == submitted_at_.capacity()) {
      submitted_at_.reserve(2 * submitted_at_.size() + 1);
    }
    // Threads may arrive here in another order than that of their launches' numbers.
    std::size_t at = run_.launches.size();
    while (at > 0 && run_.launches[at - 1].record.sequence > record.sequence) --at;
    const auto place = static_cast<std::ptrdiff_t>(at);
    run_.launches.insert(run_.launches.begin() + place, made);
    submitted_at_.insert(submitted_at_.begin() + place, Completion::get().now());
  }
  void waited(const WaitRecord& wait) {
    WaitRecord made = wait;
    made.begun = since_start(wait.begun);
    made.ended = since_start(wait.ended);
    run_.waits.push_back({made, thread()});
  }
  void failed(const LaunchError& error, std::string_view text) {
    run_.errors.push_back({error.code, std::string(text), since_start(detail::nanoseconds_now()),
                           error.sequence, error.device, error.stream, thread()});
  }
  /// At least 1, because 0 means "not known".
  [[nodiscard]] std::uint64_t since_start(std::uint64_t time) const noexcept {
    return time > zero_ ? time - zero_ : 1;
  }
  /// The number of the calling thread.
  [[nodiscard]] std::uint32_t thread() {
    const pthread_t self = pthread_self();
    std::size_t i = 0;
    while (i < threads_.size() && pthread_equal(threads_[i], self) == 0) ++i;
    if (i == threads_.size()) threads_.push_back(self);
    return static_cast<std::uint32_t>(i);
  }

  Observer observer_;
  const unsigned process_ = warpsafe::detail::process_number();
  warpsafe::detail::ProcessLock lock_{};
  std::uint64_t zero_ = 0;
  RunRecord run_;
  std::vector<std::uint64_t> submitted_at_;  ///< Completion's time of each launch
  detail::GpuClock clock_;
  std::vector<pthread_t> threads_;
};

/// The journal's present contents as a run: the last launches, without times, waits and errors. Use
/// it in a program that was not recorded from its start.
template <class B = default_backend>
[[nodiscard]] RunRecord run_from_journal() {
  RunRecord run;
  run.environment = describe_environment<B>();
  const JournalReader launches;
  for (const LaunchRecord& record : launches) run.launches.push_back({record, 0, 0, 0, 0, 0});
  run.lost = launches.overwritten();
  return run;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
