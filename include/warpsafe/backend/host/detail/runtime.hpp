// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/calls.hpp>
#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/device.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/grid_pool.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/thread_state.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/backend/host/detail/warning.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/detail/kept_text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The state of the host backend. One per program (see host_thread about dlopen). Never destroyed,
/// so that calls after main() are refused. `mutex` guards all members except the pool's own.
class Runtime {
 public:
  Mutex mutex;
  Condition progress;            ///< an operation is done, or a worker has ended
  Array<Owned<Device>> devices;  ///< only grows
  int device_count = 0;          ///< visible devices
  StreamTable streams;
  Array<Owned<StreamState>> retired;  ///< destroyed by the program, not yet drained
  HandleTable<EventState> events;
  Array<Shared<CaptureWork>> captures;  ///< open captures
  HandleTable<GraphState> graphs;
  HandleTable<GraphExecState> graph_execs;
  MemoryRegistry memory;
  SharedRegistry known_memory{memory, mutex};
  FreedMemory freed_memory;  ///< while a scheduler is active
  CallBook book;
  GridPool pool;
  Time long_wait = 10'000 * millisecond;  ///< after it, a thread that waits asks the pool for a
                                          ///< grid that stands still
  Scheduler* scheduler = nullptr;         ///< runs operations instead of the streams' workers
  std::uint64_t work_seen = 0;            ///< operations of all streams, other than marks
  std::uint64_t waits_seen = 0;  ///< at least the times that the host learnt that work is done
  std::uint64_t streams_made = 0;
  std::uint64_t owners_made = 0;  ///< threads that used a per-thread default stream

