// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the interposer does with single functions. Functions that are not here are passed on without
// a record.
#include "handles.hpp"
#include "interposer.hpp"

#include <cstring>

namespace interposer {
namespace {

template <class T>
T at(const Word* words, int place) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(words[place]);
  } else {
    return static_cast<T>(words[place]);
  }
}

// ---- devices

bool count_devices(const Word* words, hipError_t& result) {
  *at<int*>(words, 0) = state().visible_devices;
  result = state().visible_devices > 0 ? hipSuccess : hipErrorNoDevice;
  return true;
}
template <int Place>
bool is_hidden(const Word* words, hipError_t& result) {
  const State& s = state();
  const int device = at<int>(words, Place);
  if (s.visible_devices == 0 || (device >= 0 && device < s.visible_devices)) return false;
  result = hipErrorInvalidDevice;
  return true;
}
bool attribute(const Word* words, hipError_t& result) {
  if (is_hidden<2>(words, result)) return true;
  const auto found = state().attributes.find({at<int>(words, 2), at<int>(words, 1)});
  if (found == state().attributes.end()) return false;
  *at<int*>(words, 0) = found->second;
  result = hipSuccess;
  return true;
}
void peers(const Word* words, hipError_t& result) {
  if (result == hipSuccess && !state().has_peers) *at<int*>(words, 0) = 0;
}
bool get_last_error(const Word*, hipError_t& result) {
  if (!slot().planted) return false;
  result = slot().code;
  slot() = {false, hipSuccess, state().epoch};
  static_cast<void>(real<&hipGetLastError>("hipGetLastError")());
  return true;
}
bool peek_last_error(const Word*, hipError_t& result) {
  result = last_error();
  return true;
}

// ---- captures, so that a reset can end them

void begin_capture(const Word* words, hipError_t& result) {
  if (result == hipSuccess) state().capturing.insert(at<hipStream_t>(words, 0));
}
void end_capture(const Word* words, hipError_t& result) {
  auto& graph = *at<hipGraph_t*>(words, 1);
  if (result != hipSuccess && state().forgives_captures) {
    result = real<&hipGraphCreate>("hipGraphCreate")(&graph, 0);
  }
  if (result != hipSuccess) return;
  state().capturing.erase(at<hipStream_t>(words, 0));
  state().live.insert(reinterpret_cast<Word>(graph));
}

// ---- what the program has made

void made(const Word* words, hipError_t& result) {
  if (result == hipSuccess) state().live.insert(*at<Word*>(words, 0));
}
void released(const Word* words, hipError_t& result) {
  if (result == hipSuccess) state().live.erase(words[0]);
}

// ---- handles

template <Handles::Kind Kind>
void handle_made(const Word* words, hipError_t& result) {
  Word* const handle = at<Word*>(words, 0);
  if (result == hipSuccess) *handle = Handles::all().make(Kind, *handle);
  made(words, result);
}
void event_destroyed(const Word* words, hipError_t& result) {
  if (result == hipSuccess) Handles::all().give_back(Handles::Kind::event, words[0]);
  released(words, result);
}
void stream_destroyed(const Word* words, hipError_t& result) {
  state().capturing.erase(at<hipStream_t>(words, 0));
  if (result == hipSuccess) Handles::all().give_back(Handles::Kind::stream, words[0]);
  released(words, result);
}
/// The runtime would wait for the work.
bool is_held(const Word* words, hipError_t& result) {
  const auto stream = at<hipStream_t>(words, 0);
  if (!state().deferred || real_stream(stream) == stream ||
      real<&hipStreamQuery>("hipStreamQuery")(real_stream(stream)) != hipErrorNotReady) {
    return false;
  }
  result = hipSuccess;
  state().graves.push_back(real_stream(stream));
  stream_destroyed(words, result);
  return true;
}

// ---- kernels

bool lacks_code() {
  int device = 0;
  static_cast<void>(real<&hipGetDevice>("hipGetDevice")(&device));
  return state().without_code.count(device) != 0;
}
/// FuncGetAttributes and questions like it.
bool asks_without_code(const Word*, hipError_t& result) {
  if (!lacks_code()) return false;
  result = hipErrorInvalidKernelFile;
  return true;
}
void function_attributes(const Word* words, hipError_t& result) {
  if (result != hipSuccess) return;
  const auto found = state().kernels.find(at<const void*>(words, 1));
  if (found == state().kernels.end()) return;
  auto& attributes = *at<hipFuncAttributes*>(words, 0);
  const AmdKernelInfo& info = found->second.info;
  if (info.max_threads_per_block >= 0) attributes.maxThreadsPerBlock = info.max_threads_per_block;
  if (info.vector_registers >= 0) attributes.numRegs = info.vector_registers;
  if (info.static_shared_bytes >= 0) {
    attributes.sharedSizeBytes = static_cast<std::size_t>(info.static_shared_bytes);
  }
}

