// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/shared_requests.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/backend/host/detail/warning.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/detail/kept_text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Why running work failed. `text` is empty if the status needs no further text.
struct Failure {
  int status = 0;
  Name text{nullptr, 0};  ///< as `keep_error_text` keeps it
};

/// A kernel's arguments, copied at the launch, because the caller's may not exist when it runs.
class ArgumentBlock {
 public:
  ArgumentBlock(const KernelEntry& entry, void** args) {
    std::size_t alignment = 1;
    std::size_t bytes = 0;
    Array<std::size_t> offsets;
    for (std::uint32_t i = 0; i < entry.parameter_count; ++i) {
      const ParameterInfo& parameter = entry.parameters[i];
      if (parameter.alignment > alignment) alignment = parameter.alignment;
      bytes = warpsafe::detail::place_after(bytes, parameter.alignment);
      offsets.push_back(bytes);
      bytes += parameter.size;
    }
    storage_.resize(bytes + alignment);
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(storage_.data()) % alignment;
    unsigned char* const begin = storage_.data() + (alignment - misaligned);
    for (std::uint32_t i = 0; i < entry.parameter_count; ++i) {
      values_.push_back(begin + offsets[i]);
      std::memcpy(values_[i], args[i], entry.parameters[i].size);
    }
  }
  ArgumentBlock(const ArgumentBlock&) = delete;
  ArgumentBlock& operator=(const ArgumentBlock&) = delete;

  [[nodiscard]] void** values() noexcept { return values_.data(); }

 private:
  Array<unsigned char> storage_;
  Array<void*> values_;
};

class PredecessorWatch;

/// A launched grid.
class Grid {
 public:
  Grid(const KernelEntry& entry, const LaunchShape& its_shape, void** args)
      : shape(its_shape), entry_(entry), arguments_(entry, args) {}

  const LaunchShape shape;
  Name kernel{nullptr, 0};  ///< its name, if the launch told it
  /// Whether the context of its device is lost. Its address stands for the device.
  const Atomic<bool>* device_lost = nullptr;
  bool told_unending = false;  ///< by GridPool::end_blocks

  /// What a block may have of shared memory, in bytes; 0: not known.
  struct SharedLimits {
    std::uint64_t static_bytes = 0;
    std::uint64_t all_bytes = 0;
  } limits{};

  SharedRequests requests{};

  /// Follows its threads, for the race detector; or nullptr.
  PredecessorWatch* watch = nullptr;

  /// Runs the kernel for the thread in `host_thread` and those that continue after it.
  void call() { entry_.invoke(entry_.function, arguments_.values()); }
  [[nodiscard]] const void* function() const noexcept { return entry_.function; }
  [[nodiscard]] const KernelEntry& entry() const noexcept { return entry_; }
  [[nodiscard]] void** values() noexcept { return arguments_.values(); }

  /// What a block did with shared memory: whether it asked for the dynamic one, and the bytes of
  /// its static arrays.
  void add_shared_use(bool asks_dynamic, std::size_t static_bytes) noexcept {
    if (asks_dynamic) asks_dynamic_.store(true, __ATOMIC_RELAXED);
    std::uint64_t most = static_bytes_.load(__ATOMIC_RELAXED);
    while (most < static_bytes && !static_bytes_.compare_exchange(most, static_bytes)) {
    }
  }
  /// Fails a grid that ran to its end and whose launch gave the size of the kernel's static arrays
  /// as dynamic shared memory, which no thread asked for. A GPU does not notice, and runs fewer
  /// blocks at once.
  void check_shared_use() {
    const std::uint64_t given = shape.dynamic_shared;
    if (given == 0 || static_bytes_ != given || asks_dynamic_) return;
    char text[320];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    out << "the launch gives " << given << " bytes of dynamic shared memory, which is the size of "
        << "the kernel's shared_array memory, and no thread asks for it; leave it out (or call "
        << "dynamic_shared<T>(0) in the kernel)";
    fail(HostStatus::launch_failure, text);
  }

