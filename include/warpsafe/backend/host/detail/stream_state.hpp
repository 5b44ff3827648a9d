// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/device.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>

namespace warpsafe::host {

/// A stream: operations in order. All fields belong to the runtime's mutex.
struct StreamState {
  StreamState(Device& its_device, std::uint64_t its_number)
      : device(its_device), number(its_number) {}

  Device& device;
  const std::uint64_t number;                    ///< streams are numbered as they are made
  std::deque<std::shared_ptr<Operation>> queue;  ///< not yet done, the oldest first
  std::shared_ptr<const Operation> last;         ///< the newest ever submitted
  std::condition_variable work;                  ///< the front may have become runnable
  std::thread worker;                            ///< started with the first operation
  bool closing = false;                          ///< destroyed by the program: ends when drained
  bool exited = false;                           ///< the worker touches nothing any more
  bool is_default = false;                       ///< the device's default stream
  bool blocking = false;                         ///< ordered with the default stream
  std::shared_ptr<CaptureWork> capture;          ///< what is submitted goes there, if to anywhere
  NodeSet tail;                                  ///< of the capture: what its next node waits for

  /// Whether the oldest operation may run now.
  [[nodiscard]] bool runnable() const noexcept {
    return !queue.empty() && (queue.front()->after == nullptr || queue.front()->after->done);
  }
  [[nodiscard]] bool idle() const noexcept { return queue.empty(); }
};

/// An event: the record that it stands for, if any.
struct EventState {
  int device = 0;
  bool timed = false;
  std::shared_ptr<const Operation> record;
  std::shared_ptr<CaptureWork> capture;  ///< of its newest record, if that was captured
  NodeSet tail;                          ///< and the nodes before it
};

}  // namespace warpsafe::host
