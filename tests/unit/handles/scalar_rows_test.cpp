// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How a function's name leads to its scalars. library_scalar_test.cpp has the constants that this
// becomes; here the same code runs.

#include <warpsafe/handles/detail/scalar_rows.hpp>

#include <gtest/gtest.h>

#include <string>

namespace warpsafe::handle_test {
namespace {

using detail::RoutineName;
using detail::ScalarRow;

/// What is left of a name behind the library's own; empty if that is not in front.
RoutineName behind(const char* library, const char* function) {
  RoutineName routine(Name::of(function));
  EXPECT_TRUE(routine.remove_front(RoutineName(Name::of(library)))) << function;
  return routine;
}
bool is_one_of(const char* routine, const char* words) {
  return RoutineName(Name::of(routine)).is_one_of(Name::of(words));
}

TEST(ScalarRows, ANameIsReadInLowerCaseWithoutUnderscores) {
  EXPECT_TRUE(is_one_of("A_Z_M__", "azm"));
  EXPECT_TRUE(is_one_of("_azm", "azm"));
  EXPECT_TRUE(is_one_of("SYR2k", "syr2k")) << "digits stay";
  EXPECT_FALSE(is_one_of("[zm", "{zm")) << "only letters change";
  EXPECT_FALSE(is_one_of("@zm", "`zm"));
}

TEST(ScalarRows, AtMostThreeLettersOfTypesAreInFrontOfARoutine) {
  EXPECT_TRUE(is_one_of("scal", "scal"));
  EXPECT_TRUE(is_one_of("Sscal", "scal"));
  EXPECT_TRUE(is_one_of("zdscal", "scal"));
  EXPECT_TRUE(is_one_of("hssscal", "scal"));
  EXPECT_FALSE(is_one_of("hsssscal", "scal"));
  for (const char* const type : {"s", "d", "c", "z", "h", "b", "f", "t", "i"}) {
    const std::string letter(type);
    EXPECT_TRUE(is_one_of((letter + "rot").c_str(), "rot"));
    EXPECT_FALSE(is_one_of((letter + "xrot").c_str(), "rot")) << "x is no type";
    EXPECT_FALSE(is_one_of(("x" + letter + "rot").c_str(), "rot"));
  }
}

TEST(ScalarRows, ARoutineIsAnyOfTheWords) {
  for (const char* const routine : {"dot", "dotu", "dotc", "s"}) {
    EXPECT_TRUE(is_one_of(routine, "dot dotu dotc s")) << routine;
  }
  for (const char* const routine : {"", "do", "dotx", "dot dotu", "rot", "dotcs", "u"}) {
    EXPECT_FALSE(is_one_of(routine, "dot dotu dotc")) << routine;
  }
  EXPECT_FALSE(is_one_of("dot", ""));
  const Name part{"rotscal x", 3};
  EXPECT_TRUE(RoutineName(Name::of("rot")).is_one_of(part)) << "the words end where they end";
  EXPECT_FALSE(RoutineName(Name::of("rotscal")).is_one_of(part));
}

TEST(ScalarRows, ALibrarysNameIsRemovedFromTheFront) {
  EXPECT_TRUE(behind("cuBLAS", "cublasAxpy").is_one_of(Name::of("axpy")));
  EXPECT_TRUE(behind("rocblas", "rocblas_isamax").is_one_of(Name::of("amax")));
  RoutineName all = behind("cuBLAS", "cublas");
  EXPECT_FALSE(all.is_one_of(Name::of("cublas"))) << "nothing is left";
  EXPECT_FALSE(all.remove_front(RoutineName(Name::of("c"))));
  for (const char* const other : {"cubla", "my_cublasaxpy", "cublosaxpy", "", "axpy"}) {
    RoutineName routine(Name::of(other));
    EXPECT_FALSE(routine.remove_front(RoutineName(Name::of("cublas")))) << other;
  }
}

TEST(ScalarRows, AnEndingIsRemovedOnceWithoutAskingWhatIsInFront) {
  const Name endings = Name::of("batched strided 64");
  RoutineName routine(Name::of("xgemmStridedBatched_64"));
  EXPECT_TRUE(routine.remove_end(endings));
  EXPECT_TRUE(routine.remove_end(endings));
  EXPECT_TRUE(routine.remove_end(endings));
  EXPECT_FALSE(routine.remove_end(endings));
  EXPECT_TRUE(routine.is_one_of(Name::of("xgemm")));
}

/// The name of a C++ function may have any length: what is behind 64 letters does not count.
TEST(ScalarRows, ALongNameIsCut) {
  const std::string letters(56, 'x');
  const auto long_name = [&](const char* end) {
    RoutineName routine(Name::of((letters + end).c_str()));
    EXPECT_TRUE(routine.remove_front(RoutineName(Name::of(letters.c_str()))));
    return routine;
  };
  EXPECT_TRUE(long_name("gemmex64").is_one_of(Name::of("gemmex64"))) << "64 letters";
  EXPECT_TRUE(long_name("gemmex64batched").is_one_of(Name::of("gemmex64"))) << "71 letters";
}

TEST(ScalarRows, TheFirstRowOfANameCounts) {
  constexpr ScalarRow rows[] = {
      {Name::of("geamex"), 0b1001}, {Name::of("rotbatched"), 0}, {Name::of("geam rot"), 0b101}};
  const auto found = [&](const char* function) {
    return detail::find_scalars(rows, Name::of("lib"), Name::of(function), Name::of("ex batched"));
  };
  EXPECT_EQ(found("lib_sgeam"), 0b101U);
  EXPECT_EQ(found("libSgeamBatched"), 0b101U);
  EXPECT_EQ(found("libSgeamEx"), 0b1001U) << "the whole name, before its ending is removed";
  EXPECT_EQ(found("libSgeamExBatched"), 0b1001U);
  EXPECT_EQ(found("libSrotBatched"), 0U);
  EXPECT_EQ(found("libSrotEx"), 0b101U);
  EXPECT_EQ(found("libSgemm"), 0U);
  EXPECT_EQ(found("sgeam"), 0U) << "a function of the user";
}

TEST(ScalarRows, EachLibraryHasItsTable) {
  struct Row {
    unsigned (*scalars)(Name library, Name function) noexcept;
    const char* library;
    const char* function;
    unsigned expected;
  };
  const Row rows[] = {
      {&detail::blas_scalars, "cuBLAS", "cublasZaxpy", 0b1U | others_on_device},
      {&detail::blas_scalars, "cuBLAS", "cublasSgemmStridedBatched_64", 0b1001U | others_on_device},
      {&detail::blas_scalars, "cuBLAS", "cublasCgemm3m", 0b1001U | others_on_device},
      {&detail::blas_scalars, "hipBLAS", "hipblasSrotm", 0b100U | others_on_device},
      {&detail::blas_scalars, "rocBLAS", "rocblas_gemm_ex3", 0b1001U | others_on_device},
      {&detail::blas_scalars, "rocBLAS", "rocblas_srotm_batched", 0},
      {&detail::blas_scalars, "cuBLAS", "cublasGetVersion", 0},
      {&detail::blas_scalars, "cuBLAS", "cublasSgetrfBatched", 0},
      {&detail::sparse_scalars, "cuSPARSE", "cusparseSpMV_bufferSize", 0b1001U},
      {&detail::sparse_scalars, "cuSPARSE", "cusparseSpSV_solve", 0b1U},
      {&detail::sparse_scalars, "hipSPARSE", "hipsparseSpGEMMreuse_compute", 0b1001U},
      {&detail::sparse_scalars, "rocSPARSE", "rocsparse_spvv", 0b100U},
      {&detail::sparse_scalars, "cuSPARSE", "cusparseCreate", 0},
      {&detail::dnn_scalars, "cuDNN", "cudnnOpTensor", 0b10010010U},
      {&detail::dnn_scalars, "cuDNN", "cudnnConvolutionForward", 0b10000001U},
      {&detail::dnn_scalars, "cuDNN", "cudnnOpTensorEx", 0},
      {&detail::lt_scalars, "cublasLt", "cublasLtMatmul", 0b1000010U},
      {&detail::lt_scalars, "cublasLt", "cublasLtMatrixTransform", 0b10010U},
      {&detail::lt_scalars, "cublasLt", "cublasLtMatmulAlgoCheck", 0},
  };
  for (const auto& [scalars, library, function, expected] : rows) {
    EXPECT_EQ(scalars(Name::of(library), Name::of(function)), expected) << function;
  }
}

}  // namespace
}  // namespace warpsafe::handle_test
