// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Calls through a library whose stack is as deep as PyTorch's, without frame pointers and with
// realigned frames.

#include <alloca.h>

#include <cstddef>

namespace {

using Call = void (*)(void*);

template <int Depth>
[[gnu::noinline]] void pass_on(Call call, void* argument) {
  if constexpr (Depth == 0) {
    call(argument);
  } else if constexpr (Depth % 10 == 5) {
    alignas(64) char line[64];
    void* const room = ::alloca(Depth * std::size_t{16});
    asm volatile("" ::"r"(line), "r"(room) : "memory");
    pass_on<Depth - 1>(call, argument);
    asm volatile("" ::"r"(line), "r"(room) : "memory");
  } else {
    char room[Depth * 24];
    asm volatile("" ::"r"(room) : "memory");
    pass_on<Depth - 1>(call, argument);
    asm volatile("" ::"r"(room) : "memory");
  }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void call_through_torch(Call call, void* argument) {
  pass_on<30>(call, argument);
  asm volatile("");  // no tail call
}
