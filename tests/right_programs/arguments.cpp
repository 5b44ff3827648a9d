// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Arguments and parameters of all kinds, and kernels in other files.

#include "extern_kernels.hpp"
#include "programs.hpp"
#include <warpsafe/args/as_bytes.hpp>
#include <warpsafe/args/trust.hpp>

#include <array>
#include <chrono>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <variant>

namespace right {
namespace {

constexpr auto one_block = ws::block<64>;

// Runs a kernel that writes 64 numbers of type T.
template <class T, class K, class F, class... A>
ws::result<bool> writes(const ws::Stream& stream, const K& kernel, F expected,
                        const A&... arguments) {
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<T>::create(stream, 64));
  WARPSAFE_TRYV(
      ws::launch(stream, ws::configure(ws::grid<1>, one_block), kernel, out.view(), arguments...));
  return holds(stream, out, expected);
}

WARPSAFE_KERNEL void sum_of_pair(double* out, std::pair<int, double> pair) {
  out[ws::thread_index().x] = pair.first + pair.second;
}
ws::result<bool> pair_of_numbers(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<sum_of_pair>, [](std::size_t) { return 5.5; }, std::pair(3, 2.5));
}

using Three = std::tuple<double, int, std::complex<double>>;
WARPSAFE_KERNEL void sum_of_tuple(double* out, [[maybe_unused]] Three numbers) {
#if defined(__CUDACC__) || defined(__HIPCC__)
  out[ws::thread_index().x] = 0;
#else
  out[ws::thread_index().x] =
      std::get<0>(numbers) + std::get<1>(numbers) + std::get<2>(numbers).imag();
#endif
}
ws::result<bool> tuple_of_numbers(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<sum_of_tuple>, [](std::size_t) { return 9.0; }, Three(1, 2, {3, 6}));
}

struct Coefficients {
  float values[5];
};
WARPSAFE_KERNEL void polynomial(float* out, Coefficients c) {
  const float x = static_cast<float>(ws::thread_index().x);
  float sum = 0;
  for (int i = 4; i >= 0; --i) sum = sum * x + c.values[i];
  out[ws::thread_index().x] = sum;
}
ws::result<bool> structure_with_an_array(const ws::Stream& stream) {
  return writes<float>(
      stream, ws::kernel<polynomial>,
      [](std::size_t i) { return static_cast<float>(1 + 2 * i + 3 * i * i); },
      Coefficients{{1, 2, 3, 0, 0}});
}

using Matrix = std::array<std::array<double, 2>, 2>;
WARPSAFE_KERNEL void determinant(double* out, [[maybe_unused]] Matrix m) {
#if defined(__CUDACC__) || defined(__HIPCC__)
  out[ws::thread_index().x] = 0;
#else
  out[ws::thread_index().x] = m[0][0] * m[1][1] - m[0][1] * m[1][0];
#endif
}
ws::result<bool> array_of_arrays(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<determinant>, [](std::size_t) { return -2.0; }, Matrix{{{1, 2}, {3, 4}}});
}

WARPSAFE_KERNEL void squared_norm(double* out, [[maybe_unused]] std::complex<double> z,
                                  [[maybe_unused]] std::complex<float> w) {
#if defined(__CUDACC__) || defined(__HIPCC__)
  out[ws::thread_index().x] = 0;
#else
  out[ws::thread_index().x] = std::norm(z) + static_cast<double>(w.real());
#endif
}
ws::result<bool> complex_numbers(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<squared_norm>, [](std::size_t) { return 26.0; },
      std::complex<double>(3, 4), std::complex<float>(1, 0));
}

// A class with a constructor and private numbers, the same for float and double.
template <class T>
class Range {
 public:
  Range(T low, T high) : low_(low), high_(high) {}
  WARPSAFE_FN T clamped(T value) const {
    return value < low_ ? low_ : value > high_ ? high_ : value;
  }

