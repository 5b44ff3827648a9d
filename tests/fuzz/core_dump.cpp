// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What warpsafe-faults reads in a core dump of CUDA's driver. Claims: the reader reads nothing
// outside the file, and its text is never empty and has no control characters.

#include "tools/run/faults/core_dump.hpp"

#include "fuzz.hpp"

#include <algorithm>

using namespace warpsafe;
using fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const watch::CoreDump dump({data, size});
  if (!dump.is_readable()) return 0;
  const std::string text = watch::fault_finding(dump.fault()).text();
  require(!text.empty(), "a fault without a text");
  require(std::none_of(text.begin(), text.end(),
                       [](char letter) {
                         const auto code = static_cast<unsigned char>(letter);
                         return (code < 0x20 && letter != '\n') || code == 0x7f;
                       }),
          "a control character in a text");
  return 0;
}
