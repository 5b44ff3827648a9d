// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One step of inference with 4-bit weights: dequantises them, multiplies the activations with them,
// and turns the scores into probabilities (softmax). The three kernels have different shapes, and
// their sizes come from outside the program. The same source compiles with nvcc, hipcc, and g++ or
// clang++ (host backend).
//
//   q4_inference [TOKENS OUTPUTS INPUTS]    the default is 8 2048 1024; INPUTS in multiples of 32
//
// Exit code: 0 if the probabilities are within the bound of a reference in double precision, 1 if
// not, 2 if it could not run.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <new>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ws = warpsafe;

// 32 weights: a 16-bit float scale, then 4 bits per weight, offset by 8. Byte j holds weight j in
// its low half and weight j + 16 in its high half. The format is ggml's block_q4_0 (llama.cpp,
// ggml/src/ggml-common.h; dequantize_row_q4_0 in ggml/src/ggml-quants.c).
struct Q4Block {
  std::uint16_t scale;
  std::uint8_t nibbles[16];
};
static_assert(sizeof(Q4Block) == 18);
constexpr std::size_t weights_per_block = 32;

// The largest accepted relative error of a probability. A float has a precision of 2^-24; the sums
// of the product and of the softmax may lose a thousand times that.
constexpr double error_bound = 1e-4;

// --- On the device -------------------------------------------------------------------------------

// Reads an IEEE 754 binary16 without the vendors' half types.
WARPSAFE_FN inline float from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction == 0 ? HUGE_VALF : NAN;
  } else if (exponent == 0) {
    magnitude = ldexpf(static_cast<float>(fraction), -24);
  } else {
    magnitude = ldexpf(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// One thread per block of weights: row `output`, block number `col` in the row.
WARPSAFE_KERNEL void dequantize(ws::extent<2> blocks_extent, const Q4Block* blocks,
                                float* weights) {
  const ws::Index3 at = ws::thread_index();
  if (!blocks_extent.contains(at)) return;
  const Q4Block& block = blocks[blocks_extent.offset(at)];
  float* const target = weights + blocks_extent.offset(at) * weights_per_block;
  const float scale = from_half(block.scale);
  for (std::size_t j = 0; j < weights_per_block / 2; ++j) {
    const int both = block.nibbles[j];
    target[j] = static_cast<float>((both & 15) - 8) * scale;
    target[j + weights_per_block / 2] = static_cast<float>((both >> 4) - 8) * scale;
  }
}

// One thread per score: row `token` of the activations times row `output` of the weights.
WARPSAFE_KERNEL void multiply(ws::extent<2> scores_extent, std::size_t inputs,
                              const float* activations, const float* weights, float* scores) {
  const ws::Index3 at = ws::thread_index();
  if (!scores_extent.contains(at)) return;
  float sum = 0;
  for (std::size_t i = 0; i < inputs; ++i) {
    sum += activations[at.row() * inputs + i] * weights[at.col() * inputs + i];
  }
  scores[scores_extent.offset(at)] = sum;
}

// One block per row; its number of threads is a power of two. The kernel subtracts the largest
// score first, so that no exponential overflows.
WARPSAFE_KERNEL void softmax(float* scores, std::size_t outputs) {
  float* const shared = ws::dynamic_shared<float>();
  float* const row = scores + ws::block_index().x * outputs;
  const unsigned thread = ws::thread_in_block().x;
  const unsigned threads = ws::block_size().x;

  float largest = row[0];
  for (std::size_t i = thread; i < outputs; i += threads) largest = fmaxf(largest, row[i]);
  shared[thread] = largest;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    ws::sync_block();
    if (thread < half) shared[thread] = fmaxf(shared[thread], shared[thread + half]);
  }
  ws::sync_block();
  largest = shared[0];
  ws::sync_block();

  float sum = 0;
  for (std::size_t i = thread; i < outputs; i += threads) {
    row[i] = expf(row[i] - largest);
    sum += row[i];
  }
  shared[thread] = sum;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    ws::sync_block();
    if (thread < half) shared[thread] += shared[thread + half];
  }
  ws::sync_block();
  for (std::size_t i = thread; i < outputs; i += threads) row[i] /= shared[0];
}

