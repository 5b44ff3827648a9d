// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>

// Parts D and G. A line with a mistake names its row after `finds:`; every other line must have no
// finding.

__global__ void plain(float* p) { p[0] = 1; }
void look(cudaError_t status);
void stop_on(cudaError_t status) {
  if (status != cudaSuccess) std::exit(EXIT_FAILURE);
}

void unseen(float* p) {
  plain<<<1, 32>>>(p);  // finds: D01
  plain<<<2, 32>>>(p);  // finds: D01
}
void unseen_call(float* p) {
  void* arguments[] = {&p};
  cudaLaunchKernel((void*)plain, 1, 32, arguments, 0, 0);  // finds: D01
}
void seen(float* p) {
  plain<<<1, 32>>>(p);
  look(cudaGetLastError());
}
void seen_by_the_caller(float* p) { plain<<<1, 32>>>(p); }
void caller(float* p) {
  seen_by_the_caller(p);
  look(cudaGetLastError());
}
void seen_further_up(float* p) { plain<<<1, 32>>>(p); }
void between(float* p) { seen_further_up(p); }
void far_caller(float* p) {
  between(p);
  look(cudaGetLastError());
}
void handed_on(float* p) { plain<<<1, 32>>>(p); }
void calls(void (*function)(float*), float* p);
void hands_on(float* p) { calls(handed_on, p); }
void silenced(float* p) {
  plain<<<1, 32>>>(p);  // NOLINT(warpsafe-D01)
}

void one_check_for_two(float* p) {
  plain<<<1, 32>>>(p);  // finds: D12
  plain<<<2, 32>>>(p);
  look(cudaGetLastError());
}

bool takes_its_own_error(float* p) {
  const cudaError_t status =
      cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 1);
  cudaGetLastError();
  return status == cudaSuccess;
}
void swallows() {
  cudaGetLastError();        // finds: D03
  (void)cudaGetLastError();  // finds: D03
  if (cudaGetLastError() != cudaSuccess) std::puts("an error");
  cudaGetLastError();  // the error has been read
}
int answers(float* p, int result) {
  if (result != 0) {
    (void)cudaGetLastError();
    return result;
  }
  if (p == nullptr) cudaGetLastError();  // finds: D03/warning
  // The library's failed calls have left an error behind. The next lines
  // drain it, because the caller falls back to another way,
  // and would report it there.
  (void)cudaGetLastError();  // finds: D03/note
  // The caller has set the device, so that this function
  // has nothing to do with it.
  (void)cudaGetLastError();  // finds: D03/warning
  return 0;
}

// The error of a device that has the access already.
void gives_access(int n) {
  for (int i = 0; i < n; ++i) cudaDeviceEnablePeerAccess(i, 0);
  cudaGetLastError();  // finds: D03/note
}

// What a dropped error hides: of the callers only, or of work that can fail.
void clears_before(float* p) {
  cudaGetLastError();  // finds: D03/note
  plain<<<1, 32>>>(p);
  look(cudaGetLastError());
}
void asks_now() { look(cudaGetLastError()); }
void clears_before_a_check(float* p) {
  cudaGetLastError();  // finds: D03/note
  plain<<<1, 32>>>(p);
  asks_now();
}
void hides_nothing(float* p) {
  plain<<<4, 64>>>(p);
  cudaGetLastError();  // finds: D03/note
}
void hides_a_launch(float* p, int n) {
  plain<<<dim3(1, n), 64>>>(p);
  cudaGetLastError();  // finds: D03/warning
}
void hides_a_copy(float* p, const float* q, int n) {
  int device = 0;
  cudaGetDevice(&device);
  for (int i = 0; i < device; ++i) {
    cudaGetLastError();  // finds: D03/warning
    cudaMemcpy(p, q, n * sizeof(float), cudaMemcpyHostToDevice);
  }
}
void hides_a_question(float* p) {
  int device = 0;
  cudaGetDevice(&device);
  plain<<<4, 64>>>(p);
  cudaGetLastError();  // finds: D03/note
}
void hides_a_fill(float* p) {
  cudaMemset(p, 0, 4);
  plain<<<4, 64>>>(p);
  cudaGetLastError();  // finds: D03/warning
}

