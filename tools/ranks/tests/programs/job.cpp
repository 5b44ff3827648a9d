// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One rank of a job over NCCL: `job FOLDER MODE`, with RANK and WORLD_SIZE as torchrun sets them.
// Each mode is a right program, or one with a mistake, which is on the line with its name. A rank
// without a mistake ends with status 0 if its numbers are right.

#include "driver.hpp"
#include "identifier.hpp"
#include "tools/ranks/nccl/abi.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace warpsafe::ranks::nccl;

extern "C" {
Status ncclGetUniqueId(UniqueId*);
Status ncclCommInitRank(Comm*, int, UniqueId, int);
Status ncclCommInitRankConfig(Comm*, int, UniqueId, int, void*);
Status ncclCommSplit(Comm, int, int, Comm*, void*);
Status ncclCommDestroy(Comm);
Status ncclGroupStart();
Status ncclGroupEnd();
Status ncclAllReduce(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
Status ncclReduce(const void*, void*, std::size_t, Type, Reduction, int, Comm, Stream);
Status ncclBroadcast(const void*, void*, std::size_t, Type, int, Comm, Stream);
Status ncclBcast(void*, std::size_t, Type, int, Comm, Stream);
Status ncclAllGather(const void*, void*, std::size_t, Type, Comm, Stream);
Status ncclReduceScatter(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
Status ncclSend(const void*, std::size_t, Type, int, Comm, Stream);
Status ncclRecv(void*, std::size_t, Type, int, Comm, Stream);
}
#ifdef RANKS_JOB_BY_NAME
#include "by_name.hpp"
#endif

namespace {

constexpr Type float32 = 7;
constexpr Reduction sum = 0;

int rank, size;
std::string mode, job_folder;
void* stream;
void* other_stream;
Comm world;
float x[64], y[64 * 64];

bool is(const char* name) { return mode == name; }
bool wrong(const char* what) {
  std::fprintf(stderr, "rank %d: %s\n", rank, what);
  return false;
}

bool all_reduce_is_right(Comm comm, int members) {
  for (float& value : x) value = static_cast<float>(rank + 1);
  ncclAllReduce(x, y, 64, float32, sum, comm, stream);
  cuStreamSynchronize(stream);
  const auto expected = static_cast<float>(members * (members + 1) / 2);
  return (comm == world ? y[63] == expected : y[63] > 0) || wrong("a wrong sum");
}

/// Steps that are right in each program.
bool steps(int count) {
  for (int i = 0; i < count; ++i) {
    if (!all_reduce_is_right(world, size)) return false;
  }
  return true;
}

bool right_program() {
  if (is("right_loop")) return steps(100);
  if (is("right_split") || is("right_split_uncolored")) {
    Comm half = nullptr;
    const bool is_out = is("right_split_uncolored") && rank == 0;
    ncclCommSplit(world, is_out ? -1 : rank % 2, rank, &half, nullptr);
    return (is_out || all_reduce_is_right(half, size / 2)) && steps(5);
  }
  if (is("right_group")) {
    ncclGroupStart();
    for (int i = 0; i < 4; ++i) ncclAllReduce(x, y + i * 64, 64, float32, sum, world, stream);
    ncclGroupEnd();
    cuStreamSynchronize(stream);
    return steps(5);
  }
  if (is("right_not_blocking")) {
    Comm second = nullptr;
    int config = 0;
    const UniqueId id = identifier(rank, job_folder + "/second", ncclGetUniqueId);
    if (ncclCommInitRankConfig(&second, size, id, rank, &config) != in_progress)
      return wrong("it blocks");
    ncclGroupStart();
    for (int i = 0; i < 4; ++i)
      ncclAllReduce(x, y + i * 64, 64, float32, sum, second, other_stream);
    ncclGroupEnd();
    cuStreamSynchronize(other_stream);
    return all_reduce_is_right(second, size) && steps(5);
  }
  if (is("right_ring")) {
    x[0] = static_cast<float>(rank);
    ncclGroupStart();
    ncclSend(x, 1, float32, (rank + 1) % size, world, stream);
    ncclRecv(y, 1, float32, (rank + size - 1) % size, world, stream);
    ncclGroupEnd();
    cuStreamSynchronize(stream);
    return (y[0] == static_cast<float>((rank + size - 1) % size) || wrong("a wrong message")) &&
           steps(3);
  }
  if (is("right_ring_steps")) {
    for (int i = 0; i < 60; ++i) {
      if (i % 10 == 0 && !steps(1)) return false;
      ncclGroupStart();
      ncclSend(x, 64, float32, (rank + 1) % size, world, stream);
      ncclRecv(y, 64, float32, (rank + size - 1) % size, world, stream);
      ncclGroupEnd();
      cuStreamSynchronize(stream);
    }
    return true;
  }
  if (is("right_bcast")) {
    x[0] = rank == 1 ? 7 : 0;
    ncclBcast(x, 1, float32, 1, world, stream);
    cuStreamSynchronize(stream);
    return (x[0] == 7 || wrong("a wrong broadcast")) && steps(3);
  }
  if (is("right_communicators_of_one_address")) {
    Comm first = nullptr;
    for (int i = 0; i < 4; ++i) {
      Comm half = nullptr;
      ncclCommSplit(world, rank % 2, rank, &half, nullptr);
      if (!all_reduce_is_right(half, size / 2)) return false;
      if (i == 0) first = half;
      if (half != first) return wrong("another address");
      ncclCommDestroy(half);
    }
    return steps(5);
  }
  if (is("right_two_streams")) {
    Comm second = nullptr;
    ncclCommSplit(world, 0, rank, &second, nullptr);
    for (int i = 0; i < 20; ++i) {
      ncclAllReduce(x, y, 64, float32, sum, world, stream);
      ncclAllReduce(x, y + 64, 64, float32, sum, second, other_stream);
    }
    cuStreamSynchronize(stream);
    cuStreamSynchronize(other_stream);
    return true;
  }
  if (is("right_capture")) {
    void* graph = nullptr;
    cuStreamBeginCapture_v2(stream, 0);
    ncclAllReduce(x, y, 64, float32, sum, world, stream);
    ncclAllReduce(x, y, 64, float32, sum, world, stream);
    cuStreamEndCapture(stream, &graph);
    return steps(5);
  }
  if (is("right_roots")) {
    for (int root = 0; root < size; ++root) {
      ncclReduce(x, y, 64, float32, sum, root, world, stream);
      ncclBroadcast(x, y, 64, float32, root, world, stream);
    }
    cuStreamSynchronize(stream);
    return steps(3);
  }
  if (is("right_gather_scatter")) {
    for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(rank);
    ncclAllGather(x, y, 16, float32, world, stream);
    cuStreamSynchronize(stream);
    const bool is_right = y[16] == 1 || wrong("a wrong gather");
    ncclReduceScatter(x, y, 4, float32, sum, world, stream);
    cuStreamSynchronize(stream);
    return is_right && steps(3);
  }
  if (is("right_fork")) {
    if (::fork() == 0) ::_exit(0);
    return steps(5);
  }
  if (is("right_idle")) {
    // Host work between two collectives is no hang.
    ::usleep(300000);
    return steps(3);
  }
  if (is("right_late_destroy")) {
    const bool is_right = steps(3);
    ncclCommDestroy(world);
    ::usleep(rank == 0 ? 200000 : 0);
    return is_right;
  }
  return wrong("an unknown mode");
}

void mistake() {
  steps(10);
  const bool odd_one = rank == size - 1;
  if (is("absent") && odd_one) ::pause();  // mistake: it never calls the next collective
  if (is("absent_early_return") && odd_one) std::exit(0);  // mistake: it believes to be done
  if (is("count")) ncclAllReduce(x, y, odd_one ? 32 : 64, float32, sum, world, stream);
  if (is("type")) ncclAllReduce(x, y, 8, odd_one ? 8 : float32, sum, world, stream);
  if (is("reduction")) ncclAllReduce(x, y, 8, float32, odd_one ? 2 : sum, world, stream);
  if (is("root")) ncclBroadcast(x, y, 64, float32, odd_one ? 1 : 0, world, stream);
  if (is("failed_in_group")) {
    ncclGroupStart();
    ncclAllReduce(x, y, 64, float32, sum, world, stream);
    ncclReduce(x, y, 64, float32, sum, size, world, stream);  // mistake: there is no such rank
    ncclGroupEnd();
    cuStreamSynchronize(stream);
    std::exit(0);
  }
  if (is("operation")) {
    if (odd_one) ncclAllGather(x, y, 64, float32, world, stream);
    if (!odd_one) ncclAllReduce(x, y, 64, float32, sum, world, stream);
  }
  if (is("left_out")) {
    for (int i = 0; i < 4; ++i) {
      ncclAllReduce(x, y, 8, float32, sum, world, stream);
      if (i < 3 || !odd_one)
        ncclBroadcast(x, y, 8, float32, 0, world, stream);  // mistake: not always
      ncclReduce(x, y, 8, float32, sum, 0, world, stream);
      if (i < 3) cuStreamSynchronize(stream);
    }
  }
  if (is("order")) {
    if (odd_one) ncclBroadcast(x, y, 8, float32, 0, world, stream);
    ncclAllReduce(x, y, 64, float32, sum, world, stream);
    if (!odd_one) ncclBroadcast(x, y, 8, float32, 0, world, stream);
  }
  if (is("circle")) {
    Comm second = nullptr;
    ncclCommSplit(world, 0, rank, &second, nullptr);
    Comm first_used = odd_one ? second : world;
    ncclAllReduce(x, y, 64, float32, sum, first_used, stream);
    cuStreamSynchronize(stream);  // mistake: the ranks wait in different communicators
    ncclAllReduce(x, y, 64, float32, sum, odd_one ? world : second, stream);
  }
  if (is("split_absent")) {
    Comm half = nullptr;
    if (odd_one) ::pause();  // mistake: it never splits
    ncclCommSplit(world, 0, rank, &half, nullptr);
  }
  if (is("left_out_of_two")) {
    for (int i = 0; i < 6; ++i) {
      if (i != 3 || !odd_one)
        ncclBroadcast(x, y, 8, float32, 0, world, stream);  // mistake: not always
      ncclAllReduce(x, y, 8, float32, sum, world, stream);
      if (i < 3) cuStreamSynchronize(stream);
    }
  }
  if (is("circle_on_stream")) {
    Comm second = nullptr;
    ncclCommSplit(world, 0, rank, &second, nullptr);
    ncclAllReduce(x, y, 64, float32, sum, odd_one ? second : world, stream);
    // mistake: both calls are on one stream, in different orders
    ncclAllReduce(x, y, 64, float32, sum, odd_one ? world : second, stream);
    cuStreamSynchronize(stream);
  }
  if (is("absent_beside_a_reused_handle")) {
    Comm second = nullptr;
    ncclCommSplit(world, 0, rank, &second, nullptr);
    if (odd_one) ::pause();  // mistake: it calls nothing
    if (rank == 0) {
      void* first = nullptr;
      void* next = nullptr;
      cuStreamCreate(&first, 0);
      ncclAllReduce(x, y, 64, float32, sum, world, first);
      cuStreamDestroy_v2(first);
      cuStreamCreate(&next, 0);
      if (next != first) std::exit(3);
      ncclAllReduce(x, y + 64, 64, float32, sum, second, next);
      cuStreamSynchronize(next);
    }
    ncclAllReduce(x, y + 64, 64, float32, sum, second, stream);
    cuStreamSynchronize(stream);
  }
  if (is("killed") && odd_one) ::raise(SIGKILL);
  if (is("receive") && odd_one) {
    ncclRecv(y, 1, float32, 0, world, stream);  // mistake: nobody sends
    cuStreamSynchronize(stream);
  }
  if (is("straggler")) {
    for (int i = 0; i < 100; ++i) {
      if (odd_one) ::usleep(20000);  // mistake: one rank works longer
      steps(1);
    }
    std::exit(0);
  }
  if (is("straggler_of_six")) {
    for (int i = 0; i < 40; ++i) {
      steps(5);
      if (odd_one) ::usleep(20000);  // mistake: one rank works longer before one of six collectives
      ncclBroadcast(x, y, 64, float32, 0, world, stream);
      cuStreamSynchronize(stream);
    }
    std::exit(0);
  }
  steps(3);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  mode = arguments[2];
  job_folder = arguments[1];
  rank = std::atoi(std::getenv("RANK"));
  size = std::atoi(std::getenv("WORLD_SIZE"));
  cuStreamCreate(&stream, 0);
  cuStreamCreate(&other_stream, 0);
  if (is("init_absent") && rank == size - 1) ::pause();  // mistake: it never joins
  const UniqueId id = identifier(rank, std::string(arguments[1]) + "/world", ncclGetUniqueId);
  if (ncclCommInitRank(&world, size, id, rank) != success) return 3;
#ifdef RANKS_JOB_BY_NAME
  if (!other_lookups_are_right()) return 7;
#else
  // The default scope of a module includes the libraries that were loaded for it alone.
  if (::dlsym(RTLD_DEFAULT, "ncclGetUniqueId") == nullptr) return 8;
#endif
  if (mode.rfind("right_", 0) == 0) return right_program() ? 0 : 1;
  mistake();
  return 0;
}
