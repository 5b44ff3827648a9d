// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/host/thread_loop.hpp>
#include <warpsafe/detail/host_thread.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/launch_shape.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Kernels for tests of the host backend itself: entries by hand, as kernel.hpp makes them for
// users.

namespace warpsafe::host_test {

using detail::HostThread;
using host::HostStatus;

/// The GPU thread that runs. By its own function, since a kernel on a fibre must not keep the
/// address.
[[nodiscard]] inline HostThread& self() noexcept { return *detail::host_thread; }

inline void sync_block(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  self().sync(self(), file, line);
}
[[nodiscard]] inline unsigned thread_number() noexcept {
  const HostThread& me = self();
  return me.thread[0] + me.block_dim[0] * (me.thread[1] + me.block_dim[1] * me.thread[2]);
}
[[nodiscard]] inline unsigned block_number() noexcept {
  const HostThread& me = self();
  return me.block[0] + me.grid_dim[0] * (me.block[1] + me.grid_dim[1] * me.block[2]);
}

template <class... P>
inline constexpr ParameterInfo parameters_of[] = {
    {sizeof(P), alignof(P), std::is_pointer_v<P>,
     std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>>}...,
    {}};

template <class... P>
struct Thunk {
  static void invoke(const void* function, void** args) {
    call(reinterpret_cast<void (*)(P...)>(const_cast<void*>(function)), args,
         std::index_sequence_for<P...>{});
  }
  template <std::size_t... I>
  static void call(void (*function)(P...), [[maybe_unused]] void** args,
                   std::index_sequence<I...>) {
    host::play_threads(self(), [&] { function(*static_cast<P*>(args[I])...); });
  }
};

template <class... P>
[[nodiscard]] KernelEntry entry_of(void (*function)(P...)) {
  return {reinterpret_cast<const void*>(function), &Thunk<P...>::invoke, parameters_of<P...>,
          static_cast<std::uint32_t>(sizeof...(P))};
}

[[nodiscard]] inline LaunchShape shape_of(std::uint32_t blocks, std::uint32_t threads,
                                          std::uint64_t dynamic_shared = 0) {
  LaunchShape shape;
  const std::uint32_t grid[3] = {blocks, 1, 1};
  const std::uint32_t block[3] = {threads, 1, 1};
  for (int i = 0; i < 3; ++i) {
    shape.grid[i] = grid[i];
    shape.block[i] = block[i];
  }
  shape.dynamic_shared = dynamic_shared;
  return shape;
}

/// Launches by the backend's own member, and returns its status.
template <class... P>
[[nodiscard]] int launch(host::StreamState* stream, const LaunchShape& shape,
                         void (*function)(P...), std::type_identity_t<P>... values) {
  void* args[] = {const_cast<void*>(static_cast<const void*>(&values))..., nullptr};
  return host_backend::launch(entry_of(function), shape, args, stream);
}

/// A fresh model for each test, and a stream of device 0.
class HostTest : public ::testing::Test {
 protected:
  HostTest() {
    host::reset();
    EXPECT_EQ(host_backend::stream_create(stream, 0), 0);
  }
  ~HostTest() override {
    EXPECT_EQ(host_backend::stream_destroy(stream), 0);
    host::reset();
  }

  [[nodiscard]] int synchronize() const { return host_backend::stream_synchronize(stream); }
  template <class T>
  [[nodiscard]] T* device_array(std::size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(host_backend::allocate(memory, count * sizeof(T), stream), 0);
    return static_cast<T*>(memory);
  }
  void release(void* memory) { EXPECT_EQ(host_backend::deallocate(memory, stream), 0); }

  host::StreamState* stream = nullptr;
};

}  // namespace warpsafe::host_test
