// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels of all kinds; many are the examples of CUDA's programming guide and samples.

#include "programs.hpp"
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/launch/occupancy.hpp>

#include <cstdint>

namespace right {
namespace {

WARPSAFE_KERNEL void vec_add(const float* a, const float* b, float* c, int n) {
  const auto i = ws::thread_index().x;
  if (i < static_cast<unsigned>(n)) c[i] = a[i] + b[i];
}
ws::result<bool> vector_addition(const ws::Stream& stream) {
  const int n = 1000;
  WARPSAFE_TRY(auto a, ws::DeviceBuffer<float>::from(stream, counting<float>(1000)));
  WARPSAFE_TRY(auto b, ws::DeviceBuffer<float>::from(stream, counting<float>(1000, 5)));
  WARPSAFE_TRY(auto c, ws::DeviceBuffer<float>::create(stream, n));
  const auto grid = ws::SafeGrid<>::cover(n, ws::block<256>);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<vec_add>, a.view(), b.view(), c.view(), n));
  return holds(stream, c, [](std::size_t i) { return static_cast<float>(2 * i + 5); });
}

WARPSAFE_KERNEL void mat_add(const float* a, const float* b, float* c, ws::extent<2> size) {
  const auto at = ws::thread_index();
  if (size.contains(at)) c[size.offset(at)] = a[size.offset(at)] + b[size.offset(at)];
}
ws::result<bool> matrix_addition(const ws::Stream& stream) {
  const ws::extent size{ws::rows{37}, ws::cols{53}};
  WARPSAFE_TRY(auto a, ws::DeviceBuffer<float>::from(stream, counting<float>(37 * 53)));
  WARPSAFE_TRY(auto c, ws::DeviceBuffer<float>::create(stream, a.size()));
  const auto grid = ws::SafeGrid<>::cover(size, ws::block<16, 16>);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<mat_add>, a.view(), a.view(), c.view(), size));
  return holds(stream, c, [](std::size_t i) { return static_cast<float>(2 * i); });
}

// The guide's "Shared Memory" example.
constexpr unsigned tile = 16;
WARPSAFE_KERNEL void mat_mul(const float* a, const float* b, float* c, unsigned n) {
  float* as = ws::shared_array<float, tile * tile>([] {});
  float* bs = ws::shared_array<float, tile * tile>([] {});
  const auto local = ws::thread_in_block();
  const auto at = ws::thread_index();
  float sum = 0;
  for (unsigned m = 0; m < n; m += tile) {
    as[local.y * tile + local.x] = a[at.y * n + m + local.x];
    bs[local.y * tile + local.x] = b[(m + local.y) * n + at.x];
    ws::sync_block();
    for (unsigned e = 0; e < tile; ++e) sum += as[local.y * tile + e] * bs[e * tile + local.x];
    ws::sync_block();
  }
  c[at.y * n + at.x] = sum;
}
WARPSAFE_KERNEL void mat_mul_2d(const float* a, const float* b, float* c, unsigned n) {
  auto* as = ws::shared_array<float[tile], tile>([] {});
  auto* bs = ws::shared_array<float[tile], tile>([] {});
  const auto local = ws::thread_in_block();
  const auto at = ws::thread_index();
  float sum = 0;
  for (unsigned m = 0; m < n; m += tile) {
    as[local.y][local.x] = a[at.y * n + m + local.x];
    bs[local.y][local.x] = b[(m + local.y) * n + at.x];
    ws::sync_block();
    for (unsigned e = 0; e < tile; ++e) sum += as[local.y][e] * bs[e][local.x];
    ws::sync_block();
  }
  c[at.y * n + at.x] = sum;
}
template <auto Multiply>
ws::result<bool> multiplied(const ws::Stream& stream) {
  constexpr unsigned n = 64;
  const std::vector<float> ones(n * n, 1.0F);
  const std::vector<float> twos(n * n, 2.0F);
  WARPSAFE_TRY(auto a, ws::DeviceBuffer<float>::from(stream, ones));
  WARPSAFE_TRY(auto b, ws::DeviceBuffer<float>::from(stream, twos));
  WARPSAFE_TRY(auto c, ws::DeviceBuffer<float>::create(stream, n * n));
  const auto grid =
      ws::SafeGrid<>::cover_exact(ws::extent{ws::rows{n}, ws::cols{n}}, ws::block<tile, tile>);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<Multiply>, a.view(), b.view(), c.view(), n));
  return holds(stream, c, [](std::size_t) { return 128.0F; });
}

