// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../common/held_signals.hpp"
#include "layout.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace warpsafe::ranks {

/// The descriptor of a file that the recorder has created. The program may close it, and get the
/// same number for a file of its own.
class OwnDescriptor {
 public:
  /// Creates the file; false with `errno` set: it cannot be created.
  [[nodiscard]] bool create(const std::string& path, int flags) noexcept {
    const int low = ::open(path.c_str(), flags | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (low < 0) return false;
    // The program may count on the low numbers, and usually has less than this.
    constexpr int high = 1000;
    number_ = ::fcntl(low, F_DUPFD_CLOEXEC, high);
    if (number_ >= 0) ::close(low);
    if (number_ < 0) number_ = low;
    struct stat made {};
    if (::fstat(number_, &made) != 0) return false;
    device_ = made.st_dev;
    inode_ = made.st_ino;
    return true;
  }
  /// -1 with `errno` EBADF: the program has closed it.
  [[nodiscard]] int get() const noexcept {
    struct stat now {};
    if (number_ >= 0 && ::fstat(number_, &now) == 0 && now.st_dev == device_ &&
        now.st_ino == inode_) {
      return number_;
    }
    errno = EBADF;
    return -1;
  }
  void close() noexcept {
    if (get() >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

/// A file of records of 64 bytes in shared memory. The kernel keeps what was written, however the
/// process ends. Room is taken before it is used, so that a full disk is an error of `append` and
/// no fault.
template <class Entry>
class RecordFile {
  static_assert(sizeof(Entry) == sizeof(FileHeader));

 public:
  /// Creates the file; false with `errno` set: it cannot be created.
  [[nodiscard]] bool create(const std::string& path, std::uint32_t communicator) noexcept {
    if (!file_.create(path, O_RDWR) || !grow()) return false;
    auto* const header = reinterpret_cast<FileHeader*>(chunk_);
    std::memcpy(header->magic, file_magic, sizeof file_magic);
    header->communicator = communicator;
    header->pid = static_cast<std::uint32_t>(::getpid());
    header_ = header;
    used_ = 1;
    is_open_ = true;
    return true;
  }
  [[nodiscard]] FileHeader* header() const noexcept { return header_; }
  /// The next record, all zeros; nullptr with `errno` set: there is no room for it.
  [[nodiscard]] Entry* append() noexcept {
    if (!is_open_ || (used_ == in_chunk_ && !grow())) return nullptr;
    return chunk_ + used_++;
  }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  /// There will be no further records; those that there are can still change.
  void close() noexcept {
    is_open_ = false;
    file_.close();
  }

 private:
  /// A page has 64 records. Most communicators see few, and a long run should not call often.
  static constexpr std::size_t first_chunk = 64;
  static constexpr std::size_t largest_chunk = 16384;
  /// The largest page of a Linux kernel for the supported machines, in bytes: arm64's, which NVIDIA
  /// advises for Grace Hopper. A mapping begins at a multiple of the page.
  static constexpr std::size_t largest_page = 65536;

  /// Records stay where they are: earlier chunks remain mapped.
  bool grow() noexcept {
    const std::size_t records = in_chunk_ == 0              ? first_chunk
                                : in_chunk_ < largest_chunk ? 2 * in_chunk_
                                                            : in_chunk_;
    const std::size_t bytes = records * sizeof(Entry);
    const int file = file_.get();
    if (file < 0) return false;
    const watch::HeldSignals held;  // a limit of the file's size
    const int status =
        ::posix_fallocate(file, static_cast<off_t>(size_), static_cast<off_t>(bytes));
    if (status != 0) {
      errno = status;
      return false;
    }
    const std::size_t before = size_ % largest_page;
    void* const mapped = ::mmap(nullptr, before + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                                static_cast<off_t>(size_ - before));
    if (mapped == MAP_FAILED) return false;
    chunk_ = reinterpret_cast<Entry*>(static_cast<char*>(mapped) + before);
    in_chunk_ = records;
    used_ = 0;
    size_ += bytes;
    return true;
  }

  OwnDescriptor file_;
  bool is_open_ = false;
  FileHeader* header_ = nullptr;
  Entry* chunk_ = nullptr;
  std::size_t in_chunk_ = 0;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
};

}  // namespace warpsafe::ranks
