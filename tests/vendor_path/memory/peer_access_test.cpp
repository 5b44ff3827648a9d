// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory of one device in the work of another, as the vendors' runtimes answer about it.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/memory.hpp>

#if defined(WARPSAFE_BACKEND_CUDA)
#include <sys/mman.h>
#endif

#include <optional>
#include <type_traits>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
constexpr ws::LaunchConfig one_block{ws::grid<1>, ws::block<64>};

class PeerAccess : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    streams_.emplace(Streams{make_stream(0), make_stream(1)});
    buffers_.emplace(Buffers{ws::DeviceBuffer<float>::create(here(), 64).value(),
                             ws::DeviceBuffer<float>::create(there(), 64).value()});
  }
  void TearDown() override {
    buffers_.reset();
    streams_.reset();
    VendorTest::TearDown();
  }
  [[nodiscard]] const ws::Stream& here() const { return streams_->here; }
  [[nodiscard]] const ws::Stream& there() const { return streams_->there; }
  [[nodiscard]] ws::DeviceBuffer<float>& near() { return buffers_->near; }
  [[nodiscard]] ws::DeviceBuffer<float>& far() { return buffers_->far; }

  /// No device can access another's memory. CUDA begins that way.
  static void forbid() {
#if !defined(WARPSAFE_BACKEND_CUDA)
    amd_control_set_peers(0);
#endif
  }
  /// Whether device 0 can access the buffers of device 1 from now on.
  static void allow(bool allowed = true) {
#if defined(WARPSAFE_BACKEND_CUDA)
    cudaMemPool_t pool = nullptr;
    ASSERT_EQ(cudaDeviceGetMemPool(&pool, 1), cudaSuccess);
    cudaMemAccessDesc access{};
    access.location = {cudaMemLocationTypeDevice, 0};
    access.flags = allowed ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    ASSERT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
#else
    amd_control_set_peers(allowed ? 1 : 0);
#endif
  }
  [[nodiscard]] ws::result<void> launch_far() {
    return ws::launch(here(), one_block, ws::kernel<captured>, far().view());
  }

 private:
  struct Streams {
    ws::Stream here;
    ws::Stream there;
  };
  struct Buffers {
    ws::DeviceBuffer<float> near;
    ws::DeviceBuffer<float> far;
  };
  std::optional<Streams> streams_;
  std::optional<Buffers> buffers_;
};

TEST_F(PeerAccess, AKernelNeedsItAndItIsAskedOnceForABuffer) {
  forbid();
  const ws::LaunchError error = error_in(launch_far());
  EXPECT_EQ(error.code, ws::Errc::memory_wrong_device);
  EXPECT_EQ(error.argument(), 1U);
  EXPECT_EQ(error.value, 0U);
  EXPECT_EQ(error.limit, 1U);
  EXPECT_TRUE(launches().empty());
  allow();
  EXPECT_THAT(launch_far(), Succeeds());
  const std::string asked = is_cuda ? "PointerGetAttributes" : "DeviceCanAccessPeer";
  const auto before = count(asked);
  EXPECT_THAT(launch_far(), Succeeds());
  EXPECT_EQ(count(asked), before);
}

/// Plain memory, of cudaMalloc or hipMalloc, on device 1.
class PlainMemory {
 public:
  PlainMemory() {
    EXPECT_EQ(Backend::set_device(1), 0);
    EXPECT_EQ(Backend::allocate_unordered(memory_, 256), 0);
    EXPECT_EQ(Backend::set_device(0), 0);
  }
  PlainMemory(const PlainMemory&) = delete;
  PlainMemory& operator=(const PlainMemory&) = delete;
  ~PlainMemory() { EXPECT_EQ(Backend::deallocate_unordered(memory_), 0); }
  [[nodiscard]] auto trusted() const { return ws::trust(static_cast<const float*>(memory_)); }
  /// Device 0 can access it.
  static void allow() {
#if defined(WARPSAFE_BACKEND_CUDA)
    ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
#else
    amd_control_set_peers(1);
#endif
  }

 private:
  void* memory_ = nullptr;
};

