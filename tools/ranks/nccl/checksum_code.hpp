// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "nvrtc.hpp"

#include <checksum_source.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace warpsafe::ranks {

inline constexpr char checksum_function[] = "warpsafe_checksum";

/// The kernel of checksums, compiled by NVRTC. All members can be called by any thread.
class ChecksumCode {
 public:
  struct Compiled {
    std::vector<char> image;  ///< for the driver; empty: there is none
    std::string problem;      ///< why there is none
  };

  /// For devices of this compute capability (90 is 9.0), and a driver of this major release of CUDA
  /// (0: any). The first call for each capability loads
  /// NVRTC and compiles.
  [[nodiscard]] const Compiled& of(int capability, int cuda) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = compiled_.try_emplace(capability);
    if (is_new) known->second = compiled(capability, cuda);
    return known->second;
  }

  /// NVRTC makes code for the device itself. A device that is newer than NVRTC gets PTX, which its
  /// driver compiles.
  [[nodiscard]] static Compiled compiled(int capability, int cuda) {
    static const Nvrtc nvrtc = Nvrtc::find(cuda);
    if (!nvrtc.is_found()) {
      return {
          {},
          "their kernel is compiled by NVRTC (libnvrtc.so of CUDA 11.2 or later, and of a major "
          "release that the driver has), which was not "
          "found; install NVIDIA's CUDA toolkit, or pip's nvidia-cuda-nvrtc-cu12 (for CUDA 13 "
          "nvidia-cuda-nvrtc) with its folder in LD_LIBRARY_PATH"};
    }
    int count = 0;
    if (nvrtc.architectures_size(&count) != 0 || count < 1) return {{}, "NVRTC does not work"};
    std::vector<int> known(static_cast<std::size_t>(count));
    if (nvrtc.architectures(known.data()) != 0) return {{}, "NVRTC does not work"};
    if (std::find(known.begin(), known.end(), capability) != known.end()) {
      return compiled(nvrtc, "sm_", capability, nvrtc.cubin_size, nvrtc.cubin);
    }
    std::erase_if(known, [capability](int one) { return one > capability; });
    if (known.empty()) {
      return {{},
              "NVRTC compiles nothing for a device of compute capability " +
                  std::to_string(capability / 10) + '.' + std::to_string(capability % 10) +
                  "; install the release of the device's CUDA"};
    }
    return compiled(nvrtc, "compute_", *std::max_element(known.begin(), known.end()),
                    nvrtc.ptx_size, nvrtc.ptx);
  }

 private:
  static Compiled compiled(const Nvrtc& nvrtc, const char* kind, int capability,
                           int (*size_of)(Nvrtc::Program, std::size_t*),
                           int (*get)(Nvrtc::Program, char*)) {
    // NVRTC has no header of the standard library.
    constexpr char cstdint[] =
        "namespace std { using uint32_t = unsigned int; using uint64_t = unsigned long long; "
        "using uintptr_t = unsigned long long; }";
    const char* const texts[] = {checksum_header, cstdint};
    const char* const names[] = {"../record/checksum.hpp", "cstdint"};
    const std::string architecture =
        std::string("--gpu-architecture=") + kind + std::to_string(capability);
    const char* const options[] = {architecture.c_str(), "--std=c++17"};
    Nvrtc::Program program = nullptr;
    Compiled made;
    std::size_t size = 0;
    int status = nvrtc.create(&program, checksum_kernel, "checksum_kernel.cu",
                              static_cast<int>(std::size(texts)), texts, names);
    if (status == 0) status = nvrtc.compile(program, static_cast<int>(std::size(options)), options);
    if (status == 0) status = size_of(program, &size);
    if (status == 0) made.image.resize(size);
    if (status == 0) status = get(program, made.image.data());
    if (status != 0) {
      made.image.clear();
      made.problem = "NVRTC does not compile their kernel with " + architecture + " (" +
                     std::to_string(status) + ')' + first_line_of_log(nvrtc, program);
    }
    (void)nvrtc.destroy(&program);
    return made;
  }
  static std::string first_line_of_log(const Nvrtc& nvrtc, Nvrtc::Program program) {
    std::size_t size = 0;
    if (nvrtc.log_size(program, &size) != 0 || size < 2) return "";
    std::string text(size, '\0');
    if (nvrtc.log(program, text.data()) != 0) return "";
    return ": " + text.substr(0, text.find_first_of(std::string("\n\0", 2)));
  }

  std::mutex mutex_;
  std::map<int, Compiled> compiled_;
};

}  // namespace warpsafe::ranks
