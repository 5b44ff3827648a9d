// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

#include <thread>

namespace record {

inline const Question last_error[] = {
    {"an error, then a success",
     [] {
       static_cast<void>(hipGetLastError());
       const hipError_t bad = launch(plain, 0, 64);
       int d = 0;
       const hipError_t good = hipGetDevice(&d);
       const hipError_t last = hipGetLastError();
       say("launch", bad);
       say("hipGetDevice", good);
       say("last", last);
     }},
    {"an error, then a good launch",
     [] {
       static_cast<void>(hipGetLastError());
       const hipError_t bad = launch(plain, 0, 64);
       const hipError_t good = launch(plain, 1, 64);
       const hipError_t last = hipGetLastError();
       say("bad", bad);
       say("good", good);
       say("last", last);
     }},
    {"hipPeekAtLastError",
     [] {
       static_cast<void>(hipGetLastError());
       const hipError_t bad = launch(plain, 0, 64);
       const hipError_t peeks[] = {hipPeekAtLastError(), hipPeekAtLastError()};
       const hipError_t last[] = {hipGetLastError(), hipGetLastError()};
       say("launch", bad);
       say("peek", peeks[0]);
       say("peek", peeks[1]);
       say("last", last[0]);
       say("last", last[1]);
     }},
    {"an error in another thread",
     [] {
       static_cast<void>(hipGetLastError());
       std::thread([] { static_cast<void>(launch(plain, 0, 64)); }).join();
       say("last", hipGetLastError());
     }},
    {"an error, then hipGetErrorName and hipGetErrorString",
     [] {
       static_cast<void>(hipGetLastError());
       static_cast<void>(launch(plain, 0, 64));
       static_cast<void>(hipGetErrorName(hipSuccess));
       static_cast<void>(hipGetErrorString(hipSuccess));
       say("last", hipGetLastError());
     }},
    {"an error, then chevrons",
     [] {
       static_cast<void>(hipGetLastError());
       static_cast<void>(launch(plain, 0, 64));
       plain<<<1, 64>>>(memory, 1);
       say("last", hipGetLastError());
     }},
    {"an error, then hipGetStreamDeviceId",
     [] {
       static_cast<void>(hipGetLastError());
       static_cast<void>(launch(plain, 0, 64));
       static_cast<void>(hipGetStreamDeviceId(nullptr));
       say("last", hipGetLastError());
     }},
    {"an error, then hipGetDeviceCount",
     [] {
       static_cast<void>(hipGetLastError());
       static_cast<void>(launch(plain, 0, 64));
       int n = 0;
       static_cast<void>(hipGetDeviceCount(&n));
       say("last", hipGetLastError());
     }},
};

/// A line for each code that the runtime has a name for.
inline void error_names() {
  for (int code = 0; code < 1100; ++code) {
    const auto e = unlisted<hipError_t>(code);
    const std::string name = hipGetErrorName(e);
    if (name == "hipErrorUnknown" && code != hipErrorUnknown) continue;
    say(name);
    const char* const words = hipGetErrorString(e);
    say(words == nullptr ? "null" : words);
    end_line("error " + std::to_string(code));
  }
}

inline const Question error_table[] = {{"errors", error_names}};

}  // namespace record
