// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/backend/host/detail/caller.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/grid_pool.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/detail/kept_text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

struct StreamState;

enum class OperationKind : std::uint8_t { mark, kernel, copy, fill, allocate, release, graph };

/// An operation in a stream's queue. A scheduler may run it once all earlier operations of its
/// stream and `after` are done. It judges the order by `accesses` alone.
struct Operation : Counted {
  /// Of a kernel: what it was given. It may access the whole allocations, and only the race
  /// detector narrows them.
  Array<MemoryAccess> accesses;
  Shared<const Operation> after;  ///< of another stream; nullptr if there is nothing to wait for
  mutable Array<StreamState*>
      dependents;  ///< streams whose next operation waits for this one; or nullptr
  bool done = false;
  Caller caller;             ///< the line that submitted it
  std::uint64_t number = 0;  ///< set by the scheduler, if there is one
  Time finished = 0;

  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  [[nodiscard]] virtual OperationKind kind() const noexcept { return OperationKind::mark; }
  /// Whether the device has nothing to do for it, so that it orders no other work: an allocation,
  /// and the launch of a graph without nodes (an H200, driver 580.159.04).
  [[nodiscard]] virtual bool is_no_work() const noexcept { return false; }
  /// Executes the operation, on any thread, without a lock held. Called once, except for operations
  /// of a graph.
  virtual Failure run() { return {}; }
  /// Whether it is executed even after the device is lost, because it frees something.
  [[nodiscard]] virtual bool survives_loss() const noexcept { return true; }
};

/// An event's record, or a stream's wait for a record (`after`).
struct MarkOperation final : Operation {
  /// What the runtime had seen when an event was recorded.
  struct Seen {
    const Operation* last = nullptr;  ///< of the stream; it may be gone
    std::uint64_t work = 0;           ///< Runtime::work_seen
    std::uint64_t waits = 0;          ///< Runtime::waits_seen
  } seen{};
};

/// Marks where in the order of a stream memory begins to exist. Only a scheduler uses it.
struct AllocateOperation final : Operation {
  AllocateOperation(const void* memory, std::size_t bytes) {
    accesses = {MemoryAccess::of(memory, bytes, AccessKind::allocate)};
  }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::allocate; }
  [[nodiscard]] bool is_no_work() const noexcept override { return true; }
};

struct KernelOperation;
/// Sees what one run of a kernel changes. Called on the kernel's thread, without a lock held.
struct KernelWatch {
  KernelWatch() = default;
  KernelWatch(const KernelWatch&) = delete;
  KernelWatch& operator=(const KernelWatch&) = delete;
  virtual ~KernelWatch() = default;
  virtual void begins(const KernelOperation& kernel) noexcept = 0;
  virtual void has_run(const KernelOperation& kernel) noexcept = 0;
};

/// A launched grid.
struct KernelOperation final : Operation {
  Grid grid;
  GridPool& pool;
  SharedRegistry* known;  ///< of all memory; nullptr: nothing is known
  Failure injected;       ///< the failure that a test asked for in place of running
  /// When it was launched, the host knew that all earlier work of the stream had ended.
  bool begins_alone = false;
  bool followed = false;      ///< a scheduler reports what the next member says
  bool never_waited = false;  ///< the grid ran, as a dependent launch, and no thread waited
  /// The first parameter, from 1, that holds an address which its type hides, or whose elements are
  /// addresses; 0: none.
  std::uint32_t unseen = 0;
  KernelWatch* watch = nullptr;  ///< of its next run

