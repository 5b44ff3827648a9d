// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

// Reads memory at addresses that come from the program or its runtime and may be anything. Opens no
// file descriptor: another thread of the program may close all descriptors, or fork.

namespace warpsafe::watch {

namespace detail {

inline constexpr std::size_t page = 4096;

/// Returns whether the page of `address` can be read. The system call reads its set of signals
/// before it refuses the number of its operation (Linux, kernel/signal.c), so it changes nothing.
[[nodiscard]] inline bool is_readable(std::uintptr_t address) noexcept {
  const auto place = address / 8 * 8;
  return ::syscall(SYS_rt_sigprocmask, -1L, place, nullptr, 8L) == 0 || errno != EFAULT;
}

/// For a process that may not read itself by process_vm_readv, as in some containers. Memory that
/// another thread unmaps at this moment is the program's mistake.
// AddressSanitizer would refuse what lies beside the program's objects, in memcpy too.
[[gnu::cold, gnu::noinline, gnu::no_sanitize_address]] inline bool probe_and_copy(
    char* to, std::uintptr_t from, std::size_t bytes) noexcept {
  while (bytes != 0) {
    const std::size_t left = page - from % page;
    const std::size_t part = bytes < left ? bytes : left;
    if (!is_readable(from)) return false;
    const auto* const bytes_there = reinterpret_cast<const volatile char*>(from);
    for (std::size_t i = 0; i < part; ++i) *to++ = bytes_there[i];
    from += part;
    bytes -= part;
  }
  return true;
}

}  // namespace detail

/// Copies pieces of memory whose addresses may be anything, one behind the other. Returns how many
/// bytes could be copied, up to the first byte that cannot be read. Keeps errno.
[[nodiscard]] inline std::size_t copy_pieces(void* to, std::span<const iovec> pieces) noexcept {
  std::size_t bytes = 0;
  for (const iovec& one : pieces) bytes += one.iov_len;
  const int kept = errno;
  const iovec here{to, bytes};
  const ssize_t read = ::process_vm_readv(::getpid(), &here, 1, pieces.data(), pieces.size(), 0);
  std::size_t copied = read < 0 ? 0 : static_cast<std::size_t>(read);
  // EFAULT is the only failure that is about the addresses.
  if (read < 0 && errno != EFAULT) {
    for (const iovec& one : pieces) {
      if (!detail::probe_and_copy(static_cast<char*>(to) + copied,
                                  reinterpret_cast<std::uintptr_t>(one.iov_base), one.iov_len)) {
        break;
      }
      copied += one.iov_len;
    }
  }
  errno = kept;
  return copied;
}
/// The same for one piece. Returns whether all of it could be read.
[[nodiscard]] inline bool copy_foreign(void* to, const void* from, std::size_t bytes) noexcept {
  const iovec piece{const_cast<void*>(from), bytes};
  return from != nullptr && copy_pieces(to, {&piece, 1}) == bytes;
}
/// Copies one object of a plain type.
template <class T>
[[nodiscard]] bool read_foreign(T& to, const void* from) noexcept {
  return copy_foreign(&to, from, sizeof(T));
}

}  // namespace warpsafe::watch
