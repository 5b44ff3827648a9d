// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcuda.so.1 for the tests of the watch: a few functions, with the limits and answers of
// an H200 with driver 580. It loads the injection library as the driver does, and reports each call
// to the CUPTI beside it (cupti.cpp). No kernel runs.

#include "driver.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

struct CUfunc_st {
  const char* name;
  int max_threads;
  int static_shared;
};
struct CUstream_st {
  unsigned flags = 0;
  std::uint64_t number = 0;  ///< of the stream that has this handle now; never used again
};
struct CUevent_st {
  std::uint64_t stream = 0;                    ///< its number
  std::uint64_t recorded = ~std::uint64_t{0};  ///< the waits for the stream before it
};
struct CUctx_st {
  std::uint32_t number;
};
struct CUgraphNode_st {
  CUgraphNodeType type;
  CUfunction kernel;
  std::vector<CUgraphNode> before{};
  CUDA_KERNEL_NODE_PARAMS parameters{};
  CUdeviceptr argument = 0;  ///< the kernel's first, and the target of a copy
  void* arguments[1] = {&argument};
  bool is_gone = false;  ///< its graph was destroyed
};
struct CUgraph_st {
  std::vector<CUgraphNode> nodes{};
};

namespace {

const std::string long_name = "_Z900" + std::string(900, 'a') + "v";
CUfunc_st functions[] = {
    {"_ZN4demo4axpyEfPKfPfi", 1024, 0},     {"_ZN4demo7boundedEPf", 256, 0},
    {"_ZN4demo4tileIfEEvPT_", 1024, 40000}, {"_ZN4demo13out_of_boundsEPf", 1024, 0},
    {"_ZN4demo7scatterEPf", 1024, 0},       {long_name.c_str(), 1024, 0},
    {"_ZN4demo9of_moduleEPf", 1024, 0},     {"of_module_in_c", 1024, 0},
    {"_ZN4demo4swapEPfS0_", 1024, 0}};
CUgraphNode_st graph_nodes[] = {{CU_GRAPH_NODE_TYPE_KERNEL, &functions[0]},
                                {CU_GRAPH_NODE_TYPE_CONDITIONAL, nullptr},
                                {CU_GRAPH_NODE_TYPE_GRAPH, nullptr},
                                {CU_GRAPH_NODE_TYPE_KERNEL, &functions[1]}};
CUgraph_st the_inner_graph;
const CUgraph inner_graph = &the_inner_graph;
/// Gives the handle that was given back last, also while the work of its object runs, as CUDA's
/// driver does with streams. @pre live_mutex
template <class Object>
class Handles {
 public:
  Object* take() {
    if (free_.empty()) return new Object;
    Object* const last = free_.back();
    free_.pop_back();
    *last = {};
    return last;
  }
  void give_back(Object* object) { free_.push_back(object); }