TEST_F(PeerAccess, OfATrustedPointerIsAsked) {
  forbid();
  const PlainMemory far_memory;
  const auto launched = [&] {
    return ws::launch(here(), one_block, ws::kernel<captured>, far_memory.trusted());
  };
  const ws::LaunchError error = error_in(launched());
  EXPECT_EQ(error.code, ws::Errc::memory_wrong_device);
  EXPECT_EQ(error.argument(), 1U);
  EXPECT_EQ(error.value, 0U);
  EXPECT_EQ(error.limit, 1U);
  const auto span = ws::launch(here(), one_block, ws::kernel<captured>,
                               ws::trust(far().view().pointer().get(), 64));
  EXPECT_EQ(error_in(span).code, ws::Errc::memory_wrong_device);
  EXPECT_TRUE(launches().empty());
  // Right programs: memory of the stream's device, and of another after the access is allowed.
  EXPECT_THAT(
      ws::launch(here(), one_block, ws::kernel<captured>, ws::trust(near().view().pointer().get())),
      Succeeds());
  PlainMemory::allow();
  EXPECT_THAT(launched(), Succeeds());
#if defined(WARPSAFE_BACKEND_CUDA)
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(error_in(launched()).code, ws::Errc::memory_wrong_device);
#endif
}

TEST_F(PeerAccess, TheStreamsOwnDeviceIsNotAsked) {
  const ws::Stream other = make_stream(0);
  const std::string asked = is_cuda ? "PointerGetAttributes" : "DeviceCanAccessPeer";
  const auto before = count(asked);
  EXPECT_THAT(ws::launch(other, one_block, ws::kernel<captured>, near().view()), Succeeds());
  EXPECT_EQ(count(asked), before);
}

#if defined(WARPSAFE_BACKEND_CUDA)
// The setting of the pool succeeds, and work with the memory does nothing.
TEST_F(PeerAccess, OfDevicesThatCannotBePeersIsRefusedAlthoughItWasAllowed) {
  stand_in_cuda_set_peers(0);
  allow();
  EXPECT_EQ(error_in(launch_far()).code, ws::Errc::memory_wrong_device);
  EXPECT_TRUE(launches().empty());
  stand_in_cuda_set_peers(1);
  EXPECT_THAT(launch_far(), Succeeds());
}

TEST_F(PeerAccess, OfMemoryInAStructureIsAskedToo) {
  const auto launched = [&](ws::DeviceBuffer<float>& buffer) {
    return ws::launch(here(), one_block, ws::kernel<inside>, Inside{1, buffer.view().span()});
  };
  EXPECT_THAT(launched(near()), Succeeds());
  const ws::LaunchError error = error_in(launched(far()));
  EXPECT_EQ(error.code, ws::Errc::memory_wrong_device);
  EXPECT_EQ(error.subcode, ws::Subcode::in_structure);
  EXPECT_EQ(error.argument(), 1U);
  allow();
  EXPECT_THAT(launched(far()), Succeeds());
  EXPECT_EQ(launches().size(), 2U);
}

TEST_F(PeerAccess, OfOneKindOfMemoryIsNotThatOfTheOther) {
  ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(error_in(launch_far()).code, ws::Errc::memory_wrong_device)
      << "a buffer is in a memory pool";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  void* plain = nullptr;
  ASSERT_EQ(cudaMalloc(&plain, 256), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  const auto pointer = ws::trust(static_cast<float*>(plain));
  EXPECT_THAT(ws::launch(here(), one_block, ws::kernel<captured>, pointer), Succeeds());
  ASSERT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(error_in(ws::launch(here(), one_block, ws::kernel<captured>, pointer)).code,
            ws::Errc::memory_wrong_device);
  EXPECT_EQ(cudaFree(plain), cudaSuccess);
}

// The pool's setting at the capture counts, and CUDA cannot be asked about the memory.
TEST_F(PeerAccess, OfMemoryThatAGraphAllocatesIsThatOfItsCapture) {
  for (const bool allowed : {false, true}) {
    SCOPED_TRACE(allowed);
    allow(allowed);
    std::optional<ws::DeviceBuffer<float>> made;
    const auto is_as_it_was = [&](const ws::result<void>& used) {
      if (allowed) {
        EXPECT_THAT(used, Succeeds());
      } else {
        EXPECT_EQ(error_in(used).code, ws::Errc::memory_wrong_device);
      }
    };
    const auto use = [&] {
      is_as_it_was(ws::launch(here(), one_block, ws::kernel<captured>, made->view()));
      is_as_it_was(made->zero(here()));
      // The checks know only the address.
      const ws::DeviceSpan<float> span = made->view().span();
      const float* const address = span.pointer().get() + 63;
      is_as_it_was(ws::launch(here(), one_block, ws::kernel<captured>, ws::trust(address)));
      is_as_it_was(ws::launch(here(), one_block, ws::kernel<captured>, ws::trust(address, 1)));
      is_as_it_was(ws::launch(here(), one_block, ws::kernel<captured>, span));
      is_as_it_was(ws::launch(here(), one_block, ws::kernel<inside>, Inside{1, span}));
      if (!allowed) return;
      const float* const end = address + 1;
      EXPECT_THAT(ws::launch(here(), one_block, ws::kernel<captured>, ws::trust(end)), Succeeds());
    };
    auto graph = ws::capture(there(), [&](ws::Capture&) -> ws::result<void> {
      WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<float>::create(there(), 64));
      made = std::move(buffer);
      WARPSAFE_TRYV(made->zero(there()));
      {
        WARPSAFE_TRY(const auto guard, ws::DeviceGuard::create(ws::DeviceId(1)));
        WARPSAFE_TRYV(ws::wait(here(), there().record().value()));
      }
      use();
      return ws::wait(there(), here().record().value());
    });
    ASSERT_THAT(graph, Succeeds());
    allow(!allowed);
    auto exec = graph.value().instantiate().value();
    ASSERT_THAT(exec.launch(there()), Succeeds());
    ASSERT_THAT(there().synchronize(), Succeeds());
    use();
    ASSERT_THAT(here().synchronize(), Succeeds());
  }
}

