// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What lies below the runtime: the software agent, or a stand-in for the runtime itself. Both are
// found by name, so that this program needs neither to link. On a real GPU there is neither: the
// lines then lack the packets.
#pragma once

#include "question.hpp"

#include <dlfcn.h>
#include <stand_in_hip.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace record {

template <class Function>
Function find(const char* symbol) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));
}

/// A function that some releases lack, or null.
template <class Function>
Function find_in_release(const char* symbol) {
  const auto lacks = find<int (*)(const char*)>("stand_in_hip_lacks");
  return lacks != nullptr && lacks(symbol) != 0 ? nullptr : find<Function>(symbol);
}

/// One dispatch packet as the agent hands it out.
struct AgentDispatch {
  std::uint64_t sequence;
  const char* kernel;
  int device;
  std::uint16_t setup;
  std::uint16_t block[3];
  std::uint32_t grid[3];  // threads
  std::uint32_t group_bytes;
  std::uint32_t private_bytes;
  std::uint32_t static_group_bytes;
  std::uint32_t kernarg_bytes;
  const void* kernarg;
  int blit;  // 1 for a kernel of the runtime's own
};

inline std::uint64_t packets() {
  using Count = std::uint64_t (*)();
  if (const auto agent = find<Count>("soft_hsa_dispatches")) return agent();
  if (const auto stand_in = find<Count>("stand_in_hip_launch_count")) return stand_in();
  return 0;
}

/// The packets after the first `before`: threads and work-group as the packet has them, in 32 and
/// 16 bits per axis; group segment with the kernel's own part.
inline std::string packets_after(std::uint64_t before) {
  const auto of_agent = find<int (*)(std::uint64_t, AgentDispatch*)>("soft_hsa_dispatch");
  const auto of_stand_in = find<int (*)(std::uint64_t, StandInHipLaunch*)>("stand_in_hip_launch");
  std::string all;
  for (std::uint64_t i = before; i < packets(); ++i) {
    char line[128] = "";
    if (of_agent != nullptr) {
      AgentDispatch d{};
      if (of_agent(i + 1, &d) == 0 || d.blit != 0) continue;
      std::snprintf(line, sizeof line, "device %d threads %u,%u,%u group %u,%u,%u bytes %u",
                    d.device, d.grid[0], d.grid[1], d.grid[2], d.block[0], d.block[1], d.block[2],
                    d.group_bytes);
    } else if (of_stand_in != nullptr) {
      StandInHipLaunch l{};
      if (of_stand_in(i, &l) != 0 || l.result != hipSuccess || l.captured != 0) continue;
      std::snprintf(line, sizeof line, "device %d threads %u,%u,%u group %u,%u,%u bytes %u",
                    l.device, l.grid.x * l.block.x, l.grid.y * l.block.y, l.grid.z * l.block.z,
                    l.block.x & 0xffffu, l.block.y & 0xffffu, l.block.z & 0xffffu,
                    static_cast<unsigned>(l.static_shared_bytes + l.dynamic_shared_bytes));
    }
    all += (all.empty() ? "" : "; ") + std::string(line);
  }
  return all.empty() ? "no packet" : all;
}

/// Stops the queues before their next packet, or lets them go on.
inline void hold(bool held) {
  if (const auto agent = find<void (*)(int)>("soft_hsa_hold")) agent(held ? 1 : 0);
  if (const auto stand_in = find<void (*)(int)>("stand_in_hip_set_deferred"))
    stand_in(held ? 1 : 0);
}

/// Waits for packets that no synchronisation waited for: of another device, or where a capture
/// refused to synchronise. A stand-in has none.
inline void settle() {
  if (find<void*>("stand_in_hip_launch_count") == nullptr) usleep(250000);
}

/// Before the first call: two gfx90a, of which the second may be a gfx908, for which this program
/// has no code.
inline void arrange(bool second_is_gfx908) {
  setenv("SOFT_HSA_GPUS", "2", 1);
  const char* const both = "gfx90a:sramecc+:xnack-,gfx908:sramecc+:xnack-";
  if (second_is_gfx908) setenv("SOFT_HSA_ISA", both, 1);
  if (const auto count = find<void (*)(int)>("stand_in_hip_set_device_count")) count(2);
  if (!second_is_gfx908) return;
  if (const auto preset = find<int (*)(int, const char*)>("stand_in_hip_set_device_preset")) {
    static_cast<void>(preset(1, "gfx942"));  // the stand-in has no gfx908
  }
  if (const auto require = find<void (*)(int)>("stand_in_hip_require_matching_code")) require(1);
}

/// The call under test: its status, the last-error slot after it, the slot once more, and the
/// packets that it sent.
template <class Call>
void ask(Call call) {
  static_cast<void>(hipGetLastError());
  const std::uint64_t before = packets();
  const hipError_t returned = call();
  const hipError_t last = hipGetLastError();
  const hipError_t then = hipGetLastError();
  const hipError_t waited = hipDeviceSynchronize();
  settle();
  say(status(returned));
  say("last", last);
  say("then", then);
  if (waited != hipSuccess) say("hipDeviceSynchronize", waited);
  say(packets_after(before));
}

}  // namespace record
