// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Exports the functions that the watch would export.

#include <cstddef>
#include <sstream>
#include <string>

std::string told;

extern "C" __attribute__((visibility("default"))) void warpsafe_pool_allocated(const void* memory,
                                                                               std::size_t bytes,
                                                                               void* stream,
                                                                               const char* where) {
  std::ostringstream out;
  out << "told " << memory << ' ' << bytes << ' ' << stream << (where == nullptr ? "\n" : where);
  told += out.str();
}
extern "C" __attribute__((visibility("default"))) void warpsafe_pool_freed(const void* memory,
                                                                           void* stream) {
  std::ostringstream out;
  out << "told freed " << memory << ' ' << stream << '\n';
  told += out.str();
}
