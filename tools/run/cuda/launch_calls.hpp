// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/kernel/foreign_text.hpp"
#include "../core/kernel/kernel_code.hpp"
#include "../core/launch/launch_order.hpp"
#include "../core/rerun/graph_steps.hpp"
#include "../core/stream/captures.hpp"
#include "../core/stream/stream_names.hpp"
#include "../core/watcher.hpp"
#include "functions.hpp"
#include "graphs.hpp"
#include "kernel_of.hpp"
#include "known_call.hpp"
#include "launches.hpp"
#include "thread_state.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstdint>

namespace warpsafe::watch {

/// Handles the driver's launches of kernels and graphs.
class LaunchCalls {
 public:
  LaunchCalls(Watcher& watcher, Captures& captures, Graphs& graphs, Functions& functions,
              KernelCodes& codes, LaunchWaits& waits, GraphSteps& steps)
      : watcher_(watcher),
        captures_(captures),
        graphs_(graphs),
        functions_(functions),
        codes_(codes),
        waits_(waits),
        steps_(steps) {}

  [[nodiscard]] static bool is_launch(Call call) noexcept {
    return call == Call::launch || call == Call::launch_ex || call == Call::launch_cooperative ||
           call == Call::graph_launch;
  }
  /// Call when the driver call begins. @pre is_launch
  void enter(ThreadState& mine, const KnownCall& known, std::int32_t device,
             const CUpti_CallbackData& info) noexcept {
    const Asked asked = read(known, info);
    if (asked.config_is_missing) return;
    // Filled in place: a launch has a hundred bytes, too many to copy in a function called this
    // often.
    Launch& launch = mine.launch.launch;
    launch = Launch{};
    launch.stream = name_of(asked.stream, known.per_thread);
    launch.device = device;
    if (known.call == Call::graph_launch) {
      launch.is_graph = true;
      mine.new_function = false;
      launch.kernel = graphs_.kernel(asked.graph, device);
    } else {
      read_shape(known, info, launch.shape);
      launch.function = asked.function;
      launch.kernel = watcher_.kernels().find(asked.function, device);
      mine.new_function = launch.kernel == nullptr;
      if (mine.new_function) {
        launch.kernel = watcher_.lookup().unverified_kernel(asked.function, device, info.symbolName,
                                                            launch.is_named);
        if (!launch.is_named) {
          if (Kernel* const old = functions_.old_kernel(asked.function, device)) {
            launch.kernel = old;
            launch.is_named = true;
          }
        }
      }
      // Restores the runtime's argument, which the runtime truncates to 32 bits.
      if (mine.in_runtime &&
          static_cast<std::uint32_t>(mine.runtime_shared) == launch.shape.dynamic_shared) {
        launch.shape.dynamic_shared = mine.runtime_shared;
      }
    }
    if (launch.kernel == nullptr) return;
    watcher_.suspicions().legacy.launched(*launch.kernel, launch.stream == nullptr);
    if (asked.graph != nullptr && !watcher_.quiet()) look_for_freed(*launch.kernel, asked.graph);
    watcher_.launching(mine.launch);
    mine.launching = true;
    if (mine.launch.waits) [[unlikely]]
      wait_before(mine.launch, asked.graph);
  }
  /// Call when the driver call has ended. @pre is_launch
  void leave(ThreadState& mine, const KnownCall& known, std::int32_t device,
             const CUpti_CallbackData& info, CUresult status) noexcept {
    if (!mine.launching) return;
    mine.launching = false;
    mine.driver_answered = true;
    if (mine.new_function && status == CUDA_SUCCESS) described(mine, device, info);
    if (status != CUDA_SUCCESS) [[unlikely]]
      return refused(mine, known, device, info, status);
    const Watcher::Follow follow_what = watcher_.follow();
    bool follows = follow_what == Watcher::Follow::order && watcher_.suspicions().order.on();
    if (follow_what == Watcher::Follow::arguments) [[unlikely]] {
      keep_arguments(mine.launch, known, info);
      follows = watcher_.follows_order();
    }
    const Launch& launch = mine.launch.launch;
    const bool dependence =
        !watcher_.quiet() && watcher_.suspicions().dependent.wants(may_begin_early(launch));
    if (!follows && !dependence && !captures_.any()) {
      launched(mine.launch, known, info);
      tell_the_host(launch, known, device, info);
      return;
    }
    const Asked asked = read(known, info);
    if (dependence) follow_dependence(launch, known, device, asked);
    if (captures_.is_capturing(name_of(asked.stream, known.per_thread))) {
      watcher_.not_launched(mine.launch);
      return;
    }
    launched(mine.launch, known, info);
    if (follows) follow(launch, known, device, asked);
    tell_the_host(launch, known, device, info);
  }

