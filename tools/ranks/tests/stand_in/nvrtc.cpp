// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A stand-in for libnvrtc.so.12 (nvrtc.h): compiles the kernel of checksums, and nothing else, for
// the stand-in of CUDA's driver. STAND_IN_NVRTC_LOG names a file that gets a line for each
// compilation; STAND_IN_NVRTC_FAILS lets each fail.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Program {
  std::string source, image, log;
};
Program& of(void* handle) { return *static_cast<Program*>(handle); }

constexpr int invalid_program = 4;  // NVRTC_ERROR_INVALID_PROGRAM
constexpr int invalid_option = 5;   // NVRTC_ERROR_INVALID_OPTION
constexpr int compilation = 6;      // NVRTC_ERROR_COMPILATION
constexpr int known[] = {75, 80, 90};

int give(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}

}  // namespace

extern "C" {
int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 0;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(known));
  return 0;
}
int nvrtcGetSupportedArchs(int* list) {
  std::copy(std::begin(known), std::end(known), list);
  return 0;
}
int nvrtcCreateProgram(void** program, const char* source, const char*, int headers,
                       const char* const* texts, const char* const* names) {
  auto* const made = new Program{source, "", ""};
  for (int i = 0; i < headers; ++i) made->source += std::string(names[i]) + '\n' + texts[i];
  *program = made;
  return 0;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return 0;
}
int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  Program& program = of(handle);
  if (const char* const log = std::getenv("STAND_IN_NVRTC_LOG")) {
    const std::string line = std::to_string(::getpid()) + '\n';
    const int file = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (::write(file, line.data(), line.size()) < 0) return compilation;
    ::close(file);
  }
  if (std::getenv("STAND_IN_NVRTC_FAILS") != nullptr) {
    program.log = "checksum_kernel.cu(1): error: no\n1 error detected\n";
    return compilation;
  }
  // The kernel, and what it includes.
  for (const char* text : {"__global__", "warpsafe_checksum(", "../record/checksum.hpp\n",
                           "checksum_part(", "cstdint\n"}) {
    if (program.source.find(text) == std::string::npos) return invalid_program;
  }
  for (int i = 0; i < count; ++i) {
    constexpr const char name[] = "--gpu-architecture=";
    if (std::strncmp(options[i], name, sizeof name - 1) != 0) continue;
    program.image = std::string("warpsafe_checksum for ") + (options[i] + sizeof name - 1);
  }
  return program.image.empty() ? invalid_option : 0;
}
/// As NVRTC, it has code only for an architecture of a device.
int nvrtcGetCUBINSize(void* program, std::size_t* size) {
  if (of(program).image.find("sm_") == std::string::npos) return invalid_program;
  *size = of(program).image.size() + 1;
  return 0;
}
int nvrtcGetCUBIN(void* program, char* image) { return give(of(program).image, image); }
int nvrtcGetPTXSize(void* program, std::size_t* size) {
  *size = of(program).image.size() + 1;
  return 0;
}
int nvrtcGetPTX(void* program, char* image) { return give(of(program).image, image); }
int nvrtcGetProgramLogSize(void* program, std::size_t* size) {
  *size = of(program).log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(void* program, char* log) { return give(of(program).log, log); }
}
