// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/calls.hpp>
#include <warpsafe/backend/host/detail/capture_rules.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/thread_state.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/errc.hpp>

#include <cstddef>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// `call<pure_query>` only reads facts that no work changes. A scheduler runs nothing before it, so
/// that a seed gives the same run whatever checks are on.
inline constexpr bool pure_query = false;

/// Runs one call of a program, the backend's member of this name (`__func__`): counts it, fails it
/// if a test asked for that, else runs `body(runtime, lock)`. Stores a failure in the thread's
/// last-error slot; a success leaves the slot unchanged. Kernel code may make no call: a GPU has no
/// such functions, and a wait for the kernel's own stream would never end.
template <bool schedules = true, class Body>
int call(const char* member, Body&& body) noexcept {
  if (host_thread != nullptr) return raw(HostStatus::not_permitted);
  // The runtime's threads and what it keeps of finished work use functions of this module.
  warpsafe::detail::keep_module();
  const int status = guarded(
      [&] {
        Runtime& runtime = Runtime::get();
        if (const int why = runtime.unavailable(); why != 0) return why;
        Lock lock(runtime.mutex);
        runtime.admit_call(lock);
        if (schedules && runtime.scheduler != nullptr) runtime.scheduler->begin_call(lock);
        const int injected = runtime.book.enter(Call(Name::of(member)));
        return injected != 0 ? injected : static_cast<int>(body(runtime, lock));
      },
      raw(HostStatus::out_of_memory));
  // An unfinished query is not a failure.
  if (status != 0 && status != raw(HostStatus::not_ready)) thread_state().last_error = status;
  return status;
}

/// Stores the calling thread's current device in `device`. Returns a status if there is none or its
/// context is lost.
[[nodiscard]] inline int current(Runtime& runtime, Device*& device) {
  if (runtime.device_count == 0) return raw(HostStatus::no_device);
  device = runtime.device(thread_state().device);
  return device == nullptr ? raw(HostStatus::invalid_device) : runtime.lost(*device);
}

/// The backend's calls for errors. See backend/backend.hpp.
struct ErrorCalls {
  [[nodiscard]] static Name error_name(int status) noexcept { return row_of(status).name; }
  /// For the last failure of running work that this thread was given, returns the text of that
  /// failure.
  [[nodiscard]] static Name error_text(int status) noexcept {
    const ThreadState& state = thread_state();
    const bool has_text = status == state.failure_status && !state.failure_text.empty();
    return has_text ? state.failure_text : row_of(status).text;
  }
  [[nodiscard]] static Errc classify(int status) noexcept { return row_of(status).code; }
  [[nodiscard]] static Severity severity_of(int status) noexcept { return row_of(status).severity; }
  /// The last failure that a call of this thread returned. Only tests clear it.
  [[nodiscard]] static int peek_last_error() noexcept {
    // Counts as a call, but must not overwrite the status that it returns.
    const int last = thread_state().last_error;
    static_cast<void>(call<pure_query>(__func__, [](Runtime&, auto&) { return 0; }));
    thread_state().last_error = last;
    return last;
  }
};

/// The backend's calls for devices.
struct DeviceCalls {
  static int device_count(int& count) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      count = runtime.device_count;
      return raw(count == 0 ? HostStatus::no_device : HostStatus::success);
    });
  }
  static int current_device(int& device) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      device = thread_state().device;
      return raw(runtime.device_count == 0 ? HostStatus::no_device : HostStatus::success);
    });
  }
  static int set_device(int device) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      if (runtime.device(device) == nullptr) return raw(HostStatus::invalid_device);
      thread_state().device = device;
      return 0;
    });
  }
  static int limits_of(int device, DeviceLimits& limits) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      const Device* const found = runtime.device(device);
      if (found == nullptr) return raw(HostStatus::invalid_device);
      limits = found->limits;
      return 0;
    });
  }
  /// Whether kernels and fills of `device` may access the memory (set_peer_access).
  static int can_access(int device, const void* memory, int, bool& answer) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      const Device* const from = runtime.device(device);
      const Allocation* const found = runtime.memory.around(memory);
      answer = from != nullptr && found != nullptr && found->is_accessible(*from);
      return raw(from == nullptr ? HostStatus::invalid_device : HostStatus::success);
    });
  }
  static int device_synchronize() noexcept {
    return call(__func__, [](Runtime& runtime, Lock& lock) {
      Device* device = nullptr;
      if (const int status = current(runtime, device); device == nullptr) return status;
      if (const int no = check_query(runtime, *device); no != 0) return no;
      runtime.wait_all(lock, device);
      // The host can learn nothing again of a destroyed stream, which a scheduler keeps.
      for (const auto& stream : runtime.retired) {
        if (&stream->device == device && stream->idle()) stream->last = nullptr;
      }
      return runtime.take_failure(*device);
    });
  }
  static int memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      Device* device = nullptr;
      if (const int status = current(runtime, device); status != 0) return status;
      total_bytes = device->capacity;
      free_bytes = device->available();
      return 0;
    });
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
