// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../record/recorder.hpp"
#include "device_checksums.hpp"
#include "driver.hpp"

#include <signal.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

/// What is read of a collective, and where its checksums go.
struct Buffers {
  ChecksumRecord* record = nullptr;  ///< null: nothing is read
  Buffer input;
  Buffer output;
};

/// Finds out when collectives end on the device: an event before and one behind each, and a thread
/// that queries them. The thread also keeps the heartbeat of the process.
class DeviceEvents {
 public:
  /// One collective, between the two events.
  struct Mark {
    void* context = nullptr;
    std::uint64_t context_number = 0;  ///< no other context has it, not even one of the same handle
    void* stream = nullptr;
    std::uint64_t which_stream = 0;  ///< see Call
    std::thread::id thread = std::this_thread::get_id();
    void* before = nullptr;
    void* behind = nullptr;
    void* read = nullptr;  ///< behind the kernels that read the outputs; null: none was launched
    std::vector<Record*> records;
    struct Reading {
      Buffers of;
      DeviceChecksums::Slot input, output;
    };
    std::vector<Reading> readings;

    /// False: the stream captures, or the device cannot be asked.
    [[nodiscard]] bool is_watched() const noexcept { return before != nullptr; }
    [[nodiscard]] void* last() const noexcept { return read != nullptr ? read : behind; }
  };

  /// The events of this process; a child after a fork has none.
  [[nodiscard]] static DeviceEvents& of(Recorder& recorder) {
    struct All {
      std::mutex mutex;
      std::map<Recorder*, DeviceEvents*> of;
    };
    All& all = of_process<All>();
    const std::lock_guard lock(all.mutex);
    DeviceEvents*& events = all.of[&recorder];
    if (events == nullptr) events = new DeviceEvents(recorder);
    return *events;
  }

  /// Loads into the current context what checksums need.
  void prepare() {
    void* context = nullptr;
    if (!recorder_.has_checksums() || !driver_.is_found()) return;
    const RelaxedCapture relaxed(driver_);
    if (driver_.current(&context) == 0 && context != nullptr) (void)can_read(number_of(context));
  }
  /// Which stream the calling thread means by a handle. The next stream gets the handle of a
  /// destroyed one, whose work may still run.
  [[nodiscard]] std::uint64_t which(void* stream) {
    if (!driver_.is_found()) return 0;
    const RelaxedCapture relaxed(driver_);
    unsigned long long number = 0;
    // The question would break the stream's own capture.
    if (driver_.stream_id != nullptr && may_ask(stream) &&
        driver_.stream_id(stream, &number) == 0) {
      return number;
    }
    // HIP has no numbers: a default stream is one of each device or thread.
    void* context = nullptr;
    const bool knows = may_ask(stream) && driver_.stream_context(stream, &context) == 0;
    void* const per_thread = reinterpret_cast<void*>(2);  // hipStreamPerThread
    return mixed(knows ? number_of(context) : 0, {stream == per_thread ? number_of_thread() : 0});
  }
  /// Before the library's call.
  [[nodiscard]] Mark begin(void* stream, std::uint64_t which_stream, const Buffers& buffers) {
    Mark mark;
    mark.stream = stream;
    mark.which_stream = which_stream;
    if (!driver_.is_found() || !watches_) return mark;
    const RelaxedCapture relaxed(driver_);
    if (may_ask(stream) && driver_.stream_context(stream, &mark.context) == 0) {
      mark.context_number = number_of(mark.context);
      read_input(mark, buffers);
      mark.before = recorded(mark);
    }
    return mark;
  }
  /// Before a further call on the stream of a mark.
  void add(Mark& mark, const Buffers& buffers) {
    if (mark.is_watched() && buffers.record != nullptr) {
      const RelaxedCapture relaxed(driver_);
      read_input(mark, buffers);
    }
  }
  /// Call before the process ends. Waits until the watching thread has asked once more, at most for
  /// a second: a query never returns if another thread waits inside the driver.
  void finish() {
    const std::uint64_t begun = rounds_;
    for (int i = 0; i < 1000 && open_ != 0 && rounds_ < begun + 2; ++i) {
      const timespec pause{0, 1'000'000};
      ::nanosleep(&pause, nullptr);
    }
  }
  /// After the call, with the records of the mark. `is_enqueued`: the device's work is on the
  /// stream now; a communicator that does not block enqueues it later.
  void end(Mark mark, bool is_enqueued) {
    if (mark.is_watched()) {
      const RelaxedCapture relaxed(driver_);
      mark.behind = recorded(mark);
      if (!mark.readings.empty()) read_outputs(mark, is_enqueued);
    }
    const bool is_watched = mark.behind != nullptr;
    for (Record* const record : mark.records) {
      if (is_watched) Recorder::submitted(record);
      if (!is_watched) Recorder::unwatched(record);
    }
    const std::lock_guard lock(mutex_);
    if (is_watched) {
      submitted_.push_back(std::move(mark));
      ++open_;
    } else if (mark.before != nullptr) {
      free_[mark.context_number].push_back(mark.before);
    }
  }

