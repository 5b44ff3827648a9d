// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What was dispatched, and what runs in a kernel's place: one of the runtime's own kernels, a
// test's function, or a host twin from a library of SOFT_HSA_TWINS.
#include "dispatches.hpp"

#include "answer.hpp"
#include "code_objects.hpp"
#include "kernels/runtime_kernels.hpp"
#include "kernels/twin_libraries.hpp"
#include "packet_rules.hpp"
#include "signals.hpp"
#include "soft_hsa.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace soft_hsa {
namespace {

constexpr std::size_t most_kept = 65536;

struct Dispatches {
  std::mutex lock;
  std::uint64_t count = 0;
  std::uint64_t executed = 0;
  std::uint64_t not_executed = 0;
  int next_fault = 0;
  std::deque<SoftHsaDispatch> last;
  std::set<std::string> names;  // never freed
  std::map<std::string, std::pair<SoftHsaTwin, void*>> twins;
};
Dispatches& dispatches() {
  static auto* const made = new Dispatches;
  return *made;
}

SoftHsaDispatch describe(const hsa_kernel_dispatch_packet_t& packet, const LoadedKernel* kernel,
                         const Agent& agent) {
  SoftHsaDispatch d{};
  d.device = agent.index;
  d.setup = packet.setup & 3U;
  d.block[0] = packet.workgroup_size_x;
  d.block[1] = packet.workgroup_size_y;
  d.block[2] = packet.workgroup_size_z;
  d.grid[0] = packet.grid_size_x;
  d.grid[1] = packet.grid_size_y;
  d.grid[2] = packet.grid_size_z;
  d.group_bytes = packet.group_segment_size;
  d.private_bytes = packet.private_segment_size;
  d.kernarg = packet.kernarg_address;
  if (kernel != nullptr) {
    d.static_group_bytes = kernel->group_bytes;
    d.kernarg_bytes = kernel->kernarg_bytes;
    // Kernels in assembler, such as rocBLAS's products, leave the descriptor's field 0.
    for (const auto& argument : kernel->code.arguments) {
      d.kernarg_bytes = std::max(d.kernarg_bytes, argument.offset + argument.size);
    }
    if (kernel->code.hostcall_offset >= 0 && packet.kernarg_address != nullptr) {
      d.hostcall = read_at<void*>(packet.kernarg_address,
                                  static_cast<std::size_t>(kernel->code.hostcall_offset));
    }
    d.blit = kernel->is_blit() ? 1 : 0;
  }
  return d;
}

void say(const SoftHsaDispatch& d, const char* done) {
  std::fprintf(stderr,
               "soft_hsa: dispatch %s device %d grid(threads) %u,%u,%u block %u,%u,%u group %u "
               "private %u kernarg %u: %s\n",
               d.kernel, d.device, d.grid[0], d.grid[1], d.grid[2], d.block[0], d.block[1],
               d.block[2], d.group_bytes, d.private_bytes, d.kernarg_bytes, done);
}

/// As ROCr ends the process (runtime.cpp, VMFaultHandler).
[[noreturn]] void end_by_memory_fault(const Agent& agent, const std::string& kernel,
                                      const std::string& text) {
  std::fprintf(stderr,
               "Memory access fault by GPU node-%d (Agent handle: %p) on address %s. Reason: "
               "Unknown.\nsoft_hsa: in kernel %s: %s\n",
               agent.index + 1, static_cast<const void*>(&agent), "(unknown)", kernel.c_str(),
               text.empty() ? "asked for by soft_hsa_fault_next" : text.c_str());
  std::abort();
}

/// The error of the queue after a SoftHsaFault.
hsa_status_t end_of(int fault, const Agent& agent, const char* kernel) {
  if (fault == SOFT_HSA_MEMORY_FAULT) end_by_memory_fault(agent, kernel, "");
  if (fault == SOFT_HSA_ABORT) return HSA_STATUS_ERROR_EXCEPTION;
  return static_cast<hsa_status_t>(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
}

}  // namespace

std::atomic<bool> held{false};

hsa_status_t run_dispatch(const hsa_kernel_dispatch_packet_t& packet, const Agent& agent) {
  const auto kernel = find_kernel(packet.kernel_object);
  SoftHsaDispatch d = describe(packet, kernel.get(), agent);
  const hsa_status_t error = dispatch_error(packet, kernel.get(), *agent.gpu->model);
  Dispatches& all = dispatches();
  std::pair<SoftHsaTwin, void*> twin{};
  int fault = 0;
  {
    const std::lock_guard hold(all.lock);
    d.kernel = all.names.insert(kernel == nullptr ? "?" : kernel->name).first->c_str();
    d.sequence = ++all.count;
    all.last.push_back(d);
    if (all.last.size() > most_kept) all.last.pop_front();
    if (const auto found = all.twins.find(d.kernel); found != all.twins.end()) twin = found->second;
    if (d.blit == 0) fault = std::exchange(all.next_fault, 0);
  }
  if (error != HSA_STATUS_SUCCESS) {
    if (logs(1)) say(d, "refused by the packet processor");
    return error;
  }
  if (fault != 0) return end_of(fault, agent, d.kernel);
  if (d.blit != 0) {
    const bool known = run_runtime_kernel(kernel->name, d.kernarg);
    if (!known) std::fprintf(stderr, "soft_hsa: the runtime's kernel %s is not known\n", d.kernel);
    if (logs(1)) say(d, known ? "the runtime's own" : "not executed");
    return HSA_STATUS_SUCCESS;
  }
  bool executed = twin.first != nullptr;
  if (executed) {
    twin.first(&d, twin.second);
    std::unique_lock hold(all.lock);
    fault = std::exchange(all.next_fault, 0);
    hold.unlock();
    if (fault != 0) return end_of(fault, agent, d.kernel);
  } else {
    std::string failure;
    switch (run_twin(d, *kernel, failure)) {
      case TwinResult::none:
        break;
      case TwinResult::done:
        executed = true;
        break;
      case TwinResult::memory_fault:
        end_by_memory_fault(agent, d.kernel, failure);
      case TwinResult::trap:
        std::fprintf(stderr, "soft_hsa: in kernel %s: %s\n", d.kernel, failure.c_str());
        return HSA_STATUS_ERROR_EXCEPTION;
    }
  }
  if (logs(1)) say(d, executed ? "executed by its twin" : "not executed: it has no twin");
  const std::lock_guard hold(all.lock);
  ++(executed ? all.executed : all.not_executed);
  return HSA_STATUS_SUCCESS;
}

}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

