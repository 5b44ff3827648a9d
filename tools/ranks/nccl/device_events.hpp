// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../record/recorder.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

/// CUDA's driver, as far as events need it: found in the process by name, and never loaded. Its
/// calls leave the runtime's last error alone. cuda.h of CUDA 12; a driver since 11 has these
/// functions.
class Driver {
 public:
  using Handle = void*;
  Driver() noexcept {
    void* const library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return;
    found_ =
        load(library, "cuStreamIsCapturing", stream_is_capturing) &&
        load(library, "cuStreamGetCtx", stream_context) &&
        load(library, "cuCtxGetCurrent", current) && load(library, "cuCtxPushCurrent_v2", push) &&
        load(library, "cuCtxPopCurrent_v2", pop) && load(library, "cuEventCreate", event_create) &&
        load(library, "cuEventRecord", event_record) &&
        load(library, "cuEventQuery", event_query) &&
        load(library, "cuEventElapsedTime", elapsed) &&
        load(library, "cuThreadExchangeStreamCaptureMode", exchange_mode);
  }
  [[nodiscard]] bool is_found() const noexcept { return found_; }

  int (*stream_is_capturing)(Handle, int*) = nullptr;
  int (*stream_context)(Handle, Handle*) = nullptr;
  int (*current)(Handle*) = nullptr;
  int (*push)(Handle) = nullptr;
  int (*pop)(Handle*) = nullptr;
  int (*event_create)(Handle*, unsigned) = nullptr;
  int (*event_record)(Handle, Handle) = nullptr;
  int (*event_query)(Handle) = nullptr;
  int (*elapsed)(float*, Handle, Handle) = nullptr;
  int (*exchange_mode)(int*) = nullptr;

 private:
  template <class F>
  static bool load(void* library, const char* name, F& function) noexcept {
    function = reinterpret_cast<F>(::dlsym(library, name));
    return function != nullptr;
  }
  bool found_ = false;
};

/// Finds out when collectives end on the device: an event before and one behind each, and a thread
/// that queries them. The thread also keeps the heartbeat of the process.
class DeviceEvents {
 public:
  /// One collective, between the two events.
  struct Mark {
    void* context = nullptr;
    void* stream = nullptr;
    std::thread::id thread = std::this_thread::get_id();
    void* before = nullptr;
    void* behind = nullptr;
    std::vector<Record*> records;

    /// False: the stream captures, or the device cannot be asked.
    [[nodiscard]] bool is_watched() const noexcept { return before != nullptr; }
  };

  /// The events of this process; a child after a fork has none.
  [[nodiscard]] static DeviceEvents& of(Recorder& recorder) {
    static std::mutex* const mutex = new std::mutex;
    // Never destroyed: the last step of the recorder comes after the destructors of statics.
    static auto* const all = new std::map<Recorder*, DeviceEvents*>;
    const std::lock_guard lock(*mutex);
    DeviceEvents*& events = (*all)[&recorder];
    if (events == nullptr) events = new DeviceEvents(recorder);
    return *events;
  }

  /// Before the library's call.
  [[nodiscard]] Mark begin(void* stream) {
    Mark mark;
    mark.stream = stream;
    if (!driver_.is_found() || !watches_) return mark;
    const RelaxedCapture relaxed(driver_);
    int capturing = 0;
    // An error means that another stream's capture forbids the question.
    if (driver_.stream_is_capturing(stream, &capturing) == 0 && capturing == 0 &&
        driver_.stream_context(stream, &mark.context) == 0) {
      mark.before = recorded(mark);
    }
    return mark;
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
  /// After the call, with the records of the mark.
  void end(Mark mark) {
    if (mark.is_watched()) {
      const RelaxedCapture relaxed(driver_);
      mark.behind = recorded(mark);
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
      free_[mark.context].push_back(mark.before);
    }
  }

 private:
  /// A query is forbidden while another thread captures, unless the thread says that it is no part
  /// of that capture (CUDA Driver API, cuThreadExchangeStreamCaptureMode).
  class RelaxedCapture {
   public:
    explicit RelaxedCapture(const Driver& driver) : driver_(driver) {
      driver_.exchange_mode(&mode_);
    }
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;
    ~RelaxedCapture() { driver_.exchange_mode(&mode_); }

   private:
    const Driver& driver_;
    int mode_ = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
  };
  /// Makes a context the thread's current one, if it is not. That of the calling thread usually is.
  class InContext {
   public:
    InContext(const Driver& driver, void* context) : driver_(driver) {
      void* now = nullptr;
      if (driver_.current(&now) == 0 && now == context) return;
      has_failed_ = driver_.push(context) != 0;
      has_pushed_ = !has_failed_;
    }
    InContext(const InContext&) = delete;
    InContext& operator=(const InContext&) = delete;
    ~InContext() {
      void* popped = nullptr;
      if (has_pushed_) driver_.pop(&popped);
    }
    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

   private:
    const Driver& driver_;
    bool has_failed_ = false;
    bool has_pushed_ = false;
  };
  static constexpr int not_ready = 600;  // CUDA_ERROR_NOT_READY
  /// An estimate of a device's time. The host sees the end of an event late, never early, so the
  /// smallest difference is the best one.
  struct Clock {
    void* first = nullptr;
    std::int64_t first_ns = INT64_MAX;
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
      std::vector<void*>& free = free_[mark.context];
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
      const std::tuple key(mark.context, mark.stream, mark.thread);
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
        return driver_.event_query(mark.behind) != not_ready;
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
    Clock& clock = clocks_[mark.context];
    const bool is_first = clock.first == nullptr;
    if (is_first) clock.first = mark.before;
    float since_first = took;
    if (!is_first) driver_.elapsed(&since_first, clock.first, mark.behind);
    const auto offset = static_cast<std::int64_t>(double{since_first} * 1e6);
    clock.first_ns = std::min(clock.first_ns, seen - offset);
    for (Record* const record : mark.records) {
      Recorder::ended(record, clock.first_ns + offset, took * 1000);
    }
    const std::lock_guard lock(mutex_);
    if (!is_first) free_[mark.context].push_back(mark.before);
    free_[mark.context].push_back(mark.behind);
    return status;
  }

  Recorder& recorder_;
  const Driver driver_;
  bool watches_ = false;  // there is a thread that asks
  std::atomic<std::uint64_t> rounds_{0};
  std::atomic<std::size_t> open_{0};
  std::mutex mutex_;
  std::vector<Mark> submitted_;  // since the thread looked
  std::map<void*, std::vector<void*>> free_;
  // Of the thread that asks. The marks are those of one stream that one thread submitted: another
  // thread may submit between its events, or have another stream of the same name.
  std::map<std::tuple<void*, void*, std::thread::id>, std::deque<Mark>> pending_;
  std::map<void*, Clock> clocks_;
};

}  // namespace warpsafe::ranks
