// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A stand-in for libcuda.so.1, as far as the recorder of collectives asks for it.

#include "driver.hpp"

#include "tools/ranks/record/checksum.hpp"

#include <elf.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Stream {
  const unsigned long long number = [] {
    static std::atomic<unsigned long long> last{0};
    return ++last;
  }();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool busy = false;
  std::atomic<bool> captures{false};
  std::uintptr_t captured = 0;
  std::thread worker{[this] { run(); }};

  [[noreturn]] void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return !tasks.empty(); });
      const std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      busy = true;
      lock.unlock();
      task();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }
};
struct Event {
  std::mutex mutex;
  bool done = false;
  Clock::time_point at;
};
bool is_done(void* handle) {
  auto* const event = static_cast<Event*>(handle);
  const std::lock_guard lock(event->mutex);
  return event->done;
}

/// What a handle points to: the stream that has it now. The next stream gets the handle of the one
/// that was destroyed last, whose work goes on, as from CUDA's driver.
struct Handle {
  Stream* stream;
};
std::mutex handles_mutex;
std::vector<Handle*> free_handles;

/// The null stream is one more stream. Threads of streams outlive main.
Stream& stream_of(void* handle) {
  static auto* const null_stream = new Stream;
  if (handle == reinterpret_cast<void*>(2)) {  // CU_STREAM_PER_THREAD
    thread_local auto* const own = new Stream;
    return *own;
  }
  return handle == nullptr ? *null_stream : *static_cast<Handle*>(handle)->stream;
}

constexpr int invalid_context = 201;      // CUDA_ERROR_INVALID_CONTEXT
constexpr int not_ready = 600;            // CUDA_ERROR_NOT_READY
constexpr int invalid_handle = 400;       // CUDA_ERROR_INVALID_HANDLE
constexpr int unsupported_capture = 900;  // CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
thread_local int mode_of_thread = 0;      // CU_STREAM_CAPTURE_MODE_GLOBAL
std::atomic<int> capturing_globally{0};
std::atomic<int> context{0};
std::atomic<bool> blocks_queries{false};
std::atomic<bool> refuses_code{false};
std::atomic<bool> holds_code{false};
std::atomic<unsigned long long> number_of_context{1};
/// The compute capability of the device: 90 is 9.0.
int capability() {
  static const char* const given = std::getenv("STAND_IN_CAPABILITY");
  return given == nullptr ? 90 : std::atoi(given);
}
/// What NVRTC or its stand-in has made, for a device of this capability.
bool is_kernel(const char* image) {
  constexpr std::string_view name = "warpsafe_checksum";
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    const std::string_view code(image, header.e_shoff);
    return code.find(name) != std::string_view::npos;
  }
  const std::string_view text = image;
  if (text.find(name) == std::string_view::npos) return false;
  return text.find("for sm_" + std::to_string(capability())) != std::string_view::npos ||
         text.find("for compute_90") != std::string_view::npos ||
         text.find(".visible .entry warpsafe_checksum(") != std::string_view::npos;
}
/// The current context is the last one. A thread that has created a stream has one.
thread_local std::vector<void*> contexts;
std::atomic<std::uintptr_t> others_memory = 0;
std::atomic<long> calls{0};
thread_local long calls_of_thread = 0;
void count() {
  ++calls;
  ++calls_of_thread;
}

}  // namespace

void stand_in_enqueue(void* handle, std::function<void()> task) {
  Stream& stream = stream_of(handle);
  const std::lock_guard lock(stream.mutex);
  if (stream.captures) {
    ++stream.captured;
    return;
  }
  stream.tasks.push_back(std::move(task));
  stream.changed.notify_all();
}

long stand_in_calls() { return calls; }
long stand_in_calls_of_thread() { return calls_of_thread; }

