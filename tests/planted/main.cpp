// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Runs each planted mistake and its right twin under the race detector, and prints for each: the
// id, the mistake, and the first finding of both, or nothing. A line per pair, with tabs.
// `planted ID` prints the findings of one mistake.

#include "planted.hpp"
#include <warpsafe/race/adversarial.hpp>

#include <iostream>
#include <string>
#include <string_view>

namespace {

constexpr std::uint64_t seeds = 200;

[[nodiscard]] warpsafe::debug::RaceReport detect(void (*program)()) {
  return warpsafe::adversarial::run(seeds, program);
}
/// The first line of the first finding.
[[nodiscard]] std::string found(void (*program)()) {
  const auto report = detect(program);
  if (report.clean()) return {};
  const std::string& text = report.findings.front().text;
  return text.substr(0, text.find('\n'));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<planted::Pair> pairs = planted::dependent_launches();
  for (const auto more :
       {planted::returned_memory, planted::guarded_memory, planted::own_kernels}) {
    for (const planted::Pair& one : more()) pairs.push_back(one);
  }
  for (const planted::Pair& one : pairs) {
    if (argc > 1) {
      if (std::string_view(argv[1]) != one.id) continue;
      for (const auto& finding : detect(one.wrong).findings) std::cout << finding.text;
      return 0;
    }
    std::cout << one.id << '\t' << one.mistake << '\t' << found(one.wrong) << '\t'
              << found(one.right) << '\n';
  }
  return argc > 1 ? 1 : 0;
}
