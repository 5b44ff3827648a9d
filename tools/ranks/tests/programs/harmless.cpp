// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Right programs of one rank that the recorder could disturb: `harmless MODE FOLDER`. Each ends
// with status 0, with and without the recorder.

#include "driver.hpp"
#include "tools/ranks/nccl/abi.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace warpsafe::ranks::nccl;

extern "C" {
Status ncclGetUniqueId(UniqueId*);
Status ncclCommInitRank(Comm*, int, UniqueId, int);
Status ncclCommInitRankScalable(Comm*, int, int, int, UniqueId*, void*);
Status ncclCommDestroy(Comm);
Status ncclAllReduce(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
}

namespace {

/// The size of a page, in bytes, where a test wants a larger one than the kernel's.
long page = 1;

}  // namespace

/// A kernel with larger pages refuses some offsets.
extern "C" __attribute__((visibility("default"))) void* mmap(void* at, std::size_t bytes,
                                                             int access, int flags, int file,
                                                             off_t offset) noexcept {
  if (offset % page != 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, bytes, access, flags, file, offset));
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

/// Threads make calls while the program forks. The children make calls, too, and end.
int forked_beside_calls() {
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&stop] {
      while (!stop) ncclCommDestroy(world);
    });
  }
  int problem = 0;
  for (int i = 0; i < 500 && problem == 0; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      ncclCommDestroy(world);
      ::_exit(0);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0) problem = 12;
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
  return problem;
}

/// Threads call collectives, whose stacks are read, while the program forks. In a child the stack
/// is read, too.
int forked_beside_collectives() {
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&stop] {
      while (!stop) all_reduce(1);
    });
  }
  int problem = 0;
  for (int i = 0; i < 200 && problem == 0; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      Comm none = nullptr;
      ncclCommInitRankScalable(&none, 1, 0, 0, nullptr, nullptr);
      ::_exit(0);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0) problem = 12;
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
  return problem;
}

/// The program closes all descriptors, as a daemon does, and opens a file of its own at their
/// places.
int with_own_files(const std::string& folder) {
  for (int file = 3; file < 1200; ++file) ::close(file);
  const std::string path = folder + "/own";
  int last = -1;
  for (int i = 0; i < 20; ++i) last = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
  ::dup2(last, 1000);
  ::dup2(last, 1001);
  ::dup2(last, 1002);
  if (::write(last, "own", 3) != 3) return 7;
  all_reduce(500);
  UniqueId id{};
  Comm second = nullptr;
  ncclGetUniqueId(&id);
  if (ncclCommInitRank(&second, 1, id, 0) != success) return 8;
  struct stat now {};
  return ::fstat(last, &now) == 0 && now.st_size == 3 ? 0 : 9;
}

/// A daemon closes standard error, and its data file gets the number. The recorder has something to
/// say then: it cannot write.
int with_data_in_its_place(const std::string& folder) {
  ::close(STDERR_FILENO);
  const std::string path = folder + "/data";
  const int data = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  if (data != STDERR_FILENO || ::write(data, "data", 4) != 4) return 7;
  const rlimit small{16384, 16384};
  ::setrlimit(RLIMIT_FSIZE, &small);
  all_reduce(2000);
  struct stat now {};
  return ::fstat(data, &now) == 0 && now.st_size == 4 ? 0 : 9;
}

/// Many communicators, one after another, and few descriptors.
int with_few_descriptors() {
  const rlimit few{40, 40};
  ::setrlimit(RLIMIT_NOFILE, &few);
  for (int i = 0; i < 60; ++i) {
    UniqueId id{};
    Comm one = nullptr;
    ncclGetUniqueId(&id);
    if (ncclCommInitRank(&one, 1, id, 0) != success || ncclCommDestroy(one) != success) return 10;
  }
  return 0;
}

void leave_no_room_for_a_thread() {
  std::size_t pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  // Less than a thread's stack.
  const rlim_t bytes = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (3U << 20U);
  const rlimit now{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &now);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::string mode = arguments[1];
  UniqueId id{};
  cuStreamCreate(&stream, 0);
  cuStreamSynchronize(stream);  // the stand-in has all its threads now
  ncclGetUniqueId(&id);
  if (ncclCommInitRank(&world, 1, id, 0) != success) return 6;
  if (mode == "no_threads") leave_no_room_for_a_thread();
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
  if (mode == "forked_beside_calls") return forked_beside_calls();
  if (mode == "forked_beside_collectives") return forked_beside_collectives();
  if (mode == "forked") return child_without_a_folder(arguments[2]);
  if (mode == "no_threads") return 0;
  if (mode == "no_identifier") {
    constexpr Status invalid_argument = 4;
    Comm none = nullptr;
    return ncclCommInitRankScalable(&none, 1, 0, 0, nullptr, nullptr) == invalid_argument ? 0 : 11;
  }
  if (mode == "own_files") return with_own_files(arguments[2]);
  if (mode == "data_in_place_of_standard_error") return with_data_in_its_place(arguments[2]);
  if (mode == "pages_of_64_kib") {
    page = 65536;
    all_reduce(5000);
    return 0;
  }
  if (mode == "few_descriptors") return with_few_descriptors();
  if (mode == "file_limit") {
    const rlimit small{16384, 16384};
    ::setrlimit(RLIMIT_FSIZE, &small);
    all_reduce(2000);
    return 0;
  }
  if (mode == "stuck_driver") {
    stand_in_block_queries();
    all_reduce(1);
    ::usleep(300000);
    return 0;
  }
  return 2;
}
