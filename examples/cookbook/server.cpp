// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A server answers requests whose numbers come from outside. An error becomes an answer, and the
// server goes on, unless the GPU's context is lost.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float* x, float value, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = value;
}

struct Request {
  std::int64_t elements;
  int threads_per_block;
};

ws::result<std::vector<float>> serve(const ws::Stream& stream, const Request& request) {
  WARPSAFE_TRY(const auto block, ws::BlockDim::create(request.threads_per_block));
  // cover_untrusted checks the size at every check level, also in a release build.
  WARPSAFE_TRY(const auto grid, ws::SafeGrid<>::cover_untrusted(request.elements, block));
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, request.elements));
  WARPSAFE_TRYV(ws::launch(stream, grid, ws::kernel<fill, ws::index<std::uint64_t>>, x.view(), 1.0F,
                           x.size()));
  return x.to_host(stream).get();
}

enum class Answer { ok = 200, bad_request = 400, failed = 500, try_later = 503 };

// The answer for the client. The log gets the whole text, with the numbers and the line.
Answer answer_to(const ws::LaunchError& error) {
  std::cerr << error << '\n';
  if (error.code == ws::Errc::out_of_memory) return Answer::try_later;
  // A check refused a number of the request; the runtime was not asked.
  if (error.stage == ws::Stage::construction) return Answer::bad_request;
  return Answer::failed;
}

int main() {
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) {
    std::cerr << stream.error() << '\n';
    return 2;
  }
  const Request requests[] = {
      {1000, 256}, {-5, 256}, {1000, 4096}, {std::int64_t{1} << 40, 1024}, {1000, 256}};
  std::vector<Answer> answers;
  for (const Request& request : requests) {
    const auto reply = serve(stream.value(), request);
    if (reply.has_value()) {
      answers.push_back(Answer::ok);
      continue;
    }
    // No call of this process works any more: end it, and let its supervisor start another.
    if (reply.error().severity == ws::Severity::context_lost) return 70;
    answers.push_back(answer_to(reply.error()));
  }
  // AMD allows fewer than 2^32 threads along one axis, so there the size itself is refused.
  constexpr bool on_amd = ws::default_backend::vendor == ws::Vendor::amd;
  const Answer huge = on_amd ? Answer::bad_request : Answer::try_later;
  const std::vector<Answer> right = {Answer::ok, Answer::bad_request, Answer::bad_request, huge,
                                     Answer::ok};
  for (const Answer answer : answers) std::cout << static_cast<int>(answer) << ' ';
  std::cout << '\n';
  return answers == right ? 0 : 1;
}
