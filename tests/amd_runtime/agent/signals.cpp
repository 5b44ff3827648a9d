// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Signals, and the thread that calls the runtime's handlers.
#include "signals.hpp"

#include "answer.hpp"
#include "soft_hsa.h"

#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <new>
#include <thread>
#include <unordered_set>

namespace soft_hsa {
namespace {

constexpr auto period = std::chrono::milliseconds(2);

struct Handler {
  hsa_signal_t signal;
  hsa_signal_condition_t condition;
  hsa_signal_value_t compare;
  hsa_amd_signal_handler function;
  void* data;
};

/// All under signal_lock(). Never destroyed, and the thread never ends: the runtime uses signals
/// while the process ends.
struct Signals {
  std::unordered_set<std::uint64_t> live;
  std::list<Handler> waiting;
  bool started = false;

  [[noreturn]] void call_handlers() {
    std::unique_lock hold(signal_lock());
    for (;;) {
      const auto ready = std::find_if(waiting.begin(), waiting.end(), [](const Handler& h) {
        return holds(value_of(h.signal).load(), h.condition, h.compare);
      });
      if (ready == waiting.end()) {
        if (waiting.empty()) {
          signal_changed().wait(hold);
        } else {
          signal_changed().wait_for(hold, period);
        }
        continue;
      }
      std::list<Handler> mine;
      mine.splice(mine.begin(), waiting, ready);
      const std::int64_t value = value_of(mine.front().signal).load();
      hold.unlock();
      const bool again = mine.front().function(value, mine.front().data);
      hold.lock();
      if (again && live.count(mine.front().signal.handle) != 0) {
        waiting.splice(waiting.end(), mine);
      }
    }
  }
};

Signals& signals() {
  static auto* const made = new Signals;
  return *made;
}

}  // namespace

std::mutex& signal_lock() {
  static auto* const made = new std::mutex;
  return *made;
}
std::condition_variable& signal_changed() {
  static auto* const made = new std::condition_variable;
  return *made;
}
void tell() {
  // A thread that has looked and not yet begun to wait holds the lock.
  { const std::lock_guard hold(signal_lock()); }
  signal_changed().notify_all();
}

std::atomic<std::int64_t>& value_of(hsa_signal_t signal) {
  auto& raw = const_cast<std::int64_t&>(reinterpret_cast<amd_signal_t*>(signal.handle)->value);
  return reinterpret_cast<std::atomic<std::int64_t>&>(raw);
}

bool holds(std::int64_t value, std::uint32_t condition, std::int64_t compare) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == compare;
    case HSA_SIGNAL_CONDITION_NE:
      return value != compare;
    case HSA_SIGNAL_CONDITION_LT:
      return value < compare;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= compare;
  }
  return false;
}

bool wait_until(const std::atomic<bool>* stop, bool (*done)(void*), void* data,
                std::uint64_t nanoseconds) {
  const std::uint64_t begin = now();
  std::unique_lock hold(signal_lock());
  while (!done(data)) {
    if (stop != nullptr && *stop) return false;
    if (now() - begin >= nanoseconds) return false;
    signal_changed().wait_for(hold, period);
  }
  return true;
}

void finish(hsa_signal_t signal, std::uint64_t begin) {
  if (signal.handle == 0) return;
  auto* const raw = reinterpret_cast<amd_signal_t*>(signal.handle);
  raw->start_ts = begin;
  raw->end_ts = now();
  value_of(signal).fetch_sub(1);
  tell();
}

void require_signal(hsa_signal_t signal, const char* user) {
  const std::lock_guard hold(signal_lock());
  if (signals().live.count(signal.handle) != 0) return;
  std::fprintf(stderr, "soft_hsa: %s: signal %#llx was never created, or was destroyed\n", user,
               static_cast<unsigned long long>(signal.handle));
  std::abort();
}

}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

std::uint64_t soft_hsa_live_signals(void) {
  const std::lock_guard hold(signal_lock());
  return signals().live.size();
}

hsa_status_t hsa_signal_create(hsa_signal_value_t value, std::uint32_t, const hsa_agent_t*,
                               hsa_signal_t* out) {
  if (out == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto* const raw = new (std::align_val_t{64}) amd_signal_t{};
  raw->kind = AMD_SIGNAL_KIND_USER;
  raw->value = value;
  out->handle = reinterpret_cast<std::uint64_t>(raw);
  const std::lock_guard hold(signal_lock());
  signals().live.insert(out->handle);
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, std::uint32_t count,
                                   const hsa_agent_t* agents, std::uint64_t, hsa_signal_t* out) {
  return hsa_signal_create(value, count, agents, out);
}
hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  if (signal.handle == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  require_signal(signal, __func__);
  {
    const std::lock_guard hold(signal_lock());
    signals().live.erase(signal.handle);
    signals().waiting.remove_if([&](const Handler& h) { return h.signal.handle == signal.handle; });
  }
  ::operator delete (reinterpret_cast<amd_signal_t*>(signal.handle), std::align_val_t{64});
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t** out) {
  require_signal(signal, __func__);
  *out = &reinterpret_cast<amd_signal_t*>(signal.handle)->value;
  return HSA_STATUS_SUCCESS;
}

hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal) {
  require_signal(signal, __func__);
  return value_of(signal).load();
}
void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  require_signal(signal, __func__);
  value_of(signal).store(value);
  tell();
}
void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  hsa_signal_store_relaxed(signal, value);
}
void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  require_signal(signal, __func__);
  value_of(signal).store(value);
}
void hsa_signal_add_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  require_signal(signal, __func__);
  value_of(signal).fetch_add(value);
  tell();
}
void hsa_signal_subtract_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  require_signal(signal, __func__);
  value_of(signal).fetch_sub(value);
  tell();
}
hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare, std::uint64_t timeout,
                                             hsa_wait_state_t) {
  require_signal(signal, __func__);
  std::int64_t seen = 0;
  wait_until(
      [&] {
        seen = value_of(signal).load();
        return holds(seen, condition, compare);
      },
      nullptr, timeout);
  return seen;
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t condition,
                                          hsa_signal_value_t compare,
                                          hsa_amd_signal_handler function, void* data) {
  if (signal.handle == 0 || function == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  require_signal(signal, __func__);
  {
    const std::lock_guard hold(signal_lock());
    Signals& all = signals();
    all.waiting.push_back({signal, condition, compare, function, data});
    if (!all.started) std::thread([&all] { all.call_handlers(); }).detach();
    all.started = true;
  }
  signal_changed().notify_all();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
  require_signal(signal, __func__);
  const auto* const raw = reinterpret_cast<const amd_signal_t*>(signal.handle);
  *time = {raw->start_ts, raw->end_ts};
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                                   hsa_amd_profiling_async_copy_time_t* time) {
  require_signal(signal, __func__);
  const auto* const raw = reinterpret_cast<const amd_signal_t*>(signal.handle);
  *time = {raw->start_ts, raw->end_ts};
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
