// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Accesses outside of memory, and dynamic shared memory that the launch does not give.

#include "planted.hpp"

namespace planted {
namespace {

constexpr unsigned odd = 100;  // of 128 threads

WARPSAFE_KERNEL void fill_all(float* x, unsigned n) {
  if (here() < n) x[here()] = 1;
}
WARPSAFE_KERNEL void shift(const float* x, float* y, unsigned n, unsigned first) {
  const unsigned i = here();
  if (i < n) y[i] = x[i + 1 - first];
}
WARPSAFE_KERNEL void to_the_left(float* x, unsigned n, int by) {
  const auto i = static_cast<int>(here());
  if (i < static_cast<int>(n)) x[i - by] = 1;
}
WARPSAFE_KERNEL void both(float* x, float* y, unsigned n, unsigned ny) {
  const unsigned i = here();
  if (i < n) x[i] = 1;
  if (i < ny) y[i] = 1;
}
WARPSAFE_KERNEL void by_fours(float* x, unsigned n) {
  const unsigned first = 4 * here();
  for (unsigned i = first; i < first + 4 && first < n; ++i) x[i] = 1;
}
WARPSAFE_KERNEL void strided(float* x, unsigned n, unsigned unit) {
  if (here() < n) x[here() * unit] = 1;
}
WARPSAFE_KERNEL void reverse(float* x, unsigned n) {
  float* const part = ws::dynamic_shared<float>(n);
  const unsigned i = here() % n;
  part[i] = x[i];
  ws::sync_block();
  if (here() < n) x[i] = part[n - 1 - i];
}

/// A program with a buffer of `size` elements, whose work may fail.
template <class Work>
void with_buffer(unsigned size, const Work& work) {
  const auto stream = ws::Stream::create().value();
  auto x = Buffer::create(stream, size).value();
  x.zero(stream).value();
  work(stream, x);
  static_cast<void>(stream.synchronize());
  static_cast<void>(x.close());
  static_cast<void>(stream.synchronize());
}

template <bool Wrong>
void no_bound() {
  with_buffer(odd, [](const ws::Stream& stream, Buffer& x) {
    ws::launch(stream, usual, ws::kernel<fill_all>, raw(x), Wrong ? count : odd).value();
  });
}
template <bool Wrong>
void before_the_beginning() {
  with_buffer(odd, [](const ws::Stream& stream, Buffer& x) {
    ws::launch(stream, usual, ws::kernel<to_the_left>, raw(x), odd, Wrong ? 1 : 0).value();
  });
}
template <bool Wrong>
void neighbour() {
  with_buffer(odd, [](const ws::Stream& stream, Buffer& x) {
    Buffer y = zeros(stream);
    ws::launch(stream, usual, ws::kernel<shift>, raw(x), raw(y), odd, Wrong ? 0U : 1U).value();
    static_cast<void>(stream.synchronize());
  });
}
template <bool Wrong>
void shorter_array() {
  with_buffer(odd, [](const ws::Stream& stream, Buffer& y) {
    Buffer x = zeros(stream);
    ws::launch(stream, usual, ws::kernel<both>, raw(x), raw(y), count, Wrong ? count : odd).value();
    static_cast<void>(stream.synchronize());
  });
}
template <bool Wrong>
void fours() {
  with_buffer(Wrong ? odd - 2 : odd, [](const ws::Stream& stream, Buffer& x) {
    ws::launch(stream, usual, ws::kernel<by_fours>, raw(x), Wrong ? odd - 2 : odd).value();
  });
}
template <bool Wrong>
void bytes_as_elements() {
  with_buffer(odd, [](const ws::Stream& stream, Buffer& x) {
    ws::launch(stream, usual, ws::kernel<strided>, raw(x), odd, Wrong ? 4U : 1U).value();
  });
}
template <bool Wrong>
void shared_not_given() {
  with_buffer(count, [](const ws::Stream& stream, Buffer& x) {
    const ws::LaunchConfig none{ws::grid<1>, ws::block<64>};
    const ws::LaunchConfig some{ws::grid<1>, ws::block<64>, ws::shared<float>(64)};
    if constexpr (Wrong) {
      ws::launch(stream, none, ws::kernel<reverse>, raw(x), 64U).value();
    } else {
      ws::launch(stream, some, ws::kernel<reverse>, raw(x), 64U).value();
    }
  });
}
template <bool Wrong>
void shared_in_elements() {
  with_buffer(count, [](const ws::Stream& stream, Buffer& x) {
    const ws::LaunchConfig config{ws::grid<1>, ws::block<64>,
                                  ws::shared<float>(Wrong ? 64 / sizeof(float) : 64)};
    ws::launch(stream, config, ws::kernel<reverse>, raw(x), 64U).value();
  });
}

}  // namespace

std::vector<Pair> guarded_memory() {
  return {
      {"G01", "a kernel does not compare its index with the size", no_bound<true>, no_bound<false>},
      {"G02", "a kernel writes before the beginning", before_the_beginning<true>,
       before_the_beginning<false>},
      {"G03", "the last element reads its neighbour", neighbour<true>, neighbour<false>},
      {"G04", "two arrays get the size of the longer one", shorter_array<true>,
       shorter_array<false>},
      {"G05", "steps of four go past a size that four does not divide", fours<true>, fours<false>},
      {"G06", "an offset in bytes is used as an index", bytes_as_elements<true>,
       bytes_as_elements<false>},
      {"H01", "a kernel uses dynamic shared memory, and the launch gives none",
       shared_not_given<true>, shared_not_given<false>},
      {"H02", "a launch gives dynamic shared memory in elements, not bytes",
       shared_in_elements<true>, shared_in_elements<false>},
  };
}

}  // namespace planted
