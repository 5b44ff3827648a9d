// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Functions with every kind of frame that compilers make, which call each other at random and
// allocate memory: for walk_check.cpp.

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include <cstdarg>
#include <cstddef>

namespace {

unsigned state = 1;
unsigned chance(unsigned below) {
  state = state * 1664525U + 1013904223U;
  return (state >> 8U) % below;
}

/// Memory that the compiler cannot leave out.
[[gnu::noinline]] void allocate(std::size_t bytes) {
  void* memory = malloc(bytes);
  asm volatile("" : "+r"(memory)::"memory");
  free(memory);
}
[[gnu::noinline]] long next(int depth, long value);
/// Keeps a value, so that the call before it is no jump.
[[gnu::always_inline]] inline long keep(long value) {
  asm volatile("" : "+r"(value)::"memory");
  return value;
}

[[gnu::noinline]] long plain(int depth, long value) { return keep(next(depth, value)) + 1; }
[[gnu::noinline]] long with_room(int depth, long value) {
  auto* const room = static_cast<volatile char*>(alloca(16 + chance(3000)));
  room[0] = 1;
  return next(depth, value) + room[0];
}
template <std::size_t Alignment>
[[gnu::noinline]] long realigned(int depth, long value) {
  alignas(Alignment) volatile double line[Alignment];
  for (std::size_t i = 0; i < Alignment; ++i) line[i] = static_cast<double>(i);
  return keep(next(depth, value)) + static_cast<long>(line[3]);
}
template <std::size_t Alignment>
[[gnu::noinline]] long realigned_with_room(int depth, long value) {
  alignas(Alignment) volatile double line[Alignment];
  line[1] = 2;
  auto* const room = static_cast<volatile char*>(alloca(16 + chance(3000)));
  room[0] = 1;
  return keep(next(depth, value)) + static_cast<long>(line[1]) + room[0];
}
using Lanes = double __attribute__((vector_size(32)));
[[gnu::noinline]] long with_lanes(int depth, long value) {
  const double one = static_cast<double>(value);
  Lanes lanes = {one, 1, 2, 3};
  asm volatile("" : "+m"(lanes));
  const long result = next(depth, value);
  asm volatile("" : "+m"(lanes));
  return result + static_cast<long>(lanes[2]);
}
[[gnu::noinline]] long with_many_values(int depth, long value) {
  long a = keep(value + 1), b = keep(value + 2), c = keep(value + 3), d = keep(value + 4);
  long e = keep(value + 5), f = keep(value + 6);
  const long result = next(depth, value);
  return keep(result + a + b) + keep(c + d) + keep(e + f);
}
[[gnu::noinline]] long ten(int depth, long a, long b, long c, long d, long e, long f, long g,
                           long h, long i) {
  return keep(next(depth, a + b)) + c + d + e + f + g + h + i;
}
[[gnu::noinline]] long with_arguments_on_the_stack(int depth, long value) {
  return ten(depth, value, 2, 3, 4, 5, 6, 7, 8, keep(9)) + value;
}
[[gnu::noinline]] long any_number(int depth, ...) {
  va_list list;
  va_start(list, depth);
  const long value = va_arg(list, long);
  const long result = next(depth, value) + va_arg(list, long);
  va_end(list);
  return result;
}
[[gnu::noinline]] long with_any_number(int depth, long value) {
  return any_number(depth, value, 1L, 2L, 3.0, 4.0, 5L, 6L, 7L, 8L) + 1;
}
struct Value {
  long kept;
  ~Value() { keep(kept); }
};
/// The call is the last instruction of its function: the return address is behind it.
[[noreturn, gnu::noinline]] void leave(int depth, long value) {
  const Value last{next(depth, value)};
  throw last.kept;
}
[[gnu::noinline]] long with_exception(int depth, long value) {
  try {
    leave(depth, value);
  } catch (long result) {
    return keep(next(depth / 2, result));
  }
}
struct Asked {
  int depth;
  long result;
};
Asked asked;
int compare(const void*, const void*) {
  const Asked mine = asked;
  asked.depth = 0;
  if (mine.depth > 0) asked.result += next(mine.depth, asked.result);
  return 0;
}
[[gnu::noinline]] long with_library(int depth, long value) {
  asked = {depth, value};
  int numbers[2] = {2, 1};
  ::qsort(numbers, 2, sizeof numbers[0], compare);
  return asked.result;
}
void* thread(void* argument) {
  auto* const mine = static_cast<Asked*>(argument);
  mine->result = next(mine->depth, mine->result);
  return nullptr;
}
[[gnu::noinline]] long with_thread(int depth, long value) {
  Asked mine{depth, value};
  pthread_t handle;
  if (chance(40) != 0) return keep(next(depth, value)) + 3;
  if (::pthread_create(&handle, nullptr, thread, &mine) != 0) return value;
  ::pthread_join(handle, nullptr);
  return mine.result;
}
/// The handler runs on the frame of an interrupted function.
void on_signal(int) { allocate(1); }
[[gnu::noinline]] long with_signal(int depth, long value) {
  if (chance(200) == 0) ::raise(SIGUSR1);
  return keep(next(depth, value)) + 4;
}
ucontext_t inside, outside;
bool is_other = false;
void on_other_stack() { asked.result = next(asked.depth, asked.result); }
[[gnu::noinline]] long with_other_stack(int depth, long value) {
  if (is_other || chance(200) != 0) return keep(next(depth, value)) + 2;
  static char stack[1 << 20];
  is_other = true;
  asked = {depth, value};
  ::getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &outside;
  ::makecontext(&inside, on_other_stack, 0);
  ::swapcontext(&outside, &inside);
  is_other = false;
  return asked.result;
}

[[gnu::noinline]] long next(int depth, long value) {
  constexpr long (*kinds[])(int, long) = {plain,
                                          with_room,
                                          realigned<32>,
                                          realigned<64>,
                                          realigned_with_room<32>,
                                          with_lanes,
                                          realigned_with_room<64>,
                                          with_many_values,
                                          with_arguments_on_the_stack,
                                          with_any_number,
                                          with_exception,
                                          with_library,
                                          with_thread,
                                          with_signal,
                                          with_other_stack};
  allocate(16 + chance(100));
  if (depth <= 0) return value;
  return kinds[chance(sizeof kinds / sizeof kinds[0])](depth - 1, value) + 1;
}

}  // namespace

int main() {
  ::signal(SIGUSR1, on_signal);
  long sum = 0;
  for (int turn = 0; turn < 200; ++turn) sum += next(20, turn);
  return sum == 42 ? 1 : 0;
}
