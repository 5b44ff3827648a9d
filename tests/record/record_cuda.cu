// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
//
// Makes a fixed list of CUDA runtime calls and writes one line per call. A test compares the
// stand-in runtime with these results of a real device. A line is
//
//   <status> <last error after the call> <function>(<arguments>) <output>=<value>...
//
// with no addresses in it. The last-error slot is emptied after every line, except in the section
// that is about the slot. Nothing of warpsafe is used here. Build and run on a device:
//
//   nvcc -std=c++20 -arch=sm_90 -cudart static tests/record/record_cuda.cu -o record_cuda
//   ./record_cuda FILE
#include "capture_modes.hpp"
#include "captures.hpp"
#include "clusters.hpp"
#include "devices.hpp"
#include "faults.hpp"
#include "functions.hpp"
#include "kernel_lines.hpp"
#include "last_error.hpp"
#include "launches.hpp"
#include "line.hpp"
#include "memory.hpp"
#include "occupancy.hpp"
#include "streams.hpp"
#include "two_devices.hpp"

#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace record {
namespace {

void header() {
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  cudaDeviceProp properties{};
  int driver = 0;
  int runtime = 0;
  static_cast<void>(cudaGetDeviceProperties(&properties, 0));
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  std::printf("# recorded: device %s, driver %d, runtime %d, %s\n", properties.name, driver,
              runtime, date);
  std::printf(
      "# command: nvcc -std=c++20 -arch=sm_90 -cudart static tests/record/record_cuda.cu -o record_cuda "
      "&& ./record_cuda FILE\n");
}

struct Section {
  const char* name;
  void (*run)();
};

const Section sections[] = {{"header", header},
                            {"devices", devices},
                            {"functions", functions},
                            {"launch_limits", launch_limits},
                            {"launch_forms", launch_forms},
                            {"clusters", clusters},
                            {"null_attributes", null_attributes},
                            {"occupancy", occupancy},
                            {"streams_and_events", streams_and_events},
                            {"captures", captures},
                            {"capture_modes", capture_modes},
                            {"calls_beside_a_capture", calls_beside_a_capture},
                            {"memory", memory},
                            {"last_error", last_error},
                            {"two_devices", two_devices},
                            {"copies_between_devices", copies_between_devices},
                            {"graph_memory_of_two_devices", graph_memory_of_two_devices},
                            {"error_table", error_table}};

// In a separate process, so that a crash in one section does not affect the others.
int run_section(const char* name) {
  const cudaError_t made = cudaMalloc(&device_memory, 120 * 1024 * sizeof(float));
  if (made != cudaSuccess) {
    std::fprintf(stderr, "no device memory: %s\n", cudaGetErrorString(made));
    return 1;
  }
  for (const Section& each : sections) {
    if (std::strcmp(each.name, name) != 0) continue;
    each.run();
    return 0;
  }
  return 2;
}

// Runs this program with `arguments` and copies its output. Returns false if it did not run to its
// end.
bool copy_child(const std::string& self, const std::string& arguments, std::FILE* file) {
  const std::string command = "'" + self + "' " + arguments;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  char line[1024];
  while (std::fgets(line, sizeof line, pipe) != nullptr) std::fputs(line, file);
  const int code = pclose(pipe);
  if (code != 0) std::fprintf(file, "# the process ended with wait status %d\n", code);
  std::fflush(file);
  return code == 0;
}

}  // namespace
}  // namespace record

int main(int argc, char** argv) {
  // With lazy loading, the measurement of a kernel's first launch would include the loading of its
  // module.
  static_cast<void>(setenv("CUDA_MODULE_LOADING", "EAGER", 0));
  if (argc == 4 && std::strcmp(argv[1], "--fault") == 0) return record::child(argv[2], argv[3]);
  if (argc == 3 && std::strcmp(argv[1], "--section") == 0) return record::run_section(argv[2]);
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  std::fprintf(
      file,
      "# What the CUDA runtime answered to tests/record/record_cuda.cu: <status> <last error> <call> <outputs>\n");
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 2;
  bool whole = true;
  for (const record::Section& each : record::sections)
    whole = record::copy_child(self, std::string("--section ") + each.name, file) && whole;

  std::vector<std::pair<std::string, std::string>> cases;
  for (const char* fault : {"fault_null", "fault_trap", "fault_misaligned", "fault_assert"})
    cases.emplace_back(fault, "cudaStreamSynchronize");
  for (const char* fault : {"fault_null", "fault_trap"}) cases.emplace_back(fault, "all");
  for (const char* first :
       {"cudaStreamQuery", "cudaEventQuery", "cudaMalloc", "cudaLaunchKernel", "<<<>>>",
        "cudaPeekAtLastError", "cudaGetDevice", "cudaFuncGetAttributes", "cudaEventRecord",
        "cudaStreamDestroy", "cudaFree"}) {
    cases.emplace_back("fault_null", first);
  }
  for (const auto& [fault, first] : cases) {
    std::fprintf(file, "\n[%s, then %s]\n", fault.c_str(), first.c_str());
    whole = record::copy_child(self, "--fault " + fault + " '" + first + "' 2>/dev/null", file) &&
            whole;
  }
  std::fprintf(file, "# %s\n", whole ? "end" : "end: not every process ran to its end");
  return std::fclose(file) == 0 ? 0 : 1;
}