// --- On the host ---------------------------------------------------------------------------------

namespace {

struct Model {
  std::vector<Q4Block> weights;    // outputs x inputs
  std::vector<float> activations;  // tokens x inputs
};

// Makes numbers of a trained layer's size: scores are about 1 for any number of inputs.
Model make_model(std::size_t block_count, std::size_t activation_count, std::size_t inputs) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same numbers every time
  const int exponent = std::max(1, 12 - std::ilogb(static_cast<double>(inputs)) / 2);
  Model model{std::vector<Q4Block>(block_count), std::vector<float>(activation_count)};
  for (Q4Block& block : model.weights) {
    block.scale =
        static_cast<std::uint16_t>((random() & 0x83ffU) | static_cast<unsigned>(exponent) << 10U);
    for (std::uint8_t& both : block.nibbles) both = static_cast<std::uint8_t>(random());
  }
  std::uniform_real_distribution<float> activation(-1.0F, 1.0F);
  for (float& value : model.activations) value = activation(random);
  return model;
}

struct Outcome {
  Model model;
  std::vector<float> probabilities;  // tokens x outputs
};

ws::result<Outcome> infer(ws::StreamRef stream, long long tokens, long long outputs,
                          long long inputs) {
  // cover_untrusted checks sizes from outside at every level, including off. It comes before any
  // computation with them: sizes that fit a grid keep every product below 2^64.
  constexpr auto per_block = static_cast<long long>(weights_per_block);
  const ws::extent blocks_extent{ws::rows{outputs}, ws::cols{inputs / per_block}};
  const ws::extent scores_extent{ws::rows{tokens}, ws::cols{outputs}};
  WARPSAFE_TRY(
      const auto blocks_grid,
      ws::SafeGrid<>::cover_untrusted(blocks_extent, ws::block<32, 8>, ws::kernel<dequantize>));
  WARPSAFE_TRY(const auto scores_grid, ws::SafeGrid<>::cover_untrusted(
                                           scores_extent, ws::block<16, 16>, ws::kernel<multiply>));
  const auto layer_size = static_cast<std::size_t>(outputs) * static_cast<std::size_t>(inputs);
  const auto activations_size = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(inputs);

  // If the device's memory is too small, the error says how much was requested and how much is
  // free.
  WARPSAFE_TRY(auto blocks,
               ws::DeviceBuffer<Q4Block>::create(stream, layer_size / weights_per_block));
  WARPSAFE_TRY(auto weights, ws::DeviceBuffer<float>::create(stream, layer_size));
  WARPSAFE_TRY(auto activations, ws::DeviceBuffer<float>::create(stream, activations_size));
  WARPSAFE_TRY(auto scores,
               ws::DeviceBuffer<float>::create(stream, static_cast<std::size_t>(tokens * outputs)));
  Model model = make_model(blocks.size(), activations.size(), static_cast<std::size_t>(inputs));
  WARPSAFE_TRYV(ws::copy_and_wait(stream, ws::from(model.weights), ws::to(blocks)));
  WARPSAFE_TRYV(ws::copy_and_wait(stream, ws::from(model.activations), ws::to(activations)));

  constexpr auto row_threads = ws::block<256>;
  const auto blocks_config = ws::configure(blocks_grid);
  const auto scores_config = ws::configure(scores_grid);
  const auto rows_config = ws::configure(ws::GridDim::from_blocks(tokens), row_threads,
                                         ws::shared<float>(row_threads.count()));
  WARPSAFE_TRYV(ws::launch(stream, blocks_config, ws::kernel<dequantize>, blocks_extent,
                           blocks.view(), weights.view()));
  WARPSAFE_TRYV(ws::launch(stream, scores_config, ws::kernel<multiply>, scores_extent, inputs,
                           activations.view(), weights.view(), scores.view()));
  WARPSAFE_TRYV(ws::launch(stream, rows_config, ws::kernel<softmax, ws::needs_shared<float>>,
                           scores.view(), outputs));

  WARPSAFE_TRY(auto probabilities, scores.to_host(stream).get());
  const auto show = [](const char* kernel, const auto& config) {
    std::cout << "  " << kernel << config.value() << '\n';
  };
  std::cout << "Launches\n";
  show("dequantize  ", blocks_config);
  show("multiply    ", scores_config);
  show("softmax     ", rows_config);
  return Outcome{std::move(model), std::move(probabilities)};
}

