// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

// What the fuzz harnesses share. A harness defines LLVMFuzzerTestOneInput.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace warpsafe::fuzz {

/// Ends the process with a finding.
[[noreturn]] inline void fail(const std::string& claim) {
  std::fprintf(stderr, "== finding: %s\n", claim.c_str());
  std::abort();
}
/// A claim of the harness; it is a finding if `holds` is false.
inline void require(bool holds, const char* claim) {
  if (!holds) fail(claim);
}

/// Bytes with a first-in order. Reading past the end gives zeros.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) noexcept : at_(data), end_(data + size) {}
  [[nodiscard]] bool empty() const noexcept { return at_ == end_; }
  std::uint8_t byte() noexcept { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  /// A number below `end`, which is at most 256.
  std::size_t below(std::size_t end) noexcept { return byte() % end; }
  template <class T>
  T number() noexcept {
    T value{};
    const std::size_t left = static_cast<std::size_t>(end_ - at_);
    const std::size_t count = left < sizeof value ? left : sizeof value;
    std::memcpy(&value, at_, count);
    at_ += count;
    return value;
  }
  /// The bytes up to the next 0xff, which is dropped, or to the end. No text in UTF-8 has that
  /// byte.
  std::string_view text() noexcept {
    const std::uint8_t* const begin = at_;
    while (at_ != end_ && *at_ != 0xff) ++at_;
    const std::string_view found(reinterpret_cast<const char*>(begin),
                                 static_cast<std::size_t>(at_ - begin));
    if (at_ != end_) ++at_;
    return found;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

/// A file in memory, for code that opens a path. What writes to it continues it: `set("")` before.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) noexcept
      : file_(::memfd_create(name, MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(file_)) {
    if (file_ < 0) fail("memfd_create");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(file_); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Replaces the contents.
  void set(std::string_view bytes) const {
    if (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) != 0 ||
        ::pwrite(file_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
      fail("writing the file in memory");
    }
  }
  [[nodiscard]] std::string get() const {
    std::string bytes;
    char part[4096];
    for (;;) {
      const ssize_t read = ::pread(file_, part, sizeof part, static_cast<off_t>(bytes.size()));
      if (read <= 0) return bytes;
      bytes.append(part, static_cast<std::size_t>(read));
    }
  }

 private:
  int file_;
  std::string path_;
};

/// Whether the text holds a byte that moves a terminal's cursor, ends of lines excepted if `lines`.
[[nodiscard]] inline bool has_control(std::string_view text, bool lines) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n' && lines) continue;
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size()) {
      const auto next = static_cast<unsigned char>(text[i + 1]);
      if (next >= 0x80 && next < 0xa0) return true;
    }
  }
  return false;
}

}  // namespace warpsafe::fuzz
