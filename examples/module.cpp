// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiles a kernel at run time (NVRTC, hipRTC), loads it by name and launches it. The launch has
// the same checks as any other. On the host backend the module is a table of this program's own
// functions. With nvcc, link with -lnvrtc.

#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#if defined(__CUDACC__)
#include <nvrtc.h>
#elif defined(__HIPCC__)
#include <hip/hiprtc.h>
#endif

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

namespace ws = warpsafe;

namespace {

#if defined(__CUDACC__) || defined(__HIPCC__)

const char* const source = R"(
extern "C" __global__ void scale(float factor, float* values, unsigned long n) {
  unsigned long i = blockIdx.x * (unsigned long)blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}
)";

// Returns the compiled code for the current device; empty if the compilation failed.
std::string compiled() {
  std::string image;
#if defined(__CUDACC__)
  const ws::DeviceLimits limits = ws::device_limits(ws::current_device().value()).value();
  const std::string architecture =
      "--gpu-architecture=sm_" + std::to_string(10 * limits.compute_major + limits.compute_minor);
  const char* const options[] = {architecture.c_str()};
  nvrtcProgram program = nullptr;
  std::size_t size = 0;
  bool fine =
      nvrtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS;
  fine = fine && nvrtcCompileProgram(program, 1, options) == NVRTC_SUCCESS;
  fine = fine && nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS;
  image.resize(size);
  fine = fine && nvrtcGetCUBIN(program, image.data()) == NVRTC_SUCCESS;
  nvrtcDestroyProgram(&program);
#else
  hiprtcProgram program = nullptr;
  std::size_t size = 0;
  bool fine =
      hiprtcCreateProgram(&program, source, "scale.hip", 0, nullptr, nullptr) == HIPRTC_SUCCESS;
  fine = fine && hiprtcCompileProgram(program, 0, nullptr) == HIPRTC_SUCCESS;
  fine = fine && hiprtcGetCodeSize(program, &size) == HIPRTC_SUCCESS;
  image.resize(size);
  fine = fine && hiprtcGetCode(program, image.data()) == HIPRTC_SUCCESS;
  static_cast<void>(hiprtcDestroyProgram(&program));
#endif
  return fine ? image : std::string();
}
ws::result<ws::Module> load() { return ws::Module::load(compiled()); }

#else

void scale(float factor, float* values, unsigned long n) {
  const auto i = ws::thread_index().x;
  if (i < n) values[i] *= factor;
}
ws::result<ws::Module> load() {
  const ws::host::NamedKernel table[] = {ws::host::named<scale>("scale")};
  return ws::Module::load(table);
}

#endif

using Scale = void(float, float*, unsigned long);

ws::result<std::vector<float>> run(const ws::Stream& stream, const std::vector<float>& values) {
  WARPSAFE_TRY(auto loaded, load());
  WARPSAFE_TRY(const auto by_name, loaded.kernel<Scale>("scale"));
  WARPSAFE_TRY(auto data, ws::DeviceBuffer<float>::from(stream, values));
  const auto config = ws::configure(ws::SafeGrid<>::cover(data.size(), ws::block<256>, by_name));

  char text[512];
  WARPSAFE_TRY(const auto size, ws::format_kernel(stream, by_name, text, sizeof text));
  std::cout << std::string(text, size) << '\n';
  WARPSAFE_TRY(const auto fullness, ws::occupancy(stream, config, by_name));
  ws::format_occupancy(fullness, text, sizeof text);
  std::cout << text << '\n';

  WARPSAFE_TRYV(ws::launch(stream, config, by_name, 2.0F, data.view(), data.size()));
  const auto wrong = loaded.kernel<Scale>("scael");
  if (!wrong.has_value()) std::cout << ws::message(wrong.error()) << '\n';
  return data.to_host(stream).get();
}

}  // namespace

int main() {
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) {
    std::cerr << stream.error() << '\n';
    return 2;
  }
  const auto values = run(stream.value(), std::vector<float>(100000, 1.5F));
  if (!values.has_value()) {
    std::cerr << values.error() << '\n';
    return 2;
  }
  for (const float value : values.value()) {
    if (value != 3.0F) return 1;
  }
  std::cout << values.value().size() << " elements doubled by a kernel that was loaded by name\n";
}