void load_module(const Word* words, hipError_t& result) {
  if (result != hipSuccess) return;
  made(words, result);
  state().modules[*at<void**>(words, 0)] = amd_code::read_code_objects(at<const void*>(words, 1));
}
void module_function(const Word* words, hipError_t& result) {
  if (result != hipSuccess) return;
  const auto found = state().modules.find(at<const void*>(words, 1));
  Kernel kernel;
  kernel.name = at<const char*>(words, 2);
  if (found != state().modules.end()) kernel.objects = &found->second;
  state().module_kernels[*at<void**>(words, 0)] = kernel;
}

int device_of(hipStream_t stream) {
  int device = 0;
  static_cast<void>(real<&hipGetDevice>("hipGetDevice")(&device));
  return stream == nullptr
             ? device
             : real<&hipGetStreamDeviceId>("hipGetStreamDeviceId")(real_stream(stream));
}
bool is_capturing(hipStream_t stream) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  if (stream == nullptr) return false;
  static_cast<void>(
      real<&hipStreamIsCapturing>("hipStreamIsCapturing")(real_stream(stream), &status));
  return status == hipStreamCaptureStatusActive;
}

void add_arguments(Launch& launch, const Kernel& kernel, void** arguments) {
  const amd_code::CodeKernel* const code = kernel.code();
  if (code == nullptr || arguments == nullptr) return;
  launch.arguments = code->arguments;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const AmdArgument& place = launch.arguments[i];
    launch.bytes.resize(place.offset + place.size);
    std::memcpy(launch.bytes.data() + place.offset, arguments[i], place.size);
  }
  launch.record.arguments_known = 1;
}

/// Adds the record of a launch. Its other fields are the record's own.
void add_launch(AmdLaunch record, const Kernel* kernel, void** arguments) {
  State& s = state();
  static const Kernel unknown;
  if (kernel == nullptr) kernel = &unknown;
  Launch& launch = s.launches.emplace_back();
  record.kernel = kernel->name.c_str();
  record.host_function = kernel->host_function;
  record.sequence = s.calls.size() + 1;
  record.device = device_of(record.stream);
  launch.record = record;
  if (record.result == hipSuccess) add_arguments(launch, *kernel, arguments);
  launch.record.argument_bytes = launch.bytes.data();
  launch.record.argument_byte_count = launch.bytes.size();
  launch.record.arguments = launch.arguments.data();
  launch.record.argument_count = launch.arguments.size();
}

// A dim3 by value is two words: x and y, then z.
dim3 dim3_at(const Word* words, int place) {
  const Word xy = words[place];
  return dim3(static_cast<std::uint32_t>(xy), static_cast<std::uint32_t>(xy >> 32),
              static_cast<std::uint32_t>(words[place + 1]));
}

