// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// `compile_kernel CAPABILITY FILE`: compiles the kernel of checksums as the recorder does, for a
// device of that compute capability (90 is 9.0), and prints how long that took, in ms. Status 77:
// there is no NVRTC.

#include "tools/ranks/nccl/checksum_code.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  if (count != 3) return 2;
  using warpsafe::ranks::ChecksumCode;
  const auto begin = std::chrono::steady_clock::now();
  const ChecksumCode::Compiled code = ChecksumCode::compiled(std::atoi(arguments[1]), 0);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (code.image.empty()) {
    std::fprintf(stderr, "%s\n", code.problem.c_str());
    return code.problem.find("was not found") != std::string::npos ? 77 : 1;
  }
  std::FILE* const file = std::fopen(arguments[2], "wb");
  if (file == nullptr) return 3;
  const bool is_written =
      std::fwrite(code.image.data(), 1, code.image.size(), file) == code.image.size();
  if (std::fclose(file) != 0 || !is_written) return 3;
  std::printf("%.0f\n", took.count());
  return 0;
}
