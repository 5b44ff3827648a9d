// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "runtime.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace stand_in_hip {
namespace {

/// The release after a reset: 6.4, or the one that the variable names, which runs all tests of a
/// program on that release.
StandInHipRelease first_release() {
  const char* const named = std::getenv("STAND_IN_HIP_RELEASE");
  if (named == nullptr || *named == '\0') return STAND_IN_HIP_6_4;
  const std::string_view name = named;
  if (name == "5.2") return STAND_IN_HIP_5_2;
  if (name == "5.7") return STAND_IN_HIP_5_7;
  if (name == "6.4") return STAND_IN_HIP_6_4;
  if (name == "7") return STAND_IN_HIP_7;
  std::fprintf(stderr, "STAND_IN_HIP_RELEASE is '%s'; use 5.2, 5.7, 6.4 or 7\n", named);
  std::abort();
}

/// Whether a program's kernels lack code for one of the devices.
bool lacks_code(const Runtime& r) {
  for (const auto& binary : r.binaries) {
    if (!binary->alive) continue;
    for (const Device& device : r.devices) {
      const auto fits = [&](const CodeObject& code) {
        return code.architecture == device.architecture;
      };
      if (std::none_of(binary->objects.begin(), binary->objects.end(), fits)) return true;
    }
  }
  return false;
}

}  // namespace

Runtime& runtime() {
  // Never destroyed: registered programs unregister from their own exit handlers.
  static Runtime* const instance = [] {
    auto* made = new Runtime;
    made->release = first_release();
    made->devices.push_back(Device::preset("gfx90a"));
    return made;
  }();
  return *instance;
}

ThreadState& Runtime::thread() {
  thread_local ThreadState state;
  if (state.epoch != epoch) {
    state = ThreadState{};
    state.epoch = epoch;
  }
  return state;
}

void Runtime::reset() {
  ++epoch;
  release = first_release();
  forgives_broken_captures = false;
  has_peers = true;
  peers.clear();
  deferred = false;
  require_matching_code = false;
  freed_async = false;
  devices.assign(1, Device::preset("gfx90a"));
  for (auto& [host_function, kernel] : kernels) {
    kernel.overridden = false;
    kernel.max_dynamic_shared.clear();
  }
  deferred_work.clear();
  modules.clear();
  for (auto& [first, allocation] : allocations) {
    if (!allocation.registered) std::free(const_cast<void*>(first));
  }
  allocations.clear();
  streams.clear();
  events.clear();
  graphs.clear();
  graph_execs.clear();
  calls.clear();
  counts.clear();
  launches.clear();
  failures.clear();
  async_error = sticky_error = hipSuccess;
  undefined_uses = 0;
}

hipError_t Runtime::refusal(const char* function, bool needs_device) {
  for (auto failure = failures.begin(); failure != failures.end(); ++failure) {
    if (failure->function != function || --failure->calls_left != 0) continue;
    const hipError_t code = failure->code;
    failures.erase(failure);
    return code;
  }
  if (require_matching_code && rules().demands_code_for_all && lacks_code(*this)) {
    return give({hipSuccess, SIGABRT}, "a device has no code in the program");
  }
  if (rules().lacks(function)) {
    std::fprintf(stderr, "stand-in for HIP %s: this release has no %s\n", rules().name, function);
    std::abort();
  }
  // HIP_INIT_API, sys-7 hip_internal.hpp: every call returns an error of the GPU.
  if (sticky_error != hipSuccess) return sticky_error;
  // HIP_INIT_API, clr hip_internal.hpp:161: without a device every function returns
  // hipErrorNoDevice.
  return needs_device && devices.empty() ? hipErrorNoDevice : hipSuccess;
}

hipError_t Runtime::finish(const char* function, hipError_t result, const CallNote& note) {
  if (note.synchronises && result == hipSuccess && async_error != hipSuccess) {
    result = async_error;
    async_error = hipSuccess;
    if (release >= STAND_IN_HIP_7) sticky_error = result;
  }
  ThreadState& t = thread();
  if (!note.keeps_last_error) {
    const bool real = result != hipSuccess && result != hipErrorNotReady;
    if (rules().success_clears_error || real) t.last_error = result;
  }
  const auto counted = counts.try_emplace(function, 0).first;
  ++counted->second;
  calls.push_back({function, calls.size() + 1, result, note.stream, t.device, note.bytes});
  return result;
}

void Runtime::enqueue(Stream* stream, std::function<void()> work) {
  if (deferred) {
    deferred_work.push_back({stream, std::move(work)});
  } else {
    work();
  }
}

void Runtime::drain() {
  while (!deferred_work.empty()) {
    const DeferredWork next = std::move(deferred_work.front());
    deferred_work.pop_front();
    next.work();
  }
}

}  // namespace stand_in_hip
