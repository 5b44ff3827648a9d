// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/detail/device_check_hooks.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/race/detail/seeded_scheduler.hpp>
#include <warpsafe/race/race_report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// One program under many schedules. Owns the host backend while a seed runs. Its destructor ends a
/// run that an exception cut short.
class AdversarialSession {
 public:
  AdversarialSession() : scheduler_(runtime_) { is_inside = true; }
  AdversarialSession(const AdversarialSession&) = delete;
  AdversarialSession& operator=(const AdversarialSession&) = delete;
  ~AdversarialSession() {
    is_inside = false;
    if (!running_ || runtime_.forked()) return;
    leave();
    const Lock lock(runtime_.mutex);
    for (const auto& device : runtime_.devices) device->recover();
  }

  /// Takes the host backend for one seed. False if it takes no calls, because this process was
  /// forked after its first use or because the program is ending. The report then says so, and
  /// nothing else may be called but `report`.
  [[nodiscard]] bool begin(std::uint64_t seed) {
    if (is_unavailable()) return false;
    Lock lock(runtime_.mutex);
    runtime_.wait_until_idle(lock);
    if (is_unavailable()) return false;
    report_.seed = seed;
    scheduler_.begin(seed);
    runtime_.set_scheduler(&scheduler_);
    running_ = true;
    return true;
  }
  /// Runs the remaining work. Returns whether there is nothing to report; false in a process that
  /// was forked since `begin`. `again`: the run has to be repeated, because it showed that a kernel
  /// writes around its view.
  bool end(bool& again) {
    if (runtime_.forked()) {
      again = false;
      return !is_unavailable();
    }
    leave();
    const Lock lock(runtime_.mutex);
    again = scheduler_.recorder.outside.takes_new();
    for (const auto& device : runtime_.devices) {
      const Failure& failure = device->failure();
      if (failure.status != 0) failed(failure);
      device->recover();
    }
    if (warpsafe::detail::status_with_device_check(0) != 0) {
      failed(warpsafe::detail::runtime_error<host_backend>(warpsafe::detail::failed_check_status,
                                                           Name::of("race run"), {}));
    }
    // Not before: if there was no memory for a finding, the destructor recovers the devices.
    running_ = false;
    if (again) {
      report_.findings.clear();
      return true;
    }
    ++report_.seeds_run;
    const HostRaceRecorder& recorder = scheduler_.recorder;
    add_findings(report_, recorder.history, recorder.races, recorder.uses_after_destroy,
                 recorder.remarks);
    // A use by the device, and a reported one by the host, is a finding with its line already.
    if (report_.clean() && written_after_free_ != 0) {
      report_.findings.push_back(finding_of(
          debug::Mistake::use_after_release,
          "Memory was written after it was freed\n  " + std::to_string(written_after_free_) +
              " bytes, by host code or by a kernel through an address that the detector cannot see; "
              "take a new span after you move or close the buffer, and free it after the kernel\n"));
    }
    return report_.clean();
  }
  /// The report of a run that the program of this thread's run asked for; empty: it did not.
  [[nodiscard]] static std::optional<debug::RaceReport> nested_report() {
    if (!is_inside) return std::nullopt;
    debug::RaceReport report;
    report.findings.push_back(
        finding_of(debug::Mistake::failure,
                   "Nothing was run\n  adversarial::run was called by the program of another run, "
                   "which it would wait for; call it outside\n"));
    return report;
  }
  /// The program returned an error.
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
  /// No schedule was asked for, so that the program did not run.
  void tried_nothing() {
    report_.findings.push_back(finding_of(
        debug::Mistake::failure, "Nothing was run\n  0 seeds try no schedule; run at least one\n"));
  }
  [[nodiscard]] debug::RaceReport report() {
    if (report_.clean()) {
      for (const auto& [kernel, parameter] : scheduler_.recorder.unseen) {
        report_.findings.push_back(debug::unseen_memory(kernel, parameter));
      }
    }
    return std::move(report_);
  }

  /// The host itself accesses memory. Does nothing unless a program runs.
  static void touch(const void* memory, std::size_t bytes, AccessKind kind, const call_site& site) {
    const warpsafe::detail::CallScope<host_backend> here(site);
    Runtime& runtime = Runtime::get();
    if (runtime.forked()) return;
    Lock lock(runtime.mutex);
    if (runtime.scheduler != nullptr && bytes != 0) {
      runtime.scheduler->begin_call(lock);
      runtime.scheduler->touched(MemoryAccess::of(memory, bytes, kind));
    }
  }

 private:
  void leave() {
    Lock lock(runtime_.mutex);
    scheduler_.drain(lock);
    written_after_free_ = runtime_.freed_memory.written_after_free();
    runtime_.set_scheduler(nullptr);
  }
  [[nodiscard]] bool is_unavailable() {
    const int why = runtime_.unavailable();
    if (why != 0 && report_.clean()) failed(Failure{why, {}});
    return why != 0;
  }
  void failed(const Failure& failure) {
    const StatusRow& row = row_of(failure.status);
    std::string text = "Work failed on the device\n  " + std::string(row.name.data, row.name.size);
    const Name why = failure.text.empty() ? row.text : failure.text;
    text += ": " + std::string(why.data, why.size);
    report_.findings.push_back(finding_of(debug::Mistake::failure, text + '\n'));
  }

  [[gnu::visibility("default")]] static inline thread_local bool is_inside = false;
  [[gnu::visibility("default")]] static inline warpsafe::detail::ProcessLock one_session{};
  warpsafe::detail::Locked alone_{one_session};
  Runtime& runtime_ = Runtime::get();
  std::size_t written_after_free_ = 0;
  SeededScheduler scheduler_;
  debug::RaceReport report_;
  bool running_ = false;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
