// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A stand-in for libnccl.so.2 between processes of one machine, through shared memory. It computes:
// float and double, sums. It checks nothing, as NCCL does not: members that call different
// collectives meet each other all the same, and a member that does not come keeps the others.

#include "driver.hpp"
#include "tools/ranks/nccl/abi.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

using namespace warpsafe::ranks::nccl;

namespace {

constexpr int most_ranks = 64;
constexpr std::size_t slot_bytes = 65536;

/// A step of a member is done when all members have made it.
struct Shared {
  std::atomic<std::uint64_t> steps[most_ranks];
  std::atomic<std::uint64_t> sent[most_ranks][most_ranks];
  std::atomic<std::uint64_t> received[most_ranks][most_ranks];
  unsigned char data[most_ranks][slot_bytes];
  unsigned char mail[most_ranks][most_ranks][256];
};

struct Communicator {
  Shared* shared = nullptr;
  std::string name;
  int rank = 0;
  int size = 0;
  int busy = 0;  ///< calls until it is ready
  std::uint64_t steps = 0;
  std::uint64_t children = 0;
  std::uint64_t sent[most_ranks] = {};
  std::uint64_t received[most_ranks] = {};

  void meet() {
    shared->steps[rank].store(++steps);
    for (int other = 0; other < size; ++other) {
      while (shared->steps[other].load() < steps) ::usleep(50);
    }
  }
};

Shared* opened(const std::string& name) {
  const int file = ::shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0 || ::ftruncate(file, sizeof(Shared)) != 0) return nullptr;
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<Shared*>(memory);
}

/// NCCL's handles are addresses of the heap: the next communicator gets that of the last destroyed
/// one. No lock: a program may fork meanwhile.
std::atomic<Communicator*> last_destroyed{nullptr};
Communicator* empty_communicator() {
  Communicator* const last = last_destroyed.exchange(nullptr);
  if (last == nullptr) return new Communicator;
  *last = {};
  return last;
}

Status join(Comm* made, const std::string& name, int size, int rank) {
  if (size > most_ranks || rank < 0 || rank >= size) return 4;  // ncclInvalidArgument
  Communicator* const comm = empty_communicator();
  comm->name = name;
  comm->rank = rank;
  comm->size = size;
  comm->shared = opened(name);
  if (comm->shared == nullptr) return 2;  // ncclSystemError
  comm->meet();
  *made = comm;
  return success;
}

std::size_t bytes_of(Type type) {
  constexpr std::size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return bytes[type];
}

/// Calls between ncclGroupStart and ncclGroupEnd. NCCL runs the calls of a group together, so that
/// a send to and a receive from one peer do not wait for each other: a task begins, and then it
/// ends.
thread_local int depth = 0;
struct Queued {
  void* stream;
  std::function<void()> begin;
  std::function<void()> end;
  bool is_send = false;
};
thread_local std::vector<Queued> queued;

void submit_all() {
  for (Queued& one : queued) {
    if (one.begin) stand_in_enqueue(one.stream, std::move(one.begin));
  }
  // A send ends when its receiver has received.
  for (const bool is_send : {false, true}) {
    for (Queued& one : queued) {
      if (one.is_send == is_send) stand_in_enqueue(one.stream, std::move(one.end));
    }
  }
  queued.clear();
}
Status submit(void* stream, std::function<void()> begin, std::function<void()> end) {
  const bool is_send = begin != nullptr;
  queued.push_back({stream, std::move(begin), std::move(end), is_send});
  if (depth == 0) submit_all();
  return success;
}

template <class T>
void add(void* to, const void* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) static_cast<T*>(to)[i] += static_cast<const T*>(from)[i];
}
void add(void* to, const void* from, std::size_t count, Type type) {
  if (type == 8) add<double>(to, from, count);
  if (type == 7) add<float>(to, from, count);
}