/// hipLaunchKernel(function, grid, block, arguments, shared, stream) and the functions like it.
template <bool Cooperative>
void launch_kernel(const Word* words, hipError_t& result, const char* name) {
  AmdLaunch record{};
  record.function = name;
  record.result = result;
  record.grid = dim3_at(words, 1);
  record.block = dim3_at(words, 3);
  record.dynamic_shared_bytes = Cooperative ? static_cast<std::uint32_t>(words[6]) : words[6];
  record.stream = at<hipStream_t>(words, 7);
  record.cooperative = Cooperative ? 1 : 0;
  record.captured = is_capturing(record.stream) ? 1 : 0;
  const auto found = state().kernels.find(at<const void*>(words, 0));
  add_launch(record, found == state().kernels.end() ? nullptr : &found->second,
             at<void**>(words, 5));
}
void launch_plain(const Word* words, hipError_t& result) {
  launch_kernel<false>(words, result, "hipLaunchKernel");
}
void launch_cooperative(const Word* words, hipError_t& result) {
  launch_kernel<true>(words, result, "hipLaunchCooperativeKernel");
}
/// Without code, or with more threads than a control allows (override_kernel), for which the code
/// is the runtime's for launch bounds.
bool is_refused(const Word* words, hipError_t& result) {
  if (lacks_code()) {
    result = hipErrorInvalidDeviceFunction;
    launch_plain(words, result);
    return true;
  }
  const auto found = state().kernels.find(at<const void*>(words, 0));
  if (found == state().kernels.end() || found->second.info.max_threads_per_block < 0) return false;
  const dim3 block = dim3_at(words, 3);
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads <= static_cast<std::uint64_t>(found->second.info.max_threads_per_block)) return false;
  result = hipErrorLaunchFailure;
  launch_plain(words, result);
  return true;
}
/// hipModuleLaunchKernel(function, grid x y z, block x y z, shared, stream, parameters, extra);
/// a cooperative one has no `extra`
template <int Cooperative>
void launch_module(const Word* words, hipError_t& result) {
  AmdLaunch record{};
  record.function = Cooperative != 0 ? "hipModuleLaunchCooperativeKernel" : "hipModuleLaunchKernel";
  record.cooperative = Cooperative;
  record.result = result;
  record.grid =
      dim3(at<std::uint32_t>(words, 1), at<std::uint32_t>(words, 2), at<std::uint32_t>(words, 3));
  record.block =
      dim3(at<std::uint32_t>(words, 4), at<std::uint32_t>(words, 5), at<std::uint32_t>(words, 6));
  record.dynamic_shared_bytes = at<std::uint32_t>(words, 7);
  record.stream = at<hipStream_t>(words, 8);
  record.captured = is_capturing(record.stream) ? 1 : 0;
  const auto found = state().module_kernels.find(at<const void*>(words, 0));
  add_launch(record, found == state().module_kernels.end() ? nullptr : &found->second,
             at<void**>(words, 9));
}

// ---- what hipcc's objects call before main

/// The layout that clang writes into .hipFatBinSegment (clang/lib/CodeGen/CGCUDANV.cpp).
struct FatBinary {
  std::uint32_t magic, version;
  const void* binary;
  const void* unused;
};
void register_binary(const Word* words, Word handle) {
  const std::lock_guard hold(state().lock);
  state().binaries[reinterpret_cast<const void*>(handle)] =
      amd_code::read_code_objects(at<const FatBinary*>(words, 0)->binary);
}
void register_function(const Word* words, Word) {
  const std::lock_guard hold(state().lock);
  Kernel& kernel = state().kernels[at<const void*>(words, 1)];
  if (kernel.objects != nullptr) return;  // the first one counts
  kernel.host_function = at<const void*>(words, 1);
  kernel.name = at<const char*>(words, 3);
  kernel.objects = &state().binaries[at<const void*>(words, 0)];
}

