// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Images that lie. What the readers accept, and what they make of real images, is tested with the
// errors of modules.

#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/module/detail/kernel_names.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe {
namespace {

using detail::ImageBytes;

template <class T>
void put(std::string& image, const T& value) {
  image.append(reinterpret_cast<const char*>(&value), sizeof value);
}
ImageBytes bytes_of(const std::string& image) {
  return {reinterpret_cast<const unsigned char*>(image.data()), image.size()};
}
std::string contents(const std::string& image) {
  char text[512];
  detail::TextBuffer out(text, sizeof text);
  static_cast<void>(detail::put_contents(out, bytes_of(image)));
  return text;
}

/// An ELF file whose symbol is named by `tables` tables.
std::string elf(const std::string& name, unsigned tables) {
  const std::string texts = '\0' + name + '\0';
  Elf64_Ehdr header{};
  std::copy_n(ELFMAG, SELFMAG, header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = detail::machine_amdgpu;
  header.e_shnum = static_cast<Elf64_Half>(tables + 1);
  header.e_shoff = sizeof header;
  const std::size_t symbols_at = sizeof header + (tables + 1) * sizeof(Elf64_Shdr);
  Elf64_Shdr names{};
  names.sh_type = SHT_STRTAB;
  names.sh_offset = symbols_at + sizeof(Elf64_Sym);
  names.sh_size = texts.size();
  Elf64_Shdr symbols{};
  symbols.sh_type = SHT_DYNSYM;
  symbols.sh_offset = symbols_at;
  symbols.sh_size = sizeof(Elf64_Sym);
  Elf64_Sym symbol{};
  symbol.st_name = 1;
  symbol.st_shndx = 1;
  std::string image;
  put(image, header);
  put(image, names);
  for (unsigned i = 0; i < tables; ++i) put(image, symbols);
  put(image, symbol);
  return image + texts;
}

TEST(CodeImage, ASymbolIsVisitedOnceHoweverManyTablesNameIt) {
  for (const unsigned tables : {1U, 2U, 1000U}) {
    const std::string image = elf("axpy.kd", tables);
    std::vector<std::string> names;
    detail::visit_amd_kernels(bytes_of(image),
                              [&](Name name) { names.emplace_back(name.data, name.size); });
    EXPECT_THAT(names, testing::ElementsAre("axpy")) << tables;
  }
}

TEST(CodeImage, ATextFromAnImageIsOneLine) {
  std::string bundle(detail::bundle_magic.data, detail::bundle_magic.size);
  const std::string target = "hip-amdgcn-amd-amdhsa--gfx90a\nwarpsafe:\tforged\x1b[2J";
  put(bundle, std::uint64_t{1});
  const std::uint64_t end = bundle.size() + 24 + target.size();
  put(bundle, end);
  put(bundle, std::uint64_t{1});
  put(bundle, std::uint64_t{target.size()});
  bundle += target + '\1';
  EXPECT_EQ(contents(bundle), "gfx90a\\x0awarpsafe:\\x09forged\\x1b[2J");
  EXPECT_EQ(contents(".version 8.0\n.target sm_90\x7f"), "PTX for sm_90\\x7f");
}

TEST(CodeImage, ANameFromAnImageIsOneLine) {
  detail::KernelNames names(Name::of("axpy"));
  names.add(Name::of("axpi\nwarpsafe: forged"));
  names.add(Name::of("axp\t"));
  char text[4096];
  detail::TextBuffer out(text, sizeof text);
  names.put(out);
  EXPECT_STREQ(text, "did you mean 'axp\\x09'? It holds: axpi\\x0awarpsafe: forged, axp\\x09");
}

TEST(CodeImage, ANameThatWouldFillTheMemoryIsNotDemangled) {
  // Each type is a function of the one before it, three times.
  std::string name = "_Z1f1APFvS_S_S_E";
  const char* const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int i = 0; i < 16; ++i) {
    const std::string part = std::string("S") + digits[2 * i + 1] + '_';
    name += "PFv" + part + part + part + 'E';
  }
  const detail::Demangled bomb({name.data(), name.size()});
  EXPECT_TRUE(bomb.whole().empty());
  const detail::Demangled plain(Name::of("_Z4axpyIfEvPKT_PS0_S2_S_i"));
  EXPECT_EQ(plain.base(), Name::of("axpy"));
}

}  // namespace
}  // namespace warpsafe