  KernelOperation(const KernelEntry& entry, const LaunchShape& shape, void** args,
                  GridPool& its_pool, SharedRegistry* memory = nullptr)
      : grid(entry, shape, args), pool(its_pool), known(memory) {
    const std::uint64_t* const windows = host::caller().windows;
    warpsafe::detail::each_memory(entry, args, [&](const warpsafe::detail::GivenMemory& given) {
      const bool is_known =
          given.is_inner || given.bytes != warpsafe::detail::unknown_extent || windows == nullptr;
      accesses.push_back(MemoryAccess::of(
          given.address, is_known ? given.bytes : windows[given.parameter],
          given.writes ? AccessKind::write : AccessKind::read, given.rows, given.pitch));
    });
  }
  /// The same launch, for another executable graph, which may run at the same time.
  [[nodiscard]] Shared<KernelOperation> copy() {
    auto made = make_shared<KernelOperation>(grid.entry(), grid.shape, grid.values(), pool, known);
    made->grid.limits = grid.limits;
    made->grid.device_lost = grid.device_lost;
    made->accesses = accesses;
    made->caller = caller;
    made->injected = injected;
    made->unseen = unseen;
    return made;
  }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::kernel; }
  Failure run() override {
    if (injected.status != 0) return take_value(injected, {});
    grid.kernel = caller.kernel;
    KernelWatch* const watched_by = take_value(watch, nullptr);
    if (watched_by != nullptr) watched_by->begins(*this);
    grid.begin();
    pool.run(grid);
    if (watched_by != nullptr) watched_by->has_run(*this);
    never_waited = grid.shape.programmatic && !grid.waited() && !grid.stopped();
    if (never_waited && !followed) return {raw(HostStatus::never_waited), {}};
    Failure failure = grid.take_failure();
    if (known == nullptr) return failure;
    if (failure.status == 0 && grid.watch == nullptr) return find_overrun();
    if (grid.bad_address() != nullptr) name_memory(failure.text);
    return failure;
  }
  [[nodiscard]] bool survives_loss() const noexcept override { return false; }

 private:
  /// Looks behind the memory that the kernel was given. A GPU finds such a write later or never.
  [[nodiscard]] Failure find_overrun() const {
    const Lock lock(known->mutex);
    for (const MemoryAccess& access : accesses) {
      Allocation* const memory = known->memory.around(access.address());
      if (memory == nullptr) continue;
      char text[320];
      warpsafe::detail::TextBuffer out(text, sizeof text);
      out << "; found at the end of ";
      if (caller.kernel.empty()) {
        out << "a kernel";
      } else {
        out << "kernel '" << caller.kernel << '\'';
      }
      if (caller.site.file != nullptr) out << ", launched at " << caller.site;
      Failure failure = memory->take_overrun({text, out.size()});
      if (failure.status != 0) return failure;
    }
    return {};
  }
  /// Appends the allocation that is nearest to the bad access.
  void name_memory(Name& text) const {
    char nearest[1024];
    warpsafe::detail::TextBuffer out(nearest, sizeof nearest);
    out << text;
    const Lock lock(known->mutex);
    known->memory.name_nearest(out, grid.bad_address());
    text = warpsafe::detail::keep_error_text({nearest, out.size()});
  }
};

/// Rows of bytes: `rows` rows of `width` bytes. Source and target of a copy each have their pitch,
/// the bytes from one row to the next.
struct Rows {
  std::size_t width;
  std::size_t rows;

  /// Bytes from the first to the last byte; SIZE_MAX if that does not fit.
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
    accesses = {MemoryAccess::of(to, rows.width, AccessKind::write, rows.rows, to_pitch),
                MemoryAccess::of(from, rows.width, AccessKind::read, rows.rows, from_pitch)};
  }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::copy; }
  /// Reads the source's bytes now, as drivers do for pageable memory. The access stays declared in
  /// stream order, because vendors promise no more.
  void stage() {
    staged_.resize(rows_.width * rows_.rows);
    copy(staged_.data(), rows_.width, from_, from_pitch_);
    from_ = staged_.data();
    from_pitch_ = rows_.width;
  }
  Failure run() override {
    copy(to_, to_pitch_, from_, from_pitch_);
    // A stream keeps its newest operation, but must not keep these bytes.
    staged_ = {};
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
  Array<unsigned char> staged_;
};

struct FillOperation final : Operation {
  FillOperation(void* memory, unsigned char value, std::size_t bytes)
      : memory_(memory), value_(value), bytes_(bytes) {
    accesses = {MemoryAccess::of(memory, bytes, AccessKind::write)};
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

/// Some operations in a row, none of them nullptr.
struct Operations {
  const Shared<const Operation>* first;
  std::size_t count;

  [[nodiscard]] std::size_t size() const noexcept { return count; }
  [[nodiscard]] const Shared<const Operation>* begin() const noexcept { return first; }
  [[nodiscard]] const Shared<const Operation>* end() const noexcept { return first + count; }
};

/// Decides when operations run, instead of the streams' workers. The runtime reports everything
/// that orders them. At most one is active: Runtime::scheduler. Every member is called with the
/// runtime's mutex held; members that take the lock may release it for a while.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// A call of the program begins.
  virtual void begin_call(Lock& lock) = 0;
  /// The operation was added to the end of the stream's queue.
  virtual void submitted(StreamState& stream, Operation& operation) = 0;
  /// Runs operations until all of these are done; none is nullptr.
  virtual void finish(Lock& lock, Operations operations) = 0;
  /// The host now knows that these are done; none is nullptr.
  virtual void known_done(Operations operations) = 0;
  /// Whether the host knows that the operation is done.
  [[nodiscard]] virtual bool host_knows(const Operation& operation) const = 0;
  /// Whether new memory is to be freed memory, if some fits.
  virtual bool hands_out_again() = 0;
  /// Whether a new stream gets the handle of a destroyed one.
  virtual bool reuses_handle() = 0;
  /// The host now knows that some work is not done.
  virtual void known_pending() = 0;
  /// A stream waited for an event that was never recorded, so it does not wait.
  virtual void empty_wait(StreamState& stream) = 0;
  /// The host accesses memory, or allocates or frees it outside any stream's order.
  virtual void touched(const MemoryAccess& access) = 0;
  /// The program destroys a stream. Its remaining operations must still run.
  virtual void destroyed(StreamState& stream) = 0;
  /// A destroyed stream, whose operations have run, goes. Another State may get its address.
  virtual void forgotten(const StreamState& stream) = 0;
  /// A call named a stream that does not exist. `former` is the last one that had the handle, which
  /// may be gone; nullptr if there was none.
  virtual void refused(const StreamState* former) = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
