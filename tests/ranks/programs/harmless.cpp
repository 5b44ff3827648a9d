// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Right programs of one rank that the recorder could disturb: `harmless MODE FOLDER`. Each ends
// with status 0, with and without the recorder.

#include "driver.hpp"
#include "tools/ranks/nccl/abi.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using namespace warpsafe::ranks::nccl;

extern "C" {
Status ncclGetUniqueId(UniqueId*);
Status ncclCommInitRank(Comm*, int, UniqueId, int);
Status ncclCommDestroy(Comm);
Status ncclAllReduce(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
}

namespace {

Comm world;
void* stream;
float x[64], y[64];

void all_reduce(int count) {
  constexpr Type float32 = 7;
  for (int i = 0; i < count; ++i) ncclAllReduce(x, y, 64, float32, 0, world, stream);
  cuStreamSynchronize(stream);
}

/// Destroys the communicator after all objects that the recorder made for the thread.
struct Owner {
  bool owns = false;
  ~Owner() {
    if (owns && ncclCommDestroy(world) != success) std::_Exit(3);
  }
};
Owner of_process;
thread_local Owner of_thread;

/// The child has no record, because there is no folder for it.
int child_without_a_folder(const std::string& folder) {
  const std::string records = folder + "/records";
  std::rename(records.c_str(), (records + ".moved").c_str());
  if (std::FILE* const file = std::fopen(records.c_str(), "w")) std::fclose(file);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(ncclCommDestroy(world) == success ? 0 : 4);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && status == 0 ? 0 : 5;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::string mode = arguments[1];
  UniqueId id{};
  cuStreamCreate(&stream, 0);
  ncclGetUniqueId(&id);
  if (ncclCommInitRank(&world, 1, id, 0) != success) return 6;
  all_reduce(1);
  if (mode == "destroyed_by_static") {
    of_process.owns = true;
    return 0;
  }
  if (mode == "destroyed_by_thread") {
    std::thread([] {
      of_thread.owns = true;
      all_reduce(1);
    }).join();
    return 0;
  }
  if (mode == "forked") return child_without_a_folder(arguments[2]);
  return 2;
}