 private:
  T low_, high_;
};
template <class T>
WARPSAFE_KERNEL void clamp_all(T* out, Range<T> range) {
  const auto i = ws::thread_index().x;
  out[i] = range.clamped(static_cast<T>(i));
}
template <class T>
ws::result<bool> clamped_by_a_class(const ws::Stream& stream) {
  return writes<T>(
      stream, ws::kernel<clamp_all<T>>,
      [](std::size_t i) {
        return static_cast<T>(i < 10 ? 10 : i > 20 ? 20 : i);
      },
      Range<T>(10, 20));
}
ws::result<bool> class_with_a_constructor(const ws::Stream& stream) {
  WARPSAFE_TRY(const bool floats, clamped_by_a_class<float>(stream));
  WARPSAFE_TRY(const bool doubles, clamped_by_a_class<double>(stream));
  WARPSAFE_TRY(const bool integers, clamped_by_a_class<long>(stream));
  return floats && doubles && integers;
}

class Material {
 public:
  constexpr Material(double density, int kind, bool solid)
      : density_(density), kind_(kind), solid_(solid) {}
  WARPSAFE_FN double mass(double volume) const {
    return solid_ ? density_ * volume + table_[kind_] : 0;
  }

 private:
  double density_;
  double table_[3] = {1, 2, 3};
  int kind_;
  bool solid_;
};
WARPSAFE_KERNEL void masses(double* out, Material material) {
  out[ws::thread_index().x] = material.mass(static_cast<double>(ws::thread_index().x));
}
ws::result<bool> class_of_several_types(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<masses>, [](std::size_t i) { return 2 * static_cast<double>(i) + 3; },
      Material(2, 2, true));
}

struct Constants {
  const double factor;
  const int offset;
};
WARPSAFE_KERNEL void scaled(double* out, const Constants constants) {
  out[ws::thread_index().x] = constants.factor * constants.offset;
}
ws::result<bool> constant_members(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<scaled>, [](std::size_t) { return 12.0; }, Constants{4, 3});
}

enum class Mode : std::uint8_t { add = 1, multiply };
WARPSAFE_KERNEL void by_mode(int* out, Mode mode, bool negative, char sign) {
  const int value = mode == Mode::add ? 2 + 3 : 2 * 3;
  out[ws::thread_index().x] = negative && sign == '-' ? -value : value;
}
ws::result<bool> enumeration_flag_and_character(const ws::Stream& stream) {
  return writes<int>(
      stream, ws::kernel<by_mode>, [](std::size_t) { return -6; }, Mode::multiply, true, '-');
}

WARPSAFE_KERNEL void numbers_that_widen(double* out, std::int64_t a, double b, std::uint32_t c) {
  out[ws::thread_index().x] = static_cast<double>(a) + b + c;
}
ws::result<bool> arguments_that_widen(const ws::Stream& stream) {
  const short a = -3;
  const unsigned char c = 7;
  return writes<double>(
      stream, ws::kernel<numbers_that_widen>, [](std::size_t) { return 4.5; }, a, 0.5F, c);
}

struct Matrices {
  ws::DeviceSpan<const float> in;
  ws::DeviceSpan<float> out;
  std::pair<float, int> scale_and_shift;
};
WARPSAFE_KERNEL void shifted(Matrices m) {
  for (auto i : ws::grid_stride(m.in.size())) {
    m.out[i] = m.in[i] * m.scale_and_shift.first + static_cast<float>(m.scale_and_shift.second);
  }
}
ws::result<bool> structure_of_spans(const ws::Stream& stream) {
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<float>::from(stream, counting<float>(100)));
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<float>::create(stream, in.size()));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(in.size(), one_block), ws::kernel<shifted>,
                           Matrices{std::as_const(in).view().span(), out.view().span(), {2, 1}}));
  return holds(stream, out, [](std::size_t i) { return static_cast<float>(2 * i + 1); });
}

WARPSAFE_KERNEL void choose(const bool* chosen, const int* in, int* out, std::size_t n) {
  for (auto i : ws::grid_stride(n)) out[i] = chosen[i] ? in[i] : -1;
}
WARPSAFE_KERNEL void is_even(const int* in, ws::DeviceSpan<bool> even) {
  for (auto i : ws::grid_stride(even.size())) even[i] = in[i] % 2 == 0;
}
ws::result<bool> buffer_of_flags(const ws::Stream& stream) {
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<int>::from(stream, counting<int>(300)));
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<int>::create(stream, in.size()));
  WARPSAFE_TRY(auto even, ws::DeviceBuffer<bool>::create(stream, in.size()));
  const auto grid = ws::SafeGrid<>::cover(in.size(), one_block);
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<is_even>, in.view(), even.view()));
  WARPSAFE_TRYV(
      ws::launch(stream, grid, ws::kernel<choose>, even.view(), in.view(), out.view(), in.size()));
  WARPSAFE_TRY(const bool flags, holds(stream, even, [](std::size_t i) { return i % 2 == 0; }));
  WARPSAFE_TRY(const bool numbers, holds(stream, out, [](std::size_t i) {
                 return i % 2 == 0 ? static_cast<int>(i) : -1;
               }));
  const std::array<bool, 3> on_host{true, false, true};
  WARPSAFE_TRY(auto three, ws::DeviceBuffer<bool>::from(stream, on_host));
  WARPSAFE_TRY(const bool copied, holds(stream, three, [](std::size_t i) { return i != 1; }));
  return flags && numbers && copied;
}

