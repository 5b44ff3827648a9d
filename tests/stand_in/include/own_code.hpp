// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <elf.h>

#include <cstddef>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in_hip {

/// The code objects that hipcc put into this program, as the bundle in its file; empty if there is
/// none.
inline std::vector<char> own_image() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const auto read = [&](std::size_t at, void* to, std::size_t bytes) {
    file.seekg(static_cast<std::streamoff>(at));
    file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
  };
  Elf64_Ehdr header{};
  read(0, &header, sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  read(header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr));
  if (sections.empty()) return {};
  const Elf64_Shdr& text = sections[header.e_shstrndx];
  std::vector<char> names(text.sh_size + 1);
  read(text.sh_offset, names.data(), text.sh_size);
  for (const Elf64_Shdr& section : sections) {
    if (std::string_view(names.data() + section.sh_name) != ".hip_fatbin") continue;
    std::vector<char> image(section.sh_size);
    read(section.sh_offset, image.data(), image.size());
    return image;
  }
  return {};
}

}  // namespace stand_in_hip
