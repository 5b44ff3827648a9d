// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core/library/library_arguments.hpp"

#include "core/library/library_remedy.hpp"
#include "core/library/status_function.hpp"
#include "cuda/library/library_families.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace {

using namespace warpsafe::watch;
using testing::HasSubstr;

/// A failed call with these arguments; a number of 32 bits has garbage above it, as in a register.
LibraryFailure failure(const char* function, int status,
                       std::initializer_list<std::int64_t> arguments) {
  const LibraryFamily* const family = family_of_function(function, cuda_families);
  EXPECT_NE(family, nullptr) << function;
  LibraryFailure made{family, family->find(status), function, {}, 0};
  EXPECT_NE(made.status, nullptr) << status;
  for (const std::int64_t one : arguments) {
    made.words[made.count++] = static_cast<std::uint64_t>(one);
  }
  return made;
}
constexpr std::int64_t at = 0x7f0000001000;
constexpr std::int64_t garbage = std::int64_t{0x1234} << 32;
std::string broken(const LibraryFailure& of) { return LibraryArguments::of(of).broken; }

TEST(LibraryArguments, OfGemm) {
  const LibraryFailure call =
      failure("cublasDgemm_v2", 7, {at, 0, 1, 4, 5, 3, at, at, 4 + garbage, at, 3, at, at, 4});
  const LibraryArguments is = LibraryArguments::of(call);
  EXPECT_EQ(is.words, "transa = N, transb = T, m = 4, n = 5, k = 3, lda = 4, ldb = 3, ldc = 4");
  EXPECT_EQ(is.broken, "ldb is 3, and must be at least n = 5 (transb is T)");
  EXPECT_EQ(call.function(), "cublasDgemm");
}
TEST(LibraryArguments, OfGemmWithNumbersOfEightBytes) {
  const LibraryFailure call =
      failure("cublasSgemm_v2_64", 7, {at, 0, 0, garbage, 5, 3, at, at, 4, at, 3, at, at, 4});
  EXPECT_EQ(broken(call),
            "lda is 4, and must be at least m = " + std::to_string(garbage) + " (transa is N)");
  EXPECT_EQ(call.function(), "cublasSgemm_64");
}
TEST(LibraryArguments, OfGemmEx) {
  EXPECT_EQ(
      broken(failure("cublasGemmEx", 7, {at, 0, 0, 8, 8, 8, at, at, 2, 8, at, 2, 8, at, at, 2, 7})),
      "ldc is 7, and must be at least m = 8");
}
TEST(LibraryArguments, OfStridedBatches) {
  EXPECT_EQ(broken(failure("cublasHgemmStridedBatched", 7,
                           {at, 0, 0, 8, 8, 8, at, at, 8, 64, at, 8, 64, at, at, 8, 64, -1})),
            "batchCount is -1, and must not be negative");
}
TEST(LibraryArguments, OfOtherRoutinesOfCublas) {
  EXPECT_EQ(broken(failure("cublasSgemv_v2", 7, {at, 3, 4, 4, at, at, 4, at, 1, at, at, 0})),
            "incy is 0, and must not be 0");
  EXPECT_EQ(broken(failure("cublasSgemv_v2", 7, {at, 9, 4, 4, at, at, 4, at, 1, at, at, 1})),
            "trans is 9, and must be CUBLAS_OP_N, CUBLAS_OP_T or CUBLAS_OP_C");
  EXPECT_EQ(broken(failure("cublasStrsm_v2", 7, {at, 1, 0, 0, 0, 4, 6, at, at, 5, at, 4})),
            "lda is 5, and must be at least n = 6 (side is right)");
  EXPECT_EQ(broken(failure("cublasScnrm2_v2", 7, {at, 4, at, 1, 0})), "result is a null pointer");
  EXPECT_EQ(broken(failure("cublasIsamax_v2", 7, {at, 4, at, 1, 0})), "result is a null pointer");
  EXPECT_EQ(broken(failure("cublasSetMatrix", 7, {4, 4, 0, at, 4, at, 4})),
            "elemSize is 0, and must be at least 1");
  EXPECT_EQ(broken(failure("cublasSsyrk_v2", 7, {at, 0, 1, 4, 7, at, at, 6, at, at, 4})),
            "lda is 6, and must be at least k = 7 (trans is T)");
}
TEST(LibraryArguments, ARightCallBreaksNoRule) {
  EXPECT_EQ(broken(failure("cublasSgemm_v2", 7, {at, 0, 0, 0, 0, 0, at, at, 1, at, 1, at, at, 1})),
            "");
  EXPECT_EQ(broken(failure("cublasSgemv_v2", 7, {at, 0, 4, 4, at, at, 4, at, -1, at, at, -1})), "");
  EXPECT_EQ(broken(failure("cublasStrsm_v2", 7, {at, 0, 0, 0, 0, 4, 6, at, at, 4, at, 4})), "");
}
TEST(LibraryArguments, AMatrixOfNoRowsNeedsADistanceOfOne) {
  EXPECT_EQ(broken(failure("cublasSgemm_v2", 7, {at, 0, 0, 0, 4, 4, at, at, 0, at, 4, at, at, 1})),
            "lda is 0, and must be at least 1");
}
TEST(LibraryArguments, OfPlans) {
  const int sizes[] = {8, 0};
  const LibraryFailure many =
      failure("cufftPlanMany", 8,
              {at, 2, reinterpret_cast<std::int64_t>(sizes), 0, 1, 0, 0, 1, 0, 0x2a, 1});
  EXPECT_THAT(LibraryArguments::of(many).words,
              HasSubstr("rank = 2, n = {8, 0}, inembed = a null pointer"));
  EXPECT_EQ(broken(many), "n[1] is 0, and must be at least 1");
  EXPECT_THAT(
      LibraryArguments::of(failure("cufftPlanMany", 8, {at, 2, 16, 0, 1, 0, 0, 1, 0, 0x2a, 1}))
          .words,
      HasSubstr("n = an address that cannot be read"));
  EXPECT_EQ(broken(failure("cufftPlan1d", 8, {at, -4, 0x29, 1})),
            "nx is -4, and must be at least 1");
  EXPECT_EQ(broken(failure("cufftPlan1d", 3, {at, 4, 5, 1})),
            "type is 5, and is none of cufftType's values");
  EXPECT_EQ(LibraryArguments::of(failure("cufftExecC2C", 4, {3, at, at, 7})).broken,
            "direction is 7, and must be CUFFT_FORWARD or CUFFT_INVERSE");
}
TEST(LibraryArguments, OfFactorizations) {
  EXPECT_EQ(broken(failure("cusolverDnZgetrf", 3, {at, 9, 4, at, 8, at, at, at})),
            "lda is 8, and must be at least m = 9");
  EXPECT_EQ(broken(failure("cusolverDnSpotrf_bufferSize", 3, {at, 0, 9, at, 8, at})),
            "lda is 8, and must be at least n = 9");
}
TEST(LibraryArguments, OfCollectives) {
  const LibraryArguments is =
      LibraryArguments::of(failure("ncclAllReduce", 4, {at, 0, 8, 7, 0, 0}));
  EXPECT_EQ(
      is.words,
      "recvbuff = a null pointer, count = 8, datatype = float32, op = sum, comm = a null pointer");
  EXPECT_EQ(is.broken, "comm is a null pointer");
  EXPECT_EQ(broken(failure("ncclCommInitRank", 4, {at, 2, 5})),
            "rank is 5, and must be less than nranks = 2");
  EXPECT_EQ(broken(failure("ncclCommInitRank", 4, {at, 2, 1})), "");
}
TEST(LibraryArguments, OfDescriptors) {
  EXPECT_EQ(broken(failure("cudnnSetTensor4dDescriptor", 2000, {at, 0, 0, -1, 1, 1, 1})),
            "n is -1, and must not be negative");
  EXPECT_EQ(broken(failure("cudnnSetConvolution2dDescriptor", 3, {at, 0, 0, 1, 0, 1, 1, 0, 0})),
            "v is 0, and must be at least 1");
}
TEST(LibraryArguments, OfAFunctionWithoutARowAreNone) {
  const LibraryArguments is = LibraryArguments::of(failure("cusparseSpMV", 3, {0, 1, 2}));
  EXPECT_EQ(is.words + is.broken, "");
  EXPECT_EQ(LibraryArguments::of(failure("cublasSgetrfFuture", 7, {at, -1})).words, "");
}

