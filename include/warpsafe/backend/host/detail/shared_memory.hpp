// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/core/detail/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

// The shared memory of the block that an OS thread runs.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

using warpsafe::detail::TextBuffer;

/// The running block's shared memory. Each block finds `fresh_pattern` in it, because a GPU does
/// not clear it either. Behind each array is a guard, which is checked at the end of the block.
class SharedMemory {
 public:
  /// Begins a block with `dynamic_bytes` bytes of dynamic shared memory.
  void begin_block(std::size_t dynamic_bytes) {
    dynamic_.begin(dynamic_bytes);
    if (variables_.size() > 32) variables_.clear();  // mostly those of earlier kernels
    for (Variable& variable : variables_) variable.live = false;
  }
  [[nodiscard]] unsigned char* dynamic(std::size_t bytes) noexcept {
    return bytes == 0 ? nullptr : dynamic_.data();
  }
  /// Fails the grid if the block has written behind one of its arrays: other memory on a GPU.
  void end_block(Grid& grid, const unsigned (&block)[3], bool asks_dynamic) const {
    if (!dynamic_.intact()) fail_overrun(grid, block, dynamic_.size(), "dynamic");
    std::size_t all = 0;
    for (const auto& [key, storage, live] : variables_) {
      if (live && !storage.intact()) fail_overrun(grid, block, storage.size(), "static");
      all += live ? storage.size() : 0;
    }
    grid.add_shared_use(asks_dynamic, all);
    const std::uint64_t needed = grid.requests.needed();
    if (needed != 0 && !dynamic_.is_fresh_from(needed)) grid.requests.use_more();
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
    /// `bytes` fresh bytes.
    void begin(std::size_t bytes) {
      if (data_ == nullptr || bytes > capacity_) {
        data_ = Data(
            static_cast<unsigned char*>(::operator new(bytes + guard_bytes + slack, alignment)));
        capacity_ = bytes;
      }
      size_ = bytes;
      fill_pattern(data(), bytes, fresh_pattern);
      fill_pattern(data() + bytes, guard_bytes, guard_pattern);
    }
    [[nodiscard]] unsigned char* data() const noexcept { return data_.get(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Whether the bytes from `offset` on are as `begin` has left them. @pre offset <= size()
    [[nodiscard]] bool is_fresh_from(std::size_t offset) const noexcept {
      const unsigned shift = 8 * static_cast<unsigned>(offset % 4);
      return holds_pattern(data() + offset, size_ - offset,
                           fresh_pattern >> shift | fresh_pattern << (32 - shift) % 32);
    }
    [[nodiscard]] bool intact() const noexcept {
      unsigned char expected[guard_bytes];
      fill_pattern(expected, guard_bytes, guard_pattern);
      return std::memcmp(data() + size_, expected, guard_bytes) == 0;
    }

   private:
    static constexpr std::align_val_t alignment{1024};
    static constexpr std::size_t guard_bytes = 128;
    /// Takes writes that go on behind the guard, so that they do not destroy the program's heap
    /// before the guard is checked. As much as a GPU's shared memory without an opt-in.
    static constexpr std::size_t slack = 49152;
    struct Delete {
      void operator()(unsigned char* old) const noexcept { ::operator delete(old, alignment); }
    };
    using Data = Owned<unsigned char, Delete>;
    Data data_;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
  };
  struct Variable {
    const void* key;
    Bytes storage;
    bool live;

    [[nodiscard]] void* begin(std::size_t bytes) {
      if (!live) storage.begin(bytes);
      live = true;
      return storage.data();
    }
  };

  static void fail_overrun(Grid& grid, const unsigned (&block)[3], std::size_t bytes,
                           const char* which) {
    char text[256];
    TextBuffer out(text, sizeof text);
    out << "the kernel wrote past the end of its " << bytes << " bytes of " << which
        << " shared memory, in block " << block;
    grid.fail(HostStatus::illegal_address, text);
  }

  Bytes dynamic_;
  Array<Variable> variables_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