/// Each member gives `count` elements; `take` gets the slots of all.
template <class F>
Status exchange(Comm handle, void* stream, const void* from, std::size_t count, Type type, F take) {
  auto* const comm = static_cast<Communicator*>(handle);
  const std::size_t bytes = std::min(count * bytes_of(type), slot_bytes);
  return submit(stream, {}, [=] {
    if (from != nullptr) std::memcpy(comm->shared->data[comm->rank], from, bytes);
    comm->meet();
    take(*comm, bytes);
    comm->meet();
  });
}

/// "SENDER:RECEIVER:MICROSECONDS" in STAND_IN_SLOW_LINK: how long a message needs, if it is that
/// pair's.
unsigned wire_us(int sender, int receiver) {
  static const char* const text = std::getenv("STAND_IN_SLOW_LINK");
  int from = 0;
  int to = 0;
  unsigned us = 0;
  const bool is_set = text != nullptr && std::sscanf(text, "%d:%d:%u", &from, &to, &us) == 3;
  return is_set && from == sender && to == receiver ? us : 0;
}

bool busy(Comm handle) {
  auto* const comm = static_cast<Communicator*>(handle);
  return comm->busy > 0 && --comm->busy >= 0;
}

}  // namespace

#define STAND_IN extern "C" Status

/// The next sum of this process has a wrong bit.
namespace {
std::atomic<bool> damages_next{false};
}
extern "C" void stand_in_damage_next() { damages_next = true; }

