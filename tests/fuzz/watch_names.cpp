// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What warpsafe-run makes of the name of a kernel in the watched program: its text, the types and
// the layout of its parameters, and the parameter that it writes. The input is the mangled name.
// Claims: a text is never empty and has its limit. The lists agree in length. Offsets are aligned
// and do not overlap.

#include "fuzz.hpp"
#include "tools/run/core/kernel/kernel_name.hpp"
#include "tools/run/core/kernel/named_parameters.hpp"
#include "tools/run/core/kernel/written_parameter.hpp"

using namespace warpsafe;
using fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string mangled = std::string(reinterpret_cast<const char*>(data), size).c_str();
  // Such names are known to fill the memory in the C++ library's demangler.
  if (mangled.size() > 1000 || watch::repeated_parts(mangled) > 12) {
    return 0;
  }
  const std::string name = watch::kernel_name(mangled.c_str());
  require(!name.empty(), "a kernel without a text");
  require(name.size() <= watch::longest_name, "a text longer than its limit");
  const auto types = watch::parameter_types(mangled.c_str());
  const auto layout = watch::named_parameters(mangled.c_str());
  require(types.size() == layout.size(), "a type has no place");
  std::size_t end = 0;
  bool known = true;
  for (std::size_t i = 0; i < types.size(); ++i) {
    require(!types[i].empty(), "a parameter without a type");
    known = known && layout[i].bytes != 0;
    require(known == (layout[i].offset != watch::no_offset), "an offset behind an unknown size");
    if (!known) continue;
    require(layout[i].offset >= end && layout[i].offset % layout[i].bytes == 0, "a wrong offset");
    end = layout[i].offset + layout[i].bytes;
  }
  const std::size_t written = watch::written_parameter(mangled.c_str());
  require(
      written == watch::no_parameter || (written < types.size() && types[written].back() == '*'),
      "the parameter that is written is no pointer");
  return 0;
}
