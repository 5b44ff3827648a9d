// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One program over the public surface, which check.py compiles and runs in the modes of compilers
// that users have. It uses no exception and no run-time type information. It ends with 0 and prints
// nothing if all numbers are right.
#include <warpsafe/all.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ws = warpsafe;

namespace {

struct Factors {
  double scale;
  char unit;
  int shift;
};

WARPSAFE_KERNEL void scale(float a, const float* x, float* y, std::size_t n) {
  for (auto i : ws::grid_stride(n)) y[i] = a * x[i];
}
WARPSAFE_KERNEL void apply(Factors factors, ws::DeviceSpan<const float> x, ws::DeviceSpan<float> y,
                           const int* none) {
  const auto i = ws::thread_index().x;
  if (i < y.size() && none == nullptr) {
    y[i] = x[i] * static_cast<float>(factors.scale) + static_cast<float>(factors.shift);
  }
}
WARPSAFE_KERNEL void sum_of_block(const float* x, float* sums) {
  auto* const part = ws::dynamic_shared<float>(ws::block_size().x);
  auto* const first = ws::shared_array<float, 1>([] {});
  const unsigned t = ws::thread_in_block().x;
  part[t] = x[ws::thread_index().x];
  ws::sync_block();
  for (unsigned half = ws::block_size().x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    ws::sync_block();
  }
  if (t == 0) *first = part[0];
  ws::sync_block();
  if (t == 1) ws::atomic_add(sums, *first);
}
WARPSAFE_KERNEL void fill_matrix(ws::PitchedSpan<int> matrix) {
  const auto at = ws::thread_index();
  if (matrix.size().contains(at)) matrix.row(at.y)[at.x] = static_cast<int>(at.y);
}
WARPSAFE_KERNEL void checked(const int* x, std::size_t n) {
  const auto i = ws::thread_index().x;
  WARPSAFE_DEVICE_CHECK(i < n, "inside of the array");
  WARPSAFE_DEVICE_CHECK(x[i] >= 0, "a count");
}
struct Doubled {
  float factor;
  WARPSAFE_FN void operator()(float* x, unsigned n) const {
    for (auto i : ws::grid_stride(n)) x[i] *= factor;
  }
};

constexpr std::size_t n = 1000;

ws::result<bool> launches(const ws::Stream& stream) {
  WARPSAFE_TRY(const auto x, ws::DeviceBuffer<float>::from(stream, std::vector<float>(n, 3.0F)));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, n));
  WARPSAFE_TRYV(y.zero(stream));
  const auto grid = ws::SafeGrid<>::cover(n, ws::block<64>);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<scale>, 2.0F, x.view(), y.view(), n));
  WARPSAFE_TRYV(ws::launch<ws::CheckLevel::off>(stream, grid, ws::kernel<scale>, 2.0F, y.view(),
                                                y.view(), n));
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<apply>, Factors{2.0, 'm', 1}, y.view(),
                           y.view(), nullptr));
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::functor(Doubled{2.0F}), y.view(), 1000U));
  WARPSAFE_TRY(const auto values, y.to_host(stream).get());

  const auto block = ws::BlockDim::create(128);
  WARPSAFE_TRY(auto sums, ws::DeviceBuffer<float>::create(stream, 1));
  WARPSAFE_TRYV(sums.zero(stream));
  const auto config =
      ws::configure(ws::grid<2>, block, ws::shared<float>(128), ws::priority(0), ws::cooperative);
  WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<sum_of_block, ws::max_threads<256>>, x.view(),
                           sums.view()));
  WARPSAFE_TRY(const auto sum, sums.to_host(stream).get());
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover_or_empty(0, ws::block<64>),
                           ws::kernel<scale>, 2.0F, x.view(), y.view(), n));
  return values[n - 1] == 50.0F && sum[0] == 768.0F;
}

ws::result<bool> memory(const ws::Stream& stream) {
  const ws::extent size{ws::rows{9}, ws::cols{21}};
  WARPSAFE_TRY(auto matrix, ws::PitchedBuffer<int>::create(stream, size));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(size, ws::block<8, 8>),
                           ws::kernel<fill_matrix>, matrix.view()));
  WARPSAFE_TRY(const auto rows, matrix.to_host(stream).get());
  WARPSAFE_TRY(auto pinned, ws::PinnedBuffer<int>::create(8));
  for (int& value : pinned.span()) value = 5;
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::create(stream, 8));
  auto sent = ws::copy(stream, ws::from(std::move(pinned)), ws::to(x.view()));
  WARPSAFE_TRYV(ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<8>}, ws::kernel<checked>,
                           x.view(), x.size()));
  WARPSAFE_TRY(const auto back, std::move(sent).get());
  std::array<int, 3> few{7, 8, 9};
  WARPSAFE_TRY(const auto part, x.view().subspan(2, 3));
  WARPSAFE_TRYV(ws::copy_and_wait(stream, ws::from(few), ws::to(part)));
  auto one = x.to_host(stream);
  auto other = x.to_host(stream);
  WARPSAFE_TRY(const auto both, ws::synchronize(stream, std::move(one), std::move(other)));
  WARPSAFE_TRYV(x.close());
  return rows[8 * 21] == 8 && back.span()[0] == 5 && std::get<0>(both)[4] == 9 &&
         std::get<1>(both)[7] == 5;
}

