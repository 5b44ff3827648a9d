// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A function with a frame of FRAME_BYTES: two libraries that differ in nothing else.

extern "C" [[gnu::visibility("default")]] unsigned pass_on(unsigned (*call)()) {
  char room[FRAME_BYTES];
  asm volatile("" ::"r"(room) : "memory");
  const unsigned number = call();
  asm volatile("" ::"r"(room) : "memory");
  return number;
}
