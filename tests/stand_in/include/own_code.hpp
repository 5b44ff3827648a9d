// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in_hip {

/// The code objects that hipcc put into this program, as the bundle in its file; empty if there is
/// none.
inline std::vector<char> own_image() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::vector<char> program{std::istreambuf_iterator<char>(file), {}};
  const auto read = [&](std::size_t at, auto& value) {
    std::memcpy(&value, program.data() + at, sizeof value);
  };
  Elf64_Ehdr header{};
  read(0, header);
  const auto section = [&](std::size_t index) {
    Elf64_Shdr found{};
    read(header.e_shoff + index * sizeof found, found);
    return found;
  };
  const std::size_t names = section(header.e_shstrndx).sh_offset;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr found = section(i);
    if (std::string_view(program.data() + names + found.sh_name) != ".hip_fatbin") continue;
    const auto* from = program.data() + found.sh_offset;
    return {from, from + found.sh_size};
  }
  return {};
}

/// Whether this program was compiled for that architecture, such as "gfx942", among others. A test
/// of a device that the program has no code for skips where it has.
inline bool has_code_for(std::string_view architecture) {
  const std::vector<char> image = own_image();
  const std::string entry = "--" + std::string{architecture};
  return std::string_view{image.data(), image.size()}.find(entry) != std::string_view::npos;
}

}  // namespace stand_in_hip