 private:
  static constexpr int not_ready = 600;  // CUDA_ERROR_NOT_READY

  /// Neither the stream's capture nor another one forbids a question about the stream.
  [[nodiscard]] bool may_ask(void* stream) const {
    int capturing = 0;
    return driver_.stream_is_capturing(stream, &capturing) == 0 && capturing == 0;
  }
  [[nodiscard]] std::uint64_t number_of(void* context) const {
    unsigned long long number = 0;
    return driver_.context_id != nullptr && driver_.context_id(context, &number) == 0
               ? number
               : reinterpret_cast<std::uintptr_t>(context);
  }
  [[nodiscard]] static std::uint64_t number_of_thread() {
    static std::atomic<std::uint64_t> threads{0};
    thread_local const std::uint64_t own = ++threads;
    return own;
  }
  /// An estimate of a device's time. The host sees the end of an event late, never early, so the
  /// smallest difference is the best one.
  struct Clock {
    void* first = nullptr;
    std::int64_t first_ns = INT64_MAX;
    int looks = 0;  ///< of the host, until `enough_looks`

    void seen(std::int64_t at, std::int64_t since_first) noexcept {
      first_ns = std::min(first_ns, at - since_first);
    }
  };
  /// The two clocks of a device: a clock drifts against the host's by up to 0.1 ms in a second, and
  /// after hours a float has no room for microseconds. So a new one begins every few seconds. It is
  /// used after enough looks, because the first ones are late.
  struct Clocks {
    static constexpr std::int64_t shortest_ns = 2'000'000'000;
    static constexpr int enough_looks = 100;
    Clock used;
    Clock next;
    std::int64_t next_begins = 0;  ///< after the first event of the clock that is used
    std::int64_t last_look = 0;
  };

