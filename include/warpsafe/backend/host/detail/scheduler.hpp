// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/memory_access.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

namespace warpsafe::host {

using Operations = std::span<const std::shared_ptr<const Operation>>;

/// Decides when operations run, in place of the streams' workers, and hears of all that orders
/// them. One at a time takes the runtime over: Runtime::scheduler. Every member is called with the
/// runtime's mutex held; those that take the lock may let go of it for a while.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// A call of the program begins.
  virtual void begin_call(std::unique_lock<std::mutex>& lock) = 0;
  /// The operation stands at the end of the stream's queue.
  virtual void submitted(StreamState& stream, Operation& operation) = 0;
  /// Runs whatever it takes for all of these to be done; none is nullptr.
  virtual void finish(std::unique_lock<std::mutex>& lock, Operations operations) = 0;
  /// The host has been told that these are done; none is nullptr.
  virtual void told_done(Operations operations) = 0;
  /// The host has been told that work is not done.
  virtual void told_not_done() = 0;
  /// A stream was to wait for an event that was never recorded: it waits for nothing.
  virtual void waited_for_nothing(StreamState& stream) = 0;
  /// The host itself touches memory, or gets or frees it by a call that is in no stream's order.
  virtual void touched(const debug::MemoryAccess& access) = 0;
  /// The program destroys a stream. What it still holds is to be run all the same.
  virtual void destroyed(StreamState& stream) = 0;
  /// A call named a stream that is none, or none any more.
  virtual void refused(const StreamState* stream) = 0;
};

}  // namespace warpsafe::host
