// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The operations as a careful hand writes them with CUDA's runtime.

#include "operation.hpp"

#include <memory>
#include <vector>

namespace {

using operations::bytes;
using operations::count;
using operations::must;

__global__ void nothing(float, const float*, float*, std::size_t) {}

struct Objects {
  cudaStream_t stream = nullptr, other = nullptr;
  float *x = nullptr, *y = nullptr;
  cublasHandle_t blas = nullptr;
  cudaEvent_t kept = nullptr;
  cudaGraphExec_t graph = nullptr;
  std::vector<float> host = std::vector<float>(count, 1.0F);

  Objects() {
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    must(cudaMallocAsync(&x, bytes, stream));
    must(cudaMallocAsync(&y, bytes, stream));
    must(cublasCreate(&blas));
    must(cublasSetStream(blas, stream));
    must(cudaEventCreateWithFlags(&kept, cudaEventDisableTiming));
    cudaGraph_t captured = nullptr;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    launch_on(stream);
    must(cudaStreamEndCapture(stream, &captured));
    must(cudaGraphInstantiate(&graph, captured, 0));
    must(cudaGraphDestroy(captured));
  }
  void launch_on(cudaStream_t where) {
    nothing<<<(count + 255) / 256, 256, 0, where>>>(2.0F, x, y, count);
    must(cudaPeekAtLastError());
  }
};

}  // namespace

void operations::add_raw(const std::string& way) {
  const auto all = std::make_shared<Objects>();
  const auto add = [&](const char* name, auto operation) {
    operations::add(name, way, [all, operation]() { operation(*all); });
  };
  add(allocation, [](Objects& o) {
    void* made = nullptr;
    must(cudaMallocAsync(&made, bytes, o.stream));
    must(cudaFreeAsync(made, o.stream));
  });
  add(upload, [](Objects& o) {
    must(cudaMemcpyAsync(o.x, o.host.data(), bytes, cudaMemcpyHostToDevice, o.stream));
    must(cudaStreamSynchronize(o.stream));
  });
  add(download, [](Objects& o) {
    std::vector<float> made(count);
    must(cudaMemcpyAsync(made.data(), o.x, bytes, cudaMemcpyDeviceToHost, o.stream));
    must(cudaStreamSynchronize(o.stream));
    use(made);
  });
  add(copying, [](Objects& o) {
    must(cudaMemcpyAsync(o.y, o.x, bytes, cudaMemcpyDeviceToDevice, o.stream));
  });
  add(fill, [](Objects& o) { must(cudaMemsetAsync(o.x, 0, bytes, o.stream)); });
  add(kept_event, [](Objects& o) {
    must(cudaEventRecord(o.kept, o.stream));
    must(cudaStreamWaitEvent(o.other, o.kept, 0));
  });
  add(new_event, [](Objects& o) {
    cudaEvent_t made = nullptr;
    must(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    must(cudaEventRecord(made, o.stream));
    must(cudaStreamWaitEvent(o.other, made, 0));
    must(cudaEventDestroy(made));
  });
  add(library, [alpha = 1.0F](Objects& o) {
    must(cublasSaxpy(o.blas, static_cast<int>(count), &alpha, o.x, 1, o.y, 1));
  });
  add(launching, [](Objects& o) { o.launch_on(o.stream); });
  add(foreign_launch, [](Objects& o) { o.launch_on(o.other); });
  add(graph, [](Objects& o) { must(cudaGraphLaunch(o.graph, o.stream)); });
  add(synchronising, [](Objects& o) { must(cudaStreamSynchronize(o.other)); });
}
