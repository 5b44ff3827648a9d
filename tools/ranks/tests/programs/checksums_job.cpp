// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One rank of a job over NCCL whose numbers diverge in step 11, or not at all: `checksums_job
// FOLDER MODE`. A step has two collectives: an all-reduce, whose result the next one gets, and
// another.

#include "driver.hpp"
#include "identifier.hpp"
#include "tools/ranks/nccl/abi.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>

using namespace warpsafe::ranks::nccl;

extern "C" {
Status ncclGetUniqueId(UniqueId*);
Status ncclCommInitRank(Comm*, int, UniqueId, int);
Status ncclGroupStart();
Status ncclGroupEnd();
Status ncclAllReduce(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
Status ncclReduce(const void*, void*, std::size_t, Type, Reduction, int, Comm, Stream);
Status ncclBroadcast(const void*, void*, std::size_t, Type, int, Comm, Stream);
Status ncclAllGather(const void*, void*, std::size_t, Type, Comm, Stream);
Status ncclSend(const void*, std::size_t, Type, int, Comm, Stream);
Status ncclRecv(void*, std::size_t, Type, int, Comm, Stream);
Status ncclReduceScatter(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
void stand_in_damage_next();
}

namespace {

constexpr Type float32 = 7;
constexpr Reduction sum = 0, maximum = 2;
constexpr std::size_t many = 15000;
constexpr int wrong_step = 10;  // from 0

int rank, size;
std::string mode, folder;
void* stream;
Comm world;
float memory[many + 2], all[4 * many];
float* x = memory;

bool is(const char* name) { return mode == name; }

void mistake() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (is("nan") && rank == 2) x[17] = std::nanf("");
  if (is("infinity") && rank == 1) x[3] = -infinity;
  if (is("overflow")) x[many - 1] = 3e38F;
  if (is("damaged") && rank == 3) stand_in_damage_next();
  if (is("perturbed") && rank == 1) x[5] = std::nextafter(x[5], infinity);
  // A loss scaler skips the step.
  if (is("right_loss_scaler") && rank == 1) x[4] = infinity;
}

void other_collective(int step) {
  switch (step % 4) {
    case 0:
      ncclBroadcast(rank == 0 ? x : nullptr, all, many, float32, 0, world, stream);
      break;
    case 1:
      ncclAllGather(x, all, 4000, float32, world, stream);
      break;
    case 2:
      ncclReduce(x, all, many, float32, sum, 1, world, stream);
      break;
    default:
      ncclReduceScatter(x, all, 1000, float32, sum, world, stream);
      break;
  }
}

bool steps(int count) {
  for (int step = 0; step < count; ++step) {
    for (std::size_t i = 0; i < many; ++i) {
      if (is("right_loss_scaler") && !std::isfinite(x[i])) x[i] = 1;
      x[i] = x[i] / static_cast<float>(size) + static_cast<float>(rank) * 1e-3F;
    }
    if (step == wrong_step) mistake();
    if (step == wrong_step && is("right_contexts")) stand_in_renew_context();
    ncclAllReduce(x, x, many, float32, sum, world, stream);
    other_collective(step);
    // The program's own work behind the collectives changes what they have read and written.
    stand_in_enqueue(stream, [] { all[0] = x[0] += 1; });
    cuStreamSynchronize(stream);
  }
  return true;
}

/// Infinities that are no mistake: a mask from the start, and the neutral element of a maximum.
bool masks() {
  for (int i = 0; i < 30; ++i) {
    for (float& value : memory) value = static_cast<float>(i);
    if (i >= wrong_step) x[rank] = -std::numeric_limits<float>::infinity();
    ncclAllReduce(x, all, many, float32, maximum, world, stream);
    cuStreamSynchronize(stream);
    x[rank] = std::numeric_limits<float>::infinity();
    ncclAllGather(x, all, 2000, float32, world, stream);
    cuStreamSynchronize(stream);
  }
  return true;
}

/// A step broadcasts a table, and then a mask with infinities, from one place.
bool table_and_mask() {
  for (int i = 0; i < 40; ++i) {
    for (float& value : memory) value = static_cast<float>(i);
    if (i % 2 == 1) x[3] = -std::numeric_limits<float>::infinity();
    ncclBroadcast(x, all, many, float32, 0, world, stream);
    cuStreamSynchronize(stream);
  }
  return true;
}

/// The graph has the program's two collectives and nothing else.
bool capture() {
  void* graph = nullptr;
  steps(3);
  cuStreamBeginCapture_v2(stream, 0);
  ncclAllReduce(x, x, many, float32, sum, world, stream);
  ncclAllReduce(x, x, many, float32, sum, world, stream);
  cuStreamEndCapture(stream, &graph);
  return reinterpret_cast<std::uintptr_t>(graph) == 2 && steps(3);
}

/// More in flight than the recorder has memory for.
bool in_flight() {
  stand_in_enqueue(stream, [] { ::usleep(300'000); });
  for (int i = 0; i < 1500; ++i) ncclAllReduce(x, all, 10, float32, sum, world, stream);
  cuStreamSynchronize(stream);
  return steps(3);
}

bool group() {
  ncclGroupStart();
  for (std::size_t i = 0; i < 3; ++i)
    ncclAllReduce(x, all + i * many, many, float32, sum, world, stream);
  ncclGroupEnd();
  cuStreamSynchronize(stream);
  return steps(3);
}

/// Each rank sends its numbers to the next one, and the last one reduces with the others. A NaN
/// that rank 1 makes goes that way.
bool pipeline() {
  for (int step = 0; step < 16; ++step) {
    if (rank > 0) ncclRecv(x, 50, float32, rank - 1, world, stream);
    cuStreamSynchronize(stream);
    if (rank == 0) x[0] = static_cast<float>(step);
    if (rank == 1 && step >= wrong_step && is("nan_in_message")) x[7] = std::nanf("");
    if (rank < size - 1) ncclSend(x, 50, float32, rank + 1, world, stream);
    if (rank < size - 1) all[0] = 0;
    ncclAllReduce(rank == size - 1 ? x : all, all + 100, 50, float32, sum, world, stream);
    cuStreamSynchronize(stream);
  }
  return true;
}

/// The driver waits for a collective of another thread while it loads code.
bool slow_code(const UniqueId& id) {
  Comm second = nullptr;
  stand_in_hold_code(true);
  // A thread without a context loads nothing.
  std::thread([&] {
    ncclCommInitRank(&world, size, id, rank);
    ncclCommInitRank(&second, size, identifier(rank, folder + "/second", ncclGetUniqueId), rank);
  }).join();
  std::thread loads([] {
    void* own = nullptr;
    static float values[16];
    cuStreamCreate(&own, 0);
    ncclAllReduce(values, values, 16, float32, sum, world, own);
    cuStreamSynchronize(own);
  });
  ::usleep(200'000);
  ncclAllReduce(x, all, many, float32, sum, second, stream);
  cuStreamSynchronize(stream);
  stand_in_hold_code(false);
  loads.join();
  return steps(3);
}

}  // namespace

/// In the mode no_nvrtc the machine has no NVRTC. This stands before the C library's function, also
/// for the recorder.
extern "C" __attribute__((visibility("default"))) void* dlopen(const char* file, int flags) {
  static auto* const next = reinterpret_cast<decltype(&dlopen)>(::dlsym(RTLD_NEXT, "dlopen"));
  if (is("no_nvrtc") && file != nullptr && std::strstr(file, "nvrtc") != nullptr) return nullptr;
  return next(file, flags);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  mode = arguments[2];
  rank = std::atoi(std::getenv("RANK"));
  size = std::atoi(std::getenv("WORLD_SIZE"));
  cuStreamCreate(&stream, 0);
  if (is("no_code")) stand_in_refuse_code();
  folder = arguments[1];
  const UniqueId id = identifier(rank, folder + "/world", ncclGetUniqueId);
  if (is("right_slow_code")) return slow_code(id) ? 0 : 1;
  void* captured = nullptr;
  void* graph = nullptr;
  if (is("right_capture_at_start")) {
    cuStreamCreate(&captured, 0);
    cuStreamBeginCapture_v2(captured, 0);
  }
  if (ncclCommInitRank(&world, size, id, rank) != success) return 3;
  if (captured != nullptr) cuStreamEndCapture(captured, &graph);
  // A float that begins in the middle of a word.
  if (is("right_odd_address")) x = memory + 1;
  // A group may give the memory of several devices to streams that do not tell their device.
  if (is("right_foreign")) stand_in_give_to_other_device(x);
  if (is("right_masks")) return masks() ? 0 : 1;
  if (is("right_table_and_mask")) return table_and_mask() ? 0 : 1;
  if (is("right_capture")) return capture() ? 0 : 1;
  if (is("right_in_flight")) return in_flight() ? 0 : 1;
  if (is("right_group")) return group() ? 0 : 1;
  if (is("right_pipeline") || is("nan_in_message")) return pipeline() ? 0 : 1;
  // NCCL refuses the call before it reads the memory.
  if (is("refused") && ncclReduce(nullptr, all, many, float32, sum, size, world, stream) != 4)
    return 4;
  if (!is("right_steps") && !is("right_foreign") && !is("right_odd_address") &&
      !is("right_loss_scaler") && !is("right_capture_at_start") && !is("refused") &&
      !is("right_contexts") && !is("no_code") && !is("no_nvrtc") && !is("nan") && !is("infinity") &&
      !is("overflow") && !is("damaged") && !is("perturbed"))
    return 2;
  return steps(16) ? 0 : 1;
}
