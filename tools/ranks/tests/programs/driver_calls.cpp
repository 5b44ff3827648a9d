// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One rank, with the recorder: prints how many calls of the driver its collectives need, and when
// the collectives of steps ended. `driver_calls STEPS` makes the steps only.

#include "driver.hpp"
#include "tools/ranks/nccl/abi.hpp"

#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace warpsafe::ranks::nccl;

extern "C" {
Status ncclGetUniqueId(UniqueId*);
Status ncclCommInitRank(Comm*, int, UniqueId, int);
Status ncclAllReduce(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
}

namespace {

Comm world;
void* stream;
float x[8], y[8];

void all_reduce() { ncclAllReduce(x, y, 8, 7, 0, world, stream); }
void wait() { cuStreamSynchronize(stream); }
void* context() {
  void* now = nullptr;
  cuCtxGetCurrent(&now);
  return now;
}
long long now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}
long calls_of_others() { return stand_in_calls() - stand_in_calls_of_thread(); }
/// Calls of this thread for each of many collectives. -1: the thread has another context now.
double calls_of_a_collective() {
  constexpr int many = 100;
  void* const before = context();
  const long looked = calls_of_others();
  // No event is used twice before all are there.
  stand_in_enqueue(stream, [] { ::usleep(300'000); });
  for (int i = 0; i <= many; ++i) all_reduce();
  wait();
  // When the recorder asks no more, the events are free again.
  for (long last = -1, now = 0; now != last || now < looked + 2 * many;) {
    last = calls_of_others();
    ::usleep(300'000);
    now = calls_of_others();
  }
  const long begun = stand_in_calls_of_thread();
  for (int i = 0; i < many; ++i) {
    all_reduce();
    wait();
  }
  const long calls = stand_in_calls_of_thread() - begun;
  return context() == before ? static_cast<double>(calls) / many : -1;
}

/// Prints when the collective of each step of a training ended.
void train(std::size_t steps) {
  static std::vector<long long> ended;
  ended.resize(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    all_reduce();
    stand_in_enqueue(stream, [i] { ended[i] = now_ns(); });
    ::usleep(static_cast<unsigned>(2700 + i % 7 * 100));
  }
  wait();
  ::usleep(200'000);
  std::printf("ended");
  for (const long long one : ended) std::printf(" %lld", one);
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  UniqueId id{};
  ncclGetUniqueId(&id);
  if (ncclCommInitRank(&world, 1, id, 0) != success) return 2;
  cuStreamCreate(&stream, 0);
  if (count == 2) {
    train(std::strtoul(arguments[1], nullptr, 10));
    return 0;
  }
  std::printf("with_context %.2f\n", calls_of_a_collective());
  std::thread([] { std::printf("without_context %.2f\n", calls_of_a_collective()); }).join();

  // Many collectives behind a long kernel.
  constexpr int many = 200;
  stand_in_enqueue(stream, [] { ::usleep(300'000); });
  const long begun = calls_of_others();
  const long long from = now_ns();
  for (int i = 0; i < many; ++i) all_reduce();
  wait();
  ::usleep(200'000);
  std::printf("watched %d %ld %lld\n", many, calls_of_others() - begun,
              (now_ns() - from) / 1'000'000);

  train(200);
  return 0;
}