cudaError_t fills(float* p) { return cudaMemset(p, 0, 4); }
struct Filler {
  float* p;
  ~Filler() { fills(p); }
};
cudaError_t cuThingGetCount(float* p) { return cudaMemset(p, 0, 4); }
cudaError_t cudaThingGetCount(float* p) { return cudaMemset(p, 0, 4); }
void drops_an_answer(float* p) {
  cuThingGetCount(p);    // finds: D08/note
  cudaThingGetCount(p);  // finds: D08/note
}
__host__ __device__ cudaError_t drains(float* p) {
  *p = 0;
  return *p > 1 ? cudaErrorInvalidValue : cudaSuccess;
}
__global__ void drops_on_the_device(float* p) { drains(p); }
void drops(float* p) {
  drains(p);  // finds: D08
  fills(p);   // finds: D08
  look(fills(p));
}
cudaError_t succeeds(float* p) {
  *p = 1;
  return cudaSuccess;
}
void drops_a_success(float* p) { succeeds(p); }
cudaError_t resets(float* p) { return cudaMemset(p, 0, 4); }
// A dropped status that loses no error: a question, a size, an error that is printed or read later.
cudaError_t asks(int* version) {
  int device = 0;
  const cudaError_t status = cudaGetDevice(&device);
  if (status != cudaSuccess) return status;
  return cudaDeviceGetAttribute(version, cudaDevAttrComputeCapabilityMajor, device);
}
cudaError_t asks_and_fills(float* p, int* version) {
  const cudaError_t status = cudaGetDevice(version);
  return status != cudaSuccess ? status : cudaMemset(p, 0, 4);
}
void drops_questions(float* p) {
  int version = 0;
  asks(&version);               // finds: D08/note
  asks_and_fills(p, &version);  // finds: D08/warning
}
cudaError_t sums(void* temporary, size_t& bytes, float* p) {
  if (temporary == nullptr) return bytes = 256, cudaSuccess;
  return cudaMemset(p, 0, bytes);
}
void drops_a_size(float* p) {
  size_t bytes = 0;
  void* temporary = nullptr;
  sums(nullptr, bytes, p);
  cudaMalloc(&temporary, bytes);
  sums(temporary, bytes, p);  // finds: D08/warning
}
cudaError_t says(cudaError_t status) {
  if (status != cudaSuccess) std::printf("error %d\n", status);
  return status;
}
cudaError_t says_nothing(cudaError_t status) {
  if (status == cudaErrorNotReady) return cudaSuccess;
  return status;
}
void drops_what_is_said(float* p) {
  says(cudaMemset(p, 0, 4));          // finds: D08/note
  says_nothing(cudaMemset(p, 0, 4));  // finds: D08/warning
}
cudaError_t moves(float* p) { return cudaMemset(p, 0, 8); }
cudaError_t takes(float* p) {
  cudaMemset(p, 0, 12);
  return cudaGetLastError();
}
void reads_later(float* p) {
  moves(p);  // finds: D08/note
  takes(p);  // finds: D08/warning
  look(cudaGetLastError());
}
cudaError_t old_way(float* p) { return cudaMemset(p, 0, 16); }
cudaError_t new_way(float* p) { return cudaMemset(p, 0, 20); }
void by_device(float* p, int sm_version) {
  if (sm_version < 350)
    old_way(p);
  else
    new_way(p);  // finds: D08/warning
}
// A test, which asserts what the call computes.
cudaError_t writes(float* p) { return cudaMemset(p, 0, 24); }
cudaError_t copies(float* p) { return cudaMemset(p, 0, 28); }
void tests(float* p, float* q) {
  writes(p);  // finds: D08/note
  cudaMemcpy(q, p, 4, cudaMemcpyDeviceToHost);
  assert(*q == 0);
}
void tests_nothing(float* p, float* q) {
  assert(p != q);
  copies(p);  // finds: D08/warning
  cudaMemcpy(q, p, 4, cudaMemcpyDeviceToHost);
}
cudaError_t drops_after_an_error(float* p) {
  const cudaError_t first = fills(p);
  if (first != cudaSuccess) resets(p);
  return first;
}

struct Throws {
  ~Throws() {
    if (cudaFree(p) != cudaSuccess) throw 1;  // finds: D09/warning
  }
  float* p;
};
struct Catches {
  ~Catches() {
    try {
      if (cudaFree(p) != cudaSuccess) throw 1;
    } catch (int) {
      std::puts("not freed");
    }
  }
  float* p;
};
struct ThrowsAgain {
  ~ThrowsAgain() {
    try {
      look(cudaFree(p));
    } catch (int) {
      throw;  // finds: D09/warning
    }
  }
  float* p;
};
struct Stops {
  ~Stops() { stop_on(cudaFree(p)); }  // finds: D09/note
  float* p;
};
struct Ignores {
  ~Ignores() { cudaFree(p); }
  float* p;
};

void success_all_the_same(float* p) {
  const cudaError_t status = cudaFree(p);
  if (status != cudaSuccess) std::exit(0);  // finds: D10
  if (status != cudaSuccess) std::exit(EXIT_FAILURE);
}

void the_same_again(float* p) {
  const cudaError_t status = cudaFree(p);
  if (status != cudaSuccess) std::exit(0);  // finds: D10
}

bool compares(cudaError_t status) {
  if (status == cudaErrorLaunchFailure) return true;  // finds: D11
  return status == cudaErrorNotReady;
}

void environment() {
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);      // finds: G01
  setenv("AMD_SERIALIZE_KERNEL", "3", 1);      // finds: G02
  setenv("HSA_OVERRIDE_GFX_VERSION", "9", 1);  // finds: G09
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
}
