// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A question to the runtime, and the line that answers it.
#pragma once

#include <hip/hip_runtime.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace record {

struct Question {
  const char* name;
  void (*ask)();
};

/// What was said so far of the question being asked.
inline std::string text;

inline void say(const std::string& what) {
  if (!text.empty()) text += ", ";
  text += what;
}

/// Writes the line of a question, and begins the next one.
inline void end_line(const std::string& question) {
  std::printf("%s: %s\n", question.c_str(), text.c_str());
  std::fflush(stdout);
  text.clear();
}

/// The status with its name, without the prefix "hip".
inline std::string status(hipError_t code) {
  const char* const name = hipGetErrorName(code);
  return std::to_string(static_cast<int>(code)) + " " + (name == nullptr ? "?" : name + 3);
}

inline void say(const std::string& call, hipError_t code) { say(call + " " + status(code)); }

inline const char* set_or_null(const void* pointer) { return pointer == nullptr ? "null" : "set"; }

// A value that the enumeration does not have, which a conversion may not make.
template <class Enumeration>
Enumeration unlisted(int value) {
  static_assert(sizeof(Enumeration) == sizeof value);
  Enumeration made;
  __builtin_memcpy(&made, &value, sizeof value);
  return made;
}

}  // namespace record
