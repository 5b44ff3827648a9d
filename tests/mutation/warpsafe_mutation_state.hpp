// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <type_traits>

// Which mutant of the mutated headers (mutate.py) is active in this process, and which points it
// reached.

namespace warpsafe_mutation {

inline constexpr std::size_t most_points = 1U << 17;

struct State {
  int active = 0;
  // One byte for each point, in a file that several processes and a process that ends suddenly can
  // share. System calls, because some test programs replace the functions.
  unsigned char* reached = nullptr;

  State() noexcept {
    if (const char* number = std::getenv("WS_MUTANT")) active = std::atoi(number);
    const char* path = std::getenv("WS_MUTATION_REACHED");
    if (path == nullptr) return;
    const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    const long memory = syscall(SYS_mmap, static_cast<void*>(nullptr), most_points,
                                PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
    syscall(SYS_close, file);
    if (memory > 0) reached = reinterpret_cast<unsigned char*>(memory);
  }
};

inline const State& state() noexcept {
  static const State the;
  return the;
}

inline bool is_active(int point) noexcept {
  const State& now = state();
  if (now.reached != nullptr && now.reached[point] == 0) now.reached[point] = 1;
  return now.active == point;
}

/// Whether the mutant is active. In constant expressions it never is.
constexpr bool on(int point) noexcept { return !std::is_constant_evaluated() && is_active(point); }

}  // namespace warpsafe_mutation
