// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A faulty program in plain CUDA: suspects SEED. One launch among many on four streams, or one node
// of a graph, writes to a wrong address; a wait for another stream reports the fault. Each launch
// and node has another grid, so that a report's grid tells which one it means. on_gpu.py watches
// it.

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace demo {

template <int Kind>
__global__ void work(int* to, unsigned rounds) {
  for (volatile unsigned i = 0; i < rounds;) i = i + 1;
  if (threadIdx.x == 0 && blockIdx.x == 0) *to = Kind;
}

}  // namespace demo

namespace {

constexpr std::size_t streams = 4;
constexpr int kinds = 3;
constexpr int threads = 64;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorName(status));
  std::exit(2);
}
void launch(int kind, unsigned blocks, int* to, unsigned rounds, cudaStream_t on) {
  switch (kind) {
    case 0:
      return demo::work<0><<<blocks, threads, 0, on>>>(to, rounds);
    case 1:
      return demo::work<1><<<blocks, threads, 0, on>>>(to, rounds);
    default:
      return demo::work<2><<<blocks, threads, 0, on>>>(to, rounds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto seed = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 0);
  std::mt19937 random(seed);
  const auto pick = [&random](std::size_t below) { return random() % below; };
  int* memory = nullptr;
  check(cudaMalloc(&memory, 4096));
  auto* const wrong = reinterpret_cast<int*>(std::size_t{16});
  cudaStream_t all[streams];
  for (cudaStream_t& one : all) check(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));

  const std::size_t launches = 20 + pick(180);
  const std::size_t bad = pick(launches);
  const bool in_graph = seed % 4 == 3;
  // A graph without a fault for most programs, and one whose node `bad_node` faults.
  constexpr unsigned nodes = 8;
  constexpr unsigned first_of_graph = 1000;
  const unsigned bad_node = static_cast<unsigned>(pick(nodes));
  cudaGraphExec_t graphs[2] = {};
  for (const bool faulty : {false, true}) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(all[0], cudaStreamCaptureModeThreadLocal));
    for (unsigned i = 0; i < nodes; ++i) {
      launch(static_cast<int>(pick(kinds)), first_of_graph + i + (faulty ? 0 : 100),
             faulty && i == bad_node ? wrong : memory, static_cast<unsigned>(pick(2000)), all[0]);
      if (i == 3) check(cudaMemsetAsync(memory + 64, 0, 64, all[0]));
      if (i == 5) {
        check(cudaMemcpyAsync(memory + 128, memory, 64, cudaMemcpyDeviceToDevice, all[0]));
      }
    }
    check(cudaStreamEndCapture(all[0], &graph));
    check(cudaGraphInstantiate(&graphs[faulty ? 1 : 0], graph, 0));
    // Most programs destroy the graph when they have instantiated it.
    if (seed % 8 != 3) check(cudaGraphDestroy(graph));
  }
  const unsigned grid = in_graph ? first_of_graph + bad_node : static_cast<unsigned>(bad) + 1;
  std::printf("culprit: grid=(%u,1,1)%s\n", grid, in_graph ? " in a graph" : "");
  std::fflush(stdout);

  std::size_t bad_stream = streams;  // none yet
  cudaError_t noticed = cudaSuccess;
  const auto see = [&](cudaError_t status) {
    if (noticed == cudaSuccess) noticed = status;
  };
  for (std::size_t i = 0; i < launches && noticed == cudaSuccess; ++i) {
    const std::size_t on = pick(streams);
    const int kind = static_cast<int>(pick(kinds));
    const auto rounds = static_cast<unsigned>(pick(2000));
    const bool with_graph = pick(10) == 0;
    if (i == bad) {
      bad_stream = on;
      if (in_graph) {
        see(cudaGraphLaunch(graphs[1], all[on]));
      } else {
        launch(kind, grid, wrong, rounds, all[on]);
      }
    } else if (with_graph) {
      see(cudaGraphLaunch(graphs[0], all[on]));
    } else {
      launch(kind, static_cast<unsigned>(i) + 1, memory, rounds, all[on]);
    }
    see(cudaGetLastError());
    const std::size_t waited = pick(streams);
    if (pick(3) == 0 && waited != bad_stream) see(cudaStreamSynchronize(all[waited]));
  }
  // The fault may not have happened yet.
  for (int i = 0; i < 10000 && noticed == cudaSuccess; ++i) {
    see(cudaStreamSynchronize(all[(bad_stream + 1 + pick(streams - 1)) % streams]));
    if (noticed == cudaSuccess) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  std::printf("%s\n", cudaGetErrorName(noticed));
  return noticed == cudaSuccess ? 0 : 1;
}