std::uint64_t soft_hsa_dispatches(void) {
  const std::lock_guard hold(dispatches().lock);
  return dispatches().count;
}
int soft_hsa_dispatch(std::uint64_t sequence, SoftHsaDispatch* out) {
  const Dispatches& all = dispatches();
  const std::lock_guard hold(dispatches().lock);
  if (all.last.empty() || sequence < all.last.front().sequence || sequence > all.count) return 0;
  *out = all.last[sequence - all.last.front().sequence];
  return 1;
}
void soft_hsa_twin(const char* kernel, SoftHsaTwin twin, void* data) {
  const std::lock_guard hold(dispatches().lock);
  if (twin == nullptr) {
    dispatches().twins.erase(kernel);
  } else {
    dispatches().twins[kernel] = {twin, data};
  }
}
std::uint64_t soft_hsa_executed(void) {
  const std::lock_guard hold(dispatches().lock);
  return dispatches().executed;
}
std::uint64_t soft_hsa_not_executed(void) {
  const std::lock_guard hold(dispatches().lock);
  return dispatches().not_executed;
}
void soft_hsa_fault_next(SoftHsaFault fault) {
  const std::lock_guard hold(dispatches().lock);
  dispatches().next_fault = fault;
}
void soft_hsa_hold(int hold_them) {
  held = hold_them != 0;
  tell();
}

}  // extern "C"