WARPSAFE_KERNEL void block_sums(const int* in, int* out, unsigned n) {
  int* mine = ws::dynamic_shared<int>();
  const unsigned t = ws::thread_in_block().x;
  const auto i = ws::thread_index().x;
  mine[t] = i < n ? in[i] : 0;
  ws::sync_block();
  for (unsigned half = ws::block_size().x / 2; half > 0; half /= 2) {
    if (t < half) mine[t] += mine[t + half];
    ws::sync_block();
  }
  if (t == 0) out[ws::block_index().x] = mine[0];
}
ws::result<bool> reduction_in_dynamic_shared_memory(const ws::Stream& stream) {
  const unsigned n = 5000;
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<int>::from(stream, counting<int>(n, 1)));
  WARPSAFE_TRY(auto sums, ws::DeviceBuffer<int>::create(stream, (n + 255) / 256));
  WARPSAFE_TRY(auto total, ws::DeviceBuffer<int>::create(stream, 1));
  constexpr auto sum = ws::kernel<block_sums, ws::needs_shared<int>>;
  WARPSAFE_TRYV(ws::launch(
      stream, ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>), ws::shared<int>(256)), sum,
      in.view(), sums.view(), n));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<32>, ws::shared<int>(32)),
                           sum, sums.view(), total.view(), sums.size() < 32 ? 20U : 0U));
  return holds(stream, total, [](std::size_t) { return 5000 * 5001 / 2; });
}

// A function that has its own shared array, used by two kernels.
template <class T>
WARPSAFE_FN T sum_of_block(T value) {
  T* parts = ws::shared_array<T, 128>([] {});
  const unsigned t = ws::thread_in_block().x;
  parts[t] = value;
  ws::sync_block();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (t < half) parts[t] += parts[t + half];
    ws::sync_block();
  }
  const T sum = parts[0];
  ws::sync_block();
  return sum;
}
WARPSAFE_KERNEL void dot_and_norm(const float* x, const float* y, float* out, std::size_t n) {
  float dot = 0;
  float norm = 0;
  for (std::size_t i = ws::thread_in_block().x; i < n; i += ws::block_size().x) {
    dot += x[i] * y[i];
    norm += x[i] * x[i];
  }
  dot = sum_of_block(dot);
  norm = sum_of_block(norm);
  if (ws::thread_in_block().x == 0) {
    out[0] = dot;
    out[1] = norm;
  }
}
ws::result<bool> dot_product_by_a_helper(const ws::Stream& stream) {
  const std::vector<float> x(1000, 2.0F);
  const std::vector<float> y(1000, 3.0F);
  WARPSAFE_TRY(auto dx, ws::DeviceBuffer<float>::from(stream, x));
  WARPSAFE_TRY(auto dy, ws::DeviceBuffer<float>::from(stream, y));
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<float>::create(stream, 2));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<128>),
                           ws::kernel<dot_and_norm>, dx.view(), dy.view(), out.view(), x.size()));
  return holds(stream, out, [](std::size_t i) { return i == 0 ? 6000.0F : 4000.0F; });
}

WARPSAFE_KERNEL void histogram(const unsigned char* data, std::size_t n, unsigned* bins) {
  unsigned* local = ws::shared_array<unsigned, 256>([] {});
  local[ws::thread_in_block().x] = 0;
  ws::sync_block();
  for (auto i : ws::grid_stride(n)) ws::atomic_add(&local[data[i]], 1U);
  ws::sync_block();
  ws::atomic_add(&bins[ws::thread_in_block().x], local[ws::thread_in_block().x]);
}
ws::result<bool> histogram_in_shared_memory(const ws::Stream& stream) {
  std::vector<unsigned char> data(10240);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i % 256);
  WARPSAFE_TRY(auto bytes, ws::DeviceBuffer<unsigned char>::from(stream, data));
  WARPSAFE_TRY(auto bins, ws::DeviceBuffer<unsigned>::create(stream, 256));
  WARPSAFE_TRYV(bins.zero(stream));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<4>, ws::block<256>),
                           ws::kernel<histogram>, bytes.view(), data.size(), bins.view()));
  return holds(stream, bins, [](std::size_t) { return 40U; });
}