  /// What the threads of a block asked for and used.
  void add_use(const warpsafe::detail::IndexUse& block) noexcept {
    const Lock lock(use_mutex_);
    use_.add(block);
  }
  /// The elements that the launch covers, if it has fewer threads, all along x. If it covers no
  /// size, those that its number of blocks would cover if it were rounded up.
  [[nodiscard]] warpsafe::detail::HostThread::WatchedSizes watched() const noexcept {
    if (rows() != 1) return {};
    if (shape.elements > threads()) return {shape.elements, shape.elements};
    if (shape.elements > 1 || shape.blocks() == 1 || shape.block[0] == 1) return {};
    return {threads() + 1, threads() + shape.block[0] - 1};
  }
  [[nodiscard]] bool covers_too_few() const noexcept {
    return rows() == 1 && shape.elements > threads();
  }
  /// Fails a grid that ran to its end and did what a GPU would not notice.
  void check_use() {
    check_shared_use();
    check_static_shared();
    check_requests();
    check_rows();
    check_elements();
  }
  /// Fails a grid whose blocks have more shared memory than `limits` allow: no compiler or driver
  /// takes it for a GPU.
  void check_static_shared() {
    const std::uint64_t used = static_bytes_;
    const std::uint64_t all = used + shape.dynamic_shared;
    const bool too_large = limits.static_bytes != 0 && used > limits.static_bytes;
    if (!too_large && (used == 0 || limits.all_bytes == 0 || all <= limits.all_bytes)) return;
    char text[320];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    out << "the kernel's shared_array memory takes " << used << " bytes";
    if (too_large) {
      out << ", and the limit of static shared memory is " << limits.static_bytes
          << " bytes for each block; make it dynamic_shared<T>(count), and give the launch "
             "shared<T>(count)";
    } else {
      out << " and the launch gives " << shape.dynamic_shared << " bytes: " << all
          << " together, and the limit of a block is " << limits.all_bytes
          << " bytes of shared memory; use smaller arrays";
    }
    fail(HostStatus::launch_failure, text);
  }
  /// Fails a grid whose kernel takes two calls of dynamic_shared for two arrays. Warns of a launch
  /// that gives bytes as a number of elements, once for each kernel.
  void check_requests() {
    char text[512];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    if (requests.put_separate(out, shape.dynamic_shared)) fail(HostStatus::launch_failure, text);
    if (!stopped() && requests.put_in_bytes(out, kernel, shape.dynamic_shared)) warn(text);
  }
  /// Fails a grid of several rows whose threads took their work from grid_stride alone: each row
  /// did all of it.
  void check_rows() {
    if (rows() <= 1 || !use_.strides || use_.thread || use_.block) return;
    char text[320];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    out << "the grid has " << rows()
        << " rows of threads along y and z, and grid_stride runs along x "
        << "only: each row did the work of all, because no thread asks for its row; launch a grid of "
        << "one dimension, such as cover(count, block<256>), or take the row from thread_index().y";
    fail(HostStatus::launch_failure, text);
  }

  /// Fails a grid whose threads used the elements of their own numbers alone, of more. Warns of
  /// one whose kernel does not ask for what it needs to find its elements: a kernel may have that
  /// from its arguments.
  void check_elements() {
    if (stopped() || use_.grid_size || use_.adds) return;
    char text[512];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    const bool only_own = use_.own && !use_.other;
    if (shape.elements <= 1) {
      if (!only_own) return;
      out << "warpsafe: the launch of '" << (kernel.empty() ? Name::of("(unknown)") : kernel)
          << "' has " << shape.blocks() << " blocks, " << threads()
          << " threads, and each thread used only the element of its own number in a span of "
             "more: elements from "
          << threads() << " on are left out; cover(n, block<" << std::uint64_t{shape.block[0]}
          << ">) rounds the number of blocks up";
      return warn(text);
    }
    if (covers_too_few() && only_own) {
      out << "the launch covers " << shape.elements << " elements with " << threads()
          << " threads, and each thread used only the element of its own number: elements "
          << threads() << " to " << shape.elements - 1
          << " are left out; let the kernel loop with grid_stride(n), or launch it with cover(n, "
             "block<256>), which has a thread for each element";
      return fail(HostStatus::launch_failure, text);
    }
    out << "warpsafe: the launch of '" << (kernel.empty() ? Name::of("(unknown)") : kernel)
        << "' covers " << shape.elements << " elements with ";
    if (shape.strides && covers_too_few() && use_.thread && !use_.block_size && !use_.other) {
      out << threads() << " threads, and the kernel calls neither grid_stride(n) nor grid_size(): "
          << "elements " << threads() << " to " << shape.elements - 1
          << " are left out unless it strides by a number of its own; loop with grid_stride(n)";
      warn(text);
    } else if (use_.thread && !use_.block && shape.blocks() > 1) {
      out << shape.blocks() << " blocks, and no thread asks for its block: each block does the "
          << "same; take the element from thread_index(), or from block_index() if a block handles "
             "an element";
      warn(text);
    }
  }