std::string remedy(const LibraryFailure& of) {
  return remedy_for(of, LibraryArguments::of(of), 100, 1000);
}
TEST(LibraryRemedy, NamesTheCauseAsFarAsItIsKnown) {
  EXPECT_EQ(remedy(failure("cublasSgemm_v2", 7, {at, 0, 0, 4, 4, 4, at, at, 3, at, 4, at, at, 4})),
            "lda is 3, and must be at least m = 4 (transa is N)");
  EXPECT_EQ(
      remedy(failure("cublasSgemm_v2", 1, {0, 0, 0, 4, 4, 4, at, at, 4, at, 4, at, at, 4})),
      "the handle is a null pointer: make it with cublasCreate, and check that call's status");
  EXPECT_EQ(remedy(failure("cudnnConvolutionForward", 1001, {0, at, at, at, at, at})),
            "the handle is a null pointer: make it with cudnnCreate, and check that call's status");
  EXPECT_THAT(remedy(failure("cudnnConvolutionForward", 1001, {at, at, at, at, at, at})),
              HasSubstr("does not know the handle"));
  EXPECT_THAT(remedy(failure("cublasCreate_v2", 1, {at})), HasSubstr("could not use the device"));
  EXPECT_THAT(remedy(failure("cublasSetMatrix", 1, {4, 4, 4, at, 4, at, 4})),
              HasSubstr("could not use the device"));
  EXPECT_THAT(remedy(failure("cublasCreate_v2", 3, {at})),
              HasSubstr("100 of the device's 1000 bytes are free"));
  EXPECT_THAT(remedy(failure("ncclAllReduce", 4, {at, at, 4, 7, 0, at})),
              HasSubstr("NCCL_DEBUG=WARN"));
  EXPECT_EQ(remedy(failure("ncclAllReduce", 4, {at, at, 4, 7, 0, 0})), "comm is a null pointer");
  EXPECT_THAT(remedy(failure("curandGenerateNormal", 105, {at, at, 3})),
              HasSubstr("even for normal"));
}