const std::map<std::string, Rule>& rules() {
  static const auto* const all = new std::map<std::string, Rule>{
      {"hipDeviceCanAccessPeer", {.answer = is_hidden<1>, .after = peers}},
      {"hipDeviceGet", {.answer = is_hidden<1>}},
      {"hipDeviceGetAttribute", {.succeeds_later = true, .answer = attribute}},
      {"hipDeviceGetName", {.answer = is_hidden<2>}},
      {"hipDeviceSynchronize", {.synchronises = true}},
      {"hipDriverGetVersion", {.needs_device = false}},
      {"hipEventCreate", {.after = handle_made<Handles::Kind::event>}},
      {"hipEventCreateWithFlags", {.after = handle_made<Handles::Kind::event>}},
      {"hipEventDestroy", {.after = event_destroyed}},
      {"hipEventElapsedTime", {}},
      {"hipEventQuery", {}},
      {"hipEventRecord", {.stream = 1}},
      {"hipEventSynchronize", {.synchronises = true}},
      {"hipExtLaunchKernel", {.stream = 7}},
      {"hipExtStreamCreateWithCUMask", {.after = handle_made<Handles::Kind::stream>}},
      {"hipFree", {.synchronises = true, .after = released}},
      {"hipFreeAsync", {.stream = 1, .after = released}},
      {"hipFuncGetAttribute", {}},
      {"hipFuncGetAttributes", {.answer = asks_without_code, .after = function_attributes}},
      {"hipFuncSetAttribute", {}},
      {"hipGetDevice", {}},
      {"hipGetDeviceCount", {.needs_device = false, .answer = count_devices}},
      {"hipGetDeviceProperties", {.answer = is_hidden<1>}},
      {"hipGetLastError",
       {.keeps_last_error = true, .needs_device = false, .answer = get_last_error}},
      {"hipGetSymbolAddress", {}},
      {"hipGraphDestroy", {.after = released}},
      {"hipGraphExecDestroy", {.after = released}},
      {"hipGraphExecUpdate", {}},
      {"hipGraphGetNodes", {}},
      {"hipGraphInstantiate", {.after = made}},
      {"hipGraphInstantiateWithFlags", {.after = made}},
      {"hipGraphLaunch", {.stream = 1}},
      {"hipHostFree", {.synchronises = true, .after = released}},
      {"hipHostMalloc", {.bytes = 1, .after = made}},
      {"hipLaunchCooperativeKernel", {.stream = 7, .after = launch_cooperative}},
      {"hipLaunchHostFunc", {.stream = 0}},
      {"hipLaunchKernel", {.stream = 7, .answer = is_refused, .after = launch_plain}},
      {"hipMalloc", {.bytes = 1, .after = made}},
      {"hipMallocAsync", {.stream = 2, .bytes = 1, .after = made}},
      {"hipMallocManaged", {.bytes = 1, .after = made}},
      {"hipMemGetInfo", {}},
      {"hipMemcpy", {.bytes = 2, .synchronises = true}},
      {"hipMemcpy2DAsync", {.stream = 7}},
      {"hipMemcpyAsync", {.stream = 4, .bytes = 2}},
      {"hipMemcpyPeerAsync", {.stream = 5, .bytes = 4}},
      {"hipMemcpyWithStream", {.stream = 4, .bytes = 2, .synchronises = true}},
      {"hipMemset", {.bytes = 2, .synchronises = true}},
      {"hipMemsetAsync", {.stream = 3, .bytes = 2}},
      {"hipModuleGetFunction", {.after = module_function}},
      {"hipModuleLaunchCooperativeKernel", {.stream = 8, .after = launch_module<1>}},
      {"hipModuleLaunchKernel", {.stream = 8, .after = launch_module<0>}},
      {"hipModuleLoadData", {.after = load_module}},
      {"hipModuleLoadDataEx", {.after = load_module}},
      {"hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", {}},
      {"hipModuleUnload", {.after = released}},
      {"hipOccupancyMaxActiveBlocksPerMultiprocessor", {}},
      {"hipPeekAtLastError",
       {.keeps_last_error = true, .needs_device = false, .answer = peek_last_error}},
      {"hipPointerGetAttributes", {.succeeds_later = true}},
      {"hipRuntimeGetVersion", {.needs_device = false}},
      {"hipSetDevice", {.answer = is_hidden<0>}},
      {"hipStreamBeginCapture", {.stream = 0, .after = begin_capture}},
      {"hipStreamCreate", {.after = handle_made<Handles::Kind::stream>}},
      {"hipStreamCreateWithFlags", {.after = handle_made<Handles::Kind::stream>}},
      {"hipStreamCreateWithPriority", {.after = handle_made<Handles::Kind::stream>}},
      {"hipStreamDestroy",
       {.stream = 0, .synchronises = true, .answer = is_held, .after = stream_destroyed}},
      {"hipStreamEndCapture", {.stream = 0, .after = end_capture}},
      {"hipStreamGetCaptureInfo_v2", {.stream = 0}},
      {"hipStreamGetDevice", {.stream = 0}},
      {"hipStreamIsCapturing", {.stream = 0}},
      {"hipStreamQuery", {.stream = 0}},
      {"hipStreamSynchronize", {.stream = 0, .synchronises = true}},
      {"hipStreamWaitEvent", {.stream = 0}},
      {"hipThreadExchangeStreamCaptureMode", {}},
  };
  return *all;
}

}  // namespace

void bury_streams() {
  State& s = state();
  const std::lock_guard hold(s.lock);
  for (hipStream_t const stream : std::exchange(s.graves, {})) {
    static_cast<void>(real<&hipStreamDestroy>("hipStreamDestroy")(stream));
  }
}

Watch watch_of(const std::string& name) {
  if (name == "__hipRegisterFatBinary") return register_binary;
  if (name == "__hipRegisterFunction") return register_function;
  return nullptr;
}

const Rule* rule_of(const std::string& name) {
  const auto found = rules().find(name);
  return found == rules().end() ? nullptr : &found->second;
}

}  // namespace interposer
