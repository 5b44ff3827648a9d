// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

// The functions of the stand-ins for cuBLAS and cuSOLVER. Some have the real names and parameters;
// the others have names that the libraries may get, and parameters that are hard to pass on.

struct Words {
  std::uint64_t word[16];
};
struct Pair {
  std::int64_t first;
  std::int64_t second;
};
struct Reals {
  double first;
  double second;
};

extern "C" {
using cublas_callback = int (*)(void*);

int cublasCreate_v2(void** handle);
int cublasSetStream_v2(void* handle, void* stream);
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                   const float* A, int lda, const float* B, int ldb, const float* beta, float* C,
                   int ldc);
/// Return the status that they receive.
int cublasReturn(int status);
int cublasReturnOther(int status);
int cublasAlgoHeuristic(int status);
/// cuBLAS's first interface returns nothing; what is in the register has no meaning.
int cublasSgemm(int garbage);
const char* cublasGetStatusString(int status);
/// Return `status` if each argument is its number, counted from 1; else -1.
int cublasTwenty(int status, std::uint64_t a2, std::uint64_t a3, std::uint64_t a4, std::uint64_t a5,
                 std::uint64_t a6, std::uint64_t a7, std::uint64_t a8, std::uint64_t a9,
                 std::uint64_t a10, std::uint64_t a11, std::uint64_t a12, std::uint64_t a13,
                 std::uint64_t a14, std::uint64_t a15, std::uint64_t a16, std::uint64_t a17,
                 std::uint64_t a18, std::uint64_t a19, std::uint64_t a20, std::uint64_t a21,
                 std::uint64_t a22, std::uint64_t a23, std::uint64_t a24, std::uint64_t a25,
                 std::uint64_t a26);
int cublasMixed(int status, double d1, double d2, Words words, float f3, double d4, double d5,
                double d6, double d7, double d8, double d9, std::uint64_t last);
/// Returns the status if the arguments after the format make the text.
int cublasVariadic(int status, const char* text, const char* format, ...);
Pair cublasPair(std::int64_t first, std::int64_t second);
Reals cublasReals(double first, double second);
Words cublasWords(std::uint64_t first);
/// Leave errno as the program has set it, and return the status.
int cublasErrno(int status, int expected);
/// Throws an int, which is the status.
int cublasThrow(int status);
/// Returns what `call` returns.
int cublasCall(cublas_callback call, void* of);
/// Jumps out of the library, as an error handler may.
int cublasJump(void* buffer);
/// Returns the number of frames of backtrace(), and what `names` has is in it.
int cublasFrames(void** frames, int most);

/// The program has a function of this name too.
int stand_in_number();

int cufftReturn(int status);
int cusolverDnCreate(void** handle);
int cusolverDnSpotrf(void* handle, int uplo, int n, float* A, int lda, float* work, int lwork,
                     int* info);
}