TEST(LibraryWeight, OfWhatProgramsTry) {
  const auto weight = [](const char* function, int status) {
    return weight_of(failure(function, status, {at}));
  };
  EXPECT_EQ(weight("cublasSgemm_v2", 7), CallWeight::error);
  EXPECT_EQ(weight("cublasSgemm_v2", 15), CallWeight::note);
  EXPECT_EQ(weight("cublasSgemm_v2", 8), CallWeight::note);
  EXPECT_EQ(weight("cublasCreate_v2", 3), CallWeight::note);
  EXPECT_EQ(weight("cublasLtMatmul", 7), CallWeight::error);
  EXPECT_EQ(weight("cublasLtMatmulAlgoGetHeuristic", 7), CallWeight::note);
  EXPECT_EQ(weight("cudnnBackendFinalize", 2000), CallWeight::note);
  EXPECT_EQ(weight("cudnnConvolutionForward", 3001), CallWeight::note);
  EXPECT_EQ(weight("cudnnConvolutionForward", 2000), CallWeight::error);
  EXPECT_EQ(weight("cusparseXcsrsv2_zeroPivot", 9), CallWeight::quiet);
  EXPECT_EQ(weight("cusolverRfRefactor", 10), CallWeight::note);
  EXPECT_EQ(weight("ncclAllReduce", 7), CallWeight::quiet);
  EXPECT_EQ(weight("ncclAllReduce", 5), CallWeight::error);
}

TEST(LibraryNames, OnlyFunctionsThatReturnAStatus) {
  for (const char* const name :
       {"cublasSgemm", "cublasIsamax", "cublasScnrm2", "cublasGetStatusString", "cublasXerbla",
        "cublas_own", "cublascreate", "cudnnGetVersion", "cudnnGetErrorString", "ncclTeamWorld",
        "ncclGetLastError", "cusparseGetMatType", "cutensornetCreate", "cufftw",
        "my_cublasSgemm_v2", ""}) {
    EXPECT_EQ(family_of_function(name, cuda_families), nullptr) << name;
  }
  EXPECT_EQ(family_of_function("cublasLtMatmul", cuda_families)->functions, "cublasLt");
  EXPECT_EQ(family_of_function("cublasSgemmBatched", cuda_families)->functions, "cublas");
}
TEST(LibraryStatuses, AreThoseOfTheType) {
  EXPECT_EQ(cuda_families[1].find(2), nullptr);
  EXPECT_EQ(cuda_families[1].find(-7), nullptr);
  EXPECT_STREQ(cuda_families[1].find(7)->name, "CUBLAS_STATUS_INVALID_VALUE");
}

}  // namespace