 private:
  [[gnu::cold, gnu::noinline]] void wait_before(const ObservedLaunch& seen,
                                                CUgraphExec graph) noexcept {
    if (waits_.is_capturing(captures_, seen.launch.stream)) return;
    const HostStack stack = HostStack::here();
    waits_.before(seen, stack);
    if (seen.launch.is_graph) steps_.begin(seen, graph, stack);
  }
  void launched(ObservedLaunch& seen, const KnownCall& known,
                const CUpti_CallbackData& info) noexcept {
    watcher_.launched(seen, CUDA_SUCCESS);
    if (!seen.waits) [[likely]]
      return;
    if (seen.launch.is_graph) {
      steps_.end(seen, read(known, info).graph, true, HostStack::here());
    } else {
      waits_.after(seen, HostStack::here());
    }
  }
  /// The host may learn of the end of earlier work from a graph, and from memory of the host that a
  /// kernel writes. A kernel's parameters are read only while that matters, and not for ever. A
  /// kernel in a program with managed memory writes such memory as a rule, so the OrderWatch is not
  /// told of it.
  void tell_the_host(const Launch& launch, const KnownCall& known, std::int32_t device,
                     const CUpti_CallbackData& info) noexcept {
    constexpr std::uint32_t most_looks = 1024;
    UnawaitedCopies& unawaited = watcher_.suspicions().unawaited;
    if (!launch.is_graph && !unawaited.on()) [[likely]]
      return;
    const bool follows = watcher_.follows_order();
    if (!follows && !unawaited.any()) return;
    Kernel& kernel = *launch.kernel;
    const auto is_set = [](const bool& flag) { return __atomic_load_n(&flag, __ATOMIC_RELAXED); };
    if (!launch.is_graph && !is_set(kernel.writes_pinned) &&
        __atomic_load_n(&kernel.host_looks, __ATOMIC_RELAXED) < most_looks) {
      __atomic_add_fetch(&kernel.host_looks, 1, __ATOMIC_RELAXED);
      look_for_host_memory(kernel, known, info);
    }
    const bool tells = launch.is_graph ? graphs_.tells_the_host(read(known, info).graph)
                                       : is_set(kernel.writes_pinned);
    if (tells || is_set(kernel.writes_managed)) unawaited.waited();
    if (!tells || !follows) return;
    OrderWatch& order = watcher_.suspicions().order;
    try {
      const void* const stream = read(known, info).stream;
      order.host_knows(place_of(stream, known.per_thread, device, watcher_.streams()));
    } catch (...) {  // out of memory: no suspicions
      order.give_up();
    }
  }
  [[gnu::noinline]] void look_for_host_memory(Kernel& kernel, const KnownCall& known,
                                              const CUpti_CallbackData& info) noexcept {
    if (!kernel.is_described()) return;
    MemoryTable& memory = watcher_.failed_calls().memory();
    try {
      for (const UsedPointer& one : used_pointers(kernel, read(known, info).parameters)) {
        if (one.use == PointerUse::reads) continue;
        const std::optional<AllocationKind> kind = memory.kind_of(one.address);
        if (!kind.has_value() || *kind == AllocationKind::device) continue;
        const bool is_pinned = *kind == AllocationKind::pinned;
        __atomic_store_n(is_pinned ? &kernel.writes_pinned : &kernel.writes_managed, true,
                         __ATOMIC_RELAXED);
      }
    } catch (...) {  // out of memory: the host may have been told
      __atomic_store_n(&kernel.writes_pinned, true, __ATOMIC_RELAXED);
    }
  }
  /// A graph keeps the addresses of memory that the program may have freed since.
  [[gnu::noinline]] void look_for_freed(const Kernel& kernel, CUgraphExec graph) noexcept {
    try {
      const auto found = graphs_.freed(graph);
      if (!found.has_value()) return;
      watcher_.graph_uses_freed(kernel, found->first, found->second, HostStack::here());
    } catch (...) {  // out of memory: nothing is suspected
      return;
    }
  }
  /// The arguments of a launch, except its dimensions.
  struct Asked {
    bool config_is_missing = false;
    CUfunction function = nullptr;
    CUgraphExec graph = nullptr;
    CUstream stream = nullptr;
    LaunchParameters parameters;
    const CUlaunchConfig* config = nullptr;
  };
  /// @pre is_launch
  [[nodiscard]] static Asked read(const KnownCall& known, const CUpti_CallbackData& info) noexcept {
    Asked asked;
    if (known.call == Call::launch) {
      const auto& of = *static_cast<const cuLaunchKernel_params*>(info.functionParams);
      asked.function = of.f;
      asked.stream = of.hStream;
      asked.parameters = {of.kernelParams, of.extra};
    } else if (known.call == Call::launch_cooperative) {
      const auto& of = *static_cast<const cuLaunchCooperativeKernel_params*>(info.functionParams);
      asked.function = of.f;
      asked.stream = of.hStream;
      asked.parameters = {of.kernelParams, nullptr};
    } else if (known.call == Call::launch_ex) {
      const auto& of = *static_cast<const cuLaunchKernelEx_params*>(info.functionParams);
      asked.function = of.f;
      asked.config = of.config;
      asked.config_is_missing = of.config == nullptr;
      if (of.config != nullptr) asked.stream = of.config->hStream;
      asked.parameters = {of.kernelParams, of.extra};
    } else {
      const auto& of = *static_cast<const cuGraphLaunch_params*>(info.functionParams);
      asked.graph = of.hGraph;
      asked.stream = of.hStream;
    }
    return asked;
  }
  /// Reads the dimensions of a kernel launch. @pre the configuration exists, if the call takes one
  static void read_shape(const KnownCall& known, const CUpti_CallbackData& info,
                         LaunchShape& shape) noexcept {
    if (known.call == Call::launch) {
      shape = shape_of_parameters(*static_cast<const cuLaunchKernel_params*>(info.functionParams));
    } else if (known.call == Call::launch_cooperative) {
      shape = shape_of_parameters(
          *static_cast<const cuLaunchCooperativeKernel_params*>(info.functionParams));
      shape.cooperative = true;
    } else {
      shape = shape_of_config(
          *static_cast<const cuLaunchKernelEx_params*>(info.functionParams)->config);
    }
  }

