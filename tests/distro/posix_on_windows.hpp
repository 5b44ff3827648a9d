// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <io.h>

#include <cstddef>
#include <cstdlib>

// What the headers use of Linux's C library, for compilers.py, which compiles tests/static for
// Windows. Nothing of it is linked or run.

inline char* secure_getenv(const char* name) { return std::getenv(name); }
inline int write(int file, const void* data, std::size_t size) {
  return write(file, data, static_cast<unsigned>(size));
}
