// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Writes a line.
#pragma once

#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace record {

// Writes the line; leaves the last-error slot as it is.
inline void keep_v(cudaError_t status, const char* format, va_list values) {
  std::printf("%d %d ", static_cast<int>(status), static_cast<int>(cudaPeekAtLastError()));
  std::vprintf(format, values);
  std::putchar('\n');
  std::fflush(stdout);
}

inline __attribute__((format(printf, 2, 3))) void keep(cudaError_t status, const char* format,
                                                       ...) {
  va_list values;
  va_start(values, format);
  keep_v(status, format, values);
  va_end(values);
}

// Writes the line and empties the last-error slot.
inline __attribute__((format(printf, 2, 3))) void note(cudaError_t status, const char* format,
                                                       ...) {
  va_list values;
  va_start(values, format);
  keep_v(status, format, values);
  va_end(values);
  static_cast<void>(cudaGetLastError());
}

inline void section(const char* name) {
  static_cast<void>(cudaGetLastError());
  std::printf("\n[%s]\n", name);
  std::fflush(stdout);
}

// A value that the enumeration does not have, which a conversion may not make.
template <class Enumeration>
Enumeration unlisted(int value) {
  static_assert(sizeof(Enumeration) == sizeof value);
  Enumeration made;
  std::memcpy(&made, &value, sizeof value);
  return made;
}

inline const char* set_or_null(const void* pointer) { return pointer == nullptr ? "null" : "set"; }

}  // namespace record
