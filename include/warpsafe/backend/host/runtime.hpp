// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/calls.hpp>
#include <warpsafe/backend/host/device.hpp>
#include <warpsafe/backend/host/exceptions.hpp>
#include <warpsafe/backend/host/grid_pool.hpp>
#include <warpsafe/backend/host/memory.hpp>
#include <warpsafe/backend/host/operation.hpp>
#include <warpsafe/backend/host/status.hpp>
#include <warpsafe/backend/host/stream_state.hpp>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::host {

/// What the runtime keeps per OS thread.
struct ThreadState {
  int device = 0;
  int capture_mode = 0;  // global: see exchange_capture_mode
  int last_error = 0;
  // What running work said when it failed, for the status that this thread was last given.
  int failure_status = 0;
  Name failure_text{};
};
[[nodiscard, gnu::visibility("default")]] inline ThreadState& thread_state() noexcept {
  static thread_local ThreadState state;
  return state;
}

/// Everything that the host backend keeps. One per program (see host_thread about dlopen), made at
/// the first call and never destroyed, so that whatever outlives main() can still call and be
/// refused. All members but the pool's own are guarded by `mutex`.
class Runtime {
 public:
  std::mutex mutex;
  std::condition_variable progress;              ///< an operation is done, or a worker has gone
  std::vector<std::unique_ptr<Device>> devices;  ///< only ever grows
  int device_count = 0;                          ///< of those, visible
  std::unordered_map<const StreamState*, std::unique_ptr<StreamState>> streams;
  std::vector<std::unique_ptr<StreamState>> retired;  ///< destroyed by the program, not yet drained
  std::unordered_map<const EventState*, std::unique_ptr<EventState>> events;
  std::vector<std::shared_ptr<CaptureWork>> captures;  ///< under way
  std::unordered_map<const GraphState*, std::unique_ptr<GraphState>> graphs;
  std::unordered_map<const GraphExecState*, std::unique_ptr<GraphExecState>> graph_execs;
  MemoryRegistry memory;
  CallBook book;
  GridPool pool;

