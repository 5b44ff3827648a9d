// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A handle and an address come back as early as CUDA may hand them out again.
#include "stand_in_cuda.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace {

constexpr std::size_t bytes = 4096;

class StandInCudaHandles : public testing::Test {
 protected:
  void SetUp() override {
    stand_in_cuda_reset();
    stand_in_cuda_set_device_count(2);
    const StandInCudaKernelInfo info{0, 0, 0, 32, 1024, 0, 0, 0};
    stand_in_cuda_declare_kernel(&key_, "kernel", nullptr, 0, &info);
  }
  void TearDown() override { stand_in_cuda_reset(); }

  static cudaStream_t make_stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
    return stream;
  }
  static unsigned long long id_of(cudaStream_t stream) {
    unsigned long long id = 0;
    EXPECT_EQ(cudaStreamGetId(stream, &id), cudaSuccess);
    return id;
  }
  static void* allocate(cudaStream_t stream, std::size_t size = bytes) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMallocAsync(&memory, size, stream), cudaSuccess);
    return memory;
  }
  static cudaError_t launch(cudaStream_t stream) {
    return cudaLaunchKernel(&key_, 1, 1, nullptr, 0, stream);
  }
  static cudaGraph_t captured(cudaStream_t stream, cudaGraphNode_t* node = nullptr) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(launch(stream), cudaSuccess);
    if (node != nullptr) {
      cudaStreamCaptureStatus status{};
      const cudaGraphNode_t* last = nullptr;
      std::size_t count = 0;
      EXPECT_EQ(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count),
                cudaSuccess);
      EXPECT_EQ(count, 1U);
      *node = *last;
    }
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    return graph;
  }

 private:
  static inline const int key_ = 0;
};

