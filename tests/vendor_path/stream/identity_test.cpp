// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A handle is no identity: CUDA gives a destroyed stream's handle to the next stream while the old
// work still runs, has one value for a stream in each thread, and one for each device's legacy
// stream.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/memory.hpp>

#if defined(WARPSAFE_BACKEND_CUDA)

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
constexpr ws::LaunchConfig once{ws::grid<1>, ws::block<64>};
constexpr std::size_t elements = 64;

/// A thread that does one piece of work after another.
class Worker {
 public:
  void operator()(std::function<void()> work) {
    std::packaged_task<void()> task(std::move(work));
    std::future<void> done = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      next_ = std::move(task);
    }
    changed_.notify_one();
    done.get();
  }
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ended_ || next_.has_value(); });
      if (!next_.has_value()) return;
      std::packaged_task<void()> task = std::move(*next_);
      next_.reset();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::packaged_task<void()>> next_;
  bool ended_ = false;
  std::thread thread_{[this] { run(); }};
};

class StreamIdentity : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    owner_.emplace(make_stream());
    buffer_.emplace(ws::DeviceBuffer<float>::create(*owner_, elements).value());
    ASSERT_THAT(buffer_->zero(*owner_), Succeeds());
    // The launches of earlier tests never ended.
    ws::debug::mark_device_idle(ws::Vendor::nvidia, 0);
  }
  void TearDown() override {
    reset();  // releases each stream
    buffer_.reset();
    owner_.reset();
    VendorTest::TearDown();
  }
  [[nodiscard]] const ws::Stream& owner() const { return *owner_; }
  [[nodiscard]] ws::DeviceBuffer<float>& buffer() { return *buffer_; }

  [[nodiscard]] static ws::StreamRef special(NativeStream handle, int device = 0) {
    return ws::StreamRef::borrow(handle, ws::DeviceId(device)).value();
  }
  /// The kernel reads the buffer when it runs.
  static void launch_on(ws::StreamRef stream, const ws::DeviceBuffer<float>& buffer) {
    ASSERT_THAT(ws::launch(stream, once, ws::kernel<captured>, buffer.view()), Succeeds());
  }
  /// Makes a stream whose work, with the buffer, does not end, and destroys it. Returns a stream
  /// with the same handle.
  [[nodiscard]] ws::Stream with_handle_of_a_busy_one() {
    NativeStream handle = nullptr;
    {
      const ws::Stream busy = make_stream();
      handle = busy.native();
      stand_in_cuda_hold(handle);
      launch_on(busy, buffer());
    }
    ws::Stream second = make_stream();
    EXPECT_EQ(second.native(), handle);
    return second;
  }
  /// Closes the buffer, and returns whether its memory is still there.
  [[nodiscard]] static bool is_kept_at_close(ws::DeviceBuffer<float>& of) {
    const void* const memory = of.view().pointer().get();
    EXPECT_THAT(of.close(), Succeeds());
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, memory), cudaSuccess);
    return attributes.type == cudaMemoryTypeDevice;
  }
  /// If a thread ended before a free behind other work on its own default stream, the driver would
  /// wait for ever (H200, driver 580).
  static void expect_free_on_legacy() {
    unsigned frees = 0;
    for (const auto& call : recorded_calls()) {
      const std::string arguments = call.arguments;
      if (!std::string(call.function).ends_with("FreeAsync")) continue;
      EXPECT_TRUE(arguments.ends_with(", 0x1")) << arguments;
      ++frees;
    }
    EXPECT_EQ(frees, 1U);
  }

 private:
  std::optional<ws::Stream> owner_;
  std::optional<ws::DeviceBuffer<float>> buffer_;
};

TEST_F(StreamIdentity, FreeWaitsForADestroyedStreamWhoseHandleCameBack) {
  const ws::Stream second = with_handle_of_a_busy_one();
  launch_on(second, buffer());
  EXPECT_TRUE(is_kept_at_close(buffer())) << "the destroyed stream's kernel still uses it";
}

TEST_F(StreamIdentity, WaitForATokenIsForTheDestroyedStreamsCopy) {
  auto pinned = ws::PinnedBuffer<float>::create(elements).value();
  for (float& one : pinned.span()) one = -1;
  std::optional<ws::Pending<ws::PinnedBuffer<float>>> pending;
  NativeStream handle = nullptr;
  {
    const ws::Stream busy = make_stream();
    handle = busy.native();
    stand_in_cuda_hold(handle);
    pending.emplace(ws::copy(busy, ws::from(std::as_const(buffer())), ws::to(std::move(pinned))));
  }
  const ws::Stream second = make_stream();
  ASSERT_EQ(second.native(), handle);
  launch_on(second, buffer());
  auto value = std::async(std::launch::async, [&] {
    auto [got] = ws::synchronize(second.ref(), std::move(*pending)).value();
    return got.span()[elements - 1];
  });
  EXPECT_EQ(value.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout)
      << "the copy has not ended";
  stand_in_cuda_release(handle);
  EXPECT_EQ(value.get(), 0);
}

