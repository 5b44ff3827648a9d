// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/race/detail/seeded_scheduler.hpp>
#include <warpsafe/race/race_report.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// A result<T>.
template <class T>
concept IsOutcome = requires(const T& outcome) {
  outcome.has_value();
  { outcome.assume_error() } -> std::convertible_to<LaunchError>;
};
template <class T>
inline constexpr bool is_outcome = IsOutcome<T>;

/// What a run compares with the first seed's value: what a program returns, or the value of its
/// result. void if there is none, or if a result holds no value with == that can be copied.
template <class T>
struct ComparedValue {
  using type = T;
};
template <IsOutcome T>
struct ComparedValue<T> {
  using Inner = typename T::value_type;
  static constexpr bool is_comparable =
      std::equality_comparable<Inner> && std::copy_constructible<Inner>;
  using type = std::conditional_t<is_comparable, Inner, void>;
};

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
      runtime.scheduler->touched({reinterpret_cast<std::uintptr_t>(memory), bytes, kind});
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

// A race detector for stream code, on the host backend; it needs no GPU. See
// docs/tools/race-detector.md.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::adversarial {

using debug::RaceReport;

/// The schedules to run.
struct Seeds {
  std::uint64_t count = 1000;
  std::uint64_t first = 1;
};

/// Runs `program` once for each seed, on this thread. The seed determines the order of the host
/// backend's operations. Stops at the first seed with something to report:
/// * two unordered accesses to the same memory, at least one of which writes or frees it, even if
///   the result was right this time;
/// * a use of freed memory, or of a destroyed stream;
/// * a copy to the host of device memory that nothing has written, and atomic_add to such memory;
/// * work that failed, such as a write past the end of a buffer;
/// * a value of `program` that differs from that of the first seed. If it returns a result: its
///   error, or a value that differs, if its type has == and can be copied.
/// After all seeds, it also reports each kernel that got device memory in a parameter whose type
/// hides it: what that kernel accesses was not checked.
///
/// A report of 0 seeds is not clean. Nothing is run in a process that was forked after it used the
/// host backend, and after main, once the backend has shut down; the report then says so. The same
/// seed and the same program give the same run. `program` creates its streams and buffers itself or
/// uses existing ones, and may be called any number of times. All work is done when this returns.
/// One call runs at a time: other threads' calls wait. If `program` calls it, nothing is run, and
/// that report says so; `program` must not wait for another thread that calls it. A seed begins
/// once the work of other threads has ended, and their work in the meantime counts as this
/// thread's. Throws std::bad_alloc if the host has no memory left for the history.
template <class Program>
[[nodiscard]] RaceReport run(Seeds seeds, Program&& program) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Program&>>;
  if (auto nested = host::AdversarialSession::nested_report()) return *std::move(nested);
  host::AdversarialSession session;
  using Compared = typename host::ComparedValue<Value>::type;
  constexpr bool compares = !std::is_void_v<Compared>;
  std::optional<std::conditional_t<compares, Compared, bool>> first;
  const auto compare = [&](auto&& value) {
    // A value that holds a NaN is not even equal to itself.
    const auto differs = [&] { return !(value == *first) && (value == value || *first == *first); };
    if (first.has_value() && differs()) session.differs();
    if (!first.has_value()) first.emplace(std::forward<decltype(value)>(value));
  };
  bool again = false;
  for (std::uint64_t i = 0; i < seeds.count; i += again ? 0 : 1) {
    if (!session.begin(seeds.first + i)) break;
    if constexpr (std::is_void_v<Value>) {
      program();
    } else if constexpr (host::is_outcome<Value>) {
      Value outcome = program();
      if (!outcome.has_value()) {
        session.failed(outcome.assume_error());
      } else if constexpr (compares) {
        compare(std::move(outcome).assume_value());
      }
    } else {
      compare(program());
    }
    if (!session.end(again)) break;
  }
  if (seeds.count == 0) session.tried_nothing();
  return session.report();
}
/// Runs the seeds 1 … count.
template <class Program>
[[nodiscard]] RaceReport run(std::uint64_t count, Program&& program) {
  return run(Seeds{count, 1}, std::forward<Program>(program));
}

/// Declares that the host's own code reads `values` here. The detector does not see accesses of the
/// host to pinned memory or to the target of an asynchronous copy. Does nothing outside a run.
template <class T>
void reads(std::span<T> values, call_site site = call_site::current()) {
  host::AdversarialSession::touch(values.data(), values.size_bytes(), AccessKind::read, site);
}
/// Declares that the host's own code writes `values` here.
template <class T>
void writes(std::span<T> values, call_site site = call_site::current()) {
  host::AdversarialSession::touch(values.data(), values.size_bytes(), AccessKind::write, site);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::adversarial