WARPSAFE_KERNEL void or_default(float* out, const float* values) {
  const auto i = ws::thread_index().x;
  out[i] = values == nullptr ? 1.0F : values[i];
}
ws::result<bool> pointer_that_may_be_null(const ws::Stream& stream) {
  return writes<float>(
      stream, ws::kernel<or_default>, [](std::size_t) { return 1.0F; }, nullptr);
}

WARPSAFE_KERNEL void invert_bytes(void* memory, std::size_t bytes) {
  auto* const all = static_cast<unsigned char*>(memory);
  for (auto i : ws::grid_stride(bytes)) all[i] = static_cast<unsigned char>(~all[i]);
}
ws::result<bool> memory_as_bytes(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<std::uint32_t>::create(stream, 33));
  WARPSAFE_TRYV(x.zero(stream));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(x.size() * 4, one_block),
                           ws::kernel<invert_bytes>, ws::as_writable_bytes(x.view()),
                           x.size() * sizeof(std::uint32_t)));
  return holds(stream, x, [](std::size_t) { return std::numeric_limits<std::uint32_t>::max(); });
}

// The memory of other code, here of a buffer's raw pointer.
ws::result<bool> trusted_memory(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::from(stream, counting<int>(64)));
  int* const raw = x.view().pointer().get();
  WARPSAFE_TRYV(ws::launch(stream, ws::configure(ws::grid<1>, one_block), ws::kernel<add_one>,
                           ws::trust(raw), std::size_t{64}));
  return holds(stream, x, [](std::size_t i) { return static_cast<int>(i) + 1; });
}

WARPSAFE_KERNEL void wait_until([[maybe_unused]] double* out,
                                [[maybe_unused]] std::chrono::nanoseconds time,
                                [[maybe_unused]] std::optional<double> limit) {
#if !defined(__CUDACC__) && !defined(__HIPCC__)
  out[ws::thread_index().x] = static_cast<double>(time.count()) + limit.value_or(0);
#endif
}
ws::result<bool> durations_and_optional_numbers(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<wait_until>, [](std::size_t) { return 1002.0; },
      std::chrono::nanoseconds(1000), std::optional<double>(2.0));
}

// Kernels that other files define.
ws::result<bool> kernels_of_another_file(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::from(stream, counting<int>(128)));
  WARPSAFE_TRY(auto totals, ws::DeviceBuffer<int>::create(stream, 2));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(x.size(), one_block), ws::kernel<add_one>,
                           x.view(), x.size()));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover_exact(x.size(), one_block),
                           ws::kernel<block_totals, ws::max_threads<64>>, x.view(), totals.view()));
  return holds(stream, totals, [](std::size_t i) { return i == 0 ? 2080 : 6176; });
}

ws::result<bool> kernel_with_c_linkage(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::from(stream, counting<int>(100)));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(x.size(), one_block),
                           ws::kernel<right_programs_negate>, x.view(), x.size()));
  return holds(stream, x, [](std::size_t i) { return -static_cast<int>(i); });
}

// Classes with private numbers of several types and a constructor that is not constexpr.
class Trajectory {
 public:
  Trajectory(double x, double y, double z, double speed, double drag, int steps, int seed)
      : x_(x), y_(y), z_(z), speed_(speed), drag_(drag), steps_(steps), seed_(seed) {}
  WARPSAFE_FN double end() const { return x_ + y_ + z_ + steps_ * (speed_ - drag_) + seed_; }

 private:
  double x_, y_, z_, speed_, drag_;
  int steps_, seed_;
};
class Sampler {
 public:
  Sampler(int seed, int count, double low, double high, double step, double bias, double scale)
      : seed_(seed), count_(count), low_(low), high_(high), step_(step), bias_(bias) {
    scale_ = scale;
  }
  WARPSAFE_FN double sum() const { return seed_ + count_ + low_ + high_ + step_ + bias_ + scale_; }

