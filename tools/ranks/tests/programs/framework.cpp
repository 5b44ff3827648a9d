// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "framework.hpp"

#include "driver.hpp"
#include "identifier.hpp"
#include "tools/ranks/nccl/abi.hpp"

#include <cstdio>
#include <functional>
#include <string>
#include <thread>

using namespace warpsafe::ranks::nccl;

extern "C" {
Status ncclGetUniqueId(UniqueId*);
Status ncclCommInitRank(Comm*, int, UniqueId, int);
Status ncclAllReduce(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
}

namespace framework {

Comm world;
void* stream;
float values[8];

bool join(const char* folder, int rank, int size) {
  const UniqueId id = identifier(rank, std::string(folder) + "/id", ncclGetUniqueId);
  cuStreamCreate(&stream, 0);
  return ncclCommInitRank(&world, size, id, rank) == success;
}

[[gnu::noinline]] int all_reduce_bucket(int step) {
  ncclAllReduce(values, values, 8, 7, 0, world, stream);
  cuStreamSynchronize(stream);
  return step + 1;
}
[[gnu::noinline]] int run_engine(int steps) {
  int done = 0;
  while (done < steps) done = all_reduce_bucket(done);
  return done;
}
void backward(int steps) {
  // A library of C++ stands between the functions, and the program is not on the stack.
  std::thread([steps] {
    const std::function<int(int)> engine = run_engine;
    std::printf("%d steps\n", engine(steps));
  }).join();
}

}  // namespace framework