constexpr int radius = 3;
WARPSAFE_KERNEL void stencil(const int* in, int* out, int n) {
  int* around = ws::shared_array<int, 128 + 2 * radius>([] {});
  const int i = static_cast<int>(ws::thread_index().x);
  const int t = static_cast<int>(ws::thread_in_block().x) + radius;
  const auto at = [&](int k) { return k >= 0 && k < n ? in[k] : 0; };
  around[t] = at(i);
  if (t < 2 * radius) {
    around[t - radius] = at(i - radius);
    around[t + 128] = at(i + 128);
  }
  ws::sync_block();
  int sum = 0;
  for (int k = -radius; k <= radius; ++k) sum += around[t + k];
  if (i < n) out[i] = sum;
}
ws::result<bool> stencil_with_a_halo(const ws::Stream& stream) {
  const int n = 1000;
  const std::vector<int> ones(n, 1);
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<int>::from(stream, ones));
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<int>::create(stream, n));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<128>), ws::kernel<stencil>,
                           in.view(), out.view(), n));
  return holds(stream, out, [](std::size_t i) {
    const int from_end = static_cast<int>(i < 500 ? i : 999 - i);
    return from_end < radius ? 4 + from_end : 7;
  });
}

WARPSAFE_KERNEL void smooth(ws::DeviceSpan<const double> in, ws::DeviceSpan<double> out) {
  for (auto i : ws::grid_stride(in.size())) {
    out[i] = i == 0 || i + 1 == in.size() ? in[i] : (in[i - 1] + in[i + 1]) / 2;
  }
}
ws::result<bool> iteration_between_two_buffers(const ws::Stream& stream) {
  WARPSAFE_TRY(auto a, ws::DeviceBuffer<double>::from(stream, counting<double>(300)));
  WARPSAFE_TRY(auto b, ws::DeviceBuffer<double>::create(stream, a.size()));
  const auto grid = ws::SafeGrid<>::cover(a.size(), ws::block<64>);
  for (int step = 0; step < 10; ++step) {
    WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<smooth>, a.view(), b.view()));
    std::swap(a, b);
  }
  return holds(stream, a, [](std::size_t i) { return static_cast<double>(i); });
}

WARPSAFE_KERNEL void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
  auto* part = ws::shared_array<float[33], 32>([] {});
  const auto local = ws::thread_in_block();
  const auto block = ws::block_index();
  const unsigned x = block.x * 32 + local.x;
  for (unsigned y = block.y * 32 + local.y, k = local.y; k < 32; y += 8, k += 8) {
    if (x < cols && y < rows) part[k][local.x] = in[y * cols + x];
  }
  ws::sync_block();
  const unsigned to = block.y * 32 + local.x;
  for (unsigned y = block.x * 32 + local.y, k = local.y; k < 32; y += 8, k += 8) {
    if (to < rows && y < cols) out[y * rows + to] = part[local.x][k];
  }
}
ws::result<bool> transpose_by_tiles(const ws::Stream& stream) {
  const unsigned rows = 50;
  const unsigned cols = 70;
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<float>::from(stream, counting<float>(rows * cols)));
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<float>::create(stream, in.size()));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<3, 2>, ws::block<32, 8>),
                           ws::kernel<transpose>, in.view(), out.view(), rows, cols));
  return holds(stream, out,
               [](std::size_t i) { return static_cast<float>(i % rows * cols + i / rows); });
}