  [[gnu::cold, gnu::noinline]] void refused(ThreadState& mine, const KnownCall& known,
                                            std::int32_t device, const CUpti_CallbackData& info,
                                            CUresult status) noexcept {
    const Asked asked = read(known, info);
    Refusal of;
    of.parameters = asked.graph == nullptr ? &asked.parameters : nullptr;
    const HostStack stack = HostStack::here();
    of.stack = &stack;
    if (mine.launch.waits && asked.graph != nullptr) {
      steps_.end(mine.launch, asked.graph, false, stack);
    }
    if (asked.graph != nullptr) of.hint = watcher_.destroyed(asked.graph);
    // It may return the fault of its own work.
    if (asked.graph != nullptr && watcher_.arguments().on())
      keep_arguments(mine.launch, known, info);
    try {
      if (status == CUDA_ERROR_INVALID_HANDLE && asked.function != nullptr) {
        of.hint = functions_.hint(asked.function, device, mine.context);
      }
    } catch (...) {  // out of memory
      of.hint.clear();
    }
    watcher_.launch_refused(mine.launch, status, of);
  }
  /// The driver has accepted the function, so it can be queried.
  [[gnu::cold, gnu::noinline]] void described(ThreadState& mine, std::int32_t device,
                                              const CUpti_CallbackData& info) noexcept {
    Launch& launch = mine.launch.launch;
    const auto function = static_cast<CUfunction>(const_cast<void*>(launch.function));
    if (Kernel* const same = kernel_of(watcher_, function, device, info.symbolName)) {
      launch.kernel = same;
    }
    if (launch.kernel == nullptr || !watcher_.reads_code()) return;
    try {
      const KernelCode code = codes_.find(foreign_text(info.symbolName));
      __atomic_store_n(&launch.kernel->code.bits, code.bits, __ATOMIC_RELAXED);
    } catch (...) {  // out of memory: the kernel counts as one whose code is unknown
      return;
    }
  }
  [[gnu::cold, gnu::noinline]] void keep_arguments(const ObservedLaunch& seen,
                                                   const KnownCall& known,
                                                   const CUpti_CallbackData& info) noexcept {
    try {
      const Asked asked = read(known, info);
      if (seen.launch.is_graph) {
        const auto pointers = graphs_.known(asked.graph).pointers;
        if (pointers != nullptr) watcher_.arguments().keep(seen.record.sequence, pointers->all);
      } else {
        watcher_.arguments().keep(seen.record.sequence, *seen.launch.kernel, asked.parameters);
      }
    } catch (...) {  // out of memory: a fault's report says less
      return;
    }
  }
  /// Passes the launch and the memory that it touches to the OrderWatch.
  void follow(const Launch& launch, const KnownCall& known, std::int32_t device,
              const Asked& asked) noexcept {
    try {
      const Kernel& kernel = *launch.kernel;
      OrderWatch& order = watcher_.suspicions().order;
      const StreamPlace at = place_of(asked.stream, known.per_thread, device, watcher_.streams());
      if (asked.graph != nullptr) {
        const Graphs::Known graph = graphs_.known(asked.graph);
        order.submitted({kernel.name_view(), true, 0, graph.library, at}, graph.accesses,
                        asked.graph);
        return;
      }
      if (asked.config != nullptr && records_an_event(*asked.config)) return order.give_up();
      follow_launch(watcher_.suspicions(), launch, at, asked.parameters);
    } catch (...) {  // out of memory: no suspicions
      watcher_.suspicions().order.give_up();
    }
  }
  [[nodiscard]] static bool may_begin_early(const Launch& launch) noexcept {
    if (!launch.shape.programmatic) return false;
    const KernelCode code = launch.kernel->machine_code();
    return code.has(KernelCode::is_known) && !code.has(KernelCode::waits);
  }
  [[gnu::noinline]] void follow_dependence(const Launch& launch, const KnownCall& known,
                                           std::int32_t device, const Asked& asked) noexcept {
    Suspicions& suspicions = watcher_.suspicions();
    try {
      const StreamPlace at = place_of(asked.stream, known.per_thread, device, watcher_.streams());
      const bool unclear = asked.config != nullptr && records_an_event(*asked.config);
      if (asked.graph != nullptr || unclear) return suspicions.dependent.ordered(at);
      watch::follow_dependence(suspicions, launch, at, asked.parameters);
    } catch (...) {  // out of memory: this launch is in no pair
      return;
    }
  }
  Watcher& watcher_;
  Captures& captures_;
  Graphs& graphs_;
  Functions& functions_;
  KernelCodes& codes_;
  LaunchWaits& waits_;
  GraphSteps& steps_;
};

}  // namespace warpsafe::watch
