// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <type_traits>

namespace soft_hsa {

/// Guards what waits; a change of a signal tells all that wait.
std::mutex& signal_lock();
std::condition_variable& signal_changed();
void tell();

std::atomic<std::int64_t>& value_of(hsa_signal_t signal);
bool holds(std::int64_t value, std::uint32_t condition, std::int64_t compare);

/// Waits for `done()`, which it calls under signal_lock(). @return false after `nanoseconds`.
/// The runtime also stores through hsa_amd_signal_value_pointer, which tells nobody: hence the
/// period.
bool wait_until(const std::atomic<bool>* stop, bool (*done)(void*), void* data,
                std::uint64_t nanoseconds);
template <class Done>
bool wait_until(Done done, const std::atomic<bool>* stop = nullptr,
                std::uint64_t nanoseconds = UINT64_MAX) {
  return wait_until(
      stop, [](void* data) { return static_cast<bool>((*static_cast<Done*>(data))()); }, &done,
      nanoseconds);
}

/// Time stamps, then the decrement that completes a packet or a copy. The signal may be destroyed
/// as soon as it has its new value, so nothing touches it afterwards.
void finish(hsa_signal_t signal, std::uint64_t begin);

/// Ends the process if the signal does not exist: a use after hsa_signal_destroy.
void require_signal(hsa_signal_t signal, const char* user);

}  // namespace soft_hsa
