// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <initializer_list>

// Failures of the system, one at a time: the n-th occurrence of a kind fails, all others succeed.
// injector.cpp replaces the functions.

namespace failures {

/// What fails.
enum class Kind : std::uint8_t {
  memory,   ///< operator new, also its forms that throw nothing; malloc in the library's headers
  mapping,  ///< mmap in the library's headers
  thread,   ///< pthread_create, also inside of std::thread
  file,     ///< fopen, fdopen, open, fread, fwrite, fputs, fclose, mkdir in the library's headers
  library,  ///< a function of the programs' own library, which a handle calls
};
inline constexpr Kind kinds[] = {Kind::memory, Kind::mapping, Kind::thread, Kind::file,
                                 Kind::library};
[[nodiscard]] const char* name_of(Kind kind) noexcept;

/// Counts the occurrences of `kind` from now on, by any thread, and makes the `nth` fail; 0: none.
void arm(Kind kind, std::uint64_t nth) noexcept;
/// Stops counting. Returns how often the kind occurred.
std::uint64_t disarm() noexcept;
/// The function that failed since `arm`; nullptr if none did.
[[nodiscard]] const char* failed_function() noexcept;
/// Whether it failed inside of a call of the runtime that releases something, or that waits for a
/// copy whose memory is then never freed.
[[nodiscard]] bool failed_in_release() noexcept;
/// Counts one call of the programs' own library. Returns whether it must fail.
[[nodiscard]] bool library_fails(const char* function) noexcept;
/// From now on, what these shared libraries allocate and start for themselves neither counts nor
/// fails: parts of their files' names. A second call replaces the first. `is_inside` tells quickly
/// that a library has called, and may say no though one has.
void leave_out(std::initializer_list<const char*> parts, bool (*is_inside)() = nullptr);
/// Prints the stack of the call that failed to standard error.
void print_failed_stack() noexcept;

/// The test's own calls: while one exists, this thread's calls neither count nor fail.
struct Own {
  Own() noexcept;
  ~Own();
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;
};

}  // namespace failures
