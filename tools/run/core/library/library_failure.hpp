// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../failure/call_weight.hpp"
#include "library_family.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpsafe::watch {

/// A call of a library's function that has returned a status other than success.
struct LibraryFailure {
  const LibraryFamily* family;
  const LibraryStatus* status;
  std::string symbol;  ///< the function as the library exports it: "cublasSgemm_v2"
  /// The integer arguments, pointers too: the six in registers, and the words on the stack, which
  /// are arguments only as far as the function has them.
  static constexpr std::size_t most_words = 26;
  std::uint64_t words[most_words];
  std::size_t count = 0;

  /// Returns the function as a program writes it: the headers of cuBLAS replace the names without
  /// "_v2".
  [[nodiscard]] std::string function() const {
    std::string name = symbol;
    if (family->functions != "cublas") return name;
    if (const std::size_t at = name.find("_v2"); at != name.npos) name.erase(at, 3);
    return name;
  }
};

/// Returns what the failure means for the user. A status that a program may expect, and for which
/// it has another way, is no error.
[[nodiscard]] inline CallWeight weight_of(const LibraryFailure& of) noexcept {
  const auto has = [&](std::string_view word) { return of.symbol.find(word) != std::string::npos; };
  switch (of.status->trouble) {
    case LibraryTrouble::answer:
      return CallWeight::quiet;
    case LibraryTrouble::numbers:
      return has("zeroPivot") ? CallWeight::quiet : CallWeight::note;  // the answer to a question
    case LibraryTrouble::unsupported:
    case LibraryTrouble::device:
    case LibraryTrouble::memory:
      return CallWeight::note;
    default:
      break;
  }
  // Programs try algorithms and plans until one fits. cuDNN's backend is used by such programs.
  for (const std::string_view word : {"Heuristic", "Algo", "cudnnBackend", "cudnnFind", "IsSupp"}) {
    if (has(word)) return CallWeight::note;
  }
  return CallWeight::error;
}

}  // namespace warpsafe::watch