// The reference in double precision, as direct as possible, with its own binary16 reader.
double weight(const Model& model, std::size_t index) {
  const Q4Block& block = model.weights[index / weights_per_block];
  const std::size_t place = index % weights_per_block;
  const unsigned both = block.nibbles[place % 16];
  const int quantised = static_cast<int>(place < 16 ? both % 16 : both / 16) - 8;
  const unsigned exponent = block.scale / 1024U % 32U;
  const double fraction = (exponent == 0 ? 0.0 : 1.0) + block.scale % 1024U / 1024.0;
  const double scale = fraction * std::pow(2.0, std::max(1, static_cast<int>(exponent)) - 15);
  return quantised * (block.scale >= 0x8000U ? -scale : scale);
}

double worst_error(const Outcome& outcome, std::size_t tokens, std::size_t outputs,
                   std::size_t inputs) {
  std::vector<double> expected(outputs);
  double worst = 0;
  for (std::size_t token = 0; token < tokens; ++token) {
    for (std::size_t output = 0; output < outputs; ++output) {
      double score = 0;
      for (std::size_t i = 0; i < inputs; ++i) {
        score += outcome.model.activations[token * inputs + i] *
                 weight(outcome.model, output * inputs + i);
      }
      expected[output] = score;
    }
    const double largest = *std::max_element(expected.begin(), expected.end());
    double sum = 0;
    for (double& value : expected) sum += value = std::exp(value - largest);
    for (std::size_t output = 0; output < outputs; ++output) {
      const double wanted = expected[output] / sum;
      const double error =
          std::abs(outcome.probabilities[token * outputs + output] - wanted) / wanted;
      if (std::isnan(error)) return error;
      worst = std::max(worst, error);
    }
  }
  return worst;
}

// Reads a whole number with nothing after it. Accepts negative numbers: the library reports
// them.
bool parse(std::string_view text, long long& number) {
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end;
}

int infer_and_compare(long long tokens, long long outputs, long long inputs) {
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) {
    std::cerr << "q4_inference: " << stream.error() << '\n';
    return 2;
  }
  const auto outcome = infer(stream.value(), tokens, outputs, inputs);
  if (!outcome.has_value()) {
    std::cerr << "q4_inference: " << outcome.error() << '\n';
    return 2;
  }
  const double worst =
      worst_error(outcome.value(), static_cast<std::size_t>(tokens),
                  static_cast<std::size_t>(outputs), static_cast<std::size_t>(inputs));
  std::cout << tokens << " tokens, " << outputs << " outputs, " << inputs
            << " inputs: worst relative error " << worst << ", bound " << error_bound << '\n';
  return worst <= error_bound ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  long long tokens = 8;
  long long outputs = 2048;
  long long inputs = 1024;
  if (argc != 1 && (argc != 4 || !parse(argv[1], tokens) || !parse(argv[2], outputs) ||
                    !parse(argv[3], inputs) || inputs % 32 != 0)) {
    std::cerr << "usage: q4_inference [TOKENS OUTPUTS INPUTS]   whole numbers; INPUTS in multiples "
                 "of 32\n";
    return 2;
  }
  try {
    return infer_and_compare(tokens, outputs, inputs);
  } catch (const std::bad_alloc&) {
    std::cerr << "q4_inference: not enough memory on the host\n";
    return 2;
  }
}
