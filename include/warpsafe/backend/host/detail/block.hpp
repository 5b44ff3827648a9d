// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace warpsafe::host {

using warpsafe::detail::host_thread;
using warpsafe::detail::HostThread;
using warpsafe::detail::TextBuffer;

/// The source line at which a thread waits for its block.
struct BarrierSite {
  const char* file = nullptr;
  unsigned line = 0;

  [[nodiscard]] bool same_as(const BarrierSite& other) const noexcept {
    // Two translation units may contain the same file name at different addresses.
    return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
  }
};

/// Shared memory of the running block. It is reused from block to block, and filled with
/// `fresh_pattern` each time, because a GPU does not clear it either.
class SharedMemory {
 public:
  /// Begins a block with `dynamic_bytes` bytes of dynamic shared memory.
  void begin_block(std::size_t dynamic_bytes) {
    dynamic_.reserve(dynamic_bytes);
    fill_pattern(dynamic_.data(), dynamic_bytes, fresh_pattern);
    // Drop the variables of earlier kernels once there are more than one kernel is likely to have.
    if (variables_.size() > 32) variables_.clear();
    for (Variable& variable : variables_) variable.live = false;
  }
  [[nodiscard]] unsigned char* dynamic(std::size_t bytes) noexcept {
    return bytes == 0 ? nullptr : dynamic_.data();
  }
  /// The block's variable `key`; created on first use.
  [[nodiscard]] void* variable(const void* key, std::size_t bytes) {
    for (Variable& variable : variables_) {
      if (variable.key == key) return variable.begin(bytes);
    }
    variables_.push_back({key, {}, false});
    return variables_.back().begin(bytes);
  }

 private:
  /// Memory that only grows, aligned for anything that a kernel keeps in shared memory (CUDA's bulk
  /// copies ask for 128 bytes, the most).
  class Bytes {
   public:
    void reserve(std::size_t bytes) {
      if (bytes <= capacity_) return;
      data_.reset(static_cast<unsigned char*>(::operator new(bytes, alignment)));
      capacity_ = bytes;
    }
    [[nodiscard]] unsigned char* data() const noexcept { return data_.get(); }

   private:
    static constexpr std::align_val_t alignment{1024};
    struct Delete {
      void operator()(unsigned char* memory) const noexcept {
        ::operator delete(memory, alignment);
      }
    };
    std::unique_ptr<unsigned char, Delete> data_;
    std::size_t capacity_ = 0;
  };
  struct Variable {
    const void* key;
    Bytes storage;
    bool live;

    [[nodiscard]] void* begin(std::size_t bytes) {
      if (!live) {
        storage.reserve(bytes);
        fill_pattern(storage.data(), bytes, fresh_pattern);
        live = true;
      }
      return storage.data();
    }
  };

  Bytes dynamic_;
  std::vector<Variable> variables_;
};

/// Sets the indices of the `number`th thread, x fastest. Uses 32 bits, which divide several times
/// as fast as 64; no block has more threads than fit.
inline void set_thread_index(HostThread& thread, std::uint64_t number) noexcept {
  const auto place = static_cast<unsigned>(number);
  thread.thread[0] = place % thread.block_dim[0];
  const unsigned row = place / thread.block_dim[0];
  thread.thread[1] = row % thread.block_dim[1];
  thread.thread[2] = row / thread.block_dim[1];
}

/// The inverse of set_thread_index: a thread's number in its block.
[[nodiscard]] inline std::uint64_t thread_number(const HostThread& thread) noexcept {
  return thread.thread[0] +
         std::uint64_t{thread.block_dim[0]} *
             (thread.thread[1] + std::uint64_t{thread.block_dim[1]} * thread.thread[2]);
}

/// Reports that threads of one block wait for each other forever.
inline void fail_divergence(Grid& grid, const unsigned (&block)[3], std::uint64_t finished,
                            const BarrierSite& first, std::uint64_t at_first,
                            const BarrierSite& other, std::uint64_t elsewhere) {
  char text[512];
  TextBuffer out(text, sizeof text);
  out << "barrier divergence in block " << block << ": of " << finished + at_first + elsewhere
      << " threads, " << at_first << " wait at " << first.file << ':' << first.line;
  if (elsewhere != 0) out << ", " << elsewhere << " at " << other.file << ':' << other.line;
  if (finished != 0) out << ", " << finished << " have finished";
  grid.fail(HostStatus::barrier_divergence, text);
}

/// Reports an exception that leaves kernel code.
inline void fail_exception(Grid& grid, const HostThread& at, const char* what) {
  char text[512];
  TextBuffer out(text, sizeof text);
  out << "the kernel threw in block " << at.block << ", thread " << at.thread << ": " << what;
  grid.fail(HostStatus::launch_failure, text);
}

}  // namespace warpsafe::host