WARPSAFE_KERNEL void scan(const int* in, int* out) {
  int* now = ws::shared_array<int, 64>([] {});
  int* next = ws::shared_array<int, 64>([] {});
  const unsigned t = ws::thread_in_block().x;
  now[t] = in[t];
  ws::sync_block();
  for (unsigned step = 1; step < 64; step *= 2) {
    next[t] = now[t] + (t >= step ? now[t - step] : 0);
    ws::sync_block();
    int* const other = now;
    now = next;
    next = other;
  }
  out[t] = now[t];
}
ws::result<bool> scan_with_two_arrays(const ws::Stream& stream) {
  const std::vector<int> ones(64, 1);
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<int>::from(stream, ones));
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<int>::create(stream, 64));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<64>), ws::kernel<scan>,
                           in.view(), out.view()));
  return holds(stream, out, [](std::size_t i) { return static_cast<int>(i) + 1; });
}

template <class T>
WARPSAFE_KERNEL void axpy(T a, const T* x, T* y, std::size_t n) {
  for (auto i : ws::grid_stride(n)) y[i] += a * x[i];
}
template <class T>
ws::result<bool> axpy_of(const ws::Stream& stream) {
  const std::size_t n = 777;
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<T>::from(stream, counting<T>(n)));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<T>::from(stream, counting<T>(n)));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<128>), ws::kernel<axpy<T>>,
                           T{3}, x.view(), y.view(), n));
  return holds(stream, y, [](std::size_t i) { return static_cast<T>(4 * i); });
}
ws::result<bool> template_of_three_types(const ws::Stream& stream) {
  WARPSAFE_TRY(const bool floats, axpy_of<float>(stream));
  WARPSAFE_TRY(const bool doubles, axpy_of<double>(stream));
  WARPSAFE_TRY(const bool integers, axpy_of<std::int64_t>(stream));
  return floats && doubles && integers;
}

WARPSAFE_KERNEL void put(int* out, int value) { out[ws::thread_index().x] = value; }
WARPSAFE_KERNEL void put(float* out, float value) { out[ws::thread_index().x] = value; }
ws::result<bool> overloaded_kernel(const ws::Stream& stream) {
  WARPSAFE_TRY(auto a, ws::DeviceBuffer<int>::create(stream, 32));
  WARPSAFE_TRY(auto b, ws::DeviceBuffer<float>::create(stream, 32));
  constexpr ws::LaunchConfig config{ws::grid<1>, ws::block<32>};
  WARPSAFE_TRYV(
      ws::launch(stream, config, ws::kernel<ws::overload<void(int*, int)>(put)>, a.view(), 3));
  WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<ws::overload<void(float*, float)>(put)>,
                           b.view(), 4.0F));
  WARPSAFE_TRY(const bool integers, holds(stream, a, [](std::size_t) { return 3; }));
  WARPSAFE_TRY(const bool floats, holds(stream, b, [](std::size_t) { return 4.0F; }));
  return integers && floats;
}

struct Scale {
  double factor;
  WARPSAFE_FN void operator()(double* x, std::size_t n) const {
    for (auto i : ws::grid_stride(n)) x[i] *= factor;
  }
};
ws::result<bool> functor_of_a_struct(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<double>::from(stream, counting<double>(500)));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(x.size(), ws::block<64>),
                           ws::functor(Scale{2.0}), x.view(), x.size()));
  return holds(stream, x, [](std::size_t i) { return static_cast<double>(2 * i); });
}

#if !defined(__CUDACC__)  // nvcc needs --extended-lambda
ws::result<bool> lambdas_that_capture_numbers(const ws::Stream& stream) {
  const std::size_t n = 500;
  const double a = 2.5;
  const float b = 0.5F;
  const bool twice = true;
  const struct { double low, high; } range{1, 200};
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<double>::from(stream, counting<double>(n)));
  const auto grid = ws::SafeGrid<>::cover(n, ws::block<64>);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::functor([a](double* y, std::size_t count) {
                             for (auto i : ws::grid_stride(count)) y[i] *= a;
                           }),
                           x.view(), n));
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::functor([=](double* y) {
                             for (auto i : ws::grid_stride(n)) y[i] *= twice ? 2 * b : b;
                           }),
                           x.view()));
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::functor([range](ws::DeviceSpan<double> y) {
                             for (auto i : ws::grid_stride(y.size())) {
                               if (y[i] > range.high) y[i] = range.high;
                             }
                           }),
                           x.view()));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<1>), ws::functor([] {})));
  return holds(stream, x, [](std::size_t i) {
    const double scaled = 2.5 * static_cast<double>(i);
    return scaled > 200 ? 200 : scaled;
  });
}
#endif