// H200, driver 580: 200 of 200.
TEST_F(StandInCudaHandles, NextStreamHasTheHandleOfADestroyedOneWhoseWorkStillRuns) {
  unsigned char* const memory = static_cast<unsigned char*>(allocate(nullptr));
  *memory = 0;
  const cudaStream_t first = make_stream();
  const auto first_id = id_of(first);
  stand_in_cuda_hold(first);
  ASSERT_EQ(cudaMemsetAsync(memory, 7, bytes, first), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(first), cudaSuccess);
  const cudaStream_t second = make_stream();
  EXPECT_EQ(second, first);
  EXPECT_NE(id_of(second), first_id);
  EXPECT_EQ(cudaStreamQuery(second), cudaSuccess) << "it has no work";
  EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
  EXPECT_EQ(*memory, 0) << "a wait for the second stream is none for the first";
  stand_in_cuda_release(second);
  EXPECT_EQ(*memory, 7);
  EXPECT_EQ(cudaStreamDestroy(second), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(StandInCudaHandles, EventGraphAndLibraryHandlesComeBack) {
  cudaEvent_t first = nullptr;
  cudaEvent_t second = nullptr;
  const cudaStream_t stream = make_stream();
  stand_in_cuda_hold(stream);
  ASSERT_EQ(cudaEventCreate(&first), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(first, stream), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(first), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&second), cudaSuccess);
  EXPECT_EQ(second, first);
  EXPECT_EQ(cudaEventQuery(second), cudaSuccess) << "it was not recorded";
  stand_in_cuda_release(stream);

  cudaGraphNode_t nodes[2] = {};
  cudaGraph_t graphs[2] = {};
  cudaGraphExec_t execs[2] = {};
  for (int i = 0; i < 2; ++i) {
    graphs[i] = captured(stream, &nodes[i]);
    ASSERT_EQ(cudaGraphInstantiate(&execs[i], graphs[i], 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graphs[i]), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(execs[i], stream), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(execs[i]), cudaSuccess);
  }
  EXPECT_EQ(nodes[0], nodes[1]);
  EXPECT_EQ(graphs[0], graphs[1]);
  EXPECT_EQ(execs[0], execs[1]);

  const char* const code = ".version 8.0\n.target sm_90\n.visible .entry k(){ret;}";
  cudaLibrary_t libraries[2] = {};
  cudaKernel_t kernels[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cudaLibraryLoadData(&libraries[i], code, nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaSuccess);
    ASSERT_EQ(cudaLibraryGetKernel(&kernels[i], libraries[i], "k"), cudaSuccess);
    EXPECT_EQ(cudaLibraryUnload(libraries[i]), cudaSuccess);
  }
  EXPECT_EQ(libraries[0], libraries[1]);
  EXPECT_EQ(kernels[0], kernels[1]);
  EXPECT_EQ(cudaEventDestroy(second), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(StandInCudaHandles, GraphsThatLiveHaveNodesOfTheirOwn) {
  const cudaStream_t stream = make_stream();
  cudaGraphNode_t nodes[2] = {};
  const cudaGraph_t first = captured(stream, &nodes[0]);
  const cudaGraph_t second = captured(stream, &nodes[1]);
  EXPECT_NE(first, second);
  EXPECT_NE(nodes[0], nodes[1]);
  EXPECT_EQ(cudaGraphDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(second), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(StandInCudaHandles, AddressesComeBack) {
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_EQ(cudaMalloc(&first, bytes), cudaSuccess);
  ASSERT_EQ(cudaFree(first), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&second, bytes), cudaSuccess);
  EXPECT_EQ(second, first);
  ASSERT_EQ(cudaFree(second), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&first, bytes), cudaSuccess);
  ASSERT_EQ(cudaFreeHost(first), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&second, bytes), cudaSuccess);
  EXPECT_EQ(second, first);
  ASSERT_EQ(cudaFreeHost(second), cudaSuccess);
}

// H200, driver 580: a pool's memory comes back in the order of the stream that freed it, before
// that stream's work has run. Another stream gets other memory.
TEST_F(StandInCudaHandles, FreedMemoryOfAPoolComesBackInTheOrderOfItsStream) {
  const cudaStream_t stream = make_stream();
  const cudaStream_t other = make_stream();
  const auto before = stand_in_cuda_live_objects();
  unsigned char* const first = static_cast<unsigned char*>(allocate(stream));
  stand_in_cuda_hold(stream);
  ASSERT_EQ(cudaFreeAsync(first, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(first, stream), cudaErrorInvalidValue) << "it is freed";
  void* const elsewhere = allocate(other);
  EXPECT_NE(elsewhere, first);
  EXPECT_NE(allocate(stream, 2 * bytes), first) << "of another size";
  void* const second = allocate(stream);
  EXPECT_EQ(second, first);
  EXPECT_NE(allocate(stream), first) << "it is handed out once";
  ASSERT_EQ(cudaMemsetAsync(second, 7, bytes, stream), cudaSuccess);
  stand_in_cuda_release(stream);
  EXPECT_EQ(*first, 7) << "the free of the first allocation leaves the second";
  EXPECT_EQ(stand_in_cuda_live_objects(), before + 4);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
}

TEST_F(StandInCudaHandles, FreeWaitsForWorkUnlessTheMemoryIsOfAPool) {
  const cudaStream_t stream = make_stream();
  void* const pooled = allocate(stream);
  stand_in_cuda_hold(stream);
  EXPECT_EQ(cudaFree(pooled), cudaSuccess) << "it does not wait for the stream";
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  stand_in_cuda_release(stream);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(StandInCudaHandles, CopyInsideTheDeviceIsNotWaitedFor) {
  void* const from = allocate(nullptr);
  void* const to = allocate(nullptr);
  stand_in_cuda_hold(cudaStreamLegacy);
  EXPECT_EQ(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
  stand_in_cuda_release(cudaStreamLegacy);
}

TEST_F(StandInCudaHandles, EachThreadAndDeviceHasAPerThreadStreamOfItsOwn) {
  std::set<unsigned long long> ids{id_of(cudaStreamPerThread)};
  stand_in_cuda_hold(cudaStreamPerThread);
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  std::thread([&] {
    ids.insert(id_of(cudaStreamPerThread));
    EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(launch(cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  }).join();
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ids.insert(id_of(cudaStreamPerThread));
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_EQ(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady)
      << "the legacy stream waits for the threads' streams";
  stand_in_cuda_release(cudaStreamPerThread);
}

TEST_F(StandInCudaHandles, EachDeviceHasALegacyStreamOfItsOwn) {
  const auto first = id_of(cudaStreamLegacy);
  EXPECT_EQ(id_of(nullptr), first);
  stand_in_cuda_hold(cudaStreamLegacy);
  const cudaStream_t blocking = make_stream(cudaStreamDefault);
  EXPECT_EQ(launch(blocking), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(blocking), cudaErrorNotReady) << "it waits for the legacy stream";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_NE(id_of(cudaStreamLegacy), first);
  EXPECT_EQ(cudaStreamQuery(cudaStreamLegacy), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  stand_in_cuda_release(cudaStreamLegacy);
  EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
}

// H200, driver 580.
TEST_F(StandInCudaHandles, QuestionForTheIdOfACapturingStreamBreaksTheCapture) {
  const cudaStream_t stream = make_stream(cudaStreamDefault);
  const cudaStream_t other = make_stream();
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId(other, &id), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId(cudaStreamPerThread, &id), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId(nullptr, &id), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamGetId(stream, &id), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
}

TEST_F(StandInCudaHandles, AGraphsMemoryComesBackWithTheLastOfItsLaunches) {
  const auto used = [] {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return total - free;
  };
  const cudaStream_t stream = make_stream();
  for (const bool frees : {true, false}) {
    for (const bool runs : {true, false}) {
      void* memory = nullptr;
      cudaGraph_t graph = nullptr;
      EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
      memory = allocate(stream);
      if (frees) {
        EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
      }
      EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
      cudaGraphExec_t exec = nullptr;
      EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
      EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
      EXPECT_EQ(used(), bytes) << "the instance has the address";
      if (runs) {
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
      }
      if (runs && !frees) {
        EXPECT_DEATH(
            {
              EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
              if (used() == bytes) static_cast<void>(cudaFreeAsync(memory, stream));
            },
            "the executable graph that allocated it is destroyed")
            << "the memory outlives it, and its free is too late";
        EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
      }
      EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      EXPECT_EQ(used(), 0U) << frees << runs;
    }
  }
}

TEST_F(StandInCudaHandles, DestroyedStreamsAndEventsWithoutWorkAreNotKept) {
  const cudaStream_t held = make_stream();
  const unsigned long long number = id_of(held);
  stand_in_cuda_hold(held);
  EXPECT_EQ(launch(held), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(held), cudaSuccess);
  std::set<unsigned long long> numbers{number};
  const auto before = stand_in_cuda_kept_streams();
  for (int i = 0; i < 1000; ++i) {
    const cudaStream_t stream = make_stream();
    numbers.insert(id_of(stream));
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    ASSERT_EQ(launch(stream), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
    ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
  EXPECT_EQ(numbers.size(), 1001U);
  EXPECT_LE(stand_in_cuda_kept_streams(), before + 1);
  // The first one's work still waits.
  stand_in_cuda_release(held);
  static_cast<void>(make_stream());
  EXPECT_LE(stand_in_cuda_kept_streams(), before);
}

}  // namespace
