// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <string_view>

// Shared by the programs here. Each uses one of AMD's libraries on data that another stream copies:
// with an event between the two ("event"), on one stream ("same"), or without an order ("wrong").

constexpr std::size_t memory_bytes = 16384;  // of each of the three

/// Device memory; `in` is the copied data.
struct Memory {
  void* in;
  void* more;
  void* out;
};

/// The functions return the sum of the library's statuses. `prepare(stream)` makes a handle on
/// the stream, `call(memory)` makes the calls.
template <class Prepare, class Call>
int on_copied_data(int argc, char** argv, Prepare prepare, Call call) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  hipStream_t copies = nullptr;
  hipStream_t works = nullptr;
  hipEvent_t copied = nullptr;
  void* host = nullptr;
  Memory memory{};
  int failed = hipStreamCreateWithFlags(&copies, hipStreamNonBlocking);
  failed += hipStreamCreateWithFlags(&works, hipStreamNonBlocking);
  failed += hipEventCreate(&copied) + hipHostMalloc(&host, memory_bytes, 0);
  for (void** one : {&memory.in, &memory.more, &memory.out}) failed += hipMalloc(one, memory_bytes);
  failed += prepare(mode == "same" ? copies : works);
  failed += hipDeviceSynchronize();

  failed += hipMemcpyAsync(memory.in, host, memory_bytes, hipMemcpyHostToDevice, copies);
  if (mode == "event")
    failed += hipEventRecord(copied, copies) + hipStreamWaitEvent(works, copied, 0);
  failed += call(memory);
  failed += hipDeviceSynchronize();
  std::printf("%s: %d\n", argc > 1 ? argv[1] : "", failed);
  return failed == 0 ? 0 : 1;
}