WARPSAFE_KERNEL void odd_even_sort(int* values, unsigned n) {
  const unsigned t = ws::thread_in_block().x;
  for (unsigned phase = 0; phase < n; ++phase) {
    const unsigned i = 2 * t + phase % 2;
    if (i + 1 < n && values[i] > values[i + 1]) {
      const int held = values[i];
      values[i] = values[i + 1];
      values[i + 1] = held;
    }
    ws::sync_block();
  }
}
ws::result<bool> sort_in_one_block(const ws::Stream& stream) {
  std::vector<int> down(100);
  for (int i = 0; i < 100; ++i) down[static_cast<std::size_t>(i)] = 99 - i;
  WARPSAFE_TRY(auto values, ws::DeviceBuffer<int>::from(stream, down));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, ws::block<64>),
                           ws::kernel<odd_even_sort>, values.view(), 100U));
  return holds(stream, values, [](std::size_t i) { return static_cast<int>(i); });
}

WARPSAFE_KERNEL void two_types(double* out, unsigned n) {
  double* numbers = ws::dynamic_shared<double>();
  unsigned* counts = reinterpret_cast<unsigned*>(numbers + n);
  const unsigned t = ws::thread_in_block().x;
  numbers[t] = t;
  counts[t] = 2 * t;
  ws::sync_block();
  out[t] = numbers[n - 1 - t] + counts[n - 1 - t];
}
ws::result<bool> dynamic_shared_memory_of_two_types(const ws::Stream& stream) {
  const unsigned n = 40;
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<double>::create(stream, n));
  WARPSAFE_TRYV(
      ws::launch(stream,
                 ws::configure(ws::grid<1>, ws::block<40>,
                               ws::shared(ws::Bytes(n * (sizeof(double) + sizeof(unsigned))))),
                 ws::kernel<two_types>, out.view(), n));
  return holds(stream, out, [](std::size_t i) { return static_cast<double>(3 * (39 - i)); });
}

using bounds = ws::launch_bounds<128, 2>;
WARPSAFE_KERNEL WARPSAFE_LAUNCH_BOUNDS(128, 2) void by_four(int* x, std::size_t n) {
  const std::size_t first = ws::thread_index().x * 4;
  for (std::size_t i = first; i < first + 4 && i < n; ++i) x[i] = -x[i];
}
ws::result<bool> items_per_thread_and_launch_bounds(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::from(stream, counting<int>(1001)));
  WARPSAFE_TRYV(ws::launch(stream,
                           ws::SafeGrid<>::cover(x.size(), ws::block<128>, ws::items_per_thread<4>),
                           ws::kernel<by_four, ws::handles_items<4>, bounds>, x.view(), x.size()));
  return holds(stream, x, [](std::size_t i) { return -static_cast<int>(i); });
}

WARPSAFE_KERNEL void fill_volume(int* x, ws::extent<3> size) {
  const auto at = ws::thread_index();
  if (size.contains(at)) x[size.offset(at)] = static_cast<int>(size.offset(at));
}
ws::result<bool> three_dimensions(const ws::Stream& stream) {
  const ws::extent size{ws::z{5}, ws::y{7}, ws::x{11}};
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::create(stream, 5 * 7 * 11));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(size, ws::block<8, 4, 2>),
                           ws::kernel<fill_volume>, x.view(), size));
  return holds(stream, x, [](std::size_t i) { return static_cast<int>(i); });
}

