// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "end/end_text.hpp"
#include "failure/call_weight.hpp"
#include "failure/destroyed_handles.hpp"
#include "failure/failed_calls.hpp"
#include "failure/likely_cause.hpp"
#include "kernel/kernel_lookup.hpp"
#include "launch/argument_log.hpp"
#include "launch/explain.hpp"
#include "launch/judge.hpp"
#include "launch/observed_launch.hpp"
#include "launch/refusal.hpp"
#include "options.hpp"
#include "output/file_name.hpp"
#include "output/report_files.hpp"
#include "own_stack.hpp"
#include "platform.hpp"
#include "report/error_reporter.hpp"
#include "report/observed_wait.hpp"
#include "report/run_files.hpp"
#include "report/standard_error.hpp"
#include "report/stop.hpp"
#include "report/summary.hpp"
#include "report/unsupported_switches.hpp"
#include "report/wait_reporter.hpp"
#include "rerun/rerun.hpp"
#include "stream/known_streams.hpp"
#include "suspicion/call_stack.hpp"
#include "suspicion/suspicions.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/tool_api.hpp>

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// The watch over a program. A vendor's layer passes in the program's calls; the watch produces the
/// library's journal, log and errors. There is one per process. Thread-safe.
class Watcher {
 public:
  Watcher(const Platform& platform, Options options)
      : platform_(platform), options_(std::move(options)), process_(::getpid()) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  [[nodiscard]] const Platform& platform() const noexcept { return platform_; }
  [[nodiscard]] KernelTable& kernels() noexcept { return lookup_.table(); }
  [[nodiscard]] KernelLookup& lookup() noexcept { return lookup_; }
  [[nodiscard]] KnownStreams& streams() noexcept { return streams_; }
  [[nodiscard]] Suspicions& suspicions() noexcept { return suspicions_; }
  [[nodiscard]] FailedCalls& failed_calls() noexcept { return failed_calls_; }
  [[nodiscard]] DestroyedHandles& destroyed_handles() noexcept { return destroyed_handles_; }
  [[nodiscard]] SourcePlaces& places() noexcept { return places_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  /// Whether the machine code of kernels is of use.
  [[nodiscard]] bool reads_code() const noexcept {
    return !options_.quiet || options_.arguments || options_.rerun != 0;
  }
  [[nodiscard]] bool quiet() const noexcept { return options_.quiet; }
  /// What is asked about each launch that the runtime has accepted: one comparison.
  enum class Follow : std::uint8_t { nothing, order, arguments };
  [[nodiscard]] Follow follow() const noexcept { return follow_; }
  [[nodiscard]] ArgumentLog& arguments() noexcept { return arguments_; }
  [[nodiscard]] Rerun& rerun() noexcept { return rerun_; }
  /// Returns whether accesses and the order of work are tracked.
  [[nodiscard]] bool follows_order() const noexcept {
    return !options_.quiet && suspicions_.order.on();
  }

  /// Call before the runtime receives `launch`. @pre its kernel is not nullptr
  void launching(ObservedLaunch& seen, const Launch& launch) noexcept {
    seen.launch = launch;
    launching(seen);
  }
  /// The same, for the launch in `seen.launch`.
  void launching(ObservedLaunch& seen) noexcept {
    begin_once();
    const Launch& launch = seen.launch;
    Kernel& kernel = *launch.kernel;
    const std::uint64_t ordinal = __atomic_add_fetch(&kernel.launches, 1, __ATOMIC_RELAXED);
    const Name name = kernel.name_view();
    const call_site nowhere{};
    const tool::LaunchFacts facts{
        name,
        launch.shape,
        kernel.is_described() && kernel.limits.known ? &kernel.limits : nullptr,
        launch.stream,
        streams_.number_of(launch.stream, launch.device),
        launch.device,
        nowhere};
    tool::fill_record(seen.record, facts, platform_.calls->vendor);
    if (kernel.listed) {
      // The arguments have no types, so no observer can read them.
      seen.begun = tool::tell_launching(tool::observers(), seen.record, *platform_.calls).time;
    } else {
      seen.record.sequence = debug::Journal::get().append(seen.record);
      seen.begun = 0;
    }
    if (rerun_.on()) [[unlikely]]
      rerun_.launching(seen, ordinal);
  }
  /// Call when the runtime has returned.
  void launched(ObservedLaunch& seen, int status) noexcept {
    if (status != 0) return launch_refused(seen, status, {});
    if (is_lost(seen.launch.device)) {  // the program has reset the device
      __atomic_fetch_and(&lost_devices_, ~(std::uint64_t{1} << seen.launch.device),
                         __ATOMIC_RELAXED);
    }
    if (!seen.launch.kernel->listed) {
      debug::Journal::get().submitted(seen.record.sequence, debug::Completion::get().now());
      return;
    }
    LaunchError fault;
    // With WARPSAFE_SYNC, the hook has already written the fault to the log.
    tell_launched(seen, LaunchState::submitted);
    if (tool::tell_finish(tool::observers(), seen.record, *platform_.calls, fault)) {
      errors_.count_fault(fault);
      named_by_sync();
      stop_on_request();
    }
  }
  /// Call when the runtime has refused a launch.
  [[gnu::cold, gnu::noinline]] void launch_refused(ObservedLaunch& seen, int status,
                                                   const Refusal& of) noexcept {
    // A graph's own fault may be the reason.
    if (seen.waits && !seen.launch.is_graph) rerun_.closed(seen.record.sequence);
    if (of.stack != nullptr) {
      return run_on_large_stack([&]() noexcept { refused(seen, status, of, *of.stack); });
    }
    const HostStack stack = HostStack::here();
    run_on_large_stack([&]() noexcept { refused(seen, status, of, stack); });
  }
  /// Call for a launch that became part of a graph or a capture: it runs later, if at all.
  void not_launched(ObservedLaunch& seen) noexcept {
    seen.waits = false;
    debug::Journal::get().refused(seen.record.sequence);
  }

  /// Call before the program waits. `what` lives as long as the process.
  void waiting(ObservedWait& seen, Name what, const void* stream, std::int32_t device) noexcept {
    begin_once();
    waits_.begin(seen, what, stream, streams_.number_of(stream, device), device);
  }
  void waited(ObservedWait& seen, int status, WaitScope scope,
              const HostStack* stack = nullptr) noexcept {
    waits_.end(seen, platform_.calls->vendor, status);
    if (status != 0) {
      failed(status, seen.what, Stage::completion, seen.device, stack);
    } else {
      WaitReporter::complete(seen, platform_.calls->vendor, scope);
    }
  }

  /// Call when a runtime call other than a launch has failed. It is reported unless the status is a
  /// mere answer (call_weight.hpp), or a fault. `log` is what the runtime's own log says about the
  /// call; nullptr: the log is read. `stack` is the program's; nullptr: the calling thread's.
  void call_failed(const StreamCall& of, int status, const char* log,
                   MemoryKind (*kind_of)(std::uintptr_t) noexcept,
                   const HostStack* stack) noexcept {
    if (weight_of(of.call, status, false) == CallWeight::quiet || platform_.is_fault(status) ||
        is_consequence(status, of.device)) {
      return;
    }
    begin_once();
    const HostStack here = stack == nullptr ? HostStack::here() : *stack;
    run_on_large_stack([&]() noexcept {
      const std::string own = log == nullptr ? platform_.log() : std::string();
      if (log == nullptr) log = own.c_str();
      if (failed_calls_.failed(of, status, here, log, kind_of)) stop_on_request();
    });
  }

  /// Call when a library's function has failed. `stack` is the program's.
  void library_failed(const LibraryFailure& of, const HostStack& stack) noexcept {
    // After a fault every call of a library fails, and the summary is the last word.
    if (__atomic_load_n(&lost_devices_, __ATOMIC_RELAXED) != 0 ||
        __atomic_load_n(&finished_, __ATOMIC_ACQUIRE)) {
      return;
    }
    begin_once();
    run_on_large_stack([&]() noexcept {
      if (failed_calls_.failed(of, stack)) stop_on_request();
    });
  }

  /// Call when a runtime call has failed. Reports it if the status means a fault of running work.
  void failed(int status, Name operation, Stage stage, std::int32_t device,
              const HostStack* stack = nullptr) noexcept {
    begin_once();
    if (!platform_.is_fault(status)) return;
    const HostStack here = stack == nullptr ? HostStack::here() : *stack;
    run_on_large_stack([&]() noexcept {
      const LaunchError error = platform_.calls->error(status, operation, {}, stage, device);
      note_loss(error, device);
      if (errors_.fault(error, device, here, causes_of(error, device))) stop_on_request();
    });
  }

  /// Call before the launch of a graph that has the address of freed memory.
  void graph_uses_freed(const Kernel& graph, const PassedPointer& pointer, const Allocation& memory,
                        const HostStack& stack) noexcept {
    run_on_large_stack([&]() noexcept {
      try {
        FailedAddress at;
        at.address = pointer.address;
        at.allocation = memory;
        suspicions_.graphs.add(
            '\'' + std::string(graph.name) + "' is launched, and " + pointer.text() + " in it is " +
                failed_calls_.words(at) +
                ": free the memory after the graph's last launch; it is launched in ",
            stack);
      } catch (...) {  // out of memory: nothing is suspected
      }
    });
  }
  /// Returns who destroyed that handle, in words: "cuGraphExecDestroy destroyed this executable
  /// graph in main at app.cu:12"; "" if nobody is known to.
  [[nodiscard]] std::string destroyed(const void* handle) noexcept {
    std::string text;
    run_on_large_stack([&]() noexcept {
      try {
        destroyed_handles_.each([&](const DestroyedHandle& one) {
          if (one.handle != handle) return false;
          text = std::string(one.by.data, one.by.size) + " destroyed this " + one.what;
          const std::vector<SourcePlace> places = places_.find(one.at);
          if (!places.empty()) text += " in " + places.front().text();
          text += ": destroy it after its last use";
          return true;
        });
      } catch (...) {  // out of memory
        text.clear();
      }
    });
    return text;
  }
  /// Call before a call that may end the process, so that the end is watched.
  void expect_end() noexcept { begin_once(); }

  /// Reports what the memory guard has found.
  void guard_found(const GuardReport& found) noexcept {
    begin_once();
    run_on_large_stack([&]() noexcept { errors_.overrun(found); });
    stop_on_request();
  }

  /// Call when the process ends by a signal or by _exit, and `finish` does not act by itself.
  void ends(const End& end) noexcept {
    if (!__atomic_load_n(&finished_, __ATOMIC_ACQUIRE)) finish_after(end);
    files_.end(end.thread);
  }

  /// Call where the process ends by the calling thread.
  void end_files() noexcept {
    if (::getpid() == process_) files_.end(::pthread_self());
  }
  /// Returns the status of --error-exitcode if there were errors; else, and in a child, `status`.
  [[nodiscard]] int exit_status(int status) noexcept {
    if (options_.error_status < 0 || ::getpid() != process_) return status;
    return errors_.count() + findings_.failed_calls() == 0 ? status : options_.error_status;
  }

  /// Prints the summary and writes the files. Acts once, and not in a child after a fork.
  void finish() noexcept {
    if (::getpid() != process_ || __atomic_exchange_n(&finished_, true, __ATOMIC_ACQ_REL)) return;
    run_on_large_stack([&]() noexcept {
      try {
        files_.finish(options_);
        RunReport run = RunReport::of(lookup_.table(), errors_.faults(), findings_);
        run.rank = rank_;
        run.end = end_;
        run.missing = files_.missing(options_);
        if (!options_.quiet) {
          suspicions_.each([&](const std::string& one) { run.suspicions.push_back(one); },
                           [&](const auto&... of) { return places_.first(of...); });
        }
        write_reports(options_, run);
        report_idle_filter();
        if (options_.quiet) return;
        const std::string text = summary_text(run);
        StandardError::line({text.data(), text.size() - 1});  // its last character ends a line
      } catch (...) {
        StandardError::line("warpsafe: no summary: out of memory");
      }
    });
  }

 private:
  void finish_after(const End& end) noexcept {
    end_ = end.name();
    suspicions_.unawaited.waited();  // the program had no time to wait
    const bool is_fault =
        end.signal == SIGABRT && frames_inside(end.stack, platform_.caller.runtimes) != 0;
    if (is_fault && rerun_.on()) aborted(end.stack);
    if (!options_.quiet) {
      print_end(end, process_, waits_, places_, [&] { return cause_of(end); });
      if (is_fault && !rerun_.on()) {
        StandardError::line(
            "warpsafe: the runtime has ended the process, as it does at a fault of running work; "
            "run warpsafe-run --rerun to get the launch that faults");
      }
    }
    finish();
  }
  /// --kernel with a slip looks like a program without errors.
  void report_idle_filter() {
    if (options_.kernels.empty() || lookup_.listed().found()) return;
    const std::string nearest = lookup_.listed().nearest();
    if (nearest.empty()) return;  // a process of the program that launches nothing
    StandardError::line("warpsafe: --kernel " + options_.kernels +
                        " selected no launch: no kernel of that name was launched; the most "
                        "similar is '" +
                        nearest + "'");
  }
  /// Runs before the first launch or wait. Only from then on may the runtime be queried.
  void begin_once() noexcept {
    if (__atomic_load_n(&begun_, __ATOMIC_ACQUIRE)) [[likely]]
      return;
    run_on_large_stack([&]() noexcept { begin(); });
  }
  [[gnu::cold, gnu::noinline]] void begin() noexcept {
    try {
      std::call_once(once_, [this] {
        // A higher log level costs time at each launch. Errors are printed at every level, but the
        // fault of a launch for which WARPSAFE_SYNC waits is printed by the log.
        if (debug::blocking() && !debug::Environment::get().silent &&
            !debug::is_logged(debug::LogLevel::error)) {
          debug::set_log_level(debug::LogLevel::error);
        }
        warn_of_unsupported_switches(options_);
        waits_.start();
        files_.begin(options_, platform_);
        platform_.watch_end(options_);
        __atomic_store_n(&begun_, true, __ATOMIC_RELEASE);
      });
    } catch (...) {
      // Out of memory or threads: continue without the parts that could not start.
      __atomic_store_n(&begun_, true, __ATOMIC_RELEASE);
    }
  }
  static void tell_launched(ObservedLaunch& seen, LaunchState state) noexcept {
    seen.record.state = state;
    if (seen.begun == 0) return;
    tool::tell_launched(tool::observers(), seen.record, seen.begun);
  }
  [[gnu::cold, gnu::noinline]] void refused(ObservedLaunch& seen, int status, const Refusal& of,
                                            const HostStack& stack) noexcept {
    Launch& launch = seen.launch;
    Kernel& kernel = *launch.kernel;
    // A launch of a graph that copies ordinary host memory waits for the copy, and returns the
    // fault of the graph's own work. After an earlier fault it is refused.
    if (launch.is_graph && platform_.is_fault(status) && !is_lost(launch.device)) {
      tell_launched(seen, LaunchState::submitted);
      tool::trace_launch(seen.record, *platform_.calls, 0);
      debug::Journal::get().submitted(seen.record.sequence, debug::Completion::get().now());
      return failed(status, Name::of("Launch of a graph"), Stage::completion, launch.device,
                    &stack);
    }
    if (seen.waits) rerun_.closed(seen.record.sequence);
    __atomic_add_fetch(&kernel.refused, 1, __ATOMIC_RELAXED);
    const tool::BackendCalls& calls = *platform_.calls;
    const std::string log = platform_.log();  // before any call of the watch can fail
    LaunchError error = explain(platform_, streams_, launch, status);
    error.sequence = seen.record.sequence;
    tell_launched(seen, LaunchState::refused);
    tool::trace_launch(seen.record, calls, status);
    debug::Journal::get().refused(seen.record.sequence);
    tool::tell_runtime_error(error, launch.device, tool::reports_earlier_fault(error));
    const bool consequence = is_consequence(status, launch.device);
    if (error.incident != 0) note_loss(error, launch.device);
    if (!kernel.listed || consequence) return;
    tool::tell_failed(tool::observers(), error);
    if (error.incident != 0) {
      if (!errors_.fault(error, launch.device, stack, causes_of(error, launch.device))) return;
    } else {
      errors_.refused(kernel, error, log,
                      hint_for(launch, error, of, failed_calls_.capture_breaker()), stack);
    }
    stop_on_request();
  }
  /// With WARPSAFE_SYNC the first run has named the launch.
  [[gnu::cold, gnu::noinline]] void named_by_sync() noexcept {
    if (!rerun_.on() || rerun_.waits()) return;
    try {
      rerun_.found({}, true);
    } catch (...) {  // out of memory: the program runs again
      return;
    }
  }
  /// The runtime has ended the process because of a fault of running work, as AMD's does.
  void aborted(const HostStack& stack) noexcept {
    if (rerun_.waits()) {
      return errors_.culprit("the runtime has ended the process (SIGABRT)", "SIGABRT", {}, -1,
                             stack);
    }
    const debug::JournalReader flying(&debug::is_in_flight);
    try {
      rerun_.suspected({flying.begin(), flying.end()});
    } catch (...) {  // out of memory: the program runs once
      return;
    }
  }
  /// Returns why the program may have crashed, on a line after "\n  ", or "".
  [[nodiscard]] std::string cause_of(const End& end) {
    FailedAddress at;
    at.address = reinterpret_cast<std::uintptr_t>(end.address);
    if (at.address != 0) at.allocation = failed_calls_.memory().find(at.address);
    if (!at.allocation.has_value() || at.allocation->kind != AllocationKind::device) {
      return destroyed_cause(end);
    }
    const bool in_call = frames_inside(end.stack, platform_.caller.runtimes) != 0;
    return "\n  likely cause: the host accessed " + failed_calls_.words(at) +
           (in_call ? ": pass the address of the variable that has this address"
                    : ", which only the device can access: copy the data to the host first");
  }
  /// Returns the destroyed stream or event that the runtime worked with when the signal arrived, on
  /// a line after "\n  ", or "". CUDA's driver reads a handle unchecked.
  [[nodiscard]] std::string destroyed_cause(const End& end) {
    const std::size_t inside =
        end.words.empty() ? 0 : frames_inside(end.stack, platform_.caller.runtimes);
    if (inside == 0) return {};
    CrashWords words = end.words;
    words.cut(inside < end.stack.count ? end.stack.frames[inside] : nullptr);
    std::string cause;
    destroyed_handles_.each([&](const DestroyedHandle& one) {
      if (!words.has(one.handle) || streams_.device_of(one.handle) >= 0) return false;
      char line[256];
      tool::TextBuffer out(line, sizeof line);
      out << "\n  likely cause: the call uses " << one.what << ' ' << one.handle << ", which "
          << one.by << " has destroyed";
      cause = line;
      const std::vector<SourcePlace> places = places_.find(one.at);
      if (!places.empty()) cause += " in " + places.front().text();
      return true;
    });
    return cause;
  }
  [[nodiscard]] std::string causes_of(const LaunchError& error, std::int32_t device) noexcept {
    return likely_causes(error, device, arguments_, failed_calls_, lookup_.table(), rerun_);
  }
  void note_loss(const LaunchError& error, std::int32_t device) noexcept {
    if (error.severity != Severity::context_lost || device < 0 || device >= 64) return;
    __atomic_fetch_or(&lost_devices_, std::uint64_t{1} << device, __ATOMIC_RELAXED);
  }
  /// Returns whether the fault that lost the device's context is already reported as the reason.
  [[nodiscard]] bool is_consequence(int status, std::int32_t device) const noexcept {
    return follows_lost_context(status) && is_lost(device);
  }
  [[nodiscard]] bool is_lost(std::int32_t device) const noexcept {
    return device >= 0 && device < 64 &&
           (__atomic_load_n(&lost_devices_, __ATOMIC_RELAXED) >> device & 1) != 0;
  }
  void stop_on_request() noexcept {
    if (!options_.stop_on_error) return;
    stop_process(Options::stopped_status, [this]() noexcept {
      end_ = "stopped";
      StandardError::line("warpsafe: stopped at the first error (--stop-on-error)");
      finish();
      end_files();
    });
  }

  const Platform& platform_;
  Options options_;
  pid_t process_;
  std::string rank_ = process_rank();  ///< the program may overwrite its environment
  std::once_flag once_;
  const Follow follow_ = options_.arguments ? Follow::arguments
                         : options_.quiet   ? Follow::nothing
                                            : Follow::order;
  std::uint64_t lost_devices_ = 0;  ///< a bit for each device whose context is lost
  bool begun_ = false;
  bool finished_ = false;
  const char* end_ = "exit";
  KernelLookup lookup_{platform_, options_};
  KnownStreams streams_;
  DestroyedHandles destroyed_handles_;
  Suspicions suspicions_{platform_.caller, options_.races};
  Findings findings_;
  SourcePlaces places_{options_.lines_tool, platform_.caller.runtimes};
  FailedCalls failed_calls_{platform_, streams_, places_, findings_, options_};
  Rerun rerun_{options_};
  ErrorReporter errors_{lookup_.table(), streams_, places_, findings_, rerun_};
  ArgumentLog arguments_{options_.arguments};
  WaitReporter waits_;
  RunFiles files_;
};

}  // namespace warpsafe::watch
