// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "injector.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <string>

// The linker's option --wrap sends the calls of this program to __wrap_…, and these are the
// functions themselves.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
extern "C" {
void* __real_malloc(std::size_t bytes);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)

namespace failures {

namespace {

constexpr int nothing = -1;
std::atomic<int> armed{nothing};
std::atomic<std::uint64_t> seen{0};
std::atomic<std::uint64_t> wanted{0};
std::atomic<const char*> failed{nullptr};
void* stack[64];
int depth = 0;
thread_local int own = 0;

/// The code of a loaded file.
struct Code {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool has(const void* address) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at < end;
  }
};
Code left_out[8];  ///< the rest are empty
std::size_t left_out_count = 0;
bool (*is_inside_left_out)() = nullptr;

/// Whether a library that is left out is among the callers. It may use functions of this program,
/// which has its own copies of the standard library's.
bool is_left_out() noexcept {
  if (left_out_count == 0) return false;
  const Own not_counted;
  if (is_inside_left_out != nullptr && is_inside_left_out()) return true;
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < left_out_count; ++k) {
      if (left_out[k].has(frames[i])) return true;
    }
  }
  return false;
}

/// Counts one occurrence. Returns whether it must fail.
bool fails(Kind kind, const char* function) noexcept {
  if (armed.load(std::memory_order_relaxed) != static_cast<int>(kind) || own != 0) return false;
  if (is_left_out()) return false;
  if (seen.fetch_add(1) + 1 != wanted.load(std::memory_order_relaxed)) return false;
  const Own not_counted;
  depth = backtrace(stack, 64);
  failed = function;
  return true;
}

void* take(std::size_t bytes, const char* function) noexcept {
  return fails(Kind::memory, function) ? nullptr : __real_malloc(bytes == 0 ? 1 : bytes);
}
void* take(std::size_t bytes, std::align_val_t alignment, const char* function) noexcept {
  if (fails(Kind::memory, function)) return nullptr;
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (bytes + step - 1) / step * step);
}
void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

const char* name_of(Kind kind) noexcept {
  constexpr const char* names[] = {"memory", "mapping", "thread", "file", "library"};
  return names[static_cast<std::size_t>(kind)];
}
void arm(Kind kind, std::uint64_t nth) noexcept {
  failed = nullptr;
  seen = 0;
  wanted = nth;
  armed = static_cast<int>(kind);
}
std::uint64_t disarm() noexcept {
  armed = nothing;
  return seen;
}
const char* failed_function() noexcept { return failed; }
bool failed_in_release() noexcept {
  if (failed == nullptr) return false;
  const Own not_counted;
  char** const names = backtrace_symbols(stack, depth);
  bool found = false;
  for (int i = 0; names != nullptr && i < depth; ++i) {
    for (const char* const call :
         {"deallocate", "stream_destroy", "event_destroy", "event_synchronize"}) {
      found = found || std::strstr(names[i], call) != nullptr;
    }
  }
  std::free(names);
  return found;
}
bool library_fails(const char* function) noexcept { return fails(Kind::library, function); }
void leave_out(std::initializer_list<const char*> parts, bool (*is_inside)()) {
  left_out_count = 0;
  is_inside_left_out = is_inside;
  const auto find = [](dl_phdr_info* file, std::size_t, void* names) {
    for (int i = 0; i < file->dlpi_phnum; ++i) {
      const auto& segment = file->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0U) continue;
      const std::uintptr_t begin = file->dlpi_addr + segment.p_vaddr;
      const Code code{begin, begin + segment.p_memsz};
      bool is_named = false;
      for (const char* const part : *static_cast<std::initializer_list<const char*>*>(names)) {
        is_named = is_named || std::strstr(file->dlpi_name, part) != nullptr;
      }
      if (is_named) {
        if (left_out_count == std::size(left_out)) std::abort();
        left_out[left_out_count++] = code;
      }
    }
    return 0;
  };
  dl_iterate_phdr(find, &parts);
}
void print_failed_stack() noexcept { backtrace_symbols_fd(stack, depth, STDERR_FILENO); }
Own::Own() noexcept { ++own; }
Own::~Own() { --own; }

}  // namespace failures

