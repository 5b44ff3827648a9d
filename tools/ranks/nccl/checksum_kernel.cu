// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The kernel that reads the buffers of a collective. CMake puts this text into the recorder, which
// compiles it by NVRTC (checksum_code.hpp).

#include "../record/checksum.hpp"

using namespace warpsafe::ranks;

/// Writes the checksum of block b's words to parts[b]. The host adds them: no part waits for
/// another.
extern "C" __global__ void __launch_bounds__(checksum_threads)
    warpsafe_checksum(const unsigned char* data, std::uint64_t bytes, Format format,
                      Checksum* parts) {
  __shared__ std::uint64_t sums[checksum_threads];
  __shared__ std::uint64_t nans[checksum_threads];
  __shared__ std::uint64_t infinities[checksum_threads];
  __shared__ std::uint64_t firsts[checksum_threads];
  const std::uint32_t thread = threadIdx.x;
  const Checksum mine =
      checksum_part(data, bytes, format, std::uint64_t{blockIdx.x} * checksum_threads + thread,
                    std::uint64_t{gridDim.x} * checksum_threads);
  sums[thread] = mine.sum;
  nans[thread] = mine.nans;
  infinities[thread] = mine.infinities;
  firsts[thread] = mine.first;
  for (std::uint32_t half = checksum_threads / 2; half != 0; half /= 2) {
    __syncthreads();
    if (thread < half) {
      sums[thread] += sums[thread + half];
      nans[thread] += nans[thread + half];
      infinities[thread] += infinities[thread + half];
      if (firsts[thread + half] < firsts[thread]) firsts[thread] = firsts[thread + half];
    }
  }
  if (thread == 0) {
    Checksum& part = parts[blockIdx.x];
    part.sum = sums[0];
    part.nans = nans[0];
    part.infinities = infinities[0];
    part.first = firsts[0];
  }
}