ws::result<bool> sizes_that_may_be_empty(const ws::Stream& stream) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{257}}) {
    WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, counting<float>(n)));
    WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::from(stream, counting<float>(n)));
    WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover_or_empty(n, ws::block<256>),
                             ws::kernel<axpy<float>>, 1.0F, x.view(), y.view(), n));
    WARPSAFE_TRY(const bool right,
                 holds(stream, y, [](std::size_t i) { return static_cast<float>(2 * i); }));
    if (!right) return false;
  }
  return true;
}

WARPSAFE_KERNEL void matrix_vector(const float* a, const float* x, float* y, int rows, int cols) {
  const int row = static_cast<int>(ws::block_index().x);
  float* parts = ws::shared_array<float, 32>([] {});
  const int t = static_cast<int>(ws::thread_in_block().x);
  float sum = 0;
  for (int col = t; col < cols; col += 32) sum += a[row * cols + col] * x[col];
  parts[t] = sum;
  ws::sync_block();
  if (t == 0 && row < rows) {
    float all = 0;
    for (int k = 0; k < 32; ++k) all += parts[k];
    y[row] = all;
  }
}
ws::result<bool> one_block_for_each_row(const ws::Stream& stream) {
  const std::vector<float> a(20 * 100, 1.0F);
  WARPSAFE_TRY(auto da, ws::DeviceBuffer<float>::from(stream, a));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, counting<float>(100)));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, 20));
  WARPSAFE_TRY(const auto blocks, ws::GridDim::from_blocks(y.size()));
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(blocks, ws::block<32>), ws::kernel<matrix_vector>,
                           da.view(), x.view(), y.view(), 20, 100));
  return holds(stream, y, [](std::size_t) { return 4950.0F; });
}

WARPSAFE_KERNEL void count_primes(unsigned limit, unsigned* count) {
  for (auto i : ws::grid_stride(limit)) {
    bool prime = i > 1;
    for (ws::size_type d = 2; d * d <= i && prime; ++d) prime = i % d != 0;
    if (prime) ws::atomic_add(count, 1U);
  }
}
ws::result<bool> counter_with_atomics(const ws::Stream& stream) {
  WARPSAFE_TRY(auto count, ws::DeviceBuffer<unsigned>::create(stream, 1));
  WARPSAFE_TRYV(count.zero(stream));
  constexpr auto primes = ws::kernel<count_primes, ws::grid_stride_kernel>;
  WARPSAFE_TRY(const auto most, ws::max_resident_blocks(stream, primes, ws::block<64>));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::grid_stride(1000, ws::block<64>, most), primes,
                           1000U, count.view()));
  return holds(stream, count, [](std::size_t) { return 168U; });
}

constexpr Program programs[] = {
    {"vector_addition", vector_addition},
    {"matrix_addition", matrix_addition},
    {"tiled_product", multiplied<mat_mul>},
    {"tiled_product_of_two_dimensional_arrays", multiplied<mat_mul_2d>},
    {"reduction_in_dynamic_shared_memory", reduction_in_dynamic_shared_memory},
    {"dot_product_by_a_helper", dot_product_by_a_helper},
    {"histogram_in_shared_memory", histogram_in_shared_memory},
    {"stencil_with_a_halo", stencil_with_a_halo},
    {"iteration_between_two_buffers", iteration_between_two_buffers},
    {"transpose_by_tiles", transpose_by_tiles},
    {"scan_with_two_arrays", scan_with_two_arrays},
    {"template_of_three_types", template_of_three_types},
    {"overloaded_kernel", overloaded_kernel},
    {"functor_of_a_struct", functor_of_a_struct},
#if !defined(__CUDACC__)
    {"lambdas_that_capture_numbers", lambdas_that_capture_numbers},
#endif
    {"sort_in_one_block", sort_in_one_block},
    {"dynamic_shared_memory_of_two_types", dynamic_shared_memory_of_two_types},
    {"items_per_thread_and_launch_bounds", items_per_thread_and_launch_bounds},
    {"three_dimensions", three_dimensions},
    {"sizes_that_may_be_empty", sizes_that_may_be_empty},
    {"one_block_for_each_row", one_block_for_each_row},
    {"counter_with_atomics", counter_with_atomics},
};

}  // namespace

std::span<const Program> kernel_programs() { return programs; }

}  // namespace right
