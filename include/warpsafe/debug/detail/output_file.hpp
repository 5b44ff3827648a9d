// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Returns the descriptor that `path` names: 1 of /dev/stdout, 2 of /dev/stderr, N of /dev/fd/N and
/// /proc/self/fd/N; -1 of any other path.
[[nodiscard]] inline int named_descriptor(const char* path) noexcept {
  if (std::strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
  if (std::strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
  for (const char* const folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::size_t size = std::strlen(folder);
    if (std::strncmp(path, folder, size) != 0 || path[size] == '\0') continue;
    int number = 0;
    for (const char* at = path + size; *at != '\0'; ++at) {
      if (*at < '0' || *at > '9' || number > INT_MAX / 10 - 1) return -1;
      number = number * 10 + (*at - '0');
    }
    return number;
  }
  return -1;
}
/// Returns 0 if the user owns the existing file, and nobody else can have made it under a name that
/// they guessed, to direct the output to where they want it; otherwise the errno of the refusal.
[[nodiscard]] inline int refusal_of(const struct stat& found) noexcept {
  if (S_ISLNK(found.st_mode)) return ELOOP;
  if (S_ISDIR(found.st_mode)) return EISDIR;
  if (S_ISCHR(found.st_mode)) return 0;  // such as /dev/null: only root can make one
  if (!S_ISREG(found.st_mode)) return ENXIO;
  if (found.st_uid != ::geteuid()) return EEXIST;
  return found.st_nlink > 1 ? EMLINK : 0;
}
/// Empties the open file `file`, unless it is a device. Returns 0, or the errno of the refusal.
[[nodiscard]] inline int empty_own_file(int file) noexcept {
  struct stat found {};
  if (::fstat(file, &found) != 0) return errno;
  if (const int refused = refusal_of(found); refused != 0) return refused;
  return S_ISCHR(found.st_mode) || ::ftruncate(file, 0) == 0 ? 0 : errno;
}
/// Creates a file that only its user can read and write, or empties the user's own, which keeps its
/// permissions, and opens it for writing. Returns its descriptor, or -1 with errno.
///
/// A name of a descriptor (named_descriptor) gives a duplicate of it. The system would open the
/// file behind it anew, and write over what the program has written there.
///
/// In a folder that others can write, such as /tmp, they can make a file under a name that they
/// guess. So this refuses, and leaves as it is:
/// * ELOOP: a symbolic link.
/// * EMLINK: a file with a further name (hard link).
/// * EEXIST: another user's file.
/// * ENXIO: a named pipe, a socket or a disk. Does not wait for a reader of a pipe.
[[nodiscard]] inline int create_file(const char* path, int flags = 0) noexcept {
  const int named = named_descriptor(path);
  if (named >= 0) return ::fcntl(named, F_DUPFD_CLOEXEC, 0);
  flags |= O_WRONLY | O_CLOEXEC;
  const int made = ::open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (made >= 0 || errno != EEXIST) return made;
  const int file = ::open(path, flags | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return -1;
  // Only the opening must not block.
  const int failed = ::fcntl(file, F_SETFL, flags & O_APPEND) == 0 ? empty_own_file(file) : errno;
  if (failed == 0) return file;
  ::close(file);
  errno = failed;
  return -1;
}

/// Writes to an open file and keeps the first failure.
class OutputFile {
 public:
  explicit OutputFile(std::FILE* file) noexcept : file_(file) {}
  /// Writes `text` and a newline.
  void line(const std::string& text) noexcept {
    write(text.data(), text.size());
    write("\n", 1);
  }
  void write(const void* data, std::size_t size) noexcept {
    if (failed_ == 0 && std::fwrite(data, 1, size, file_) != size) failed_ = last_errno();
  }
  /// Flushes. Returns 0, or the errno of the first failure.
  [[nodiscard]] int finish() noexcept {
    if (failed_ == 0 && std::fflush(file_) != 0) failed_ = last_errno();
    return failed_;
  }
  [[nodiscard]] static int last_errno() noexcept { return errno != 0 ? errno : EIO; }

 private:
  std::FILE* file_;
  int failed_ = 0;
};

/// Calls `write(std::FILE*)`, which returns 0 or an errno, for the descriptor `file`, and closes
/// it. Returns the errno of the first failure, or 0; ENOMEM if the host has no memory left.
template <class Write>
[[nodiscard]] int write_and_close(int file, const Write& write) noexcept {
  const warpsafe::detail::WithoutCancel whole;
  std::FILE* const stream = ::fdopen(file, "wb");
  if (stream == nullptr) {
    const int failed = OutputFile::last_errno();
    ::close(file);
    return failed;
  }
  const int written = catch_bad_alloc([&] { return write(stream); }, ENOMEM);
  const int closed = std::fclose(stream) == 0 ? 0 : OutputFile::last_errno();
  return written != 0 ? written : closed;
}
/// Writes to the file itself (create_file). A failure leaves it incomplete.
template <class Write>
[[nodiscard]] int write_in_place(const char* path, const Write& write) noexcept {
  const int file = create_file(path);
  return file < 0 ? OutputFile::last_errno() : write_and_close(file, write);
}
/// Writes a file of that name: calls `write(std::FILE*)`, which returns 0 or an errno, and more
/// than once if necessary. An existing file keeps its content until the new one is complete, and
/// its permissions. Returns 0, or the errno of the failure: those of create_file; ENOMEM if the
/// host has no memory left.
template <class Write>
[[nodiscard]] int write_to(const char* path, const Write& write) noexcept {
  struct stat found {};
  if (named_descriptor(path) >= 0 || ::lstat(path, &found) != 0 || S_ISCHR(found.st_mode)) {
    return write_in_place(path, write);
  }
  if (const int refused = refusal_of(found); refused != 0) return refused;
  if (::faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return errno;
  int written = 0;  // by `write`
  const auto replace = [&] {
    const std::string whole = path;
    std::string part = whole.substr(0, whole.rfind('/') + 1) + ".warpsafe.XXXXXX";
    const int file = ::mkostemp(part.data(), O_CLOEXEC);
    if (file < 0) return errno;
    if (found.st_gid != ::getegid()) static_cast<void>(!::fchown(file, uid_t(-1), found.st_gid));
    const bool kept = ::fchmod(file, found.st_mode & 07777U) == 0;
    if (kept) written = write_and_close(file, write);
    int failed = kept ? written : errno;
    if (!kept) ::close(file);
    if (failed == 0 && std::rename(part.c_str(), path) != 0) failed = errno;
    if (failed != 0) ::unlink(part.c_str());
    return failed;
  };
  const int failed = catch_bad_alloc(replace, ENOMEM);
  // The folder cannot be written, or the file is a mount of its own, as containers have them.
  const bool only_itself =
      written == 0 && (failed == EACCES || failed == EPERM || failed == EROFS || failed == EBUSY);
  return only_itself ? write_in_place(path, write) : failed;
}

/// Why a file could not be created or written: the text of an errno.
[[nodiscard]] inline const char* file_problem(int failed) noexcept {
  switch (failed) {
    case ELOOP:
      return "a symbolic link has that name; remove it, or choose another name";
    case EMLINK:
      return "the file has another name, a hard link; remove it, or choose another name";
    case EEXIST:
      return "another user's file has that name; choose another name";
    case ENXIO:
      return "a pipe or a device has that name; choose another name, or /dev/fd/N for an open pipe";
    default:
      return std::strerror(failed);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