 private:
  int seed_, count_;
  double low_, high_, step_, bias_, scale_;
};
// Of many types, with classes and arrays inside.
class Station {
 public:
  Station(short number, const Range<double>& heights, int first, int second)
      : number_(number), heights_(heights), counts_{first, second} {}
  WARPSAFE_FN double sum() const {
    return state_ == open ? number_ + heights_.clamped(4) + counts_[0] + counts_[1] : 0;
  }

 private:
  short number_;
  Range<double> heights_;
  int counts_[2];
  enum : char { open, closed } state_ = open;
  [[maybe_unused]] unsigned long visits_ = 0;
};
WARPSAFE_KERNEL void ends(double* out, Trajectory trajectory, Sampler sampler, Station station) {
  out[ws::thread_index().x] = trajectory.end() + sampler.sum() + station.sum();
}
ws::result<bool> classes_of_many_numbers(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<ends>, [](std::size_t) { return 6 + 2 * 3 + 1 + 28 + 10; },
      Trajectory(1, 2, 3, 4, 1, 2, 1), Sampler(1, 2, 3, 4, 5, 6, 7),
      Station(1, Range<double>(3, 9), 2, 3));
}

using Choice = std::variant<float, double, int>;
WARPSAFE_KERNEL void chosen([[maybe_unused]] double* out, [[maybe_unused]] Choice choice) {
#if !defined(__CUDACC__) && !defined(__HIPCC__)
  out[ws::thread_index().x] = choice.index() == 1 ? std::get<1>(choice) : 0;
#endif
}
ws::result<bool> variant_of_numbers(const ws::Stream& stream) {
  return writes<double>(
      stream, ws::kernel<chosen>, [](std::size_t) { return 2.5; }, Choice(2.5));
}

#if !defined(__CUDACC__)  // whose templates have no symbol for other files
ws::result<bool> template_of_another_file(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<double>::from(stream, counting<double>(100)));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(x.size(), one_block),
                           ws::kernel<times<double>>, x.view(), 3.0));
  return holds(stream, x, [](std::size_t i) { return static_cast<double>(3 * i); });
}
#endif

ws::result<bool> kernel_in_a_namespace_of_another_file(const ws::Stream& stream) {
  const std::vector<image::Pixel> pixels(50, {30, 60, 90, 255});
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<image::Pixel>::from(stream, pixels));
  WARPSAFE_TRY(auto out, ws::DeviceBuffer<unsigned char>::create(stream, in.size()));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(in.size(), one_block),
                           ws::kernel<image::grey>, in.view(), out.view(), in.size()));
  return holds(stream, out, [](std::size_t) { return static_cast<unsigned char>(60); });
}

constexpr Program programs[] = {
    {"pair_of_numbers", pair_of_numbers},
    {"tuple_of_numbers", tuple_of_numbers},
    {"structure_with_an_array", structure_with_an_array},
    {"array_of_arrays", array_of_arrays},
    {"complex_numbers", complex_numbers},
    {"class_with_a_constructor", class_with_a_constructor},
    {"class_of_several_types", class_of_several_types},
    {"constant_members", constant_members},
    {"enumeration_flag_and_character", enumeration_flag_and_character},
    {"arguments_that_widen", arguments_that_widen},
    {"structure_of_spans", structure_of_spans},
    {"buffer_of_flags", buffer_of_flags},
    {"pointer_that_may_be_null", pointer_that_may_be_null},
    {"memory_as_bytes", memory_as_bytes},
    {"trusted_memory", trusted_memory},
    {"durations_and_optional_numbers", durations_and_optional_numbers},
    {"kernels_of_another_file", kernels_of_another_file},
#if !defined(__CUDACC__)
    {"template_of_another_file", template_of_another_file},
#endif
    {"kernel_with_c_linkage", kernel_with_c_linkage},
    {"classes_of_many_numbers", classes_of_many_numbers},
    {"variant_of_numbers", variant_of_numbers},
    {"kernel_in_a_namespace_of_another_file", kernel_in_a_namespace_of_another_file},
};

}  // namespace

std::span<const Program> argument_programs() { return programs; }

}  // namespace right
