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
    alignas(64) volatile char line[64];
    auto* const room = static_cast<volatile char*>(::alloca(Depth * std::size_t{16}));
    line[0] = room[0] = 0;
    pass_on<Depth - 1>(call, argument);
    line[1] = room[1] = 0;
  } else {
    volatile char room[Depth * 24];
    room[0] = 0;
    pass_on<Depth - 1>(call, argument);
    room[1] = 0;
  }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void call_through_torch(Call call, void* argument) {
  pass_on<30>(call, argument);
  asm volatile("");  // no tail call
}
