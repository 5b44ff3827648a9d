// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/kernel_api.hpp>

#include <cstddef>

// The kernels of a network with one hidden layer: output = second * relu(first * input).
//
// A gradient is the sum over all samples of a step. The kernels add whole numbers, each sample's
// part in units of 2^-32. This sum is the same in any order, so it does not depend on how many
// ranks share the samples. A sum of floating-point numbers does.

namespace network {
namespace ws = warpsafe;

inline constexpr std::size_t inputs = 8;
inline constexpr std::size_t hidden = 32;
// The last weight of each neuron is its bias.
inline constexpr std::size_t first_weights = hidden * (inputs + 1);
inline constexpr std::size_t second_weights = hidden + 1;
/// Samples of a step, of all ranks together.
inline constexpr std::size_t batch = 512;

/// The same pseudo-random number from -1 to 1 on each rank.
WARPSAFE_FN inline float random_number(std::size_t number) {
  unsigned long long bits = (number + 1) * 0x9E3779B97F4A7C15ULL;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<float>(bits >> 40U) / 8388608.0F - 1.0F;
}
WARPSAFE_FN inline float input(std::size_t sample, std::size_t i) {
  return random_number(sample * inputs + i);
}
/// What the network learns.
WARPSAFE_FN inline float target(std::size_t sample) {
  return input(sample, 0) * input(sample, 1) + 0.5F * input(sample, 2);
}
WARPSAFE_FN inline long long whole(float part) {
  return static_cast<long long>(part * 4294967296.0F);
}

/// The samples of one rank in one step.
struct Share {
  std::size_t begin;
  std::size_t count;
};

/// Computes the hidden neurons and the error of each sample.
WARPSAFE_KERNEL void forward(const float* first, const float* second, Share share, float* neurons,
                             float* errors) {
  for (auto sample : ws::grid_stride(share.count)) {
    float output = second[hidden];
    for (std::size_t k = 0; k < hidden; ++k) {
      const float* const weights = first + k * (inputs + 1);
      float sum = weights[inputs];
      for (std::size_t i = 0; i < inputs; ++i) sum += weights[i] * input(share.begin + sample, i);
      const float neuron = sum > 0 ? sum : 0.0F;
      neurons[sample * hidden + k] = neuron;
      output += second[k] * neuron;
    }
    errors[sample] = output - target(share.begin + sample);
  }
}
WARPSAFE_KERNEL void second_gradient(const float* neurons, const float* errors, Share share,
                                     long long* gradient) {
  for (auto k : ws::grid_stride(second_weights)) {
    long long sum = 0;
    for (std::size_t sample = 0; sample < share.count; ++sample) {
      sum += whole(errors[sample] * (k < hidden ? neurons[sample * hidden + k] : 1.0F));
    }
    gradient[k] = sum;
  }
}
WARPSAFE_KERNEL void first_gradient(const float* second, const float* neurons, const float* errors,
                                    Share share, long long* gradient) {
  for (auto weight : ws::grid_stride(first_weights)) {
    const std::size_t k = weight / (inputs + 1);
    const std::size_t i = weight % (inputs + 1);
    long long sum = 0;
    for (std::size_t sample = 0; sample < share.count; ++sample) {
      if (neurons[sample * hidden + k] <= 0) continue;
      const float factor = i < inputs ? input(share.begin + sample, i) : 1.0F;
      sum += whole(errors[sample] * second[k] * factor);
    }
    gradient[weight] = sum;
  }
}
/// Adds the squares of all errors.
WARPSAFE_KERNEL void loss(const float* errors, Share share, long long* sum) {
  if (ws::thread_index().x != 0) return;
  *sum = 0;
  for (std::size_t sample = 0; sample < share.count; ++sample) {
    *sum += whole(errors[sample] * errors[sample]);
  }
}
WARPSAFE_KERNEL void update(const long long* gradient, float* weights, std::size_t n) {
  constexpr float rate = 0.1F / static_cast<float>(batch) / 4294967296.0F;
  for (auto i : ws::grid_stride(n)) weights[i] -= rate * static_cast<float>(gradient[i]);
}

}  // namespace network
