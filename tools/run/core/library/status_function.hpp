// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "library_family.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace warpsafe::watch {

namespace detail {

[[nodiscard]] inline bool is_any_of(std::string_view name,
                                    std::span<const std::string_view> all) noexcept {
  return std::find(all.begin(), all.end(), name) != all.end();
}
/// Returns whether the function is one of cuBLAS's first interface (cublas.h), which keeps its
/// status for cublasGetError. `name` is without "cublas". The newer function of the same purpose
/// has the same name with "_v2".
[[nodiscard]] inline bool is_of_first_cublas(std::string_view name) noexcept {
  static constexpr std::string_view stems[] = {
      "amax", "amin",  "asum",  "axpy",  "casum", "cnrm2", "copy", "dot",  "dotc", "dotu",
      "drot", "dscal", "gbmv",  "gemm",  "gemv",  "ger",   "gerc", "geru", "hbmv", "hemm",
      "hemv", "her",   "her2",  "her2k", "herk",  "hpmv",  "hpr",  "hpr2", "nrm2", "rot",
      "rotg", "rotm",  "rotmg", "sbmv",  "scal",  "spmv",  "spr",  "spr2", "srot", "sscal",
      "swap", "symm",  "symv",  "syr",   "syr2",  "syr2k", "syrk", "tbmv", "tbsv", "tpmv",
      "tpsv", "trmm",  "trmv",  "trsm",  "trsv",  "zasum", "znrm2"};
  if (!name.empty() && name.front() == 'I') name.remove_prefix(1);
  if (name.empty() || std::string_view("SDCZsdcz").find(name.front()) == name.npos) return false;
  return is_any_of(name.substr(1), stems);
}
/// NCCL also exports helpers for its functions on the device, which return structures.
[[nodiscard]] inline bool is_status_of_nccl(std::string_view name) noexcept {
  static constexpr std::string_view functions[] = {"MemAlloc",
                                                   "MemFree",
                                                   "GetUniqueId",
                                                   "CommInitRankConfig",
                                                   "CommInitRank",
                                                   "CommInitAll",
                                                   "CommInitRankScalable",
                                                   "CommFinalize",
                                                   "CommDestroy",
                                                   "CommAbort",
                                                   "CommRevoke",
                                                   "CommSplit",
                                                   "CommShrink",
                                                   "CommGetAsyncError",
                                                   "CommCount",
                                                   "CommCuDevice",
                                                   "CommUserRank",
                                                   "CommRegister",
                                                   "CommDeregister",
                                                   "CommWindowRegister",
                                                   "CommWindowDeregister",
                                                   "RedOpCreatePreMulSum",
                                                   "RedOpDestroy",
                                                   "Reduce",
                                                   "Bcast",
                                                   "Broadcast",
                                                   "AllReduce",
                                                   "ReduceScatter",
                                                   "AllGather",
                                                   "AlltoAll",
                                                   "Gather",
                                                   "Scatter",
                                                   "Send",
                                                   "Recv",
                                                   "GroupStart",
                                                   "GroupEnd",
                                                   "GroupSimulateEnd"};
  return is_any_of(name, functions);
}

}  // namespace detail

/// Returns the library whose status the function returns, by its name; nullptr: none, or the
/// function returns something else. The rules fit the headers of CUDA 13.0, cuDNN 9 and NCCL 2.28
/// (tools/run/tests/library/headers.py compares them).
[[nodiscard]] inline const LibraryFamily* family_of_function(
    std::string_view name, std::span<const LibraryFamily> families) noexcept {
  for (const LibraryFamily& one : families) {
    if (name.substr(0, one.functions.size()) != one.functions) continue;
    const std::string_view rest = name.substr(one.functions.size());
    // cuFFT's interface of FFTW begins with "fftw", and C++ functions with "_Z".
    if (rest.empty() || rest.front() < 'A' || rest.front() > 'Z') continue;
    if (one.functions == "nccl") return detail::is_status_of_nccl(rest) ? &one : nullptr;
    if (one.functions == "cublas" && detail::is_of_first_cublas(rest)) return nullptr;
    // Some functions with these words return a status too. None of them does any work.
    for (const std::string_view word :
         {"Version", "String", "ErrorName", "StatusName", "LastError", "GetError", "Backdoor",
          "EnvironmentMode", "Debug", "CpuInstructions", "Xerbla"}) {
      if (rest.find(word) != rest.npos) return nullptr;
    }
    // cusparseGetMatType and its like return a value of the descriptor.
    if (one.functions == "cusparse" && rest.substr(0, 6) == "GetMat") return nullptr;
    return &one;
  }
  return nullptr;
}

}  // namespace warpsafe::watch
