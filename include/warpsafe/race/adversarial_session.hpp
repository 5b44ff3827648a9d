// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/call_site.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/seeded_scheduler.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::host {

/// A result<T>.
template <class T>
concept IsOutcome = requires(const T& outcome) {
  outcome.has_value();
  { outcome.assume_error() } -> std::convertible_to<LaunchError>;
};
template <class T>
inline constexpr bool is_outcome = IsOutcome<T>;

/// One program under many schedules: has the host backend to itself while a seed runs. Its
/// destructor ends a run that an exception cut short.
class AdversarialSession {
 public:
  AdversarialSession() : alone_(one_at_a_time()), scheduler_(runtime_) {
    std::unique_lock lock(runtime_.mutex);
    runtime_.wait_all(lock, nullptr);
  }
  AdversarialSession(const AdversarialSession&) = delete;
  AdversarialSession& operator=(const AdversarialSession&) = delete;
  ~AdversarialSession() {
    if (running_) leave();
  }

  void begin(std::uint64_t seed) {
    const std::lock_guard lock(runtime_.mutex);
    report_.seed = seed;
    scheduler_.begin(seed);
    runtime_.hand_over(&scheduler_);
    running_ = true;
  }
  /// Runs what is left; whether there is nothing to report.
  bool end() {
    leave();
    ++report_.seeds_run;
    const std::lock_guard lock(runtime_.mutex);
    for (const auto& device : runtime_.devices) {
      const Failure& failure = device->failure();
      if (failure.status != 0) failed(failure);
      device->recover();
    }
    const Recorder& recorder = scheduler_.recorder;
    add_findings(report_, recorder.history, recorder.races, recorder.uses_of_no_stream);
    return report_.clean();
  }
  /// The program returned an error, or another value than with the first seed.
  void failed(const LaunchError& error) {
    char text[1024];
    format_error(error, text, sizeof text);
    report_.findings.push_back(finding_of(
        debug::Mistake::failure, "The program returned an error\n  " + std::string(text) + '\n'));
  }
  void differs() {
    report_.findings.push_back(
        finding_of(debug::Mistake::different_result,
                   "The program returned another value than with the first seed\n"));
  }
  [[nodiscard]] debug::RaceReport report() { return std::move(report_); }

  /// The host itself touches memory; does nothing unless a program runs.
  static void touch(const void* memory, std::size_t bytes, debug::AccessKind kind,
                    const call_site& site) {
    const CallPlace outer = PlaceCalls::enter_call(site, {nullptr, 0});
    Runtime& runtime = Runtime::get();
    std::unique_lock lock(runtime.mutex);
    if (runtime.scheduler != nullptr && bytes != 0) {
      runtime.scheduler->begin_call(lock);
      runtime.scheduler->touched({reinterpret_cast<std::uintptr_t>(memory), bytes, kind});
    }
    PlaceCalls::leave_call(outer);
  }

 private:
  [[nodiscard]] static std::unique_lock<std::mutex> one_at_a_time() {
    static std::mutex mutex;
    return std::unique_lock(mutex);
  }
  void leave() {
    std::unique_lock lock(runtime_.mutex);
    scheduler_.drain(lock);
    runtime_.hand_over(nullptr);
    running_ = false;
  }
  void failed(const Failure& failure) {
    const StatusRow& row = row_of(failure.status);
    std::string text = "Work failed on the device\n  " + std::string(row.name.data, row.name.size);
    text +=
        ": " + (failure.text.empty() ? std::string(row.text.data, row.text.size) : failure.text);
    report_.findings.push_back(finding_of(debug::Mistake::failure, text + '\n'));
  }

  std::unique_lock<std::mutex> alone_;
  Runtime& runtime_ = Runtime::get();
  SeededScheduler scheduler_;
  debug::RaceReport report_;
  bool running_ = false;
};

}  // namespace warpsafe::host