TEST_F(PeerAccess, OfMemoryThatAGraphAllocatesIsAssumedIfTheRuntimeCannotTell) {
  allow(false);
  const auto graph = ws::capture(there(), [&](ws::Capture&) -> ws::result<void> {
    fail("MemPoolGetAccess", 1, code::unknown);
    WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(there(), 64));
    {
      WARPSAFE_TRY(const auto guard, ws::DeviceGuard::create(ws::DeviceId(1)));
      WARPSAFE_TRYV(ws::wait(here(), there().record().value()));
    }
    EXPECT_THAT(ws::launch(here(), one_block, ws::kernel<captured>, made.view()), Succeeds());
    return ws::wait(there(), here().record().value());
  });
  ASSERT_THAT(graph, Succeeds());
}

TEST_F(PeerAccess, AnAddressOfMemoryThatAGraphAllocatesIsKnownInItsCapture) {
  const float at_host = 0;
  const auto graph = ws::capture(here(), [&](ws::Capture&) -> ws::result<void> {
    WARPSAFE_TRY(auto made, ws::DeviceBuffer<float>::create(here(), 64));
    const auto span = made.view().span();
    WARPSAFE_TRYV(ws::launch(here(), one_block, ws::kernel<captured>,
                             ws::trust(made.view().pointer().get())));
    WARPSAFE_TRYV(ws::launch(here(), one_block, ws::kernel<inside>, Inside{1, span}));
    const auto refused = ws::launch(here(), one_block, ws::kernel<captured>, ws::trust(&at_host));
    EXPECT_EQ(error_in(refused).code, ws::Errc::argument_host_pointer);
    return ws::success();
  });
  EXPECT_THAT(graph, Succeeds());
}

TEST_F(PeerAccess, AnAddressOfMemoryThatAGraphAllocatesIsKnownInACaptureOfOtherCode) {
  ASSERT_EQ(begin_capture(here().native()), code::success);
  {
    auto made = ws::DeviceBuffer<float>::create(here(), 64).value();
    const auto span = made.view().span();
    EXPECT_THAT(
        ws::launch(here(), one_block, ws::kernel<captured>, ws::trust(span.pointer().get())),
        Succeeds());
    EXPECT_THAT(ws::launch(here(), one_block, ws::kernel<inside>, Inside{1, span}), Succeeds());
  }
  void* memory = nullptr;  // that only the runtime's stream knows
  ASSERT_EQ(cudaMallocAsync(&memory, 256, here().native()), cudaSuccess);
  const auto trusted = ws::trust(static_cast<const float*>(memory));
  EXPECT_THAT(ws::launch(here(), one_block, ws::kernel<captured>, trusted), Succeeds());
  EXPECT_EQ(cudaFreeAsync(memory, here().native()), cudaSuccess);
  EXPECT_EQ(end_capture(here().native()), 7);
}

// At level off nothing asks whether other code captures.
TEST_F(PeerAccess, OfAnUncheckedBufferInACaptureOfOtherCodeIsNotKnown) {
  ASSERT_EQ(begin_capture(there().native()), code::success);
  auto made = ws::DeviceBuffer<float>::create<ws::CheckLevel::off>(there(), 64).value();
  {
    const auto guard = ws::DeviceGuard::create(ws::DeviceId(1));
    ASSERT_THAT(ws::wait(here(), there().record().value()), Succeeds());
  }
  EXPECT_THAT(ws::launch(here(), one_block, ws::kernel<captured>, made.view()), Succeeds());
  ASSERT_THAT(ws::wait(there(), here().record().value()), Succeeds());
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(there().native(), &graph), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, there().native()), cudaSuccess);
  EXPECT_THAT(made.close(), Succeeds());
  ASSERT_THAT(there().synchronize(), Succeeds());
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(PeerAccess, AnAddressIsNoMemoryOfAGraphForAStreamThatDoesNotCapture) {
  void* const freed = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(freed, MAP_FAILED);
  const ws::Stream other = make_stream(0);
  const auto graph = ws::capture(here(), [&](ws::Capture&) -> ws::result<void> {
    const auto launched = ws::launch(other, one_block, ws::kernel<captured>,
                                     ws::trust(static_cast<const float*>(freed)));
    EXPECT_EQ(error_in(launched).code, ws::Errc::argument_host_pointer);
    return ws::success();
  });
  EXPECT_THAT(graph, Succeeds());
  EXPECT_EQ(munmap(freed, 4096), 0);
}