  Runtime() {
    show_devices(1);
    // The child of a fork has this object, but none of its threads: a wait would never end.
    pthread_atfork(nullptr, nullptr, [] { Runtime::get().forked_ = true; });
  }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard, gnu::visibility("default")]] static Runtime& get() {
    static auto* const runtime = new Runtime;
    // Lets the threads go before the objects that kernels may use are destroyed.
    static const Shutdown shutdown{*runtime};
    return *runtime;
  }

  /// Why no call is possible at all; 0 if calls are.
  [[nodiscard]] int unavailable() const noexcept {
    if (forked_.load(std::memory_order_relaxed)) return raw(HostStatus::initialization_error);
    return stopping_.load(std::memory_order_relaxed) ? raw(HostStatus::deinitialized) : 0;
  }

  /// A text that lives as long as the program. Beyond a thousand different ones it is empty.
  [[nodiscard]] Name keep(const std::string& text) {
    if (texts_.size() >= 1000 && texts_.count(text) == 0) return {};
    const std::string& kept = *texts_.insert(text).first;
    return {kept.data(), kept.size()};
  }

  /// Makes `count` devices visible, each as new.
  void show_devices(int count) {
    const unsigned processors = std::thread::hardware_concurrency();
    const Name name = keep("CPU (" + std::to_string(processors) + " threads)");
    device_count = count;
    for (int i = 0; i < count; ++i) {
      if (i == static_cast<int>(devices.size())) devices.push_back(std::make_unique<Device>(i));
      devices[static_cast<std::size_t>(i)]->reset(i, name, processors == 0 ? 1 : processors);
    }
  }
  /// nullptr if there is no such device.
  [[nodiscard]] Device* device(int ordinal) noexcept {
    const bool there = ordinal >= 0 && ordinal < device_count;
    return there ? devices[static_cast<std::size_t>(ordinal)].get() : nullptr;
  }

  /// Puts an operation at the end of a stream, or into what the stream captures.
  void submit(StreamState& stream, std::shared_ptr<Operation> operation) {
    if (stream.capture != nullptr) {
      stream.capture->add(std::move(operation), stream.tail);
      return;
    }
    if (!stream.worker.joinable()) stream.worker = std::thread([this, &stream] { serve(stream); });
    stream.queue.push_back(operation);
    if (operation->after != nullptr && !operation->after->done) {
      operation->after->dependents.push_back(&stream);
    }
    stream.last = std::move(operation);
    stream.work.notify_one();
  }

  /// Returns once `operation` (nullptr: nothing) is done.
  void wait(std::unique_lock<std::mutex>& lock, const std::shared_ptr<const Operation>& operation) {
    progress.wait(lock, [&] { return operation == nullptr || operation->done; });
  }
  /// Returns once everything that was submitted to `device` (nullptr: to any) is done.
  void wait_all(std::unique_lock<std::mutex>& lock, const Device* device) {
    std::vector<std::shared_ptr<const Operation>> newest;
    const auto look_at = [&](const StreamState& stream) {
      if (device == nullptr || device == &stream.device) newest.push_back(stream.last);
    };
    for (const auto& [key, stream] : streams) look_at(*stream);
    for (const auto& stream : retired) look_at(*stream);
    for (const auto& operation : newest) wait(lock, operation);
  }

  /// What work left for a synchronising call on `device`: its status, and its text for this thread.
  [[nodiscard]] int surface(Device& device) { return tell(device.take_failure()); }
  /// The status that every call on a lost device returns, or 0.
  [[nodiscard]] int lost(const Device& device) {
    return device.lost() == 0 ? 0 : tell(device.failure());
  }
  /// Lets `error_text` of the calling thread say what `failure` says; returns its status.
  int tell(const Failure& failure) {
    if (failure.status != 0) {
      thread_state().failure_status = failure.status;
      thread_state().failure_text = failure.text.empty() ? Name{} : keep(failure.text);
    }
    return failure.status;
  }

  /// Joins the workers of destroyed streams that have drained.
  void reap() {
    std::erase_if(retired, [](const std::unique_ptr<StreamState>& stream) {
      if (stream->worker.joinable() && !stream->exited) return false;
      if (stream->worker.joinable()) stream->worker.join();
      return true;
    });
  }

 private:
  struct Shutdown {
    Runtime& runtime;
    ~Shutdown() { runtime.stop(); }
  };

  /// A stream's worker: its operations in order, until the stream is destroyed and drained.
  void serve(StreamState& stream) {
    std::unique_lock lock(mutex);
    for (;;) {
      stream.work.wait(lock, [&] {
        return stopping_ || stream.runnable() || (stream.closing && stream.idle());
      });
      if (stopping_ || !stream.runnable()) break;
      run_front(stream, lock);
    }
    stream.exited = true;
    progress.notify_all();
  }

  void run_front(StreamState& stream, std::unique_lock<std::mutex>& lock) {
    const std::shared_ptr<Operation> operation = stream.queue.front();
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
    }
    stream.device.fail(std::move(failure));
    stream.queue.pop_front();
    operation->finished = std::chrono::steady_clock::now();
    operation->done = true;
    operation->after = nullptr;  // a chain of what is done would never end
    for (StreamState* dependent : operation->dependents) dependent->work.notify_one();
    progress.notify_all();
  }

  /// At the end of the program: drops what has not begun, waits a while for what has.
  void stop() noexcept {
    if (forked_) return;
    std::vector<StreamState*> all;
    {
      const std::lock_guard lock(mutex);
      stopping_ = true;
      for (const auto& [key, stream] : streams) all.push_back(stream.get());
      for (const auto& stream : retired) all.push_back(stream.get());
      for (StreamState* stream : all) stream->work.notify_all();
    }
    pool.close();
    // A kernel that never ends must not keep the program from ending.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (!gone(all) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const bool in_time = gone(all);
    for (StreamState* stream : all) {
      if (stream->worker.joinable()) in_time ? stream->worker.join() : stream->worker.detach();
    }
    in_time ? pool.join() : pool.detach();
  }
  [[nodiscard]] bool gone(const std::vector<StreamState*>& all) {
    const std::lock_guard lock(mutex);
    for (const StreamState* stream : all) {
      if (stream->worker.joinable() && !stream->exited) return false;
    }
    return pool.idle();
  }

  std::atomic<bool> forked_ = false;
  std::atomic<bool> stopping_ = false;
  std::set<std::string> texts_;
};

/// Runs one call of a program: counts it, fails it if a test asked for that, runs `body(runtime,
/// lock)` otherwise, and leaves a failure in the thread's last-error slot, which a success does not
/// touch.
template <class Body>
int call(Call which, Body&& body) noexcept {
  const int status = guarded(
      [&] {
        Runtime& runtime = Runtime::get();
        if (const int why = runtime.unavailable(); why != 0) return why;
        std::unique_lock lock(runtime.mutex);
        const int injected = runtime.book.enter(which);
        return injected != 0 ? injected : static_cast<int>(body(runtime, lock));
      },
      raw(HostStatus::out_of_memory));
  // An unfinished query is an answer, not a failure.
  if (status != 0 && status != raw(HostStatus::not_ready)) thread_state().last_error = status;
  return status;
}

}  // namespace warpsafe::host
