// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/graph_memory.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/stream/detail/capturing.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether the host can read at the address.
// Linux reads the new signal mask before it looks at the first argument, which names no operation.
// Abseil's AddressIsReadable asks in the same way.
[[nodiscard]] inline bool is_readable(const void* address) noexcept {
  constexpr std::size_t mask_bytes = 8;
  const auto begin = reinterpret_cast<std::uintptr_t>(address) & ~(mask_bytes - 1);
  const int before = errno;
  errno = 0;
  syscall(SYS_rt_sigprocmask, ~0, begin, nullptr, mask_bytes);
  const bool readable = errno != EFAULT;
  errno = before;
  return readable;
}

/// As B::pointer_kind. `device` is the device of the work that uses the memory, and stays so if
/// that of the memory is not known.
///
/// Graph memory that the runtime does not know (graph_memory.hpp): that of a buffer is device
/// memory in a capture; after it, `device` says why it is none, as MemoryOwner::of_device. Another
/// address that the host cannot read counts as memory that other code captured, if `captures()`
/// says that this is possible.
template <class B, class Captures>
[[nodiscard]] int memory_kind(const void* memory, MemoryKind& kind, int& device,
                              const Captures& captures) noexcept {
  int its_device = device;
  const int status = B::pointer_kind(memory, kind, its_device);
  if (status == 0 && kind != MemoryKind::unregistered) device = its_device;
  if (status != 0 || kind != MemoryKind::unregistered) return status;
  if constexpr (B::vendor == Vendor::nvidia) {
    MemoryOwner owner;
    if (find_graph_memory(memory, owner) != InGraphMemory::no) {
      device = owner.of_device;
      if (device > memory_was_freed) kind = MemoryKind::device;
    } else if (!is_readable(memory) && captures()) {
      kind = MemoryKind::device;
    }
  }
  return 0;
}
/// For work of `stream`, which alone can use such memory while it captures.
template <class B>
[[nodiscard]] int memory_kind(const void* memory, MemoryKind& kind, int& device,
                              const basic_stream_ref<B>& stream) noexcept {
  return memory_kind<B>(memory, kind, device, [&]() noexcept { return is_capturing(stream); });
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