  Runtime() {
    reset_devices(1);
    install_fault_handlers();
  }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard, gnu::visibility("default")]] static Runtime& get() {
    static auto* const runtime = new Runtime;
    // Ends the threads before objects that kernels may use are destroyed.
    static const Shutdown shutdown{*runtime};
    return *runtime;
  }

  /// Whether this process is a child of the one that made the runtime. It has this object, but
  /// none of its threads, so a wait would never end, and another thread may have held the mutex.
  [[nodiscard]] bool forked() const noexcept {
    return process_ != warpsafe::detail::process_number();
  }
  /// The status of every call if calls are impossible, else 0.
  [[nodiscard]] int unavailable() const noexcept {
    if (forked()) return raw(HostStatus::initialization_error);
    return stopping_.load(__ATOMIC_RELAXED) ? raw(HostStatus::deinitialized) : 0;
  }

  /// Makes `count` devices visible, all reset.
  void reset_devices(int count) {
    const unsigned processors = Thread::processors();
    char text[64];
    TextBuffer out(text, sizeof text);
    out << "CPU (" << processors << " threads)";
    const Name name = warpsafe::detail::keep_error_text({text, out.size()});
    device_count = count;
    for (int i = 0; i < count; ++i) {
      if (i == static_cast<int>(devices.size())) devices.push_back(make_owned<Device>(i));
      devices[static_cast<std::size_t>(i)]->reset(i, name, processors == 0 ? 1 : processors);
    }
    // A later run of the race detector must not report what happened on a device that is gone.
    for (auto i = static_cast<std::size_t>(count); i < devices.size(); ++i) devices[i]->recover();
  }
  /// Returns nullptr if there is no such device.
  [[nodiscard]] Device* device(int ordinal) noexcept {
    const bool there = ordinal >= 0 && ordinal < device_count;
    return there ? devices[static_cast<std::size_t>(ordinal)].get() : nullptr;
  }

  /// Whether an operation of `stream` that may access memory has not ended, or one of another
  /// stream that it waits for.
  [[nodiscard]] static bool works(const StreamState& stream) {
    for (const auto& operation : stream.queue) {
      const bool waits = operation->after != nullptr && !operation->after->done;
      const OperationKind kind = operation->kind();
      if (waits || kind == OperationKind::kernel || kind == OperationKind::copy ||
          kind == OperationKind::fill || kind == OperationKind::graph) {
        return true;
      }
    }
    return false;
  }

  /// Adds an operation to the end of a stream, or to the stream's capture. Work of a default stream
  /// waits for all blocking streams of the device, and their next work waits for it (CUDA Runtime
  /// API, "Stream synchronization behavior"). Until then they are as they were: a wait for one that
  /// has no work returns at once (an H200, driver 580.159.04).
  void submit(StreamState& stream, Shared<Operation> operation) {
    operation->caller = host::caller();
    if (operation->kind() != OperationKind::mark) ++work_seen;
    if (stream.capture != nullptr) {
      stream.capture->add(std::move(operation), stream.tail);
      return;
    }
    if (operation->is_no_work()) return enqueue(stream, operation);
    order_after(stream, stream.implied);
    stream.implied = nullptr;
    const Array<StreamState*> others =
        stream.is_default ? blocking_streams(streams, stream.device) : Array<StreamState*>{};
    for (StreamState* other : others) order_after(stream, other->last);
    if (stream.is_default) order_after_retired(stream);
    enqueue(stream, operation);
    for (StreamState* other : others) other->implied = stream.last;
  }
  /// Makes later work of `stream` run after `operation`, which may be nullptr.
  void order_after(StreamState& stream, Shared<const Operation> operation) {
    if (operation == nullptr || (operation->done && scheduler == nullptr)) return;
    auto mark = make_shared<MarkOperation>();
    mark->after = std::move(operation);
    mark->caller = host::caller();
    enqueue(stream, mark);
  }

  /// What a wait for the stream waits for, none of it nullptr: its newest operation, and for a
  /// default stream also those of the blocking streams (an H200, driver 580.159.04).
  [[nodiscard]] Array<Shared<const Operation>> newest_of(const StreamState& stream) const {
    Array<Shared<const Operation>> newest;
    const auto add = [&](const StreamState& one) {
      if (one.last != nullptr) newest.push_back(one.last);
    };
    add(stream);
    if (!stream.is_default) return newest;
    for (const StreamState* other : blocking_streams(streams, stream.device)) add(*other);
    for (const auto& gone : retired) {
      if (gone->blocking && &gone->device == &stream.device) add(*gone);
    }
    return newest;
  }
  /// Waits until these are done, for a caller that documents this wait. None of them is nullptr.
  void wait(Lock& lock, Operations operations) {
    if (operations.size() == 0) return;
    finish(lock, operations);
    report_done(operations);
  }
  void wait(Lock& lock, const Shared<const Operation>& operation) {
    if (operation != nullptr) wait(lock, {&operation, 1});
  }
  /// The same for all work of `device` (nullptr: of all devices).
  void wait_all(Lock& lock, const Device* device) {
    const auto newest = finish_all(lock, device);
    if (scheduler != nullptr) scheduler->known_done({newest.data(), newest.size()});
  }
  /// Like wait_all, for a caller that does not document this wait. Returns the operations that it
  /// waited for, none of them nullptr.
  Array<Shared<const Operation>> finish_all(Lock& lock, const Device* device) {
    Array<Shared<const Operation>> newest;
    const auto look_at = [&](const StreamState& stream) {
      const bool asked = device == nullptr || device == &stream.device;
      if (asked && stream.last != nullptr) newest.push_back(stream.last);
    };
    for (const auto& [key, stream] : streams) look_at(*stream);
    for (const auto& stream : retired) look_at(*stream);
    finish(lock, {newest.data(), newest.size()});
    return newest;
  }
  /// Waits until no operation is left, whatever other threads submit: new calls of theirs are held
  /// back meanwhile. Not for long at a time, because a running kernel may wait for such a thread.
  /// At the end of the program it gives up, because nothing runs the work that is left.
  void wait_until_idle(Lock& lock) {
    const auto idle = [this] {
      bool all = true;
      for (const auto& [key, stream] : streams) all = all && stream->idle();
      for (const auto& stream : retired) all = all && stream->idle();
      return all;
    };
    const auto wait_held_back = [&] {
      ++held_back_;
      const bool now = progress.wait_for(lock, 20 * millisecond, idle);
      --held_back_;
      return now;
    };
    while (!wait_held_back() && !stopping_) {
      progress.notify_all();
      progress.wait_until(lock, now() + millisecond);
    }
    progress.notify_all();
  }
  /// A call of another thread may begin.
  void admit_call(Lock& lock) {
    if (held_back_ != 0) progress.wait(lock, [this] { return held_back_ == 0; });
  }
  void finish(Lock& lock, Operations operations) {
    ++waits_seen;
    if (scheduler != nullptr) return scheduler->finish(lock, operations);
    for (const auto& operation : operations) {
      while (!progress.wait_for(lock, long_wait, [&] { return operation->done; })) {
        tell_standstill(lock);
      }
    }
  }
  /// Tells of a grid that may wait for itself.
  void tell_standstill(Lock& lock) {
    char text[320];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    if (!pool.put_standstill(out)) return;
    lock.unlock();
    warpsafe::detail::tell_warning(text);
    lock.lock();
  }
  /// Tells the scheduler that the host knows that these are done. None of them is nullptr.
  void report_done(Operations operations) {
    ++waits_seen;
    if (scheduler != nullptr && operations.size() != 0) scheduler->known_done(operations);
  }
  void report_done(const Shared<const Operation>& operation) {
    report_done({&operation, operation == nullptr ? 0U : 1U});
  }
  /// Runs the oldest operation of a stream. @pre it is runnable
  void run_front(StreamState& stream, Lock& lock) {
    const Shared<Operation> operation = stream.queue.front();
    Failure failure;
    if (stream.device.lost() == 0 || operation->survives_loss()) {
      lock.unlock();
      const int status = guarded(
          [&] {
            failure = operation->run();
            return 0;
          },
          raw(HostStatus::out_of_memory));
      if (status != 0) failure = {status, {}};
      lock.lock();
      if (scheduler == nullptr) pass_on_signals();  // a worker runs it
    }
    const bool was_lost = stream.device.lost() != 0;
    stream.device.fail(failure);
    const bool is_lost_now = !was_lost && stream.device.lost() != 0;
    stream.queue.pop_front();
    operation->finished = now();
    operation->done = true;
    operation->after = nullptr;  // do not keep a graph's earlier launches alive
    for (StreamState* one : operation->dependents) {
      if (one != nullptr) one->work.notify_one();
    }
    progress.notify_all();
    // The kernels of its other streams may wait for this one.
    if (is_lost_now && scheduler == nullptr) {
      lock.unlock();
      pool.end_grids_of(stream.device.context_lost);
      lock.lock();
    }
  }
  /// Keeps what the program has freed while a scheduler is active, so that a later use is reported
  /// instead of crashing, and an address is reused only if the scheduler says so.
  void quarantine(Allocation freed) {
    if (scheduler != nullptr) freed_memory.add(std::move(freed));
  }
  /// Gives `made` freed memory, if some fits and the scheduler decides so.
  [[nodiscard]] bool hands_out_again(Allocation& made) {
    return scheduler != nullptr &&
           freed_memory.take(made, [this] { return scheduler->hands_out_again(); });
  }
  /// Activates a scheduler; nullptr activates the streams' workers. @pre all work is done, and has
  /// been since the lock was taken last
  void set_scheduler(Scheduler* next) {
    scheduler = next;
    pool.run_serially(next != nullptr);
    for (const auto& stream : retired) stream->work.notify_one();
    freed_memory.clear();
    reap();
  }
  /// The failure that work left for a synchronising call on `device`. Sets the error text of this
  /// thread.
  [[nodiscard]] int take_failure(Device& device) { return set_failure_text(device.take_failure()); }
  /// The status that every call on a lost device returns, or 0.
  [[nodiscard]] int lost(const Device& device) {
    return device.lost() == 0 ? 0 : set_failure_text(device.failure());
  }
  /// Sets the calling thread's `error_text` to that of `failure`, and returns its status.
  int set_failure_text(const Failure& failure) {
    if (failure.status != 0) {
      thread_state().failure_status = failure.status;
      thread_state().failure_text = failure.text;
    }
    return failure.status;
  }

  /// Joins the workers of destroyed streams that are drained. A scheduler keeps the newest streams.
  void reap() {
    drop_drained(retired, scheduler == nullptr ? 0 : most_kept, [this](StreamState& stream) {
      if (scheduler != nullptr) scheduler->forgotten(stream);
    });
  }

 private:
  struct Shutdown {
    Runtime& runtime;
    ~Shutdown() { runtime.stop(); }
  };

  /// A destroyed blocking stream stays ordered before the default stream until its work has ended.
  void order_after_retired(StreamState& default_stream) {
    for (const auto& gone : retired) {
      if (!gone->blocking || &gone->device != &default_stream.device) continue;
      order_after(default_stream, gone->last);
      gone->blocking = false;  // it gets no more work, so once is enough
    }
  }
  void enqueue(StreamState& stream, const Shared<Operation>& operation) {
    const bool served = scheduler == nullptr;
    if (served && !stream.worker.joinable()) {
      stream.worker = Thread([this, &stream] { serve(stream); });
    }
    // What may run out of memory comes first: an operation that is refused must not run.
    const bool waits = operation->after != nullptr && !operation->after->done;
    if (waits) operation->after->dependents.push_back(nullptr);
    stream.queue.push_back(operation);
    OnFailure refused{[&] { stream.queue.pop_back(); }};
    if (!served) scheduler->submitted(stream, *operation);
    refused.active = false;
    if (waits) operation->after->dependents.back() = &stream;
    stream.last = operation;
    if (served) stream.work.notify_one();
  }
  /// A stream's worker: runs its operations until the stream is destroyed and drained.
  void serve(StreamState& stream) {
    Lock lock(mutex);
    for (;;) {
      stream.work.wait(lock, [&] {
        const bool mine = stream.runnable() && scheduler == nullptr;
        return stopping_ || mine || (stream.closing && stream.idle());
      });
      if (stopping_ || !stream.runnable()) break;
      run_front(stream, lock);
    }
    stream.exited = true;
    progress.notify_all();
  }

  /// At the end of the program: drops operations that have not begun, and waits a while for the
  /// others. A handler of a signal may call `exit` in a thread that holds the mutex, or that waits
  /// for an operation, so that a worker waits for it: the mutex may never be free.
  void stop() noexcept {
    if (forked()) return;
    // A kernel that never ends must not keep the program running.
    const Time deadline = now() + 2000 * millisecond;
    stopping_ = true;
    Array<StreamState*> all;
    if (!mutex.lock_until(deadline)) return;
    for (const auto& [key, stream] : streams) all.push_back(stream.get());
    for (const auto& stream : retired) all.push_back(stream.get());
    for (StreamState* stream : all) stream->work.notify_all();
    mutex.unlock();
    pool.close();
    bool in_time = gone(all, deadline);
    while (!in_time && now() < deadline) {
      sleep_for(1 * millisecond);
      in_time = gone(all, deadline);
    }
    for (StreamState* stream : all) {
      if (stream->worker.joinable()) in_time ? stream->worker.join() : stream->worker.detach();
    }
    in_time ? pool.join() : pool.detach();
    if (in_time) report_untold();
  }
  /// Prints the failures that no call has returned, because the program has made none since. Also
  /// looks behind memory that was not freed.
  void report_untold() noexcept {
    const Lock lock(mutex);
    const auto look = [this](Allocation& kept) {
      Failure failure = kept.take_overrun(Name::of("; found at the end of the program"));
      if (failure.status != 0) {
        devices[static_cast<std::size_t>(kept.device)]->fail(failure);
      }
      return 0;
    };
    static_cast<void>(guarded([&] { return memory.each(look), 0; }, 0));
    for (const auto& device : devices) {
      if (!device->keeps_untold()) continue;
      const Failure& failure = device->failure();
      const Name text = failure.text.empty() ? row_of(failure.status).text : failure.text;
      std::fprintf(stderr,
                   "warpsafe: work failed on device %d, and no call has returned the error: %.*s\n"
                   "  synchronize a stream after the last work, and look at the result\n",
                   device->limits.device, static_cast<int>(text.size), text.data);
    }
  }
  [[nodiscard]] bool gone(const Array<StreamState*>& all, Time deadline) {
    if (!mutex.lock_until(deadline)) return false;
    bool all_gone = true;
    for (const StreamState* stream : all) {
      all_gone = all_gone && (!stream->worker.joinable() || stream->exited);
    }
    mutex.unlock();
    return all_gone && pool.idle();
  }

  int held_back_ = 0;  // threads in wait_until_idle
  const unsigned process_ = warpsafe::detail::process_number();
  Atomic<bool> stopping_ = false;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
