// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "checksum.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace warpsafe::ranks {

/// The checksum of memory that the host can read. False: it cannot, for example because a program
/// gave MPI an address of a device. The kernel reads the memory for this process: if
/// the process itself reads a device's address, it ends.
[[nodiscard]] inline bool checksum_of_host(const void* data, std::uint64_t bytes, Format format,
                                           Checksum& sum) noexcept {
  alignas(8) unsigned char chunk[16384];
  for (std::uint64_t done = 0; done < bytes; done += sizeof chunk) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done, sizeof chunk));
    const iovec to{chunk, size};
    const iovec from{static_cast<char*>(const_cast<void*>(data)) + done, size};
    if (::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(size)) {
      return false;
    }
    sum.add(checksum_part(chunk, size, format, 0, 1, done / 8));
  }
  return true;
}

}  // namespace warpsafe::ranks
