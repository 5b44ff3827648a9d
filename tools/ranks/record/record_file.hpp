// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "layout.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace warpsafe::ranks {

/// A file of records in shared memory. The kernel keeps what was written, however the process ends.
/// Room is taken before it is used, so that a full disk is an error of `append` and no fault.
class RecordFile {
 public:
  /// Creates the file; false with `errno` set: it cannot be created.
  [[nodiscard]] bool create(const std::string& path, std::uint32_t communicator) noexcept {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0 || !grow()) return false;
    auto* const header = reinterpret_cast<FileHeader*>(chunk_);
    std::memcpy(header->magic, file_magic, sizeof file_magic);
    header->communicator = communicator;
    header->pid = static_cast<std::uint32_t>(::getpid());
    header_ = header;
    used_ = 1;
    return true;
  }
  [[nodiscard]] FileHeader* header() const noexcept { return header_; }
  /// The next record, all zeros; nullptr with `errno` set: there is no room for it.
  [[nodiscard]] Record* append() noexcept {
    if (file_ < 0 || (used_ == in_chunk_ && !grow())) return nullptr;
    return chunk_ + used_++;
  }
  [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }

 private:
  /// A page has 64 records. Most communicators see few, and a long run should not call often.
  static constexpr std::size_t first_chunk = 64;
  static constexpr std::size_t largest_chunk = 16384;

  /// Records stay where they are: earlier chunks remain mapped.
  bool grow() noexcept {
    const std::size_t records = in_chunk_ == 0              ? first_chunk
                                : in_chunk_ < largest_chunk ? 2 * in_chunk_
                                                            : in_chunk_;
    const std::size_t bytes = records * sizeof(Record);
    const int status =
        ::posix_fallocate(file_, static_cast<off_t>(size_), static_cast<off_t>(bytes));
    if (status != 0) {
      errno = status;
      return false;
    }
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_,
                                static_cast<off_t>(size_));
    if (mapped == MAP_FAILED) return false;
    chunk_ = static_cast<Record*>(mapped);
    in_chunk_ = records;
    used_ = 0;
    size_ += bytes;
    return true;
  }

  int file_ = -1;
  FileHeader* header_ = nullptr;
  Record* chunk_ = nullptr;
  std::size_t in_chunk_ = 0;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
};

}  // namespace warpsafe::ranks
