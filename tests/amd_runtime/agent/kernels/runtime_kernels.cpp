// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The runtime copies and fills with kernels, which it compiles at the first use from OpenCL source
// that it carries. What they do, by their signatures there. Release 6 changed two of them; which
// one it is shows in values that the other cannot have in these places.
#include "runtime_kernels.hpp"

#include "../answer.hpp"

namespace soft_hsa {
namespace {

class Arguments {
 public:
  explicit Arguments(const void* block) : block_(block) {}
  [[nodiscard]] std::byte* pointer(std::size_t offset) const {
    return read_at<std::byte*>(block_, offset);
  }
  [[nodiscard]] std::uint64_t number(std::size_t offset) const {
    return read_at<std::uint64_t>(block_, offset);
  }
  [[nodiscard]] std::uint64_t half(std::size_t offset) const {
    return read_at<std::uint32_t>(block_, offset);
  }

 private:
  const void* block_;
};

void repeat(std::byte* to, std::uint64_t times, const std::byte* pattern, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < times; ++i) std::memcpy(to + i * bytes, pattern, bytes);
}

void copy(const Arguments& a) {
  const bool release_6 =
      a.number(32) == reinterpret_cast<std::uint64_t>(a.pointer(8)) + a.number(16) - a.half(24);
  if (release_6) {
    std::memmove(a.pointer(8), a.pointer(0), a.number(16));
  } else {
    std::memmove(a.pointer(8) + a.number(24), a.pointer(0) + a.number(16),
                 (a.number(32) - 1) * 4 + a.half(40));
  }
}

void copy_aligned(const Arguments& a) {
  std::memmove(a.pointer(8) + a.number(24) * a.half(40), a.pointer(0) + a.number(16) * a.half(40),
               a.number(32) * a.half(40));
}

void copy_rectangle(const Arguments& a, std::uint64_t unit) {
  constexpr std::size_t from = 32, to = 64, size = 96;  // a ulong4 is aligned to 32
  const auto at = [&](std::size_t rectangle, std::uint64_t y, std::uint64_t z) {
    return unit *
           (a.number(rectangle + 16) + y * a.number(rectangle) + z * a.number(rectangle + 8));
  };
  for (std::uint64_t z = 0; z < a.number(size + 16); ++z) {
    for (std::uint64_t y = 0; y < a.number(size + 8); ++y) {
      std::memmove(a.pointer(8) + at(to, y, z), a.pointer(0) + at(from, y, z),
                   unit * a.number(size));
    }
  }
}

void fill_release_6(const Arguments& a) {
  const std::uint64_t bytes = a.half(16) * a.half(20);
  const std::uint64_t size = a.number(24) - reinterpret_cast<std::uint64_t>(a.pointer(0));
  repeat(a.pointer(0), size / bytes, a.pointer(8), bytes);
}

void fill(const Arguments& a, bool two_dimensions) {
  // One of four pointers is set, and tells the unit that all else is counted in.
  std::size_t i = 0;
  while (i < 3 && a.pointer(8 * i) == nullptr) ++i;
  const std::uint64_t unit = std::uint64_t{1} << i;
  std::byte* const to = a.pointer(8 * i) + a.number(48) * unit;
  if (!two_dimensions) return repeat(to, a.number(56), a.pointer(32), a.half(40) * unit);
  for (std::uint64_t y = 0; y < a.number(64); ++y) {
    repeat(to + y * a.number(72) * unit, a.number(56), a.pointer(32), a.half(40) * unit);
  }
}

void write_value(const Arguments& a) {
  const std::uint64_t value = a.number(16);
  if (a.pointer(0) != nullptr) std::memcpy(a.pointer(0), &value, 4);
  if (a.pointer(8) != nullptr) std::memcpy(a.pointer(8), &value, 8);
}

}  // namespace

bool run_runtime_kernel(const std::string& name, const void* block) {
  const Arguments a(block);
  if (name == "__amd_rocclr_copyBuffer") {
    copy(a);
  } else if (name == "__amd_rocclr_copyBufferAligned") {
    copy_aligned(a);
  } else if (name == "__amd_rocclr_copyBufferRect") {
    copy_rectangle(a, 1);
  } else if (name == "__amd_rocclr_copyBufferRectAligned") {
    copy_rectangle(a, 4);
  } else if (name == "__amd_rocclr_fillBufferAligned") {
    if (a.pointer(0) != nullptr && a.pointer(8) != nullptr) {
      fill_release_6(a);
    } else {
      fill(a, false);
    }
  } else if (name == "__amd_rocclr_fillBufferAligned2D") {
    fill(a, true);
  } else if (name == "__amd_rocclr_streamOpsWrite") {
    write_value(a);
  } else if (name != "__amd_rocclr_gwsInit") {  // of cooperative launches; there is no such memory
    return false;
  }
  return true;
}

}  // namespace soft_hsa