  /// The number of the `place`th block of the `number`th cluster, both x fastest.
  [[nodiscard]] std::uint64_t block_of_cluster(std::uint64_t number,
                                               std::uint64_t place) const noexcept {
    std::uint64_t block = 0;
    std::uint64_t stride = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const std::uint64_t blocks = shape.cluster[axis];
      const std::uint64_t clusters = shape.grid[axis] / blocks;
      block += (number % clusters * blocks + place % blocks) * stride;
      number /= clusters;
      place /= blocks;
      stride *= shape.grid[axis];
    }
    return block;
  }
  /// The indices of the `number`th block, x fastest.
  void block_index(std::uint64_t number, unsigned (&index)[3]) const noexcept {
    index[0] = static_cast<unsigned>(number % shape.grid[0]);
    index[1] = static_cast<unsigned>(number / shape.grid[0] % shape.grid[1]);
    index[2] = static_cast<unsigned>(number / shape.grid[0] / shape.grid[1]);
  }

  /// Records the first failure, and starts no further block. `address` is that of a bad access. A
  /// signal handler calls this, so it neither locks nor allocates.
  void fail(HostStatus status, const char* text, const void* address = nullptr) noexcept {
    if (stopped_.exchange(true)) return;
    std::size_t size = 0;
    for (; text[size] != '\0' && size + 1 < sizeof failure_text_; ++size) {
      failure_text_[size] = text[size];
    }
    failure_text_[size] = '\0';
    bad_address_ = address;
    failure_ = raw(status);
  }
  void stop() noexcept { stopped_ = true; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(__ATOMIC_RELAXED); }

  /// A thread calls wait_for_predecessor() (`waits`) or allow_dependents().
  void depend(bool waits) noexcept { (waits ? waited_ : allowed_) = true; }
  [[nodiscard]] bool waited() const noexcept { return waited_; }
  [[nodiscard]] bool allowed() const noexcept { return allowed_; }
  /// Forgets these calls, before the grid runs.
  void begin() noexcept {
    waited_ = false;
    allowed_ = false;
  }

  /// Takes the failure. The grid can run again afterwards, since graphs are replayed. @pre all its
  /// blocks have ended
  [[nodiscard]] Failure take_failure() {
    stopped_ = false;
    Failure failure{take_value(failure_, 0), {}};
    if (failure.status != 0)
      failure.text = warpsafe::detail::keep_error_text(Name::of(failure_text_));
    return failure;
  }
  /// Of a stopped grid: why it failed; empty if it did not.
  [[nodiscard]] Name failure_text() const noexcept { return Name::of(failure_text_); }
  /// Of the last failure: the address of the bad access, or nullptr.
  [[nodiscard]] const void* bad_address() const noexcept { return bad_address_; }

 private:
  /// The rows of threads along y and z.
  [[nodiscard]] std::uint64_t rows() const noexcept {
    return std::uint64_t{shape.grid[1]} * shape.block[1] * shape.grid[2] * shape.block[2];
  }
  [[nodiscard]] std::uint64_t threads() const noexcept {
    return shape.blocks() * shape.threads_per_block();
  }
  /// Prints a warning about the kernel, the first time. A program with more kernels that do
  /// something like this has been told often enough.
  void warn(const char* text) const noexcept {
    if (is_told_of(function())) return;
    warpsafe::detail::tell_warning(text);
  }
  [[nodiscard, gnu::visibility("hidden")]] static bool is_told_of(const void* function) noexcept {
    static Atomic<const void*> told[32];
    for (Atomic<const void*>& slot : told) {
      const void* seen = nullptr;
      if (slot.compare_exchange(seen, function)) return false;
      if (seen == function) return true;
    }
    return true;
  }

  const KernelEntry entry_;
  ArgumentBlock arguments_;
  // Written once, by the thread that stops the grid, and read after its blocks.
  char failure_text_[512] = {};
  const void* bad_address_ = nullptr;
  int failure_ = 0;
  Atomic<bool> stopped_ = false;
  Mutex use_mutex_;
  warpsafe::detail::IndexUse use_{};
  Atomic<bool> asks_dynamic_ = false;
  Atomic<std::uint64_t> static_bytes_ = 0;
  Atomic<bool> waited_ = false;
  Atomic<bool> allowed_ = false;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
