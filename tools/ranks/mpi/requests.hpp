// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../record/recorder.hpp"
#include "loaded_mpi.hpp"

#include <mpi.h>

#include <iterator>
#include <map>
#include <mutex>
#include <vector>

namespace warpsafe::ranks::mpi {

/// The records of operations that have begun and not ended, by their requests.
class Requests {
 public:
  [[nodiscard]] static Requests& all() { return of_process<Requests>(); }
  void add(MPI_Request request, Record* record) {
    if (record == nullptr || request == Constants::get().no_request) return;
    const std::lock_guard lock(mutex_);
    records_.emplace(request, record);
  }
  /// The requests as they are before a wait, which sets them to null; empty if no record waits.
  [[nodiscard]] std::vector<MPI_Request> copied(int count, const MPI_Request* requests) {
    const std::lock_guard lock(mutex_);
    if (records_.empty()) return {};
    return {requests, requests + count};
  }
  void ended(MPI_Request request) { Recorder::ended(take(request), now_ns(), 0); }
  /// The program has given up the request: nobody reports the end of the operation.
  void freed(MPI_Request request) { Recorder::unwatched(take(request)); }

 private:
  /// The newest record of the request; nullptr: none. An older one is of an operation whose end was
  /// not seen, and whose request the library has used again.
  Record* take(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    const auto [first, behind] = records_.equal_range(request);
    if (first == behind) return nullptr;
    const auto newest = std::prev(behind);
    Record* const record = newest->second;
    records_.erase(newest);
    return record;
  }

  std::mutex mutex_;
  /// Open MPI returns one request for all sends that have ended at once.
  std::multimap<MPI_Request, Record*> records_;
};

}  // namespace warpsafe::ranks::mpi
