// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

// A small made-up runtime: the calling thread plays two devices. A stream keeps its work until the
// host waits for it, so that a wrong order shows. Of the library, this uses only the plain data
// that every backend takes.

namespace serial {

enum class Status : int {
  ok,
  not_ready,
  out_of_memory,
  invalid_value,
  invalid_device,
  invalid_launch,
  not_a_kernel,
  kernel_failed,
  capture_unsupported,
  capture_broken,
  capture_unmatched,
  capture_unjoined,
  already_capturing,
  update_refused,
  no_clusters,
};
[[nodiscard]] constexpr int raw(Status status) noexcept { return static_cast<int>(status); }

inline constexpr int device_count = 2;

/// Work of a stream. Returns its status.
using Work = std::function<int()>;

struct Stream;

struct Capture {
  Stream* origin;
  std::vector<Work> nodes;
  bool broken = false;
  /// For a stream that takes part: the number of its nodes, and of those that another stream waits
  /// for.
  struct Share {
    std::size_t nodes = 0;
    std::size_t joined = 0;
  };
  std::map<Stream*, Share> streams;
};

struct Stream {
  int device;
  std::deque<Work> waiting;
  std::uint64_t submitted = 0;
  std::uint64_t done = 0;
  std::shared_ptr<Capture> capture;
};

struct Event {
  std::shared_ptr<Stream> stream;  ///< where it was recorded; nullptr: nowhere yet
  std::uint64_t position = 0;      ///< of the stream's work, counted from 1
  std::shared_ptr<Capture> capture;
};

struct Graph {
  std::vector<Work> nodes;
};
struct GraphExec {
  std::shared_ptr<const std::vector<Work>> nodes;
};

struct Allocation {
  std::size_t bytes;
  warpsafe::MemoryKind kind;
  int device;
};

/// The state of the whole program.
struct Runtime {
  std::recursive_mutex mutex;
  std::map<const void*, Allocation> memory;
  std::map<Stream*, std::shared_ptr<Stream>> streams;
  int lost[device_count] = {};  ///< the fault that a kernel left
  std::uint64_t launches = 0;

  [[nodiscard]] static Runtime& get() {
    static Runtime runtime;
    return runtime;
  }
  [[nodiscard]] const Allocation* find(const void* at) const {
    auto next = memory.upper_bound(at);
    if (next == memory.begin()) return nullptr;
    --next;
    const auto offset = static_cast<const char*>(at) - static_cast<const char*>(next->first);
    return static_cast<std::size_t>(offset) < next->second.bytes ? &next->second : nullptr;
  }
  [[nodiscard]] int allocate(void*& at, std::size_t bytes, warpsafe::MemoryKind kind, int device) {
    at = bytes == 0 ? nullptr : std::malloc(bytes);
    if (bytes != 0 && at == nullptr) return raw(Status::out_of_memory);
    if (at != nullptr) memory.emplace(at, Allocation{bytes, kind, device});
    return 0;
  }
  [[nodiscard]] int release(void* at) {
    if (at == nullptr) return 0;
    if (memory.erase(at) == 0) return raw(Status::invalid_value);
    std::free(at);
    return 0;
  }
};

inline thread_local int current_device = 0;
inline thread_local int capture_mode = 0;

/// Runs the stream's work up to a position. Returns the first failure's status.
inline int run(Stream& stream, std::uint64_t until) {
  Runtime& runtime = Runtime::get();
  while (stream.done < until && !stream.waiting.empty()) {
    const Work work = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    ++stream.done;
    const int status = runtime.lost[stream.device] != 0 ? 0 : work();
    if (status != 0) runtime.lost[stream.device] = status;
  }
  return runtime.lost[stream.device];
}

/// Gives a stream work, or the graph that it captures.
inline int submit(Stream& stream, Work work) {
  if (stream.capture != nullptr) {
    if (stream.capture->broken) return raw(Status::capture_broken);
    stream.capture->nodes.push_back(std::move(work));
    ++stream.capture->streams[&stream].nodes;
    return 0;
  }
  if (const int lost = Runtime::get().lost[stream.device]) return lost;
  stream.waiting.push_back(std::move(work));
  ++stream.submitted;
  return 0;
}

/// A call that waits or queries: breaks the capture that the stream takes part in.
inline int wait_allowed(Stream& stream) {
  if (stream.capture == nullptr) return 0;
  stream.capture->broken = true;
  return raw(Status::capture_unsupported);
}

/// Leaves a kernel at a barrier, which this runtime does not have.
struct BarrierReached {};
/// Leaves a kernel whose check has failed.
struct CheckFailed {};

/// One launch: its arguments are copied, since it runs later.
class Launch {
 public:
  Launch(const warpsafe::KernelEntry& entry, const warpsafe::LaunchShape& shape, void** args)
      : entry_(entry), shape_(shape) {
    for (std::uint32_t i = 0; i < entry.parameter_count; ++i) {
      const std::size_t size = entry.parameters[i].size;
      values_.emplace_back((size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
      std::memcpy(values_.back().data(), args[i], size);
    }
  }

  [[nodiscard]] int operator()() {
    std::vector<void*> args;
    for (auto& value : values_) args.push_back(value.data());
    std::vector<std::max_align_t> shared(shape_.dynamic_shared / sizeof(std::max_align_t) + 1);
    warpsafe::detail::HostThread self{};
    std::memcpy(self.block_dim, shape_.block, sizeof self.block_dim);
    std::memcpy(self.grid_dim, shape_.grid, sizeof self.grid_dim);
    self.dynamic_shared = reinterpret_cast<unsigned char*>(shared.data());
    self.dynamic_shared_bytes = shape_.dynamic_shared;
    self.sync = [](warpsafe::detail::HostThread&, const char*, unsigned) {
      throw BarrierReached{};
    };
    self.leave = [](warpsafe::detail::HostThread&, const char*, unsigned) { throw CheckFailed{}; };
    int status = 0;
    warpsafe::detail::host_thread = &self;
    try {
      for (self.block[2] = 0; self.block[2] < shape_.grid[2]; ++self.block[2]) {
        for (self.block[1] = 0; self.block[1] < shape_.grid[1]; ++self.block[1]) {
          for (self.block[0] = 0; self.block[0] < shape_.grid[0]; ++self.block[0]) {
            // `invoke` goes through the block's threads itself.
            std::memset(self.thread, 0, sizeof self.thread);
            self.continues = true;
            entry_.invoke(entry_.function, args.data());
          }
        }
      }
    } catch (const BarrierReached&) {
      status = raw(Status::kernel_failed);
    } catch (const CheckFailed&) {
      // The record of the check says what went wrong; the device still works.
    }
    warpsafe::detail::host_thread = nullptr;
    ++Runtime::get().launches;
    return status;
  }

 private:
  warpsafe::KernelEntry entry_;
  warpsafe::LaunchShape shape_;
  std::vector<std::vector<std::max_align_t>> values_;
};

}  // namespace serial
