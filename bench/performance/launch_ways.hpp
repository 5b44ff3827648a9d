// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>

// One launch, made in each way by the same frame, so that two counts differ only by the way.
// A way is a struct with
//   stream_type, grid_type, block_type, result_type     what a caller holds
//   stream(), grid(), block(), in(), out()              values of these, and two device pointers
//   by_size<Kernel>(stream, n, args...)                 a block of 256 threads, and a grid for n
//   by_dims<Kernel>(stream, grid, block, args...)       dimensions known at run time
//   good(result)

/// The kernels' parameters, and one set of arguments for them.
#define PARAMETERS_4(i) float a##i, const float *x##i, float *y##i, std::size_t n##i
#define PARAMETERS_16 PARAMETERS_4(0), PARAMETERS_4(1), PARAMETERS_4(2), PARAMETERS_4(3)
#define ARGUMENTS_4(way) \
  at_run_time(2.0F), at_run_time(way::in()), at_run_time(way::out()), at_run_time(std::size_t{1100})
#define ARGUMENTS_16(way) ARGUMENTS_4(way), ARGUMENTS_4(way), ARGUMENTS_4(way), ARGUMENTS_4(way)

/// The user's function, which is counted: it returns the result, or tests it.
template <class Way, auto Kernel, class... A>
[[gnu::noinline]] typename Way::result_type returned(typename Way::stream_type stream,
                                                     std::size_t n, A... args) {
  return Way::template by_size<Kernel>(stream, n, args...);
}
template <class Way, auto Kernel, class... A>
[[gnu::noinline]] bool inlined(typename Way::stream_type stream, std::size_t n, A... args) {
  return Way::good(Way::template by_size<Kernel>(stream, n, args...));
}
template <class Way, auto Kernel, class... A>
[[gnu::noinline]] typename Way::result_type returned(typename Way::stream_type stream,
                                                     typename Way::grid_type grid,
                                                     typename Way::block_type block, A... args) {
  return Way::template by_dims<Kernel>(stream, grid, block, args...);
}
template <class Way, auto Kernel, class... A>
[[gnu::noinline]] bool inlined(typename Way::stream_type stream, typename Way::grid_type grid,
                               typename Way::block_type block, A... args) {
  return Way::good(Way::template by_dims<Kernel>(stream, grid, block, args...));
}

/// Returns the same value, hidden from the compiler. Otherwise clang++ propagates a caller's
/// constants into the counted function, and more of them into some ways than into others.
template <class T>
[[gnu::always_inline]] inline T at_run_time(T value) {
  asm volatile("" : "+m"(value));
  return value;
}

inline bool all_good = true;
inline void note(bool good) { all_good = all_good && good; }

/// The functions that callgrind counts: count_<way>_<arguments>_<dims>_<result>.
#define COUNT_EACH(way, kernel, arguments, ...)                                                   \
  extern "C" [[gnu::noinline]] void count_##way##_##arguments##_static_returned() {               \
    note(way::good(returned<way, kernel>(                                                         \
        at_run_time(way::stream()), at_run_time(std::size_t{1100}) __VA_OPT__(, ) __VA_ARGS__))); \
  }                                                                                               \
  extern "C" [[gnu::noinline]] void count_##way##_##arguments##_static_inlined() {                \
    note(inlined<way, kernel>(at_run_time(way::stream()),                                         \
                              at_run_time(std::size_t{1100}) __VA_OPT__(, ) __VA_ARGS__));        \
  }                                                                                               \
  extern "C" [[gnu::noinline]] void count_##way##_##arguments##_dynamic_returned() {              \
    note(way::good(returned<way, kernel>(at_run_time(way::stream()), at_run_time(way::grid()),    \
                                         at_run_time(way::block()) __VA_OPT__(, ) __VA_ARGS__))); \
  }                                                                                               \
  extern "C" [[gnu::noinline]] void count_##way##_##arguments##_dynamic_inlined() {               \
    note(inlined<way, kernel>(at_run_time(way::stream()), at_run_time(way::grid()),               \
                              at_run_time(way::block()) __VA_OPT__(, ) __VA_ARGS__));             \
  }
#define COUNT_WAY(way)                            \
  COUNT_EACH(way, none, 0)                        \
  COUNT_EACH(way, four, 4, ARGUMENTS_4(way))      \
  COUNT_EACH(way, sixteen, 16, ARGUMENTS_16(way)) \
  [[maybe_unused]] static void all_of_##way() {   \
    count_##way##_0_static_returned();            \
    count_##way##_0_static_inlined();             \
    count_##way##_0_dynamic_returned();           \
    count_##way##_0_dynamic_inlined();            \
    count_##way##_4_static_returned();            \
    count_##way##_4_static_inlined();             \
    count_##way##_4_dynamic_returned();           \
    count_##way##_4_dynamic_inlined();            \
    count_##way##_16_static_returned();           \
    count_##way##_16_static_inlined();            \
    count_##way##_16_dynamic_returned();          \
    count_##way##_16_dynamic_inlined();           \
  }
