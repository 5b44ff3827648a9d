// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/name.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The contents of memory that was never written. It is a NaN as float and as double, and an absurd
/// number as an integer, so that reading before a copy is noticed.
inline constexpr std::uint32_t fresh_pattern = 0xFFFAFAFA;
inline constexpr std::uint32_t freed_pattern = 0xFFFDFDFD;
inline constexpr std::uint32_t guard_pattern = 0xFFFCFCFC;

/// Fills `bytes` bytes with `pattern`; a last partial word gets the pattern's first bytes.
inline void fill_pattern(void* memory, std::size_t bytes, std::uint32_t pattern) noexcept {
  auto* to = static_cast<unsigned char*>(memory);
  for (; bytes >= sizeof pattern; bytes -= sizeof pattern, to += sizeof pattern) {
    std::memcpy(to, &pattern, sizeof pattern);
  }
  if (bytes != 0) std::memcpy(to, &pattern, bytes);
}

/// Whether all `bytes` bytes have the pattern that fill_pattern writes.
[[nodiscard]] inline bool holds_pattern(const void* memory, std::size_t bytes,
                                        std::uint32_t pattern) noexcept {
  const auto* const at = static_cast<const unsigned char*>(memory);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (at[i] != static_cast<unsigned char>(pattern >> (i % 4 * 8))) return false;
  }
  return true;
}

/// WARPSAFE_GUARD: which accesses outside of an allocation fault at once.
enum class MemoryGuard : std::uint8_t {
  usual,   ///< those behind the next multiple of 256 bytes; the rest is checked when it is freed
  past,    ///< 1: those past the end, but for the rest of 16 bytes
  before,  ///< before: those before the beginning; past the end, the rest of the page is checked
};
/// Reads the switch once. Writes a line to standard error if its value is malformed.
[[nodiscard, gnu::visibility("default")]] inline MemoryGuard memory_guard() noexcept {
  static const MemoryGuard guard = [] {
    const char* const value = warpsafe::detail::read_environment("WARPSAFE_GUARD");
    const Name name = Name::of(value == nullptr ? "" : value);
    if (name == Name::of("before")) return MemoryGuard::before;
    if (name.empty() || name == Name::of("0")) return MemoryGuard::usual;
    if (name == Name::of("1")) return MemoryGuard::past;
    char text[512];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    out << "warpsafe: WARPSAFE_GUARD=";
    out.one_line(name) << " is none of 0, 1 and before; 0 is used\n";
    warpsafe::detail::write_stderr({text, out.size()});
    return MemoryGuard::usual;
  }();
  return guard;
}

/// Pages with a range of addresses without memory behind them, and a page without before them.
/// Those of small allocations are kept for the next, because the system takes long to map them.
class GuardedPages {
 public:
  /// How far behind the pages there is no memory. The blocks of a grid do not begin in order, so
  /// the first access past the end may be far behind it.
  static constexpr std::size_t unmapped_bytes = std::size_t{256} << 20U;

  /// nullptr if the system gives no more. `bytes` is a multiple of the page.
  [[nodiscard]] static void* take(std::size_t bytes) noexcept {
    if (bytes == page()) {
      Pool& pages = pool();
      const warpsafe::detail::Locked lock(pages.lock);
      if (pages.count != 0) return pages.kept[--pages.count];
    }
    if (mappings_left().fetch_sub(1, __ATOMIC_RELAXED) > 0) {
      const std::size_t all = page() + bytes + unmapped_bytes;
      void* const first =
          mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (first != MAP_FAILED) {
        void* const begin = static_cast<unsigned char*>(first) + page();
        if (mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0) return begin;
        munmap(first, all);
      }
    }
    mappings_left().fetch_add(1, __ATOMIC_RELAXED);
    return nullptr;
  }
  static void give_back(void* begin, std::size_t bytes) noexcept {
    if (bytes == page()) {
      Pool& pages = pool();
      const warpsafe::detail::Locked lock(pages.lock);
      if (pages.count < most_kept_pages) {
        pages.kept[pages.count++] = begin;
        return;
      }
    }
    munmap(static_cast<unsigned char*>(begin) - page(), page() + bytes + unmapped_bytes);
    mappings_left().fetch_add(1, __ATOMIC_RELAXED);
  }
  [[nodiscard, gnu::visibility("default")]] static std::size_t page() noexcept {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
  }

 private:
  /// Single pages. Trivially destructible, since memory may be freed after main.
  static constexpr std::size_t most_kept_pages = 1024;
  struct Pool {
    warpsafe::detail::ProcessLock lock{};
    std::size_t count = 0;
    void* kept[most_kept_pages] = {};
  };
  [[nodiscard, gnu::visibility("default")]] static Pool& pool() noexcept {
    static Pool pages;
    return pages;
  }
  // Each takes three mappings, and Linux allows a process 65530 by default (vm.max_map_count).
  [[nodiscard, gnu::visibility("default")]] static Atomic<int>& mappings_left() noexcept {
    static Atomic<int> left = 8192;
    return left;
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
