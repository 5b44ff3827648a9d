// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcublas.so: functions that return a status, and receive arguments of all kinds.

#include "stand_in.hpp"

#include <execinfo.h>

#include <cerrno>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <string_view>

namespace {
int handle_of_all = 0;
}

extern "C" {

int cublasCreate_v2(void** handle) {
  if (handle == nullptr) return 7;
  *handle = &handle_of_all;
  return 0;
}
int cublasSetStream_v2(void* handle, void*) { return handle == nullptr ? 1 : 0; }
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float*,
                   const float*, int lda, const float*, int ldb, const float*, float*, int ldc) {
  if (handle == nullptr) return 1;
  const bool wrong = m < 0 || n < 0 || k < 0 || lda < (transa == 0 ? m : k) ||
                     ldb < (transb == 0 ? k : n) || ldc < m;
  return wrong ? 7 : 0;
}
int cublasReturn(int status) { return status; }
int cublasReturnOther(int status) { return status; }
int cublasAlgoHeuristic(int status) { return status; }
int cublasSgemm(int garbage) { return garbage; }
const char* cublasGetStatusString(int) { return reinterpret_cast<const char*>(0x7); }
int cublasTwenty(int status, std::uint64_t a2, std::uint64_t a3, std::uint64_t a4, std::uint64_t a5,
                 std::uint64_t a6, std::uint64_t a7, std::uint64_t a8, std::uint64_t a9,
                 std::uint64_t a10, std::uint64_t a11, std::uint64_t a12, std::uint64_t a13,
                 std::uint64_t a14, std::uint64_t a15, std::uint64_t a16, std::uint64_t a17,
                 std::uint64_t a18, std::uint64_t a19, std::uint64_t a20, std::uint64_t a21,
                 std::uint64_t a22, std::uint64_t a23, std::uint64_t a24, std::uint64_t a25,
                 std::uint64_t a26) {
  const std::uint64_t all[] = {a2,  a3,  a4,  a5,  a6,  a7,  a8,  a9,  a10, a11, a12, a13, a14,
                               a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26};
  std::uint64_t number = 2;
  for (const std::uint64_t one : all) {
    if (one != number++) return -1;
  }
  return status;
}
int cublasMixed(int status, double d1, double d2, Words words, float f3, double d4, double d5,
                double d6, double d7, double d8, double d9, std::uint64_t last) {
  for (std::uint64_t i = 0; i < 16; ++i) {
    if (words.word[i] != 100 + i) return -1;
  }
  const bool right = d1 == 1 && d2 == 2 && f3 == 3 && d4 == 4 && d5 == 5 && d6 == 6 && d7 == 7 &&
                     d8 == 8 && d9 == 9 && last == 10;
  return right ? status : -1;
}
int cublasVariadic(int status, const char* text, const char* format, ...) {
  std::va_list all;
  va_start(all, format);
  char made[64];
  std::vsnprintf(made, sizeof made, format, all);
  va_end(all);
  return std::string_view(text) == made ? status : -1;
}
Pair cublasPair(std::int64_t first, std::int64_t second) { return {first, second}; }
Reals cublasReals(double first, double second) {
  const Reals made{first, second};
  asm volatile("" ::"a"(7));  // what a caller that expects a status would read
  return made;
}
Words cublasWords(std::uint64_t first) {
  Words made{};
  for (std::uint64_t i = 0; i < 16; ++i) made.word[i] = first + i;
  return made;
}
int cublasErrno(int status, int expected) { return errno == expected ? status : -1; }
int cublasThrow(int status) { throw status; }
int cublasCall(cublas_callback call, void* of) { return call(of); }
int cublasJump(void* buffer) { std::longjmp(*static_cast<std::jmp_buf*>(buffer), 1); }
int stand_in_number() { return 2; }
int cublasFrames(void** frames, int most) { return ::backtrace(frames, most); }
}