int cuStreamCreate(void** stream, unsigned) {
  if (contexts.empty()) contexts.push_back(&context);
  const std::lock_guard lock(handles_mutex);
  if (free_handles.empty()) free_handles.push_back(new Handle{});
  free_handles.back()->stream = new Stream;
  *stream = free_handles.back();
  free_handles.pop_back();
  return 0;
}
int cuStreamDestroy_v2(void* stream) {
  const std::lock_guard lock(handles_mutex);
  free_handles.push_back(static_cast<Handle*>(stream));
  return 0;
}
/// As the driver, it breaks the capture of a stream that captures: the number of nodes is then
/// wrong.
int cuStreamGetId(void* handle, unsigned long long* number) {
  count();
  Stream& stream = stream_of(handle);
  if (stream.captures) {
    stream.captured += 1000;
    return unsupported_capture;
  }
  *number = stream.number;
  return 0;
}
int cuCtxGetId(void*, unsigned long long* number) {
  count();
  *number = number_of_context;
  return 0;
}
int cuStreamSynchronize(void* handle) {
  Stream& stream = stream_of(handle);
  std::unique_lock lock(stream.mutex);
  stream.changed.wait(lock, [&] { return stream.tasks.empty() && !stream.busy; });
  return 0;
}
int cuStreamIsCapturing(void* stream, int* status) {
  count();
  *status = stream_of(stream).captures ? 1 : 0;
  return 0;
}
int cuStreamGetCtx(void*, void** found) {
  count();
  *found = &context;
  return 0;
}
int cuStreamBeginCapture_v2(void* stream, int mode) {
  stream_of(stream).captures = true;
  if (mode == 0) ++capturing_globally;
  return 0;
}
int cuStreamEndCapture(void* stream, void** graph) {
  stream_of(stream).captures = false;
  if (capturing_globally != 0) --capturing_globally;
  *graph = reinterpret_cast<void*>(stream_of(stream).captured);
  return 0;
}
int cuCtxGetCurrent(void** current) {
  count();
  *current = contexts.empty() ? nullptr : contexts.back();
  return 0;
}
int cuCtxPushCurrent_v2(void* pushed) {
  count();
  if (pushed != &context) return invalid_handle;
  contexts.push_back(pushed);
  return 0;
}
int cuCtxPopCurrent_v2(void** popped) {
  count();
  if (contexts.empty()) return invalid_context;
  *popped = contexts.back();
  contexts.pop_back();
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  count();
  if (contexts.empty()) return invalid_context;
  *event = new Event;
  return 0;
}
int cuEventRecord(void* handle, void* stream) {
  count();
  if (contexts.empty()) return invalid_context;
  auto* const event = static_cast<Event*>(handle);
  {
    const std::lock_guard lock(event->mutex);
    event->done = false;
  }
  stand_in_enqueue(stream, [event] {
    const std::lock_guard lock(event->mutex);
    event->done = true;
    event->at = Clock::now();
  });
  return 0;
}
void stand_in_block_queries() { blocks_queries = true; }
int cuEventQuery(void* handle) {
  count();
  while (blocks_queries) std::this_thread::sleep_for(std::chrono::seconds(1));
  // A query while another thread captures breaks that capture, unless this thread is in relaxed
  // mode.
  if (capturing_globally != 0 && mode_of_thread != 2) return unsupported_capture;
  if (contexts.empty()) return invalid_context;
  return is_done(handle) ? 0 : not_ready;
}
int cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  count();
  if (contexts.empty()) return invalid_context;
  if (!is_done(begin) || !is_done(end)) return not_ready;
  auto* const first = static_cast<Event*>(begin);
  auto* const second = static_cast<Event*>(end);
  // The clock of a device runs slower or faster than the host's.
  static const char* const drift = std::getenv("STAND_IN_DRIFT_PPM");
  static const double rate = 1 + (drift == nullptr ? 0 : std::atof(drift)) / 1e6;
  const std::chrono::duration<double, std::milli> time = second->at - first->at;
  *milliseconds = static_cast<float>(time.count() * rate);
  return 0;
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
  count();
  std::swap(*mode, mode_of_thread);
  return 0;
}
void stand_in_refuse_code() { refuses_code = true; }
void stand_in_hold_code(bool holds) { holds_code = holds; }
int cuModuleLoadData(void** module, const void* image) {
  if (contexts.empty()) return invalid_context;
  if (capturing_globally != 0 && mode_of_thread != 2) return unsupported_capture;
  while (holds_code) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (refuses_code) return 221;                                 // CUDA_ERROR_JIT_COMPILER_NOT_FOUND
  if (!is_kernel(static_cast<const char*>(image))) return 218;  // CUDA_ERROR_INVALID_PTX
  *module = &context;
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (module != &context || std::strcmp(name, "warpsafe_checksum") != 0) return invalid_handle;
  *function = reinterpret_cast<void*>(&cuLaunchKernel);
  return 0;
}
/// Runs the kernel of the recorder, thread by thread.
int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned,
                   unsigned, unsigned, void* stream, void** arguments, void**) {
  using namespace warpsafe::ranks;
  if (contexts.empty()) return invalid_context;
  if (function != reinterpret_cast<void*>(&cuLaunchKernel)) return invalid_handle;
  if (threads != checksum_threads || blocks == 0 || blocks > checksum_most_blocks) return 1;
  const auto* const data = *static_cast<const unsigned char**>(arguments[0]);
  const auto bytes = *static_cast<std::uint64_t*>(arguments[1]);
  const auto format = *static_cast<Format*>(arguments[2]);
  auto* const parts = *static_cast<Checksum**>(arguments[3]);
  stand_in_enqueue(stream, [=] {
    for (std::uint64_t block = 0; block < blocks; ++block) {
      parts[block] = {};
      for (std::uint64_t thread = 0; thread < threads; ++thread) {
        parts[block].add(checksum_part(data, bytes, format, block * threads + thread,
                                       std::uint64_t{blocks} * threads));
      }
    }
  });
  return 0;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  if (contexts.empty()) return invalid_context;
  *memory = std::calloc(1, bytes);
  return *memory == nullptr ? 2 : 0;
}
int cuMemHostGetDevicePointer_v2(unsigned long long* device, void* memory, unsigned) {
  *device = reinterpret_cast<std::uintptr_t>(memory);
  return 0;
}
void stand_in_give_to_other_device(const void* memory) {
  others_memory = reinterpret_cast<std::uintptr_t>(memory);
}
int cuPointerGetAttribute(void* value, int attribute, unsigned long long address) {
  if (attribute != 9) return 1;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
  *static_cast<int*>(value) = others_memory != 0 && address - others_memory < 4096 ? 1 : 0;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  constexpr int major_number = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  constexpr int minor_number = 76;
  if (attribute != major_number && attribute != minor_number) return 1;
  *value = attribute == major_number ? capability() / 10 : capability() % 10;
  return 0;
}
int cuDriverGetVersion(int* version) {
  const char* const given = std::getenv("STAND_IN_CUDA");
  *version = given == nullptr ? 13000 : std::atoi(given) * 1000;
  return 0;
}
void stand_in_renew_context() { ++number_of_context; }
int cuCtxGetDevice(int* device) {
  if (contexts.empty()) return invalid_context;
  *device = 0;
  return 0;
}
/// Each page is an allocation, but for the first ones.
int cuMemGetAddressRange_v2(unsigned long long* base, std::size_t* size,
                            unsigned long long address) {
  constexpr unsigned long long page = 1U << 16U;
  if (address < page) return invalid_handle;
  *base = address / page * page;
  *size = page;
  return 0;
}