  explicit DeviceEvents(Recorder& recorder) : recorder_(recorder) {
    recorder_.set_last_step([](Recorder& ending) { of(ending).finish(); });
    // The program's handlers run on the program's threads.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { watch(); }).detach();
      watches_ = true;
    } catch (const std::system_error&) {  // no room for a thread: no end is seen
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void* recorded(const Mark& mark) {
    void* event = nullptr;
    {
      const std::lock_guard lock(mutex_);
      std::vector<void*>& free = free_[mark.context_number];
      if (!free.empty()) {
        event = free.back();
        free.pop_back();
      }
    }
    const InContext in_context(driver_, mark.context);
    if (in_context.has_failed()) return nullptr;
    if (event == nullptr && driver_.event_create(&event, 0) != 0) event = nullptr;
    if (event != nullptr && driver_.event_record(event, mark.stream) != 0) event = nullptr;
    return event;
  }

  void watch() {
    // Short waits while work is in flight, and longer ones otherwise. The driver's locks are the
    // program's too. A late look changes no time but the first ones: see Clock.
    constexpr std::int64_t shortest = 1'000'000;
    constexpr std::int64_t longest = 100'000'000;
    std::int64_t wait = shortest;
    if (driver_.is_found()) {
      int mode = 2;
      driver_.exchange_mode(&mode);
    }
    while (true) {
      const timespec pause{0, static_cast<long>(wait)};
      ::nanosleep(&pause, nullptr);
      recorder_.beat();
      wait = ask() ? shortest : std::min(longest, wait + wait / 4);
      ++rounds_;
    }
  }
  /// True: something has ended.
  bool ask() {
    std::vector<Mark> submitted;
    {
      const std::lock_guard lock(mutex_);
      submitted.swap(submitted_);
    }
    for (Mark& mark : submitted) {
      const std::tuple key(mark.context, mark.context_number, mark.stream, mark.which_stream,
                           mark.thread);
      pending_[key].push_back(std::move(mark));
    }
    std::size_t ended = 0;
    for (auto& [key, marks] : pending_) {
      const InContext in_context(driver_, std::get<0>(key));
      if (in_context.has_failed()) {
        ended += marks.size();
        marks.clear();
        continue;
      }
      // They end in the order of the calls.
      const auto still = std::partition_point(marks.begin(), marks.end(), [&](const Mark& mark) {
        return driver_.event_query(mark.last()) != not_ready;
      });
      const std::int64_t seen = now_ns();
      const auto kept = std::remove_if(
          marks.begin(), still, [&](const Mark& mark) { return finish(mark, seen) != not_ready; });
      ended += static_cast<std::size_t>(still - kept);
      marks.erase(kept, still);
    }
    std::erase_if(pending_, [](const auto& one) { return one.second.empty(); });
    open_ -= ended;
    return ended != 0;
  }
  /// The driver's status. After a fault no event ends: the record stays as it is.
  int finish(const Mark& mark, std::int64_t seen) {
    float took = 0;
    const int status = driver_.elapsed(&took, mark.before, mark.behind);
    if (status != 0) return status;
    std::vector<void*> unused = {mark.behind};
    const std::int64_t end = host_time(mark, took, seen, unused);
    for (const Mark::Reading& reading : mark.readings) keep(reading);
    for (Record* const record : mark.records) Recorder::ended(record, end, took * 1000);
    if (mark.read != nullptr) unused.push_back(mark.read);
    const std::lock_guard lock(mutex_);
    std::vector<void*>& free = free_[mark.context_number];
    free.insert(free.end(), unused.begin(), unused.end());
    return status;
  }
  /// When the mark ended. Adds the events that no clock needs to `unused`.
  std::int64_t host_time(const Mark& mark, float took, std::int64_t seen,
                         std::vector<void*>& unused) {
    Clocks& clocks = clocks_[mark.context_number];
    if (clocks.used.first == nullptr) {
      clocks.used.first = mark.before;
      clocks.used.seen(seen, in_ns(took));
      return clocks.used.first_ns + in_ns(took);
    }
    float since_first = 0;
    driver_.elapsed(&since_first, clocks.used.first, mark.behind);
    std::int64_t offset = in_ns(since_first);
    if (clocks.next.first == nullptr) {
      clocks.next.first = mark.before;
      clocks.next_begins = offset - in_ns(took);
    } else {
      unused.push_back(mark.before);
    }
    clocks.used.seen(seen, offset);
    clocks.next.seen(seen, offset - clocks.next_begins);
    // Marks that one look has found are one look.
    if (std::exchange(clocks.last_look, seen) != seen) ++clocks.next.looks;
    if (clocks.next.looks >= Clocks::enough_looks &&
        offset - clocks.next_begins >= Clocks::shortest_ns) {
      unused.push_back(clocks.used.first);
      clocks.used = std::exchange(clocks.next, {});
      offset -= clocks.next_begins;
    }
    return clocks.used.first_ns + offset;
  }
  static std::int64_t in_ns(float milliseconds) noexcept {
    return static_cast<std::int64_t>(double{milliseconds} * 1e6);
  }

  [[nodiscard]] bool can_read(std::uint64_t context_number) {
    std::string problem = driver_.can_launch() ? "" : "they need CUDA's driver";
    const bool can = problem.empty() && checksums_.prepare(context_number, problem);
    if (!problem.empty()) recorder_.no_checksums(problem);
    return can;
  }
  void read_input(Mark& mark, const Buffers& buffers) {
    if (buffers.record == nullptr) return;
    const InContext in_context(driver_, mark.context);
    if (in_context.has_failed() || !can_read(mark.context_number)) return;
    mark.readings.push_back(
        {buffers, checksums_.launch(mark.context_number, mark.stream, buffers.input), {}});
  }
  void read_outputs(Mark& mark, bool is_enqueued) {
    {
      const InContext in_context(driver_, mark.context);
      for (Mark::Reading& reading : mark.readings) {
        if (!is_enqueued || in_context.has_failed()) break;
        reading.output = checksums_.launch(mark.context_number, mark.stream, reading.of.output);
      }
    }
    mark.read = recorded(mark);
    // Nobody knows when the kernels end: their memory stays taken.
    if (mark.read == nullptr) mark.readings.clear();
  }
  void keep(const Mark::Reading& reading) {
    if (reading.input.parts != nullptr) {
      reading.of.record->set_input(DeviceChecksums::result(reading.input));
    }
    if (reading.output.parts != nullptr) {
      reading.of.record->set_output(DeviceChecksums::result(reading.output));
    }
    checksums_.release(reading.input);
    checksums_.release(reading.output);
  }

  Recorder& recorder_;
  const Driver driver_;
  DeviceChecksums checksums_{driver_};
  bool watches_ = false;  // there is a thread that asks
  std::atomic<std::uint64_t> rounds_{0};
  std::atomic<std::size_t> open_{0};
  std::mutex mutex_;
  std::vector<Mark> submitted_;                       // since the thread looked
  std::map<std::uint64_t, std::vector<void*>> free_;  // by the context's number
  // Of the thread that asks. The marks are those of one stream that one thread submitted: another
  // thread may submit between its events.
  using Key = std::tuple<void*, std::uint64_t, void*, std::uint64_t, std::thread::id>;
  std::map<Key, std::deque<Mark>> pending_;
  std::map<std::uint64_t, Clocks> clocks_;  // by the context's number
};

}  // namespace warpsafe::ranks