TEST_F(StreamIdentity, SuspectsOfAFaultHaveTheDestroyedStreamsLaunch) {
  const ws::Stream second = with_handle_of_a_busy_one();
  ASSERT_THAT(ws::launch(second, once, ws::kernel<nothing>), Succeeds());
  ASSERT_THAT(second.synchronize(), Succeeds());
  stand_in_cuda_fault_kernel(launches().front().kernel, cudaErrorIllegalAddress);
  stand_in_cuda_release(second.native());
  const ws::LaunchError fault = error_in(owner().synchronize());
  ws::LaunchRecord suspects[4];
  ASSERT_EQ(ws::debug::suspects(fault, suspects, 4), 1U);
  EXPECT_NE(std::string(suspects[0].kernel.data, suspects[0].kernel.size).find("captured"),
            std::string::npos);
}

TEST_F(StreamIdentity, FreeWaitsForAnotherThreadsPerThreadStream) {
  Worker other;
  auto own = ws::DeviceBuffer<float>::create(special(cudaStreamPerThread), elements).value();
  other([&] {
    stand_in_cuda_hold(cudaStreamPerThread);
    launch_on(special(cudaStreamPerThread), own);
  });
  EXPECT_TRUE(is_kept_at_close(own)) << "the other thread's kernel still uses it";
  expect_free_on_legacy();
}

TEST_F(StreamIdentity, ThreadThatClosesABufferWaitsForTheStreamThatUsesIt) {
  Worker other;
  stand_in_cuda_hold(cudaStreamPerThread);
  auto own = ws::DeviceBuffer<float>::create(special(cudaStreamPerThread), elements).value();
  launch_on(special(cudaStreamPerThread), own);
  other([&] { EXPECT_TRUE(is_kept_at_close(own)); });
  expect_free_on_legacy();
}

TEST_F(StreamIdentity, WaitForATokenIsForTheOtherThreadsStream) {
  auto pinned = ws::PinnedBuffer<float>::create(elements).value();
  for (float& one : pinned.span()) one = -1;
  std::optional<ws::Pending<ws::PinnedBuffer<float>>> pending;
  Worker other;
  other([&] {
    stand_in_cuda_hold(cudaStreamPerThread);
    pending.emplace(ws::copy(special(cudaStreamPerThread), ws::from(std::as_const(buffer())),
                             ws::to(std::move(pinned))));
  });
  auto value = std::async(std::launch::async, [&] {
    auto [got] = ws::synchronize(special(cudaStreamPerThread), std::move(*pending)).value();
    return got.span()[elements - 1];
  });
  EXPECT_EQ(value.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout)
      << "the copy has not ended";
  other([] { stand_in_cuda_release(cudaStreamPerThread); });
  EXPECT_EQ(value.get(), 0);
}

TEST_F(StreamIdentity, FreeWaitsForTheLegacyStreamOfAnotherDevice) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetMemPool(&pool, 1), cudaSuccess);
  cudaMemAccessDesc access{};
  access.location = {cudaMemLocationTypeDevice, 0};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  ASSERT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  auto far = ws::DeviceBuffer<float>::create(special(cudaStreamLegacy, 1), elements).value();
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  stand_in_cuda_hold(cudaStreamLegacy);  // of device 0
  launch_on(special(cudaStreamLegacy, 0), far);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_TRUE(is_kept_at_close(far)) << "the kernel on device 0 still uses it";
}

// The runtime's question for a stream's number breaks the stream's capture (H200, driver 580).
TEST_F(StreamIdentity, BorrowingAStreamBreaksNoCapture) {
  plant_last_error(code::unknown);
  cudaStream_t raw = nullptr;
  ASSERT_EQ(cudaStreamCreate(&raw), cudaSuccess);
  ASSERT_EQ(begin_capture(raw), cudaSuccess);
  launch_on(special(raw), buffer());
  EXPECT_TRUE(ws::StreamRef::borrow(cudaStreamLegacy, ws::DeviceId(0)).has_value());
  EXPECT_TRUE(ws::StreamRef::borrow(cudaStreamPerThread, ws::DeviceId(0)).has_value());
  EXPECT_EQ(end_capture(raw), 1);
  EXPECT_EQ(last_error(), code::unknown);
  EXPECT_EQ(cudaStreamDestroy(raw), cudaSuccess);
}

TEST_F(StreamIdentity, FreeWaitsForABorrowedStreamWhoseHandleCameBack) {
  cudaStream_t raw = nullptr;
  ASSERT_EQ(cudaStreamCreate(&raw), cudaSuccess);
  stand_in_cuda_hold(raw);
  launch_on(special(raw), buffer());
  ASSERT_EQ(cudaStreamDestroy(raw), cudaSuccess);
  cudaStream_t again = nullptr;
  ASSERT_EQ(cudaStreamCreate(&again), cudaSuccess);
  ASSERT_EQ(again, raw);
  launch_on(special(again), buffer());
  EXPECT_TRUE(is_kept_at_close(buffer())) << "the destroyed stream's kernel still uses it";
  EXPECT_EQ(cudaStreamDestroy(again), cudaSuccess);
}

TEST_F(StreamIdentity, EventWithTheHandleOfADestroyedOneIsAnother) {
  const ws::Stream busy = make_stream();
  stand_in_cuda_hold(busy.native());
  const void* handle = nullptr;
  {
    const auto first = busy.ref().record_timed().value();
    handle = first.native();
  }
  const auto second = owner().ref().record_timed().value();
  ASSERT_EQ(second.native(), handle);
  EXPECT_EQ(second.query().value(), ws::Progress::ready);
  EXPECT_THAT(second.synchronize(), Succeeds());
}

}  // namespace
}  // namespace vendor_test
#endif
