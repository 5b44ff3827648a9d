// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program of the driver API that does not use warpsafe: dependent CUBIN STEP... A step is a
// launch, NAME:xy, where NAME is a kernel of dependent.cu and x and y are letters of allocations;
// a launch with programmatic stream serialization, +NAME:xy; a launch of the same by a library,
// =NAME:xy; or other work of the stream. ",2" behind a step gives it to the second stream. The
// letters p and q are memory of the driver's pool: alloc:p and free:p; alloc:p400 has 400 bytes,
// and from_pool:p400 names the pool. Letters can also be blocks of a pool of the program's own,
// which it names to the watch: take:p512 has the 512 bytes at byte 512 of the pool; give_back:p,
// drop:p.

#include <cuda.h>
#include <warpsafe_pool.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

/// Of the stand-in for a library (stand_in/library.cpp).
extern "C" int stand_in_dependent(CUfunction function, void** values, CUstream stream, int early);

namespace {

constexpr std::size_t bytes = 4096;
CUmodule module = nullptr;
CUstream streams[2] = {};
CUevent event = nullptr;

std::map<char, CUdeviceptr> memory;

CUdeviceptr memory_of(char letter) {
  CUdeviceptr& one = memory[letter];
  if (one == 0 && cuMemAlloc(&one, bytes) != CUDA_SUCCESS) std::abort();
  return one;
}

const void* pointer_of(char letter) {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(memory_of(letter)));
}

CUfunction function_of(const std::string& name) {
  const std::string types = name == "swaps" ? "PfS_" : "PKfPf";
  const std::string mangled = "_Z" + std::to_string(name.size()) + name + types;
  CUfunction function = nullptr;
  if (cuModuleGetFunction(&function, module, mangled.c_str()) != CUDA_SUCCESS) std::abort();
  return function;
}

int launch(std::string step, CUstream stream) {
  const bool early = step[0] == '+';
  const bool library = step[0] == '=';
  if (early || library) step.erase(0, 1);
  const std::size_t colon = step.find(':');
  CUdeviceptr in = memory_of(step[colon + 1]);
  CUdeviceptr out = memory_of(step[colon + 2]);
  const CUfunction function = function_of(step.substr(0, colon));
  void* values[] = {&in, &out};
  if (library) return stand_in_dependent(function, values, stream, 1);
  if (!early) {
    return cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, stream, values, nullptr);
  }
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{};
  config.gridDimX = 2;
  config.blockDimX = 64;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cuLaunchKernelEx(&config, function, values, nullptr);
}

int act(std::string step) {
  CUstream stream = streams[0];
  if (step.size() > 2 && step.substr(step.size() - 2) == ",2") {
    stream = streams[1];
    step.resize(step.size() - 2);
  }
  if (step == "fill") return cuMemsetD32Async(memory_of('f'), 0, 8, stream);
  if (step == "fill:x") return cuMemsetD32Async(memory_of('x'), 0, 8, stream);
  if (step == "record") return cuEventRecord(event, stream);
  if (step == "wait_event") return cuStreamWaitEvent(stream, event, 0);
  if (step == "sync") return cuStreamSynchronize(stream);
  if (step.substr(0, 6) == "alloc:") {
    const std::size_t size = step.size() > 7 ? std::stoul(step.substr(7)) : bytes;
    return cuMemAllocAsync(&memory[step[6]], size, stream);
  }
  if (step.substr(0, 10) == "from_pool:") {
    return cuMemAllocFromPoolAsync(&memory[step[10]], std::stoul(step.substr(11)), nullptr, stream);
  }
  if (step.substr(0, 5) == "free:") return cuMemFreeAsync(memory[step[5]], stream);
  if (step.substr(0, 5) == "take:") {
    memory[step[5]] = memory_of('P') + std::stoul(step.substr(6));
    warpsafe_pool_allocated(pointer_of(step[5]), 512, stream, ("app.py:" + step).c_str());
    return 0;
  }
  if (step.substr(0, 10) == "give_back:") return warpsafe_pool_returned(pointer_of(step[10])), 0;
  if (step.substr(0, 5) == "drop:") return warpsafe_pool_freed(pointer_of(step[5]), stream), 0;
  // malloc:m400, scribble:m-4 (a kernel that writes there), mfree:m: memory of cuMemAlloc.
  if (step.substr(0, 7) == "malloc:") {
    return cuMemAlloc(&memory[step[7]], std::stoul(step.substr(8)));
  }
  if (step.substr(0, 6) == "mfree:") return cuMemFree(memory[step[6]]);
  if (step.substr(0, 5) == "show:") {
    unsigned word = 0;
    const int status =
        cuMemcpyDtoHAsync(&word, memory[step[5]] + std::stoul(step.substr(6)), 4, stream);
    std::printf("%s: %x\n", step.c_str(), word);
    return status;
  }
  // copy:mn: from memory m to memory n, by the function for copies to the host.
  if (step.substr(0, 5) == "copy:") {
    return cuMemcpyDtoH(reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory[step[6]])),
                        memory[step[5]], 4);
  }
  if (step.substr(0, 6) == "range:") {
    CUdeviceptr base = 0;
    std::size_t size = 0;
    const int status = cuMemGetAddressRange(&base, &size, memory[step[6]] + 8);
    std::printf("%s: %zu\n", step.c_str(), size);
    return status;
  }
  // read:m4 copies 400 bytes at byte 4 of m to the host.
  if (step.substr(0, 5) == "read:") {
    static char host[400];
    return cuMemcpyDtoHAsync(host, memory[step[5]] + std::stoul(step.substr(6)), sizeof host,
                             stream);
  }
  if (step.substr(0, 9) == "scribble:") {
    std::int64_t offset = std::stol(step.substr(10));
    void* values[] = {&offset, &memory[step[9]]};
    return cuLaunchKernel(function_of("scribbles"), 2, 1, 1, 64, 1, 1, 0, stream, values, nullptr);
  }
  if (step == "sync_device") return cuCtxSynchronize();
  if (step == "begin_capture") {
    return cuStreamBeginCapture(streams[0], CU_STREAM_CAPTURE_MODE_GLOBAL);
  }
  if (step == "end_capture") {
    CUgraph graph = nullptr;
    return cuStreamEndCapture(streams[0], &graph);
  }
  return launch(std::move(step), stream);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || cuInit(0) != CUDA_SUCCESS) return 1;
  for (CUstream& one : streams) {
    if (cuStreamCreate(&one, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return 1;
  }
  if (cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return 1;
  if (cuModuleLoad(&module, argv[1]) != CUDA_SUCCESS) return 1;
  for (const char letter : {'w', 'x', 'y', 'z'}) memory_of(letter);
  for (int i = 2; i < argc; ++i) {
    const int status = act(argv[i]);
    if (status != 0) std::printf("%s: %d\n", argv[i], status);
  }
}
