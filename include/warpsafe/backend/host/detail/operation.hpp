// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/grid_pool.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/thread_state.hpp>
#include <warpsafe/backend/memory_access.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::host {

struct StreamState;

enum class OperationKind : std::uint8_t { mark, kernel, copy, fill, allocate, release, graph };

/// Memory that an operation touches: what decides whether two operations may run in either order.
struct Access {
  const void* address = nullptr;
  std::size_t bytes = 0;  ///< of each row; or `whole_allocation`
  bool writes = false;
  std::size_t rows = 1;
  std::size_t pitch = 0;  ///< bytes from one row to the next

  /// All of the allocation that holds `address`: what a kernel may reach through a pointer.
  static constexpr std::size_t whole_allocation = ~std::size_t{0};
  friend bool operator==(const Access&, const Access&) = default;
};

/// One thing in a stream's queue. A scheduler may run it once all before it in its stream are done,
/// and `after` is; it needs to know no more, and `accesses` is all that the order can be judged by.
struct Operation {
  std::vector<Access> accesses;
  std::shared_ptr<const Operation> after;  ///< of another stream; nullptr: nothing to wait for
  mutable std::vector<StreamState*>
      dependents;  ///< streams whose next operation waits for this one
  bool done = false;
  Caller caller;             ///< the line that submitted it
  std::uint64_t number = 0;  ///< the scheduler's own, if there is one
  std::chrono::steady_clock::time_point finished{};

  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  [[nodiscard]] virtual OperationKind kind() const noexcept { return OperationKind::mark; }
  /// Does it, on whatever thread, without any lock held. Called once, but for what a graph holds.
  virtual Failure run() { return {}; }
  /// Whether it is done even after the device is lost: it gives something back.
  [[nodiscard]] virtual bool survives_loss() const noexcept { return true; }
};

/// An event's record, and a stream's wait for one (`after`).
struct MarkOperation final : Operation {};

/// Where, in the order of a stream, memory begins to be there. Only a scheduler needs to know.
struct AllocateOperation final : Operation {
  AllocateOperation(const void* memory, std::size_t bytes) { accesses = {{memory, bytes, true}}; }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::allocate; }
};

/// A launched grid.
struct KernelOperation final : Operation {
  Grid grid;
  GridPool& pool;
  Failure injected;  ///< the failure that a test asked for, instead of running

  KernelOperation(const KernelEntry& entry, const LaunchShape& shape, void** args,
                  GridPool& its_pool)
      : grid(entry, shape, args), pool(its_pool) {
    for (std::uint32_t i = 0; i < entry.parameter_count; ++i) {
      const ParameterInfo& parameter = entry.parameters[i];
      if (!parameter.is_pointer || parameter.size < sizeof(void*)) continue;
      Access access;
      access.bytes = Access::whole_allocation;
      access.writes = parameter.writes;
      // A span begins with its pointer.
      std::memcpy(&access.address, args[i], sizeof access.address);
      if (access.address != nullptr) accesses.push_back(access);
    }
  }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::kernel; }
  Failure run() override {
    if (injected.status != 0) return std::exchange(injected, {});
    pool.run(grid);
    return grid.take_failure();
  }
  [[nodiscard]] bool survives_loss() const noexcept override { return false; }
};

/// Bytes in rows: `rows` times `width` bytes, each row `pitch` bytes after the one before.
struct Rows {
  std::size_t width;
  std::size_t rows;

  /// From the first byte of the first row to the last of the last; SIZE_MAX if that does not fit.
  [[nodiscard]] constexpr std::size_t extent(std::size_t pitch) const noexcept {
    if (width == 0 || rows == 0) return 0;
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(pitch, rows - 1, &bytes)) return ~std::size_t{0};
    return __builtin_add_overflow(bytes, width, &bytes) ? ~std::size_t{0} : bytes;
  }
};

struct CopyOperation final : Operation {
  CopyOperation(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, Rows rows)
      : to_(static_cast<unsigned char*>(to)),
        from_(static_cast<const unsigned char*>(from)),
        to_pitch_(to_pitch),
        from_pitch_(from_pitch),
        rows_(rows) {
    accesses = {{to, rows.width, true, rows.rows, to_pitch},
                {from, rows.width, false, rows.rows, from_pitch}};
  }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::copy; }
  /// Takes the source's bytes now, as drivers do from pageable memory. That they are read in the
  /// stream's order stays declared: no vendor promises more.
  void stage() {
    staged_.resize(rows_.width * rows_.rows);
    copy(staged_.data(), rows_.width, from_, from_pitch_);
    from_ = staged_.data();
    from_pitch_ = rows_.width;
  }
  Failure run() override {
    copy(to_, to_pitch_, from_, from_pitch_);
    // A stream keeps its newest operation: not these bytes with it.
    std::vector<unsigned char>().swap(staged_);
    return {};
  }
  [[nodiscard]] bool survives_loss() const noexcept override { return false; }

 private:
  void copy(unsigned char* to, std::size_t to_pitch, const unsigned char* from,
            std::size_t from_pitch) const noexcept {
    for (std::size_t i = 0; i < rows_.rows; ++i) {
      std::memmove(to + i * to_pitch, from + i * from_pitch, rows_.width);
    }
  }
  unsigned char* to_;
  const unsigned char* from_;
  std::size_t to_pitch_;
  std::size_t from_pitch_;
  Rows rows_;
  std::vector<unsigned char> staged_;
};

struct FillOperation final : Operation {
  FillOperation(void* memory, unsigned char value, std::size_t bytes)
      : memory_(memory), value_(value), bytes_(bytes) {
    accesses = {{memory, bytes, true}};
  }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::fill; }
  Failure run() override {
    std::memset(memory_, value_, bytes_);
    return {};
  }
  [[nodiscard]] bool survives_loss() const noexcept override { return false; }

 private:
  void* memory_;
  unsigned char value_;
  std::size_t bytes_;
};

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
  virtual void known_done(Operations operations) = 0;
  /// The host has been told that work is not done.
  virtual void known_pending() = 0;
  /// A stream was to wait for an event that was never recorded: it waits for nothing.
  virtual void wait_was_empty(StreamState& stream) = 0;
  /// The host itself touches memory, or gets or frees it by a call that is in no stream's order.
  virtual void touched(const debug::MemoryAccess& access) = 0;
  /// The program destroys a stream. What it still holds is to be run all the same.
  virtual void destroyed(StreamState& stream) = 0;
  /// A call named a stream that is none, or none any more.
  virtual void refused(const StreamState* stream) = 0;
};

}  // namespace warpsafe::host
