// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "runtime.hpp"

#include "transcript.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

namespace stand_in_cuda {
namespace {

// The numbers from the transcript. Read once; a reset copies them.
struct Recorded {
  Device device;
  int device_count = 0;
  int driver_version = 0;
  int runtime_version = 0;
  int least_priority = 0;
  int greatest_priority = 0;
  std::map<int, std::pair<std::string, std::string>> errors;
  std::map<std::string, cudaError_t> faults;
};

int number(const TranscriptLine& line, const char* name) {
  const auto found = line.outputs.find(name);
  return found == line.outputs.end() ? 0 : std::atoi(found->second.c_str());
}

// The number of multiprocessors in each group that can hold a cluster. The recorded counts of
// clusters that fill a multiprocessor per block are f(c) = sum over groups of floor(size / c), so a
// group of size c adds one more to f(c) than the neighbouring counts. Solved from the largest size
// down.
std::vector<int> cluster_groups(const std::map<int, int>& clusters_by_size, int multiprocessors) {
  std::vector<int> groups;
  int left = multiprocessors;
  for (auto size = clusters_by_size.rbegin(); size != clusters_by_size.rend(); ++size) {
    int explained = 0;
    for (const int group : groups) explained += group / size->first;
    for (; explained < size->second && left >= size->first; ++explained) {
      groups.push_back(size->first);
      left -= size->first;
    }
  }
  return groups;
}

Recorded read_recorded() {
  Recorded recorded;
  std::map<int, int> clusters;
  for (const TranscriptLine& line : parse_transcript(built_in_transcript())) {
    int code = 0;
    int device = 0;
    char name[128] = "";
    if (std::sscanf(line.call.c_str(), "cudaDeviceGetAttribute(%d, device %d)", &code, &device) ==
            2 &&
        device == 0) {
      recorded.device.attributes[code] = {static_cast<cudaError_t>(line.status),
                                          number(line, "value")};
    } else if (line.call == "cudaGetDeviceProperties(device 0)" &&
               line.outputs.count("name") != 0) {
      recorded.device.name = line.outputs.at("name");
    } else if (line.call == "cudaMemGetInfo()") {
      recorded.device.total_bytes = std::strtoull(line.outputs.at("total").c_str(), nullptr, 10);
    } else if (line.call == "cudaRuntimeGetVersion()") {
      recorded.runtime_version = number(line, "version");
    } else if (line.call == "cudaGetDeviceCount()") {
      recorded.device_count = number(line, "count");
    } else if (line.call == "cudaDriverGetVersion()") {
      recorded.driver_version = number(line, "version");
    } else if (line.call == "cudaDeviceGetStreamPriorityRange()") {
      recorded.least_priority = number(line, "least");
      recorded.greatest_priority = number(line, "greatest");
    } else if (std::sscanf(line.call.c_str(), "cudaGetErrorName(%d)", &code) == 1) {
      recorded.errors[code] = {line.outputs.at("name"), line.outputs.at("text")};
    } else if (std::sscanf(line.call.c_str(), "cudaStreamSynchronize after %127[a-z_]", name) ==
               1) {
      recorded.faults[name] = static_cast<cudaError_t>(line.status);
    } else if (std::sscanf(line.call.c_str(),
                           "cudaOccupancyMaxActiveClusters(dynamic, block 128, shared 200000, "
                           "cluster %d, non_portable 1)",
                           &code) == 1 &&
               line.status == 0) {
      clusters[code] = number(line, "clusters");
    }
  }
  recorded.device.free_bytes = recorded.device.total_bytes;
  recorded.device.cluster_groups =
      cluster_groups(clusters, recorded.device.attribute(cudaDevAttrMultiProcessorCount));
  return recorded;
}

const Recorded& recorded() {
  static const Recorded& all = *new Recorded(read_recorded());  // as long-lived as the runtime
  return all;
}

std::atomic<int> calling_threads = 0;

}  // namespace

void let_others_run() {
  struct Caller {
    std::minstd_rand random;
    Caller() : random(static_cast<unsigned>(++calling_threads)) {}
    ~Caller() { --calling_threads; }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
  };
  thread_local Caller mine;
  if (calling_threads > 1 && mine.random() % 8 == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

// Never destroyed: a host function's thread may outlive main.
Runtime& runtime() {
  static Runtime& only = *new Runtime;
  return only;
}

Runtime::Runtime() { reset(); }

void Runtime::reset() {
  ++epoch;
  const Recorded& from = recorded();
  devices.assign(static_cast<std::size_t>(from.device_count), from.device);
  has_peers = true;
  driver_version = from.driver_version;
  runtime_version = from.runtime_version;
  least_priority = from.least_priority;
  greatest_priority = from.greatest_priority;
  errors = &from.errors;
  faults = from.faults;
  calls.clear();
  counts.clear();
  launches.clear();
  failures.clear();
  for (const auto& capture : captures) {
    capture->invalidated = true;
    capture->origin = nullptr;  // the stream may go
  }
  captures.clear();
  for (Kernel& each : kernels) {
    each.code = each.original;
    each.settings.clear();
  }
  for (Stream& each : streams) {
    each.capture = nullptr;
    if (each.hold != nullptr) each.hold->reached = true;
    each.hold = nullptr;
  }
  pump();
}

void Runtime::set_device_count(int count) {
  devices.resize(static_cast<std::size_t>(count), recorded().device);
}

ThreadState& Runtime::thread() {
  static thread_local ThreadState state;
  if (state.epoch != epoch) {
    state.epoch = epoch;
    state.device = 0;
    state.last_error = cudaSuccess;
    state.capture_mode = cudaStreamCaptureModeGlobal;
  }
  if (static_cast<std::size_t>(state.device) >= devices.size()) state.device = 0;
  return state;
}

cudaError_t Runtime::find_kernel(const void* function, Kernel** kernel) {
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  const auto found = kernels_by_stub.find(function);
  if (found == kernels_by_stub.end()) return cudaErrorInvalidResourceHandle;
  *kernel = found->second;
  return cudaSuccess;
}

Kernel* Runtime::kernel_named(const std::string& name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const Kernel& each) { return each.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

std::map<const void*, Allocation>::iterator Runtime::allocation_of(const void* pointer) {
  auto next = allocations.upper_bound(pointer);
  if (next == allocations.begin()) return allocations.end();
  --next;
  const auto* const first = static_cast<const char*>(next->first);
  return static_cast<const char*>(pointer) < first + next->second.bytes ? next : allocations.end();
}

bool Runtime::is_gone(std::uintptr_t address, bool or_freed) {
  const auto* const pointer = reinterpret_cast<const char*>(address);
  const auto found = allocation_of(pointer);
  if (found != allocations.end()) return found->second.is_missing;
  const auto next = freed_memory.upper_bound(pointer);
  if (!or_freed || next == freed_memory.begin()) return false;
  const auto& [begin, bytes] = *std::prev(next);
  return pointer < static_cast<const char*>(begin) + bytes;
}

Stream& Runtime::add_stream(Stream::Kind kind) {
  // Only here: nobody holds a stream that was destroyed.
  streams.remove_if([](const Stream& each) {
    return !each.alive() && each.pending.empty() && !each.running && !each.busy() &&
           each.hold == nullptr && each.capture == nullptr;
  });
  return streams.emplace_back(kind, thread().device, ++streams_made);
}

Stream& Runtime::stream(cudaStream_t handle) {
  ThreadState& state = thread();
  if (handle == nullptr) handle = state.null_is_per_thread ? cudaStreamPerThread : cudaStreamLegacy;
  if (handle == cudaStreamPerThread) {
    Stream*& mine = state.per_thread_streams[state.device];
    if (mine == nullptr) mine = &add_stream(Stream::Kind::per_thread);
    return *mine;
  }
  if (handle == cudaStreamLegacy) {
    for (Stream& each : streams) {
      if (each.kind == Stream::Kind::legacy && each.device == state.device) return each;
    }
    return add_stream(Stream::Kind::legacy);
  }
  if (Stream* const made = find(streams, handle)) return *made;
  std::fputs("stand-in: a stream that was destroyed or never made; a real runtime crashes here\n",
             stderr);
  std::raise(SIGSEGV);
  std::abort();
}

std::shared_ptr<Mark> Runtime::submit(Stream& stream, std::function<void()> work,
                                      std::shared_ptr<Mark> after, bool on_own_thread) {
  Operation operation;
  operation.work = std::move(work);
  operation.on_own_thread = on_own_thread;
  operation.mark = std::make_shared<Mark>();
  if (after != nullptr) operation.after.push_back(std::move(after));
  for (Stream& other : streams) {
    if (&other == &stream || other.device != stream.device || !other.busy()) continue;
    const bool ordered = stream.kind == Stream::Kind::legacy
                             ? other.blocking()
                             : stream.blocking() && other.kind == Stream::Kind::legacy;
    if (ordered) operation.after.push_back(other.last);
  }
  std::shared_ptr<Mark> mark = operation.mark;
  stream.last = mark;
  stream.pending.push_back(std::move(operation));
  pump();
  return mark;
}

void Runtime::pump() {
  bool progress = true;
  while (progress) {
    progress = false;
    for (Stream& stream : streams) {
      while (!stream.pending.empty() && !stream.running) {
        const auto& after = stream.pending.front().after;
        if (!std::all_of(after.begin(), after.end(),
                         [](const auto& mark) { return mark->reached; }))
          break;
        Operation operation = std::move(stream.pending.front());
        stream.pending.pop_front();
        progress = true;
        const auto reach = [this, mark = operation.mark] {
          mark->reached = true;
          mark->time = std::chrono::steady_clock::now();
          changed.notify_all();
        };
        const bool lost =
            devices.size() > static_cast<std::size_t>(stream.device) &&
            devices[static_cast<std::size_t>(stream.device)].context_error != cudaSuccess;
        if (operation.on_own_thread && !lost) {
          stream.running = true;
          std::thread([this, &stream, reach, work = std::move(operation.work)] {
            work();
            const std::lock_guard lock(mutex);
            stream.running = false;
            reach();
            pump();
          }).detach();
        } else {
          if (operation.work && !lost) operation.work();
          reach();
        }
      }
    }
  }
}

void Runtime::wait(std::unique_lock<std::mutex>& lock, std::shared_ptr<Mark> mark) {
  if (mark != nullptr) changed.wait(lock, [&] { return mark->reached; });
}

std::size_t Runtime::begin_call(const char* function, std::string arguments) {
  CallRecord& call = calls.emplace_back();
  call.function = function;
  if (thread().null_is_per_thread) {
    const bool plain_memory =
        call.function.find("Async") == std::string::npos && (call.function.find("cudaMem") == 0);
    call.function += plain_memory ? "_ptds" : "_ptsz";
  }
  call.arguments = std::move(arguments);
  call.sequence = calls.size();
  call.device = thread().device;
  ++counts[call.function];
  return calls.size() - 1;
}

bool Runtime::injected(const std::string& function, cudaError_t* code) {
  for (auto failure = failures.begin(); failure != failures.end();) {
    if (failure->function == function && --failure->calls_left == 0) {
      *code = failure->code;
      failures.erase(failure);
      return true;
    }
    ++failure;
  }
  return false;
}

cudaError_t Runtime::finish(std::size_t call, std::uint64_t call_epoch, CallKind kind,
                            cudaError_t result) {
  if (result == cudaSuccess && kind.synchronises && !devices.empty()) {
    Device& current = device();
    result = current.context_error;
    if (result == cudaSuccess) std::swap(result, current.async_error);
  }
  // If the runtime was reset while the call waited, the call's record no longer exists.
  if (call_epoch == epoch) calls[call].result = result;
  // cudaErrorNotReady is an answer, not an error.
  if (result != cudaSuccess && result != cudaErrorNotReady && kind.sets_slot) {
    thread().last_error = result;
  }
  return result;
}

}  // namespace stand_in_cuda