ws::result<bool> graphs_and_events(const ws::Stream& stream) {
  WARPSAFE_TRY(const auto other, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, std::vector<float>(n, 1.0F)));
  WARPSAFE_TRY(const auto ready, stream.record_timed());
  WARPSAFE_TRYV(ws::wait(other, ready));
  WARPSAFE_TRY(auto graph, ws::capture(other, [&](ws::Capture& capture) -> ws::result<void> {
                 WARPSAFE_TRYV(capture.keep(x.keep()));
                 return ws::launch(capture.stream(), ws::SafeGrid<>::cover(n, ws::block<64>),
                                   ws::kernel<scale>, 2.0F, x.view(), x.view(), n);
               }));
  WARPSAFE_TRY(auto steps, graph.instantiate());
  for (int i = 0; i < 3; ++i) WARPSAFE_TRYV(steps.launch(other));
  WARPSAFE_TRY(const auto done, other.record_timed());
  WARPSAFE_TRYV(ws::wait(stream, done));
  WARPSAFE_TRY(const auto values, x.to_host(stream).get());
  WARPSAFE_TRYV(done.synchronize());
  WARPSAFE_TRY(const float took, ws::elapsed_ms(ready, done));
  return values[0] == 8.0F && took >= 0;
}

ws::result<bool> modules(const ws::Stream& stream) {
  const std::vector<ws::host::NamedKernel> image{ws::host::named<scale>("scale")};
  WARPSAFE_TRY(const auto module, ws::Module::load(image));
  WARPSAFE_TRY(const auto loaded,
               (module.kernel<void(float, const float*, float*, std::size_t)>("scale")));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, std::vector<float>(n, 1.0F)));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<64>), loaded, 4.0F, x.view(),
                           x.view(), n));
  WARPSAFE_TRY(const auto values, x.to_host(stream).get());
  return values[n - 1] == 4.0F && !module.kernel<void(float)>("scale").has_value();
}

/// Errors, their texts, and the comparison of numbers.
ws::result<bool> texts(const ws::Stream& stream) {
  WARPSAFE_TRY(const auto x, ws::DeviceBuffer<float>::from(stream, std::vector<float>(n, 1.0F)));
  const ws::result<void> refused =
      ws::launch(stream, ws::configure(ws::grid<1>, ws::BlockDim::create(2048)), ws::kernel<scale>,
                 2.0F, x.view(), nullptr, n);
  std::ostringstream out;
  out << ws::SafeGrid<>::cover(n, ws::block<64>) << ws::block<64> << ws::Errc::out_of_memory;
  if (!refused.has_value()) out << refused.error();
  WARPSAFE_TRY(const auto limits, ws::kernel_limits(stream, ws::kernel<scale>));
  const std::vector<float> one{1, 2, 3};
  const std::vector<float> other{1, 2, 4};
  WARPSAFE_TRY(const auto compared, ws::compare(one, other));
  out << compared;
  return !refused.has_value() && limits.known && out.str().find("2048") != std::string::npos &&
         compared.mismatches == 1;
}

bool races() {
  const auto report = ws::adversarial::run(4, [] {
    const auto program = []() -> ws::result<std::vector<float>> {
      WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
      WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::from(stream, std::vector<float>(n, 1.0F)));
      WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<64>), ws::kernel<scale>,
                               2.0F, x.view(), x.view(), n));
      return x.to_host(stream).get();
    };
    return program();
  });
  return report.clean();
}

bool is_right(const char* what, const ws::result<bool>& outcome) {
  if (outcome.has_value() && outcome.value()) return true;
  std::ostringstream out;
  out << what << ": ";
  if (!outcome.has_value()) out << outcome.error();
  std::fprintf(stderr, "%s\n", out.str().c_str());
  return false;
}

}  // namespace

int main() {
  bool right = races();
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) return 2;
  right = is_right("launches", launches(stream.value())) && right;
  right = is_right("memory", memory(stream.value())) && right;
  right = is_right("graphs and events", graphs_and_events(stream.value())) && right;
  right = is_right("modules", modules(stream.value())) && right;
  right = is_right("texts", texts(stream.value())) && right;
  return right ? 0 : 1;
}