// Its memory is only needed as the graph runs.
TEST_F(PeerAccess, ATableOfMemoryThatAGraphAllocatesMayBeMadeBeforeItRuns) {
  std::optional<ws::DeviceBuffer<float>> made;
  const auto graph = ws::capture(here(), [&](ws::Capture&) -> ws::result<void> {
    WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<float>::create(here(), 64));
    made = std::move(buffer);
    return made->zero(here());
  });
  ASSERT_THAT(graph, Succeeds());
  const std::vector<float*> addresses{made->view().pointer().get()};
  EXPECT_THAT(ws::DeviceBuffer<float*>::from(here(), addresses), Succeeds());
  const auto early =
      error_in(ws::launch(here(), one_block, ws::kernel<captured>, ws::trust(addresses[0])));
  EXPECT_EQ(early.code, ws::Errc::memory_closed);
  EXPECT_EQ(early.subcode, ws::Subcode::graph_idle);
  ASSERT_THAT(graph.value().instantiate().value().launch(here()), Succeeds());
  EXPECT_THAT(ws::launch(here(), one_block, ws::kernel<captured>, ws::trust(addresses[0])),
              Succeeds());
}
#endif

TEST_F(PeerAccess, AFillNeedsIt) {
  forbid();
  const ws::LaunchError error = error_in(far().zero(here()));
  EXPECT_EQ(error.code, ws::Errc::memory_wrong_device);
  EXPECT_THAT(far().zero(there()), Succeeds());
  allow();
  EXPECT_THAT(far().zero(here()), Succeeds());
}

TEST_F(PeerAccess, CopiesNeedNone) {
  forbid();
  EXPECT_THAT(ws::copy_and_wait(here(), ws::from(std::vector<float>(64, 3.0F)), ws::to(far())),
              Succeeds());
  EXPECT_THAT(ws::copy(here(), ws::from(far()), ws::to(near())), Succeeds());
  EXPECT_THAT(ws::copy(here(), ws::from(far().view().subspan(8, 8).value()),
                       ws::to(far().view().subspan(0, 8).value())),
              Succeeds());
  EXPECT_EQ(near().to_host(here()).get().value(), std::vector<float>(64, 3.0F));
  EXPECT_EQ(far().to_host(here()).get().value(), std::vector<float>(64, 3.0F));
  EXPECT_THAT(ws::copy_and_wait(there(), ws::from(std::vector<float>(64, 4.0F)), ws::to(far())),
              Succeeds());
  EXPECT_EQ(far().to_host(here()).get().value(), std::vector<float>(64, 4.0F));
  EXPECT_THAT(ws::copy(there(), ws::from(far()), ws::to(near())), Succeeds());
  EXPECT_EQ(near().to_host(there()).get().value(), std::vector<float>(64, 4.0F));
  EXPECT_EQ(ws::current_device().value(), ws::DeviceId(0));
  const ws::extent<2> size{ws::rows{4}, ws::cols{4}};
  auto to = ws::PitchedBuffer<float>::create(here(), size).value();
  auto from = ws::PitchedBuffer<float>::create(there(), size).value();
  EXPECT_THAT(ws::copy(here(), ws::from(from), ws::to(to)), Succeeds());
  EXPECT_THAT(here().synchronize(), Succeeds());
}

// A copy of another device's memory is a use of that memory: it is freed after the copy.
TEST_F(PeerAccess, ACopyIsFinishedBeforeTheMemoryIsFreed) {
  forbid();
  auto gone = ws::DeviceBuffer<float>::create(there(), 64).value();
  ASSERT_THAT(ws::copy(here(), ws::from(gone), ws::to(near())), Succeeds());
  const auto before = count("StreamWaitEvent");
  ASSERT_THAT(gone.close(), Succeeds());
  EXPECT_EQ(count("StreamWaitEvent"), before + 1) << "device 1's stream waits for device 0's";
}

}  // namespace
}  // namespace vendor_test
