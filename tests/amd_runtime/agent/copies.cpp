// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Copies: each GPU has an engine for each direction, which takes its copies in order.
#include "agents.hpp"
#include "answer.hpp"
#include "dispatches.hpp"
#include "signals.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace soft_hsa {
namespace {

enum class Direction { from_host, to_host, between_gpus };

struct Copy {
  std::vector<hsa_signal_t> after;
  hsa_signal_t completion;
  std::function<void()> work;
};

/// Runs copies one after another. Its thread never ends.
class Engine {
 public:
  void add(Copy copy) {
    const std::lock_guard hold(lock_);
    if (!started_) std::thread([this] { run(); }).detach();
    started_ = true;
    copies_.push_back(std::move(copy));
    added_.notify_one();
  }

 private:
  [[noreturn]] void run() {
    for (;;) {
      std::unique_lock hold(lock_);
      added_.wait(hold, [this] { return !copies_.empty(); });
      const Copy copy = std::move(copies_.front());
      copies_.pop_front();
      hold.unlock();
      wait_until([&] {
        return !held && std::all_of(copy.after.begin(), copy.after.end(), [](hsa_signal_t s) {
          return s.handle == 0 || value_of(s).load() == 0;
        });
      });
      const std::uint64_t begin = now();
      copy.work();
      finish(copy.completion, begin);
    }
  }

  std::mutex lock_;
  std::condition_variable added_;
  std::deque<Copy> copies_;
  bool started_ = false;
};

Engine& engine_of(const Agent& to, const Agent& from) {
  static auto* const lock = new std::mutex;
  static auto* const engines = new std::map<std::pair<const Agent*, Direction>, Engine>;
  auto key = std::pair{&to, Direction::between_gpus};
  if (from.gpu == nullptr) key.second = Direction::from_host;
  if (to.gpu == nullptr) key = {&from, Direction::to_host};
  const std::lock_guard hold(*lock);
  return (*engines)[key];
}

std::vector<hsa_signal_t> signals_of(std::uint32_t count, const hsa_signal_t* signals) {
  std::vector<hsa_signal_t> all(signals, signals + count);
  for (const hsa_signal_t signal : all) {
    if (signal.handle != 0) require_signal(signal, "a copy");
  }
  return all;
}

std::byte* at(const hsa_pitched_ptr_t& memory, const hsa_dim3_t& origin, std::size_t y,
              std::size_t z) {
  return static_cast<std::byte*>(memory.base) + origin.x + (origin.y + y) * memory.pitch +
         (origin.z + z) * memory.slice;
}

}  // namespace
}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

hsa_status_t hsa_memory_copy(void* to, const void* from, std::size_t bytes) {
  if (to == nullptr || from == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::memmove(to, from, bytes);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy(void* to, hsa_agent_t to_agent, const void* from,
                                       hsa_agent_t from_agent, std::size_t bytes,
                                       std::uint32_t count, const hsa_signal_t* after,
                                       hsa_signal_t completion) {
  if (to == nullptr || from == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  engine_of(agent_of(to_agent), agent_of(from_agent))
      .add({signals_of(count, after), completion, [=] { std::memmove(to, from, bytes); }});
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* to, const hsa_dim3_t* to_at,
                                            const hsa_pitched_ptr_t* from,
                                            const hsa_dim3_t* from_at, const hsa_dim3_t* range,
                                            hsa_agent_t agent, hsa_amd_copy_direction_t direction,
                                            std::uint32_t count, const hsa_signal_t* after,
                                            hsa_signal_t completion) {
  const auto work = [to = *to, to_at = *to_at, from = *from, from_at = *from_at, range = *range] {
    for (std::size_t z = 0; z < range.z; ++z) {
      for (std::size_t y = 0; y < range.y; ++y) {
        std::memmove(at(to, to_at, y, z), at(from, from_at, y, z), range.x);
      }
    }
  };
  const Agent& gpu = agent_of(agent);
  const Agent& cpu = agents()[0];
  engine_of(direction == hsaDeviceToHost ? cpu : gpu, direction == hsaHostToDevice ? cpu : gpu)
      .add({signals_of(count, after), completion, work});
  return HSA_STATUS_SUCCESS;
}

// Of releases 5.7 and later, whose headers may declare them with other types of the same size.
// Hence the names of our own.
hsa_status_t copy_on_engine(void* to, hsa_agent_t to_agent, const void* from,
                            hsa_agent_t from_agent, std::size_t bytes, std::uint32_t count,
                            const hsa_signal_t* after, hsa_signal_t completion, std::uint32_t,
                            bool) __asm__("hsa_amd_memory_async_copy_on_engine");
hsa_status_t copy_on_engine(void* to, hsa_agent_t to_agent, const void* from,
                            hsa_agent_t from_agent, std::size_t bytes, std::uint32_t count,
                            const hsa_signal_t* after, hsa_signal_t completion, std::uint32_t,
                            bool) {
  return hsa_amd_memory_async_copy(to, to_agent, from, from_agent, bytes, count, after, completion);
}
hsa_status_t engine_status(hsa_agent_t, hsa_agent_t,
                           std::uint32_t* mask) __asm__("hsa_amd_memory_copy_engine_status");
hsa_status_t engine_status(hsa_agent_t, hsa_agent_t, std::uint32_t* mask) {
  return give<std::uint32_t>(mask, 3);
}

}  // extern "C"
