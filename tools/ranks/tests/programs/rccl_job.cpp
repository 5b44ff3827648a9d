// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One rank over AMD's HIP runtime, with a stand-in for RCCL: prints when the collectives of steps
// ended. Ends with status 0 if the runtime's state is the program's own.

#include "driver.hpp"
#include "tools/ranks/nccl/abi.hpp"

#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

using namespace warpsafe::ranks::nccl;

extern "C" {
Status ncclGetUniqueId(UniqueId*);
Status ncclCommInitRank(Comm*, int, UniqueId, int);
Status ncclAllReduce(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
// hip_runtime_api.h
int hipStreamCreate(void**);
int hipStreamSynchronize(void*);
int hipStreamBeginCapture(void*, int mode);
int hipStreamEndCapture(void*, void** graph);
int hipGetDevice(int*);
int hipSetDevice(int);
int hipGetLastError();
}

namespace {

long long now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

Comm world;
void* stream;
float x[8], y[8];
constexpr std::size_t steps = 300;
long long ended[steps];

/// A capture that forbids unsafe calls to all threads, while the recorder has a collective to
/// watch.
bool captures() {
  void* captured = nullptr;
  void* graph = nullptr;
  if (hipStreamCreate(&captured) != 0) return false;
  stand_in_enqueue(stream, [] { ::usleep(100'000); });
  ncclAllReduce(x, y, 8, 7, 0, world, stream);
  if (hipStreamBeginCapture(captured, 0) != 0) return false;
  ncclAllReduce(x, y, 8, 7, 0, world, captured);
  ::usleep(50'000);
  return hipStreamEndCapture(captured, &graph) == 0 && graph != nullptr;
}

}  // namespace

int main() {
  UniqueId id{};
  ncclGetUniqueId(&id);
  if (hipSetDevice(1) != 0 || hipStreamCreate(&stream) != 0) return 2;
  if (ncclCommInitRank(&world, 1, id, 0) != success) return 3;
  // The last error is the program's.
  (void)hipSetDevice(99);
  ncclAllReduce(x, y, 8, 7, 0, world, stream);
  std::printf("last_error %d\n", hipGetLastError());
  if (!captures()) return 7;
  for (std::size_t i = 0; i < steps; ++i) {
    // The device works for a while before the collective.
    stand_in_enqueue(stream, [] { ::usleep(1000); });
    ncclAllReduce(x, y, 8, 7, 0, world, stream);
    stand_in_enqueue(stream, [i] { ended[i] = now_ns(); });
    ::usleep(static_cast<unsigned>(2700 + i % 7 * 100));
  }
  if (hipStreamSynchronize(stream) != 0) return 4;
  int device = 0;
  if (hipGetDevice(&device) != 0 || device != 1) return 5;
  if (hipGetLastError() != 0) return 6;
  ::usleep(200'000);
  std::printf("ended");
  for (const long long one : ended) std::printf(" %lld", one);
  std::printf("\n");
  return 0;
}