using failures::fails;
using failures::Kind;

void* operator new(std::size_t bytes) { return failures::or_throw(failures::take(bytes, "new")); }
void* operator new[](std::size_t bytes) {
  return failures::or_throw(failures::take(bytes, "new[]"));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return failures::take(bytes, "new (nothrow)");
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return failures::take(bytes, "new[] (nothrow)");
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return failures::or_throw(failures::take(bytes, alignment, "aligned new"));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return failures::take(bytes, alignment, "aligned new (nothrow)");
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  return fails(Kind::memory, "malloc") ? nullptr : __real_malloc(bytes);
}
void* __real_mmap(void* at, std::size_t bytes, int access, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, std::size_t bytes, int access, int flags, int file, off_t offset) {
  if (!fails(Kind::mapping, "mmap")) return __real_mmap(at, bytes, access, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}
std::FILE* __real_fopen(const char* path, const char* mode);
std::FILE* __wrap_fopen(const char* path, const char* mode) {
  if (!fails(Kind::file, "fopen")) return __real_fopen(path, mode);
  errno = EMFILE;
  return nullptr;
}
std::FILE* __real_fdopen(int file, const char* mode);
std::FILE* __wrap_fdopen(int file, const char* mode) {
  if (!fails(Kind::file, "fdopen")) return __real_fdopen(file, mode);
  errno = ENOMEM;
  return nullptr;
}
int __real_open(const char* path, int flags, mode_t mode);
int __wrap_open(const char* path, int flags, mode_t mode) {
  if (!fails(Kind::file, "open")) return __real_open(path, flags, mode);
  errno = EMFILE;
  return -1;
}
/// A full disk: what is written is half of what was asked for.
std::size_t __real_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file);
std::size_t __wrap_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file) {
  const bool no_room = fails(Kind::file, "fwrite");
  const std::size_t done = __real_fwrite(data, size, no_room ? count / 2 : count, file);
  if (no_room) errno = ENOSPC;
  return done;
}
std::size_t __real_fread(void* data, std::size_t size, std::size_t count, std::FILE* file);
std::size_t __wrap_fread(void* data, std::size_t size, std::size_t count, std::FILE* file) {
  if (!fails(Kind::file, "fread")) return __real_fread(data, size, count, file);
  // ferror() must report it too: to write to a stream that is only read is an error.
  static_cast<void>(std::fputc(0, file));
  errno = EIO;
  return 0;
}
int __real_fputs(const char* text, std::FILE* file);
int __wrap_fputs(const char* text, std::FILE* file) {
  if (!fails(Kind::file, "fputs")) return __real_fputs(text, file);
  errno = ENOSPC;
  return EOF;
}
int __real_fclose(std::FILE* file);
int __wrap_fclose(std::FILE* file) {
  // To close a file that was only read can lose nothing.
  const bool written = (::fcntl(::fileno(file), F_GETFL) & O_ACCMODE) != O_RDONLY;
  const bool fault = written && fails(Kind::file, "fclose");
  const int done = __real_fclose(file);
  if (!fault) return done;
  errno = EIO;
  return EOF;
}
int __real_mkdir(const char* path, mode_t mode);
int __wrap_mkdir(const char* path, mode_t mode) {
  if (!fails(Kind::file, "mkdir")) return __real_mkdir(path, mode);
  errno = EACCES;
  return -1;
}

// A sanitizer's own version, where it is linked into the program.
[[gnu::weak]] int __interceptor_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                               void* (*start)(void*), void* argument);
/// Found by libstdc++'s calls too, because the program exports it.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (fails(Kind::thread, "pthread_create")) return EAGAIN;
  using Function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = &__interceptor_pthread_create != nullptr
                               ? &__interceptor_pthread_create
                               : reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_create"));
  const failures::Own not_counted;
  return real(thread, attributes, start, argument);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