 private:
  std::vector<Object*> free_;
};
Handles<CUstream_st> stream_handles;
Handles<CUevent_st> event_handles;
Handles<CUgraph_st> graph_handles;
std::vector<CUgraphExec> free_executables;  ///< as Handles: their values are numbers
/// Executable graphs of graphs with nodes: the nodes, and which are on.
std::map<CUgraphExec, std::vector<std::pair<CUgraphNode, bool>>> executables;
CUgraphExec destroyed_graph = nullptr;  ///< the last of them
CUctx_st context{1};
CUctx_st second_context{2};
CUctx_st* current = &context;
/// The program's memory, by address.
std::map<CUdeviceptr, std::size_t> live;
std::map<CUdeviceptr, CUctx_st*> contexts;                   ///< of the memory
std::map<CUdeviceptr, std::vector<unsigned char>> contents;  ///< of small memory
std::vector<std::pair<CUdeviceptr, std::size_t>> pool;       ///< freed in the order of a stream
std::map<std::uint64_t, std::uint64_t> waits_of;             ///< for a stream, by its number
std::uint64_t waits_of_all = 0;                              ///< for the device
std::uint64_t waits_for(std::uint64_t stream) { return waits_of[stream] + waits_of_all; }
std::uint64_t last_number = 0;  ///< of a stream
/// Which stream the calling thread means. @pre live_mutex
std::uint64_t number_of(CUstream stream) {
  if (stream == nullptr || stream == CU_STREAM_LEGACY) return 0;
  if (stream != CU_STREAM_PER_THREAD) return stream->number;
  thread_local const std::uint64_t own = ++last_number;
  return own;
}
CUdeviceptr reusable = 0;  ///< the next memory gets this address; 0: a new one
std::mutex live_mutex;
constexpr std::size_t device_bytes = 150'754'820'096;  // of an H200
CUstream bad_fill = nullptr;   ///< the stream of a fill that faults: when it is asked about, or
                               ///< while the next kernel runs
CUstream orphan = nullptr;     ///< the stream whose context was destroyed
std::uint64_t held = 0;        ///< number of the stream whose work does not end
bool fails_late = false;       ///< a kernel that runs until stand_in_release is going to fail
std::set<CUstream> destroyed;  ///< until the handle is used again
std::set<CUevent> destroyed_events;
CUstream captured = nullptr;  ///< the stream that captures
bool capture_broken = false;
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
bool module_loaded = true;
CUctx_st* module_context = &context;
bool lost = false;
int node_runs = 0;    // kernel nodes of graphs that have run
bool faulty = false;  // work in flight is going to fail
bool hidden =
    false;  // a kernel still runs that is going to fail, in a graph that seems to have ended
CUresult fault = CUDA_ERROR_ILLEGAL_ADDRESS;

/// The driver's log, which STAND_IN_NO_LOG turns off as before CUDA 12.9.
std::vector<std::string> log_lines;
std::mutex log_mutex;
void log(const std::string& text) {
  const std::lock_guard lock(log_mutex);
  log_lines.push_back("[12:00:00.000][" +
                      std::to_string(static_cast<unsigned long>(pthread_self())) + "][CUDA][E] " +
                      text + '\n');
}
void log_other_thread() {
  const std::lock_guard lock(log_mutex);
  log_lines.push_back(
      "[12:00:00.000][1][CUDA][E] a reason of another thread\n"
      "[12:00:00.000][1][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from "
      "cuLaunchKernel\n");
}

/// The process that may use the driver. In a child that was forked after cuInit each call fails.
pid_t first_process = getpid();
/// Otherwise another thread could hold them at a fork, and a child waited for ever.
void unlock_after_fork() {
  log_mutex.unlock();
  live_mutex.unlock();
}
[[maybe_unused]] const int of_forks = pthread_atfork(
    [] {
      live_mutex.lock();
      log_mutex.lock();
    },
    &unlock_after_fork, &unlock_after_fork);

/// Functions of modules that were loaded from files. All have two pointers.
std::deque<CUfunc_st> of_files;
std::deque<std::string> names_of_files;
bool is_of_file(const CUfunc_st* function) {
  for (const CUfunc_st& one : of_files) {
    if (&one == function) return true;
  }
  return false;
}
bool is_function(const CUfunc_st* function) {
  return (function >= std::begin(functions) && function < std::end(functions)) ||
         is_of_file(function);
}

/// Where the name of an unloaded kernel was. No letter can be read there.
const char* const gone = reinterpret_cast<const char*>(16);
bool is_of_module(const CUfunc_st* function) {
  return function->name == gone || std::strstr(function->name, "of_module") != nullptr;
}
/// Whether all bytes are in one allocation.
bool is_memory(CUdeviceptr begin, std::size_t bytes) {
  const std::lock_guard lock(live_mutex);
  const auto next = live.upper_bound(begin);
  if (next == live.begin()) return false;
  const auto& [at, size] = *std::prev(next);
  return begin - at < size && bytes <= size - (begin - at);
}
bool is_destroyed(CUstream stream) {
  const std::lock_guard lock(live_mutex);
  return destroyed.find(stream) != destroyed.end();
}
bool is_destroyed(CUevent event) {
  const std::lock_guard lock(live_mutex);
  return destroyed_events.find(event) != destroyed_events.end();
}
/// As the driver, which reads a handle unchecked.
[[gnu::noinline]] void crash(const void* handle) {
  const void* volatile kept = handle;
  *static_cast<volatile int*>(nullptr) = kept != nullptr;
}
bool keeps_parameters() { return std::getenv("STAND_IN_KEEPS_PARAMETERS") != nullptr; }
/// A pool that hands out the newest freed memory of the same size first.
CUresult allocate_of_pool(CUdeviceptr* memory, std::size_t bytes) {
  const std::lock_guard lock(live_mutex);
  static CUdeviceptr next = 0x7e0000000000;
  for (auto one = pool.rbegin(); one != pool.rend(); ++one) {
    if (one->second != bytes) continue;
    live.insert(*one);
    *memory = one->first;
    pool.erase(std::prev(one.base()));
    return CUDA_SUCCESS;
  }
  live[*memory = next] = bytes;
  contents[*memory].resize(bytes);
  next += (bytes + 511) / 512 * 512;
  return CUDA_SUCCESS;
}
/// The bytes at an address, or nullptr. @pre live_mutex
unsigned char* bytes_at(CUdeviceptr begin, std::size_t bytes) {
  const auto next = contents.upper_bound(begin);
  if (next == contents.begin()) return nullptr;
  auto& [at, content] = *std::prev(next);
  const std::size_t offset = begin - at;
  return offset < content.size() && bytes <= content.size() - offset ? content.data() + offset
                                                                     : nullptr;
}
/// The kernel scribbles(const float* offset, float* memory) writes 4 bytes at memory + offset.
void scribble(const cuLaunchKernel_params& of) {
  const auto offset = *static_cast<const std::uint64_t*>(of.kernelParams[0]);
  const auto memory = *static_cast<const CUdeviceptr*>(of.kernelParams[1]);
  const std::lock_guard lock(live_mutex);
  if (unsigned char* const at = bytes_at(memory + offset, 4)) std::memset(at, 0x5a, 4);
}
/// The kernel scatter(float* memory) faults unless its argument is memory. With
/// STAND_IN_FAULTS_ONCE it does so only while there is no file of that name.
void scatter(CUdeviceptr argument) {
  if (is_memory(argument, 1)) return;
  if (const char* const file = std::getenv("STAND_IN_FAULTS_ONCE")) {
    if (std::ifstream(file).good()) return;
    std::ofstream(file) << "faulted";
  }
  faulty = true;
}
void hold(CUstream stream) {
  const std::lock_guard lock(live_mutex);
  held = number_of(stream);
}
/// Other work waits for the kernel.
void follow() { faulty = faulty || std::exchange(hidden, false); }
CUresult judge(const CUfunc_st* function, const cuLaunchKernel_params& of) {
  if (getpid() != first_process) return CUDA_ERROR_NOT_INITIALIZED;
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (lost) return fault;
  if (is_destroyed(of.hStream) && std::getenv("STAND_IN_CRASHES") != nullptr) crash(of.hStream);
  if (!is_function(function) || is_destroyed(of.hStream)) return CUDA_ERROR_INVALID_HANDLE;
  if (is_of_module(function) && (!module_loaded || module_context != current)) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (of.hStream != nullptr && of.hStream == captured && capture_broken) {
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  // As the driver: it reads the addresses of the values.
  if (std::strstr(function->name, "of_module") != nullptr && of.extra == nullptr &&
      (of.kernelParams == nullptr || of.kernelParams[0] == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const unsigned grid[] = {of.gridDimX, of.gridDimY, of.gridDimZ};
  const unsigned block[] = {of.blockDimX, of.blockDimY, of.blockDimZ};
  unsigned long long threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] == 0 || block[i] == 0 || grid[i] > (i == 0 ? 2147483647U : 65535U) ||
        block[i] > (i == 2 ? 64U : 1024U)) {
      if (i == 1 && grid[i] > 65535) {
        log("Grid Dimension Y of " + std::to_string(grid[i]) + " exceeds maximum value of 65535");
      }
      return CUDA_ERROR_INVALID_VALUE;
    }
    threads *= block[i];
  }
  if (threads > static_cast<unsigned>(function->max_threads)) {
    log("Requested block size of " + std::to_string(threads) +
        " threads exceeds maximum set at compilation of " + std::to_string(function->max_threads));
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (of.sharedMemBytes + static_cast<unsigned>(function->static_shared) > 49152) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (bad_fill != nullptr) faulty = true;
  if (std::strstr(function->name, "out_of_bounds") != nullptr) {
    faulty = true;
    if (of.kernelParams != nullptr &&
        *static_cast<const CUdeviceptr*>(of.kernelParams[0]) % sizeof(float) != 0) {
      fault = CUDA_ERROR_MISALIGNED_ADDRESS;
    }
  }
  if (std::strstr(function->name, "scribbles") != nullptr) scribble(of);
  if (std::strstr(function->name, "scatter") != nullptr) {
    if (of.gridDimX == 77 || of.gridDimX == 78) hold(of.hStream);
    if (of.gridDimX == 78) {
      fails_late = true;
      return CUDA_SUCCESS;
    }
    scatter(*static_cast<const CUdeviceptr*>(of.kernelParams[0]));
  }
  return CUDA_SUCCESS;
}
/// The driver's core dump of a kernel that faulted: the file STAND_IN_CORE_DUMP. Then it ends the
/// program.
void dump_core() {
  const char* const dump = std::getenv("STAND_IN_CORE_DUMP");
  const char* const enabled = std::getenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION");
  const char* const name = std::getenv("CUDA_COREDUMP_FILE");
  if (dump == nullptr || enabled == nullptr || std::strcmp(enabled, "1") != 0 || name == nullptr ||
      std::getenv("CUDA_INJECTION64_PATH") != nullptr) {
    return;
  }
  std::string path = name;
  if (const std::size_t at = path.find("%p"); at != std::string::npos) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  std::ifstream in(dump, std::ios::binary);
  std::ofstream(path, std::ios::binary) << in.rdbuf();
  std::abort();
}
CUresult settle() {
  if (faulty) dump_core();
  if (faulty) lost = true;
  return lost ? fault : CUDA_SUCCESS;
}

struct ErrorRow {
  CUresult error;
  const char* name;
  const char* text;
};
const ErrorRow& row_of(CUresult error) {
  static constexpr ErrorRow rows[] = {
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
      {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
      {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
      {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
       "an illegal memory access was encountered"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
      {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
       "operation not permitted when stream is capturing"},
      {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
       "operation failed due to a previous error during capture"}};
  static constexpr ErrorRow none{CUDA_SUCCESS, nullptr, nullptr};
  for (const ErrorRow& row : rows) {
    if (row.error == error) return row;
  }
  return none;
}

/// Makes one call of the program, reported before and after. `body` returns its status.
template <class Body>
CUresult traced_call(CUpti_driver_api_trace_cbid id, const void* parameters, const char* symbol,
                     const Body& body) {
  CUresult status = CUDA_SUCCESS;
  std::uint64_t shared = 0;
  CUpti_CallbackData data{};
  for (const StandInCall& call : stand_in_calls) {
    if (call.id == id) data.functionName = call.name;
  }
  data.functionParams = parameters;
  data.functionReturnValue = &status;
  data.symbolName = symbol;
  data.context = current;
  data.contextUid = current->number;
  data.correlationData = &shared;
  data.callbackSite = CUPTI_API_ENTER;
  stand_in_tell(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  status = getpid() == first_process ? body() : CUDA_ERROR_NOT_INITIALIZED;
  data.callbackSite = CUPTI_API_EXIT;
  stand_in_tell(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  return status;
}

}  // namespace

StandInTell stand_in_tell = [](CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};

extern "C" {

CUresult cuInit(unsigned) {
  static bool begun = false;
  if (begun) return CUDA_SUCCESS;
  begun = true;
  first_process = getpid();
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return CUDA_SUCCESS;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "stand-in: %s\n", dlerror());
    return CUDA_ERROR_UNKNOWN;
  }
  auto* const initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  return initialize != nullptr && initialize() == 1 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "NVIDIA H200");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  struct Row {
    CUdevice_attribute attribute;
    int value;
  };
  static const Row rows[] = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                             {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
                             {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
                             {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
                             {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
                             {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
                             {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
                             {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                             {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                             {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                             {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                             {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                             {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
                             {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1}};
  *value = 0;
  for (const Row& row : rows) {
    if (row.attribute == attribute) *value = row.value;
  }
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = row_of(error).name;
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = row_of(error).text;
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? function->max_threads
           : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES   ? function->static_shared
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 10
           : attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
               ? 49152 - function->static_shared
               : 0;
  return CUDA_SUCCESS;
}
/// Reads the handle unchecked, as the driver does.
CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = function->name;
  return CUDA_SUCCESS;
}
/// Tells CUPTI the file's bytes as the machine code, whatever they are.
CUresult cuModuleLoad(CUmodule* module, const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  CUpti_ModuleResourceData code{};
  code.cubinSize = bytes.size();
  code.pCubin = bytes.data();
  CUpti_ResourceData data{};
  data.context = current;
  data.resourceDescriptor = &code;
  stand_in_tell(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
  static int made;
  *module = reinterpret_cast<CUmodule>(&made);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const cuModuleGetFunction_params of{function, module, name};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, &of, nullptr, [&] {
    if (module != nullptr) {
      for (CUfunc_st& one : of_files) {
        if (std::strcmp(one.name, name) == 0) return *function = &one, CUDA_SUCCESS;
      }
      *function =
          &of_files.emplace_back(CUfunc_st{names_of_files.emplace_back(name).c_str(), 1024, 0});
      return CUDA_SUCCESS;
    }
    for (CUfunc_st& one : functions) {
      if (one.name == gone || std::strcmp(one.name, name) != 0) continue;
      *function = &one;
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
  });
}
CUresult cuModuleGetGlobal(CUdeviceptr* memory, std::size_t* bytes, CUmodule module,
                           const char* name) {
  const cuModuleGetGlobal_v2_params of{memory, bytes, module, name};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuModuleGetGlobal_v2, &of, nullptr,
                     [] { return CUDA_ERROR_NOT_FOUND; });
}
/// There is one module, with the kernel of_module. Its handle stays readable after the unload, but
/// not its name.
CUresult cuModuleUnload(CUmodule module) {
  const cuModuleUnload_params of{module};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, &of, nullptr, [] {
    module_loaded = false;
    for (CUfunc_st& one : functions) {
      if (is_of_module(&one)) one.name = gone;
    }
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxCreate(CUcontext* made, CUctxCreateParams*, unsigned, CUdevice) {
  *made = current = &second_context;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext wanted) {
  current = wanted == nullptr ? &context : wanted;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* now) {
  *now = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  const cuCtxEnablePeerAccess_params of{peer, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuCtxEnablePeerAccess, &of, nullptr,
                     [] { return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED; });
}
CUresult cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  const std::lock_guard lock(live_mutex);
  *total_bytes = *free_bytes = device_bytes;
  for (const auto& [begin, bytes] : live) *free_bytes -= bytes;
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr memory) {
  if (!is_memory(memory, 1)) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<unsigned*>(data) =
      attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? 0 : CU_MEMORYTYPE_DEVICE;
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  const cuStreamCreate_params of{stream, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamCreate, &of, nullptr, [&] {
    {
      const std::lock_guard lock(live_mutex);
      *stream = stream_handles.take();
      **stream = {flags, ++last_number};
      destroyed.erase(*stream);
    }
    CUpti_ResourceData data{};
    data.context = &context;
    data.resourceHandle.stream = *stream;
    stand_in_tell(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED, &data);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemAlloc(CUdeviceptr* memory, std::size_t bytes) {
  cuMemAlloc_v2_params of{memory, bytes};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &of, nullptr, [&] {
    // As driver 580: a callback may have changed the parameters.
    if (!keeps_parameters()) bytes = of.bytesize;
    static CUdeviceptr next = 0x7f0000000000;
    if (captured != nullptr && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
      capture_broken = true;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    cuMemGetInfo(&free_bytes, &total_bytes);
    if (bytes > free_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
    const std::lock_guard lock(live_mutex);
    *memory = std::exchange(reusable, 0);
    if (*memory == 0) *memory = std::exchange(next, next + (bytes + 511) / 512 * 512);
    live[*memory] = bytes;
    contexts[*memory] = current;
    if (bytes < 1 << 20) contents[*memory].resize(bytes);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemAllocAsync(CUdeviceptr* memory, std::size_t bytes, CUstream stream) {
  cuMemAllocAsync_params of{memory, bytes, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync, &of, nullptr, [&] {
    return allocate_of_pool(memory, keeps_parameters() ? bytes : of.bytesize);
  });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* memory, std::size_t bytes, CUmemoryPool from,
                                 CUstream stream) {
  cuMemAllocFromPoolAsync_params of{memory, bytes, from, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync, &of, nullptr, [&] {
    return allocate_of_pool(memory, keeps_parameters() ? bytes : of.bytesize);
  });
}
CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
  cuMemFreeAsync_params of{memory, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync, &of, nullptr, [&] {
    if (!keeps_parameters()) memory = of.dptr;
    const std::lock_guard lock(live_mutex);
    const auto one = live.find(memory);
    if (one == live.end()) return CUDA_ERROR_INVALID_VALUE;
    pool.push_back(*one);
    live.erase(one);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemFree(CUdeviceptr memory) {
  cuMemFree_v2_params of{memory};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &of, nullptr, [&] {
    if (!keeps_parameters()) memory = of.dptr;
    if (const CUresult answer = settle(); answer != CUDA_SUCCESS) return answer;
    const std::lock_guard lock(live_mutex);
    contents.erase(memory);
    contexts.erase(memory);
    // As a driver does, whose next memory of that size has the same address.
    if (std::getenv("STAND_IN_REUSES") != nullptr) reusable = memory;
    if (live.erase(memory) != 0 || memory == 0) return CUDA_SUCCESS;
    log("the address is not one of an allocation");
    return CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  const cuMemcpyHtoD_v2_params of{to, from, bytes};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, &of, nullptr, [&] {
    if (!is_memory(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return settle();
  });
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  const cuMemcpyHtoDAsync_v2_params of{to, from, bytes, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, &of, nullptr,
                     [&] { return is_memory(to, bytes) ? settle() : CUDA_ERROR_INVALID_VALUE; });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  {
    const std::lock_guard lock(live_mutex);
    const auto owner = contexts.find(to);
    if (owner != contexts.end() && owner->second != current) return CUDA_ERROR_INVALID_VALUE;
  }
  follow();
  return is_memory(to, bytes) && is_memory(from, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemsetD32Async(CUdeviceptr memory, unsigned value, std::size_t count, CUstream stream) {
  const cuMemsetD32Async_params of{memory, value, count, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async, &of, nullptr, [&] {
    const std::lock_guard lock(live_mutex);
    if (memory == 16) bad_fill = stream;
    if (value == 77) held = number_of(stream);
    unsigned char* const at = bytes_at(memory, count * 4);
    for (std::size_t i = 0; at != nullptr && i < count; ++i) std::memcpy(at + 4 * i, &value, 4);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemsetD2D8Async(CUdeviceptr memory, std::size_t pitch, unsigned char value,
                           std::size_t width, std::size_t height, CUstream stream) {
  const cuMemsetD2D8Async_params of{memory, pitch, value, width, height, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D8Async, &of, nullptr,
                     [] { return CUDA_SUCCESS; });
}
CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, std::size_t count, CUstream) {
  const std::lock_guard lock(live_mutex);
  unsigned char* const at = bytes_at(memory, count);
  if (at == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::memset(at, value, count);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  const cuMemcpyDtoHAsync_v2_params of{to, from, bytes, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, &of, nullptr, [&] {
    const std::lock_guard lock(live_mutex);
    const unsigned char* const at = bytes_at(from, bytes);
    if (at == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(to, at, bytes);
    return CUDA_SUCCESS;
  });
}
/// Its target may be on the device too, as a driver with one address space allows.
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  const cuMemcpyDtoH_v2_params of{to, from, bytes};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, &of, nullptr, [&] {
    const std::lock_guard lock(live_mutex);
    const unsigned char* const at = bytes_at(from, bytes);
    if (at == nullptr) return CUDA_ERROR_INVALID_VALUE;
    unsigned char* const on_device = bytes_at(reinterpret_cast<CUdeviceptr>(to), bytes);
    std::memcpy(on_device != nullptr ? on_device : to, at, bytes);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
  const cuMemAllocHost_v2_params of{memory, bytes};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2, &of, nullptr, [&] {
    *memory = std::calloc(1, bytes);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemFreeHost(void* memory) {
  const cuMemFreeHost_params of{memory};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost, &of, nullptr, [&] {
    std::free(memory);
    return CUDA_SUCCESS;
  });
}
#undef cuStreamWriteValue32
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr to, cuuint32_t value,
                                 unsigned flags) {
  const cuStreamWriteValue32_v2_params of{stream, to, value, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue32_v2, &of, nullptr,
                     [] { return CUDA_SUCCESS; });
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr memory) {
  cuMemGetAddressRange_v2_params of{base, bytes, memory};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuMemGetAddressRange_v2, &of, nullptr, [&] {
    const std::lock_guard lock(live_mutex);
    const auto next = live.upper_bound(memory);
    if (next == live.begin()) return CUDA_ERROR_NOT_FOUND;
    const auto& [at, size] = *std::prev(next);
    if (memory - at >= size) return CUDA_ERROR_NOT_FOUND;
    if (base != nullptr) *base = at;
    if (bytes != nullptr) *bytes = size;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamDestroy(CUstream stream) {
  const cuStreamDestroy_v2_params of{stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2, &of, nullptr, [&] {
    CUpti_ResourceData data{};
    data.context = &context;
    data.resourceHandle.stream = stream;
    stand_in_tell(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, &data);
    const std::lock_guard lock(live_mutex);
    destroyed.insert(stream);
    stream_handles.give_back(stream);
    return CUDA_SUCCESS;
  });
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
  const cuEventCreate_params of{event, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuEventCreate, &of, nullptr, [&] {
    const std::lock_guard lock(live_mutex);
    *event = event_handles.take();
    destroyed_events.erase(*event);
    return CUDA_SUCCESS;
  });
}
/// The work before the event ends when the host waits for something.
CUresult cuEventQuery(CUevent event) {
  const cuEventQuery_params of{event};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuEventQuery, &of, nullptr, [event] {
    const std::lock_guard lock(live_mutex);
    return event->recorded < waits_for(event->stream) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}
CUresult cuEventDestroy(CUevent event) {
  const cuEventDestroy_v2_params of{event};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2, &of, nullptr, [event] {
    const std::lock_guard lock(live_mutex);
    destroyed_events.insert(event);
    event_handles.give_back(event);
    return CUDA_SUCCESS;
  });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  const cuEventElapsedTime_params of{milliseconds, start, end};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuEventElapsedTime, &of, nullptr,
                     [] { return CUDA_ERROR_INVALID_HANDLE; });
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  const cuStreamBeginCapture_v2_params of{stream, mode};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, &of, nullptr, [&] {
    captured = stream;
    capture_broken = false;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const cuStreamEndCapture_params of{stream, graph};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, &of, nullptr, [] {
    captured = nullptr;
    return capture_broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
  });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  const cuEventRecord_params of{event, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuEventRecord, &of, nullptr, [=] {
    const std::lock_guard lock(live_mutex);
    event->stream = number_of(stream);
    event->recorded = waits_for(event->stream);
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  const cuStreamWaitEvent_params of{stream, event, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent, &of, nullptr, [event] {
    if (is_destroyed(event)) crash(event);
    return CUDA_SUCCESS;
  });
}
/// The parameters of axpy are float, const float*, float* and int; the kernels of files have two
/// pointers, and all others one.
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t number, std::size_t* offset,
                            std::size_t* bytes) {
  if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
  static constexpr std::size_t axpy[][2] = {{0, 4}, {8, 8}, {16, 8}, {24, 4}};
  static constexpr std::size_t pointers[][2] = {{0, 8}, {8, 8}};
  const bool is_axpy = std::strstr(function->name, "axpy") != nullptr;
  const bool has_two = is_of_file(function) || std::strstr(function->name, "swap") != nullptr;
  const std::size_t count = is_axpy ? std::size(axpy) : has_two ? 2 : 1;
  if (number >= count) return CUDA_ERROR_INVALID_VALUE;
  *offset = is_axpy ? axpy[number][0] : pointers[number][0];
  *bytes = is_axpy ? axpy[number][1] : pointers[number][1];
  return CUDA_SUCCESS;
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  *flags = stream->flags;
  return CUDA_SUCCESS;
}
/// As the driver, which reads the handle unchecked, it ends the program for a destroyed stream.
CUresult cuStreamQuery(CUstream stream) {
  if (is_destroyed(stream)) std::abort();
  if (stream != nullptr && stream == orphan) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (stream != nullptr && stream == captured) {
    capture_broken = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (stream != nullptr && stream == bad_fill) faulty = true;
  const CUresult status = settle();
  const std::lock_guard lock(live_mutex);
  const std::uint64_t number = number_of(stream);
  return status == CUDA_SUCCESS && number != 0 && number == held ? CUDA_ERROR_NOT_READY : status;
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  if (is_destroyed(stream)) std::abort();
  *status = stream == nullptr || stream != captured ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture_broken                        ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                                    : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream, void** values,
                        void** extra) {
  const cuLaunchKernel_params of{f, gx, gy, gz, bx, by, bz, shared, stream, values, extra};
  // As CUPTI: the word where a function has the address of its name, unchecked.
  const char* const symbol = f != nullptr ? f->name : nullptr;
  const CUresult status = traced_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &of, symbol, [&] {
    const CUresult answer = judge(f, of);
    if (answer != CUDA_SUCCESS) log_other_thread();
    return answer;
  });
  if (status != CUDA_SUCCESS) {
    log("Returning " + std::to_string(static_cast<int>(status)) +
        " (CUDA_ERROR) from cuLaunchKernel");
  }
  return status;
}
/// Reads the attributes of no launch, so that a garbage number of them is accepted or refused
/// without a fault.
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** values, void** extra) {
  const cuLaunchKernelEx_params of{config, f, values, extra};
  const char* const symbol = f != nullptr ? f->name : nullptr;
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &of, symbol, [&] {
    return config->numAttrs > 64 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  const cuGraphAddKernelNode_v2_params of{node, graph, before, count, parameters};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2, &of, nullptr, [&] {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *node = new CUgraphNode_st{
        CU_GRAPH_NODE_TYPE_KERNEL, parameters->func, {before, before + count}, *parameters};
    if (parameters->kernelParams != nullptr) {
      (*node)->argument = *static_cast<const CUdeviceptr*>(parameters->kernelParams[0]);
    }
    graph->nodes.push_back(*node);
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              std::size_t count, const CUDA_MEMCPY3D* of, CUcontext) {
  *node = new CUgraphNode_st{CU_GRAPH_NODE_TYPE_MEMCPY, nullptr, {before, before + count}};
  (*node)->argument = of->dstDevice;
  graph->nodes.push_back(*node);
  return CUDA_SUCCESS;
}
/// A node of which the watch needs only the type.
CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                            std::size_t count, const CUDA_HOST_NODE_PARAMS*) {
  *node = new CUgraphNode_st{CU_GRAPH_NODE_TYPE_HOST, nullptr, {before, before + count}};
  graph->nodes.push_back(*node);
  return CUDA_SUCCESS;
}
CUresult cuGraphCreate(CUgraph* graph, unsigned) {
  const std::lock_guard lock(live_mutex);
  *graph = graph_handles.take();
  return CUDA_SUCCESS;
}
/// As the driver: a callback may have changed the parameters.
CUresult cuGraphDestroy(CUgraph graph) {
  cuGraphDestroy_params of{graph};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphDestroy, &of, nullptr, [&] {
    for (const CUgraphNode node : of.hGraph->nodes) node->is_gone = true;
    const std::lock_guard lock(live_mutex);
    graph_handles.give_back(of.hGraph);
    return CUDA_SUCCESS;
  });
}
#undef cuGraphNodeGetDependencies
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* before, std::size_t* count) {
  for (std::size_t i = 0; before != nullptr && i < node->before.size(); ++i) {
    before[i] = node->before[i];
  }
  *count = node->before.size();
  return CUDA_SUCCESS;
}
/// The state of a node in an executable graph. Ends the program for a node that is gone, which the
/// driver may read.
static bool* node_state(CUgraphExec graph, CUgraphNode node) {
  for (auto& [one, is_on] : executables[graph]) {
    if (one != node) continue;
    if (one->is_gone) std::abort();
    return &is_on;
  }
  return nullptr;
}
CUresult cuGraphNodeGetEnabled(CUgraphExec graph, CUgraphNode node, unsigned* on) {
  const bool* const state = node_state(graph, node);
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *on = *state ? 1 : 0;
  return CUDA_SUCCESS;
}
/// With STAND_IN_KEEPS_NODES it refuses, as the driver does for some graphs.
CUresult cuGraphNodeSetEnabled(CUgraphExec graph, CUgraphNode node, unsigned on) {
  const cuGraphNodeSetEnabled_params of{graph, node, on};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled, &of, nullptr, [&] {
    bool* const state = node_state(graph, node);
    if (state == nullptr || std::getenv("STAND_IN_KEEPS_NODES") != nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *state = on != 0;
    return CUDA_SUCCESS;
  });
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return CUDA_SUCCESS;
}
/// A graph of nothing, or with STAND_IN_NESTED_GRAPH: a kernel, a conditional node and a graph of
/// another kernel.
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  static const bool is_nested = std::getenv("STAND_IN_NESTED_GRAPH") != nullptr;
  if (graph != nullptr && graph != inner_graph) {
    for (std::size_t i = 0; nodes != nullptr && i < graph->nodes.size(); ++i) {
      nodes[i] = graph->nodes[i];
    }
    *count = graph->nodes.size();
    return CUDA_SUCCESS;
  }
  const auto all = graph == inner_graph ? std::span(graph_nodes).last(1)
                                        : std::span(graph_nodes).first(is_nested ? 3 : 0);
  for (std::size_t i = 0; nodes != nullptr && i < all.size(); ++i) nodes[i] = &all[i];
  *count = all.size();
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  *type = node->type;
  return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* of) {
  *of = node->parameters;
  of->func = node->kernel;
  of->kernelParams = node->argument == 0 ? nullptr : node->arguments;
  return CUDA_SUCCESS;
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* of) {
  *of = {};
  of->srcMemoryType = CU_MEMORYTYPE_HOST;
  of->srcHost = node;
  of->dstMemoryType = CU_MEMORYTYPE_DEVICE;
  of->dstDevice = node->argument;
  of->WidthInBytes = 4096;
  return CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode, CUgraph* graph) {
  *graph = inner_graph;
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* graph, CUgraph from, unsigned long long flags) {
  const cuGraphInstantiateWithFlags_params of{graph, from, flags};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, &of, nullptr, [&] {
    static std::uintptr_t next = 0x10000;
    if (free_executables.empty()) {
      *graph = reinterpret_cast<CUgraphExec>(next += 64);
    } else {
      *graph = free_executables.back();
      free_executables.pop_back();
      if (*graph == destroyed_graph) destroyed_graph = nullptr;
    }
    if (from != nullptr) {
      for (const CUgraphNode node : from->nodes) executables[*graph].push_back({node, true});
    }
    return CUDA_SUCCESS;
  });
}
/// Changes nothing.
#undef cuGraphExecUpdate
CUresult cuGraphExecUpdate_v2(CUgraphExec graph, CUgraph from,
                              CUgraphExecUpdateResultInfo* result) {
  const cuGraphExecUpdate_v2_params of{graph, from, result};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, &of, nullptr,
                     [] { return CUDA_SUCCESS; });
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  const cuGraphExecDestroy_params of{graph};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, &of, nullptr, [&] {
    if (executables.erase(graph) != 0) destroyed_graph = graph;
    free_executables.push_back(graph);
    return CUDA_SUCCESS;
  });
}
/// With STAND_IN_GRAPH_FAULTS it waits for the graph, as the driver does if the graph copies
/// ordinary host memory, and the graph's work faults.
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  const cuGraphLaunch_params of{graph, stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &of, nullptr, [&] {
    if (graph == nullptr || graph == destroyed_graph) return CUDA_ERROR_INVALID_VALUE;
    if (const auto found = executables.find(graph); found != executables.end()) {
      if (lost) return fault;
      const bool was_faulty = faulty;
      bool is_whole = true;
      for (const auto& [node, is_on] : found->second) {
        is_whole = is_whole && is_on;
        if (!is_on || node->kernel == nullptr) continue;
        ++node_runs;
        if (std::strstr(node->kernel->name, "scatter") != nullptr) scatter(node->argument);
      }
      // As driver 580: it does not wait for all kernels of a graph with nodes that are off.
      if (is_whole) {
        follow();
      } else if (!was_faulty) {
        hidden = std::exchange(faulty, false) || hidden;
      }
    }
    if (std::getenv("STAND_IN_GRAPH_FAULTS") == nullptr) return CUDA_SUCCESS;
    faulty = true;
    return settle();
  });
}
/// For the tests: a query of the stream says that its context was destroyed.
void stand_in_orphan(CUstream stream) { orphan = stream; }
/// For the tests: how many kernel nodes of graphs have run.
int stand_in_node_runs() { return node_runs; }
/// A kernel scatter with a grid of 77 ends only then, and one with a grid of 78 faults then.
void stand_in_release() {
  held = 0;
  faulty = faulty || std::exchange(fails_late, false);
}
CUresult cuLogsDumpToMemory(CUlogIterator* position, char* text, std::size_t* bytes, unsigned) {
  if (std::getenv("STAND_IN_NO_LOG") != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const std::lock_guard lock(log_mutex);
  std::string all;
  for (std::size_t i = *position; i < log_lines.size(); ++i) all += log_lines[i];
  *position = static_cast<CUlogIterator>(log_lines.size());
  if (all.size() >= *bytes) all = all.substr(all.size() - *bytes + 1);
  std::memcpy(text, all.c_str(), all.size() + 1);
  *bytes = all.size();
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  const cuStreamSynchronize_params of{stream};
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, &of, nullptr, [stream] {
    const char* const slow = std::getenv("STAND_IN_SLOW");
    if (slow != nullptr) {
      const timespec pause{std::atol(slow) / 1000, std::atol(slow) % 1000 * 1'000'000};
      nanosleep(&pause, nullptr);
    }
    {
      const std::lock_guard lock(live_mutex);
      ++waits_of[number_of(stream)];
    }
    return settle();
  });
}
CUresult cuCtxSynchronize() {
  return traced_call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, nullptr, nullptr, [] {
    // A kernel that never ends.
    while (std::getenv("STAND_IN_NEVER_ENDS") != nullptr) pause();
    {
      const std::lock_guard lock(live_mutex);
      ++waits_of_all;
    }
    return settle();
  });
}

}  // extern "C"
