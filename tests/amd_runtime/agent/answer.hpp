// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "settings.hpp"

#include <hsa/hsa.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

// How a query writes its answer.

namespace soft_hsa {

inline constexpr std::size_t page_bytes = 4096;
constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

template <class T>
hsa_status_t give(void* out, T value) {
  std::memcpy(out, &value, sizeof value);
  return HSA_STATUS_SUCCESS;
}
inline hsa_status_t give_text(void* out, const std::string& text, std::size_t bytes) {
  std::memset(out, 0, bytes);
  std::memcpy(out, text.data(), text.size() < bytes ? text.size() : bytes - 1);
  return HSA_STATUS_SUCCESS;
}
template <class T>
T read_at(const void* base, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(base) + offset, sizeof value);
  return value;
}

/// An attribute that the agent does not know. With SOFT_HSA_LOG=2 a line says which.
inline hsa_status_t unknown(const char* query, unsigned attribute) {
  if (logs(2)) std::fprintf(stderr, "soft_hsa: %s does not know %#x\n", query, attribute);
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
/// A function that the agent does not have.
inline hsa_status_t unsupported(const char* function) {
  if (logs(2)) std::fprintf(stderr, "soft_hsa: %s is not supported\n", function);
  return HSA_STATUS_ERROR;
}

/// Nanoseconds; the frequency of all time stamps is 1 GHz.
inline std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace soft_hsa
