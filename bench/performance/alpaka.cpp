// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The two kernels of host_blocks.cpp on alpaka 3's serial executor, written like its own examples:
// a frame is the block, and one thread walks through all of them. Built only if the caller names
// alpaka's folder (bench/run performance host_backend).

#include <alpaka/alpaka.hpp>
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

namespace {

namespace onAcc = alpaka::onAcc;
namespace onHost = alpaka::onHost;

constexpr std::uint32_t threads = 256;
using Frame = alpaka::CVec<std::uint32_t, threads>;

struct Scale {
  ALPAKA_FN_ACC void operator()(const auto& acc, Frame frame, alpaka::concepts::IMdSpan auto data,
                                float factor) const {
    static_cast<void>(frame);
    for (auto i : onAcc::makeIdxMap(acc, onAcc::worker::threadsInGrid,
                                    alpaka::IdxRange{data.getExtents()})) {
      data[i] *= factor;
    }
  }
};

struct Reverse {
  ALPAKA_FN_ACC void operator()(const auto& acc, Frame frame,
                                alpaka::concepts::IMdSpan auto data) const {
    for (auto first : onAcc::makeIdxMap(
             acc, onAcc::worker::blocksInGrid,
             alpaka::IdxRange{alpaka::Vec{std::uint32_t{0}}, data.getExtents(), frame})) {
      auto held = onAcc::declareSharedMdArray<float, alpaka::uniqueId()>(acc, frame);
      const auto mine = [&] {
        return onAcc::makeIdxMap(acc, onAcc::worker::threadsInBlock, alpaka::IdxRange{frame});
      };
      for (auto i : mine()) held[i] = data[first + i];
      onAcc::syncBlockThreads(acc);
      for (auto i : mine()) data[first + i] = held[alpaka::Vec{threads - 1 - i.x()}];
      onAcc::syncBlockThreads(acc);
    }
  }
};

template <class Launch>
void measure(benchmark::State& state, Launch launch) {
  const auto blocks = static_cast<std::uint32_t>(state.range(0));
  auto selector =
      onHost::makeDeviceSelector(onHost::DeviceSpec{alpaka::api::host, alpaka::deviceKind::cpu});
  onHost::Device device = selector.makeDevice(0);
  onHost::Queue queue = device.makeQueue();
  auto data = onHost::alloc<float>(device, blocks * threads);
  for (std::uint32_t i = 0; i < blocks * threads; ++i) data[i] = 1.0F;
  const onHost::FrameSpec frames{blocks, Frame{}, alpaka::exec::cpuSerial};
  for ([[maybe_unused]] auto iteration : state) {
    launch(queue, frames, data);
    onHost::wait(queue);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(blocks));
}

void without_barrier(benchmark::State& state) {
  measure(state, [](auto& queue, const auto& frames, auto& data) {
    queue.enqueue(frames, Scale{}, Frame{}, data, 1.0001F);
  });
}
void with_barrier(benchmark::State& state) {
  measure(state, [](auto& queue, const auto& frames, auto& data) {
    queue.enqueue(frames, Reverse{}, Frame{}, data);
  });
}

BENCHMARK(without_barrier)
    ->Name("without/alpaka, serial")
    ->Arg(4096)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(with_barrier)
    ->Name("with/alpaka, serial")
    ->Arg(1024)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
