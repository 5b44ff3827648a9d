// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "release.hpp"

#include "runtime.hpp"

#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace stand_in_hip {
namespace {

constexpr Answer crash{hipSuccess, SIGSEGV};
constexpr Answer stops{hipSuccess, SIGABRT};
constexpr Answer division{hipSuccess, SIGFPE};
constexpr Answer forever{hipSuccess, SIGALRM};

constexpr Answer with(hipError_t status) { return {status}; }
constexpr Answer open(hipError_t status) { return {status, 0, true}; }
constexpr StreamAnswers both(Answer answer) { return {answer, answer}; }

constexpr Answer value = with(hipErrorInvalidValue);
constexpr Answer handle = with(hipErrorInvalidHandle);
constexpr Answer gone = with(hipErrorContextIsDestroyed);

bool lacks_nothing(std::string_view) { return false; }

bool lacks_5_2(std::string_view function) {
  return function == "hipLaunchHostFunc" || function == "hipStreamGetDevice" ||
         function == "hipModuleLaunchCooperativeKernel";
}

/// 6.4.3: what the others are compared with.
constexpr Rules release_6_4() {
  return {
      .name = "6.4",
      .version = 60400000,
      .checks_init_flags = true,
      .device_to_nowhere = value,
      .cuts_device_names = true,
      .grid_yz = 65536,
      .knows_opt_in = true,
      .has_error_texts = true,
      .success_clears_error = true,
      .demands_code_for_all = false,
      .memory_info_nowhere = {},
      .zero_size = hipErrorInvalidValue,
      .too_many_threads = hipErrorInvalidValue,
      .multiplies_in_32_bits = true,
      .refuses_dynamic_alone = true,
      .adds_static_shared = false,
      .no_arguments = value,
      .launch_stream = {value, crash},
      .module_stream = both(value),
      .cooperative_stream = both(gone),
      .cooperative_null = hipErrorInvalidDeviceFunction,
      .cooperative_shared_first = true,
      .captures_cooperative = true,
      .cooperative_wraps_to_zero = division,
      .stays_on_device = false,
      .no_code_for_launch = hipErrorInvalidDeviceFunction,
      .null_module = hipErrorInvalidHandle,
      .null_module_function = hipErrorInvalidHandle,
      .null_function_attribute = hipErrorInvalidHandle,
      .empty_kernel_name = hipErrorInvalidValue,
      .no_code_object = hipErrorInvalidImage,
      .no_code_for_module = hipErrorInvalidValue,
      .captures_modules = true,
      .limits_module_grid = true,
      .limits_module_yz = true,
      .module_yz_wrap = true,
      .unknown_occupancy = hipErrorInvalidDeviceFunction,
      .checks_occupancy_flags = true,
      .null_attributes = hipErrorInvalidDeviceFunction,
      .sets_attributes = true,
      .has_code_version = true,
      .const_bytes = -1,
      .breaks_captures = true,
      .stays_broken = true,
      .device_wait_in_capture = false,
      .stream_wait_in_capture = false,
      .waits_by_thread_mode = true,
      .relaxed_copies = false,
      .query_breaks = true,
      .any_query_breaks = false,
      .end_without_begin = hipErrorIllegalState,
      .end_on_null_stream = hipErrorIllegalState,
      .failed_end_sets_graph = true,
      .unjoined_end_clears_graph = false,
      .demands_join = true,
      .unjoined_stay = true,
      .forks_stay = false,
      .null_stream_is_implicit = true,
      .captures_peer_copies = false,
      .captures_allocations = true,
      .manages_in_capture = true,
      .waited_stream = both(gone),
      .capture_stream = both(gone),
      .recorded_stream = both(gone),
      .waiting_stream = both(handle),
      .graph_stream = both(gone),
      .copy_stream = {gone, crash},
      .fill_stream = both(crash),
      .pool_stream = both(handle),
      .host_call_stream = {gone, crash},
      .wait_flags = crash,
      .destroy_after_free_async = {},
      .timed_across_processes = false,
      .event_destroyed_twice = gone,
      .dead_event = crash,
      .unknown_pointer = hipSuccess,
      .null_pointer = hipErrorInvalidValue,
      .pool_of_nothing = {},
      .pools_grow_late = false,
      .foreign_free_async = value,
      .register_nothing = hipErrorInvalidValue,
      .unregister_null = hipErrorInvalidValue,
      .unregister = {},
      .checks_copy_kind = true,
      .checks_symbol_kind = true,
      .lacks = lacks_nothing,
  };
}

constexpr Rules release_5_7() {
  Rules r = release_6_4();
  r.name = "5.7";
  r.version = 50700000;
  r.knows_opt_in = false;
  r.adds_static_shared = true;
  r.no_arguments = crash;
  r.launch_stream = {stops, crash};
  r.cooperative_stream = both(value);
  r.cooperative_null = hipErrorInvalidSymbol;
  r.cooperative_shared_first = false;
  r.captures_cooperative = false;
  r.no_code_object = hipErrorInvalidKernelFile;
  r.no_code_for_module = hipErrorNoBinaryForGpu;
  r.limits_module_yz = false;
  r.sets_attributes = false;
  r.has_code_version = false;
  r.const_bytes = 0;
  r.breaks_captures = false;
  r.stays_broken = false;
  r.device_wait_in_capture = true;
  r.waits_by_thread_mode = false;
  r.relaxed_copies = true;
  r.query_breaks = false;
  r.failed_end_sets_graph = false;
  r.copy_stream = both(crash);
  r.pool_stream = both(value);
  r.wait_flags = value;
  r.unknown_pointer = hipErrorInvalidValue;
  r.foreign_free_async = {};
  r.checks_copy_kind = false;
  return r;
}

constexpr Rules release_5_2() {
  Rules r = release_5_7();
  r.name = "5.2";
  r.version = 50200000;
  r.checks_init_flags = false;
  r.device_to_nowhere = with(hipErrorInvalidDevice);
  r.cuts_device_names = false;
  r.grid_yz = INT_MAX;
  r.has_error_texts = false;
  r.demands_code_for_all = true;
  r.memory_info_nowhere = crash;
  r.too_many_threads = hipErrorInvalidConfiguration;
  r.refuses_dynamic_alone = false;
  r.module_stream = both(crash);
  r.null_module = hipErrorNotFound;
  r.null_module_function = hipErrorInvalidImage;
  r.null_function_attribute = hipErrorInvalidValue;
  r.empty_kernel_name = hipErrorNotFound;
  r.captures_modules = false;
  r.limits_module_grid = false;
  r.module_yz_wrap = false;
  r.unknown_occupancy = hipErrorInvalidValue;
  r.checks_occupancy_flags = false;
  r.null_attributes = hipErrorInvalidValue;
  r.stream_wait_in_capture = true;
  r.end_without_begin = hipErrorStreamCaptureUnmatched;
  r.end_on_null_stream = hipErrorInvalidValue;
  r.demands_join = false;
  r.forks_stay = true;
  r.null_stream_is_implicit = false;
  r.captures_peer_copies = true;
  r.captures_allocations = false;
  r.capture_stream = both(value);
  r.recorded_stream = {handle, crash};
  r.waiting_stream = both(gone);
  r.graph_stream = both(value);
  r.destroy_after_free_async = forever;
  r.timed_across_processes = true;
  r.event_destroyed_twice = crash;
  r.pool_of_nothing = value;
  r.pools_grow_late = true;
  r.foreign_free_async = crash;
  r.register_nothing = hipSuccess;
  r.unregister_null = hipErrorHostMemoryNotRegistered;
  r.unregister = stops;
  r.checks_symbol_kind = false;
  r.lacks = lacks_5_2;
  return r;
}

/// Read, not recorded: sys-7's files and AMD's page "HIP API 7.0 changes". What they do not tell is
/// as in 6.4.
constexpr Rules release_7() {
  Rules r = release_6_4();
  r.name = "7";
  r.version = 70000000;
  r.success_clears_error = false;  // hip_internal.hpp HIP_UPDATE_ERROR_STATE
  r.zero_size = hipErrorInvalidConfiguration;
  r.too_many_threads = hipErrorInvalidConfiguration;
  r.multiplies_in_32_bits = false;  // hip_module.cpp, NDRange::product
  r.launch_stream = both(value);
  r.module_stream = both(gone);
  r.cooperative_stream = both(value);
  r.cooperative_wraps_to_zero = with(hipErrorInvalidConfiguration);
  r.stays_on_device = true;                          // hip_module.cpp ihipModuleLaunchKernel
  r.no_code_for_launch = hipErrorInvalidKernelFile;  // hip_platform.cpp ihipLaunchKernel
  r.no_code_for_module = hipErrorNoBinaryForGpu;
  r.const_bytes = 0;
  r.any_query_breaks = true;  // hip_event.cpp, checkEventCaptureRestrictions
  r.stays_broken = false;
  r.failed_end_sets_graph = false;
  r.unjoined_end_clears_graph = true;
  r.unjoined_stay = false;
  r.manages_in_capture = false;
  // hip_stream.cpp hipStreamGetFlags_common, hipStreamSynchronize_common and hipStreamDestroy check
  // no stream and use freed memory.
  r.waited_stream = both(open(hipErrorContextIsDestroyed));
  r.capture_stream = r.recorded_stream = r.graph_stream = r.host_call_stream = r.copy_stream =
      r.fill_stream = r.waited_stream;
  r.wait_flags = value;
  r.dead_event = open(hipErrorInvalidHandle);
  r.null_pointer = hipSuccess;  // it writes nothing
  return r;
}

}  // namespace

const Rules& rules() {
  static constexpr std::array<Rules, 4> all{release_5_2(), release_5_7(), release_6_4(),
                                            release_7()};
  return all[static_cast<std::size_t>(runtime().release)];
}

hipError_t give(Answer answer, const char* what) {
  if (answer.undefined) ++runtime().undefined_uses;
  if (answer.signal == 0) return answer.status;
  std::fprintf(stderr, "stand-in for HIP %s: AMD's runtime %s: %s\n", rules().name,
               answer.signal == SIGALRM ? "never returns from this call" : "ends the process here",
               what);
  static_cast<void>(std::raise(answer.signal));
  std::_Exit(128 + answer.signal);  // where the program ignores the signal
}

}  // namespace stand_in_hip
