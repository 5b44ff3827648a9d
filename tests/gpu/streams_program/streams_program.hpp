// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

// A program that mixes a library's work, its own kernels and copies over several streams, like a
// real one. Each iteration belongs to one of four lanes, uses the previous lane's result, and
// produces one number, so that the test can count the wrong iterations. All arithmetic is exact:
// whole numbers that a float holds.

namespace warpsafe::streams_program {

inline constexpr std::size_t lanes = 4;
inline constexpr int order = 64;  ///< rows and columns of the matrices
inline constexpr unsigned elements = order * order;

WARPSAFE_KERNEL void mix(const float* staged, float* x, unsigned iteration) {
  for (const std::size_t i : grid_stride(std::size_t{elements})) {
    x[i] = static_cast<float>((static_cast<unsigned>(staged[i]) + iteration) % 8);
  }
}
/// One thread: every product in one number.
WARPSAFE_KERNEL void settle(const float* y, std::uint64_t* sums, unsigned visit) {
  std::uint64_t sum = 14695981039346656037U;
  for (unsigned i = 0; i < elements; ++i) {
    sum = (sum ^ static_cast<std::uint64_t>(y[i])) * 1099511628211U;
  }
  sums[visit] = sum;
}
/// Takes a while, so that work that does not wait runs too early.
WARPSAFE_KERNEL void linger(unsigned rounds) {
  for (volatile unsigned i = 0; i < rounds;) i = i + 1;
}

template <class B>
struct Lane {
  using Floats = basic_device_buffer<B, float>;
  using Staging = basic_pinned_buffer<B, float>;
  Floats staged;
  Floats x;
  Floats y;
  basic_device_buffer<B, std::uint64_t> sums;  ///< of this lane's visits
  basic_event<B, false> mixed;                 ///< x is complete
  basic_event<B, false> used;                  ///< the previous lane's x was read
  std::array<std::optional<basic_pending<B, Staging>>, 4> coming{};  ///< copies to `staged`
};

template <class B>
[[nodiscard]] result<Lane<B>> make_lane(const basic_stream<B>& stream, unsigned visits) {
  WARPSAFE_TRY(auto staged, Lane<B>::Floats::create(stream, elements));
  WARPSAFE_TRY(auto x, Lane<B>::Floats::create(stream, elements));
  WARPSAFE_TRY(auto y, Lane<B>::Floats::create(stream, elements));
  WARPSAFE_TRY(auto sums, (basic_device_buffer<B, std::uint64_t>::create(stream, visits)));
  WARPSAFE_TRYV(x.zero(stream));
  WARPSAFE_TRY(auto mixed, stream.record());
  WARPSAFE_TRY(auto used, stream.record());
  Lane<B> lane{std::move(staged), std::move(x),     std::move(y),
               std::move(sums),   std::move(mixed), std::move(used)};
  for (auto& token : lane.coming) {
    WARPSAFE_TRY(auto pinned, Lane<B>::Staging::create(elements));
    for (float& value : pinned.span()) value = 0;
    auto copied = copy(stream, from(std::move(pinned)), to(lane.staged));
    static_cast<void>(token.emplace(std::move(copied)));
  }
  return lane;
}

/// Runs the program on the streams, one for all lanes or one for each. With a seed, kernels and the
/// host pause at random. `multiply(lane, x, before, y)` computes y = x * before on the lane's
/// stream. Returns the number of each iteration.
template <class B, class Multiply>
[[nodiscard]] result<std::vector<std::uint64_t>> run(const std::vector<basic_stream<B>>& streams,
                                                     unsigned iterations, unsigned seed,
                                                     Multiply&& multiply) {
  const LaunchConfig wide{grid<8>, block<256>};
  const LaunchConfig one{grid<1>, block<1>};
  const auto visits = static_cast<unsigned>((iterations + lanes - 1) / lanes);
  std::mt19937 random(seed);
  std::vector<Lane<B>> all;
  for (std::size_t i = 0; i < lanes; ++i) {
    WARPSAFE_TRY(auto lane, make_lane(streams[i % streams.size()], visits));
    all.push_back(std::move(lane));
  }
  for (unsigned iteration = 0; iteration < iterations; ++iteration) {
    const std::size_t number = iteration % lanes;
    Lane<B>& lane = all[number];
    Lane<B>& before = all[(number + lanes - 1) % lanes];
    const Lane<B>& after = all[(number + 1) % lanes];
    const basic_stream<B>& stream = streams[number % streams.size()];
    const auto visit = static_cast<unsigned>(iteration / lanes);

    auto& coming = lane.coming[visit % lane.coming.size()];
    WARPSAFE_TRY(auto pinned, std::move(*coming).get());
    const std::span<float> values = pinned.span();
    for (unsigned i = 0; i < elements; ++i) values[i] = static_cast<float>((i + iteration) % 5);
    auto copied = copy(stream, from(std::move(pinned)), to(lane.staged));
    static_cast<void>(coming.emplace(std::move(copied)));

    WARPSAFE_TRYV(wait(stream, after.used));  // the reader of the last visit's x
    // Long enough for the host to get ahead: work that does not wait for x then runs too early.
    if (seed != 0 && random() % 4 == 0) {
      WARPSAFE_TRYV(launch(stream, one, kernel<linger>, static_cast<unsigned>(random() % 8000)));
    }
    WARPSAFE_TRYV(launch(stream, wide, kernel<mix>, lane.staged.view(), lane.x.view(), iteration));
    WARPSAFE_TRY(lane.mixed, stream.record());
    WARPSAFE_TRYV(wait(stream, before.mixed));
    if (seed != 0 && random() % 4 == 0) {
      WARPSAFE_TRYV(launch(stream, one, kernel<linger>, static_cast<unsigned>(random() % 2000)));
    }
    WARPSAFE_TRYV(multiply(number, lane.x, before.x, lane.y));
    WARPSAFE_TRY(lane.used, stream.record());
    WARPSAFE_TRYV(launch(stream, one, kernel<settle>, lane.y.view(), lane.sums.view(), visit));
    if (seed != 0 && random() % 16 == 0) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 50);
      while (std::chrono::steady_clock::now() < end) {
      }
    }
  }
  std::vector<std::uint64_t> numbers(iterations);
  for (std::size_t i = 0; i < lanes; ++i) {
    WARPSAFE_TRY(const auto sums, all[i].sums.to_host(streams[i % streams.size()]).get());
    for (std::size_t visit = 0; visit * lanes + i < iterations; ++visit) {
      numbers[visit * lanes + i] = sums[visit];
    }
    for (auto& token : all[i].coming) {
      WARPSAFE_TRYV(std::move(*token).get());
    }
  }
  return numbers;
}

/// `count` streams of B.
template <class B>
[[nodiscard]] std::vector<basic_stream<B>> make_streams(std::size_t count) {
  std::vector<basic_stream<B>> streams;
  for (std::size_t i = 0; i < count; ++i) {
    streams.push_back(basic_stream<B>::create().value());
  }
  return streams;
}

/// The number of iterations whose result differs from the serial run's.
[[nodiscard]] inline std::size_t wrong(const std::vector<std::uint64_t>& numbers,
                                       const std::vector<std::uint64_t>& serial) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < serial.size(); ++i) count += numbers[i] != serial[i] ? 1U : 0U;
  return count;
}

}  // namespace warpsafe::streams_program