STAND_IN ncclGetUniqueId(UniqueId* id) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) return 2;
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->internal, sizeof id->internal, "/warpsafe_nccl_%016llx",
                static_cast<unsigned long long>(number));
  return success;
}
STAND_IN ncclCommInitRank(Comm* comm, int size, UniqueId id, int rank) {
  return join(comm, id.internal, size, rank);
}
/// With a configuration the communicator does not block: its calls return ncclInProgress for a
/// while, and its rank is not known before.
STAND_IN ncclCommInitRankConfig(Comm* comm, int size, UniqueId id, int rank, void* config) {
  const Status status = join(comm, id.internal, size, rank);
  if (status != success || config == nullptr) return status;
  static_cast<Communicator*>(*comm)->busy = 4;
  return in_progress;
}
STAND_IN ncclCommInitRankScalable(Comm* comm, int size, int rank, int ids, UniqueId* id, void*) {
  if (ids < 1 || id == nullptr) return 4;  // ncclInvalidArgument
  return join(comm, id->internal, size, rank);
}
STAND_IN ncclCommSplit(Comm handle, int color, int key, Comm* made, void*) {
  auto* const comm = static_cast<Communicator*>(handle);
  int* const mine = reinterpret_cast<int*>(comm->shared->data[comm->rank]);
  mine[0] = color;
  mine[1] = key;
  comm->meet();
  int rank = 0;
  int size = 0;
  for (int other = 0; other < comm->size; ++other) {
    const int* const theirs = reinterpret_cast<const int*>(comm->shared->data[other]);
    if (theirs[0] != color) continue;
    ++size;
    if (theirs[1] < key || (theirs[1] == key && other < comm->rank)) ++rank;
  }
  comm->meet();
  *made = nullptr;
  const std::string name =
      comm->name + '_' + std::to_string(++comm->children) + '_' + std::to_string(color);
  return color < 0 ? success : join(made, name, size, rank);
}
STAND_IN ncclCommCount(Comm comm, int* count) {
  if (busy(comm)) return 4;
  *count = static_cast<Communicator*>(comm)->size;
  return success;
}
STAND_IN ncclCommUserRank(Comm comm, int* rank) {
  if (busy(comm)) return 4;
  *rank = static_cast<Communicator*>(comm)->rank;
  return success;
}
STAND_IN ncclCommDestroy(Comm comm) {
  auto* const gone = static_cast<Communicator*>(comm);
  ::shm_unlink(gone->name.c_str());
  last_destroyed = gone;
  return success;
}
STAND_IN ncclGroupStart() {
  ++depth;
  return success;
}
STAND_IN ncclGroupEnd() {
  if (--depth != 0) return success;
  submit_all();
  return success;
}
STAND_IN ncclAllReduce(const void* from, void* to, std::size_t count, Type type, Reduction,
                       Comm comm, Stream stream) {
  const Status status = busy(comm) ? in_progress : success;
  const Status submitted =
      exchange(comm, stream, from, count, type, [=](Communicator& all, std::size_t bytes) {
        std::vector<unsigned char> sum(bytes);
        for (int rank = 0; rank < all.size; ++rank) {
          add(sum.data(), all.shared->data[rank], bytes / bytes_of(type), type);
        }
        if (damages_next.exchange(false)) sum[bytes / 2] ^= 1U;
        std::memcpy(to, sum.data(), bytes);
      });
  return submitted != success ? submitted : status;
}
STAND_IN ncclReduce(const void* from, void* to, std::size_t count, Type type, Reduction, int root,
                    Comm comm, Stream stream) {
  if (root < 0 || root >= static_cast<Communicator*>(comm)->size) return 4;
  return exchange(comm, stream, from, count, type, [=](Communicator& all, std::size_t bytes) {
    if (all.rank != root) return;
    std::memset(to, 0, bytes);
    for (int rank = 0; rank < all.size; ++rank) {
      add(to, all.shared->data[rank], bytes / bytes_of(type), type);
    }
  });
}
STAND_IN ncclBroadcast(const void* from, void* to, std::size_t count, Type type, int root,
                       Comm comm, Stream stream) {
  return exchange(comm, stream, from, count, type, [=](Communicator& all, std::size_t bytes) {
    std::memcpy(to, all.shared->data[root], bytes);
  });
}
/// As NCCL does it: by its own function, which a library that stands before it sees.
STAND_IN ncclBcast(void* buffer, std::size_t count, Type type, int root, Comm comm, Stream stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
STAND_IN ncclAllGather(const void* from, void* to, std::size_t count, Type type, Comm comm,
                       Stream stream) {
  return exchange(comm, stream, from, count, type, [=](Communicator& all, std::size_t bytes) {
    for (int rank = 0; rank < all.size; ++rank) {
      std::memcpy(static_cast<char*>(to) + static_cast<std::size_t>(rank) * bytes,
                  all.shared->data[rank], bytes);
    }
  });
}
STAND_IN ncclReduceScatter(const void* from, void* to, std::size_t count, Type type, Reduction,
                           Comm comm, Stream stream) {
  const auto size = static_cast<std::size_t>(static_cast<Communicator*>(comm)->size);
  return exchange(comm, stream, from, count * size, type,
                  [=](Communicator& all, std::size_t bytes) {
                    const std::size_t part = bytes / size;
                    std::memset(to, 0, part);
                    for (int rank = 0; rank < all.size; ++rank) {
                      add(to, all.shared->data[rank] + static_cast<std::size_t>(all.rank) * part,
                          part / bytes_of(type), type);
                    }
                  });
}
STAND_IN ncclSend(const void* from, std::size_t count, Type type, int peer, Comm handle,
                  Stream stream) {
  auto* const comm = static_cast<Communicator*>(handle);
  const std::size_t bytes = std::min<std::size_t>(count * bytes_of(type), 256);
  const std::uint64_t number = ++comm->sent[peer];
  return submit(
      stream,
      [=] {
        std::memcpy(comm->shared->mail[comm->rank][peer], from, bytes);
        comm->shared->sent[comm->rank][peer].store(number);
      },
      [=] {
        // A send waits for its receiver, as NCCL's does.
        while (comm->shared->received[peer][comm->rank].load() < number) ::usleep(50);
      });
}
STAND_IN ncclRecv(void* to, std::size_t count, Type type, int peer, Comm handle, Stream stream) {
  auto* const comm = static_cast<Communicator*>(handle);
  const std::size_t bytes = std::min<std::size_t>(count * bytes_of(type), 256);
  const std::uint64_t number = ++comm->received[peer];
  return submit(stream, {}, [=] {
    while (comm->shared->sent[peer][comm->rank].load() < number) ::usleep(50);
    ::usleep(wire_us(peer, comm->rank));
    std::memcpy(to, comm->shared->mail[peer][comm->rank], bytes);
    comm->shared->received[comm->rank][peer].store(number);
  });
}
