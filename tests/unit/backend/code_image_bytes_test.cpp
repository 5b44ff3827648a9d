// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The bytes of device code and the symbols of ELF files: each field at its limits, files cut short
// at each byte.

#include "code_image_builder.hpp"
#include <warpsafe/backend/detail/code_image.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpsafe {
namespace {

using code_image_test::ElfImage;
using code_image_test::GuardedImage;
using code_image_test::put_field;
using detail::ImageBytes;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(CodeImageBytes, AnImageHoldsWhatLiesWithinItsSize) {
  const GuardedImage ten("0123456789");
  const std::uint64_t most = ~std::uint64_t{0};
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{9},
                                     std::uint64_t{10}, std::uint64_t{11}, most}) {
    for (const std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{8},
          std::uint64_t{10}, std::uint64_t{11}, most, most - 2}) {
      const bool inside = offset <= 10 && count <= 10 && offset + count <= 10;
      EXPECT_EQ(ten.bytes().holds(offset, count), inside) << offset << ' ' << count;
      const ImageBytes part = ten.bytes().part(offset, count);
      EXPECT_EQ(part.size, inside ? count : 0) << offset << ' ' << count;
      EXPECT_EQ(part.data, inside ? ten.bytes().data + offset : nullptr) << offset << ' ' << count;
    }
    const bool two = offset <= 8;
    EXPECT_EQ(ten.bytes().read<std::uint16_t>(offset),
              two ? 0x3130 + 0x0101 * static_cast<unsigned>(offset) : 0)
        << offset;
  }
  EXPECT_EQ(ImageBytes{}.size, 0U);
  EXPECT_EQ(ImageBytes{}.data, nullptr);
  EXPECT_TRUE(ImageBytes{}.holds(0, 0));
  EXPECT_FALSE(ImageBytes{}.holds(0, 1));
}

TEST(CodeImageBytes, AnImageStartsWithATextThatItHoldsWhole) {
  const GuardedImage image("magic");
  EXPECT_TRUE(image.bytes().starts_with(Name::of("magic")));
  EXPECT_TRUE(image.bytes().starts_with(Name::of("mag")));
  EXPECT_FALSE(image.bytes().starts_with(Name::of("mat")));
  EXPECT_FALSE(image.bytes().starts_with(Name::of("magic!")));
  EXPECT_FALSE(image.first(4).starts_with(Name::of("magic"))) << "its last letter lies outside";
}

TEST(CodeImageBytes, ATextEndsInsideTheImage) {
  const GuardedImage image(std::string("one\0two\0four", 12) + '\0');
  const auto text = [](ImageBytes bytes, std::uint64_t offset) {
    const Name name = bytes.text(offset);
    return std::string(name.size == 0 ? "" : name.data, name.size);
  };
  EXPECT_EQ(text(image.bytes(), 0), "one");
  EXPECT_EQ(text(image.bytes(), 2), "e");
  EXPECT_EQ(text(image.bytes(), 3), "");
  EXPECT_EQ(text(image.bytes(), 8), "four");
  EXPECT_EQ(text(image.first(12), 8), "") << "its zero lies outside";
  EXPECT_EQ(text(image.first(12), 4), "two");
  EXPECT_EQ(text(image.first(8), 4), "two") << "its zero is the last byte";
  for (const std::uint64_t offset : {std::uint64_t{13}, std::uint64_t{14}, ~std::uint64_t{0}}) {
    EXPECT_EQ(text(image.bytes(), offset), "") << offset;
  }
}

TEST(CodeImageBytes, AWordIsFoundWhereItBegins) {
  const GuardedImage image("aabab");
  const auto find = [&](const char* word, std::size_t from) {
    return detail::find_word(image.bytes(), Name::of(word), from);
  };
  EXPECT_EQ(find("aab", 0), 0U);
  EXPECT_EQ(find("ab", 0), 1U);
  EXPECT_EQ(find("ab", 1), 1U);
  EXPECT_EQ(find("ab", 2), 3U) << "the last two letters";
  EXPECT_EQ(find("ab", 4), 5U) << "no such word: the size";
  EXPECT_EQ(find("abb", 0), 5U);
  EXPECT_EQ(find("ab", 5), 5U);
  EXPECT_EQ(find("aababb", 0), 5U) << "longer than the image";
  EXPECT_EQ(detail::find_word(image.first(4), Name::of("bab"), 0), 4U) << "it ends outside";
}

std::vector<std::string> symbols_in(ImageBytes image) {
  std::vector<std::string> names;
  detail::visit_symbols(image, [&](Name name, const Elf64_Sym& symbol) {
    names.push_back(std::string(name.data, name.size) + ' ' + std::to_string(symbol.st_shndx));
  });
  return names;
}
std::vector<std::string> symbols_in(const std::string& image) {
  return symbols_in(GuardedImage(image).bytes());
}

TEST(CodeImageElf, TheMachineIsThatOfA64BitFile) {
  const std::string good = ElfImage(detail::machine_amdgpu).image();
  EXPECT_EQ(detail::elf_machine(GuardedImage(good).bytes()), 224);
  for (std::size_t at = 0; at < SELFMAG; ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] + 1);
    EXPECT_EQ(detail::elf_machine(GuardedImage(bad).bytes()), 0) << at;
  }
  for (const int type : {ELFCLASSNONE, ELFCLASS32, 3}) {
    std::string bad = good;
    bad[EI_CLASS] = static_cast<char>(type);
    EXPECT_EQ(detail::elf_machine(GuardedImage(bad).bytes()), 0) << type;
  }
  const GuardedImage guarded(good);
  for (std::size_t size = 0; size < sizeof(Elf64_Ehdr); ++size) {
    EXPECT_EQ(detail::elf_machine(guarded.first(size)), 0) << size;
  }
  EXPECT_EQ(detail::elf_machine(guarded.first(sizeof(Elf64_Ehdr))), 224);
}

TEST(CodeImageElf, EachSymbolIsVisitedWithItsName) {
  ElfImage elf(detail::machine_cuda);
  elf.add("first", 3);
  elf.add("");
  elf.add("second", 4);
  elf.add("third", 65535);
  const std::vector<std::string> all{"first 3", "second 4", "third 65535"};
  for (const unsigned empty : {0U, 1U, 4U}) {
    for (const unsigned between : {0U, 2U}) {
      EXPECT_EQ(symbols_in(elf.image(empty, between)), all) << empty << ' ' << between;
    }
  }
  // A file cut short has lost its sections, and a symbol that is not whole is none.
  const std::string whole = elf.image(1);
  const GuardedImage guarded(whole);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(symbols_in(guarded.first(size)), IsEmpty()) << size;
  }
}

TEST(CodeImageElf, AFieldThatLiesHidesSymbolsAndNothingMore) {
  ElfImage elf(detail::machine_cuda);
  elf.add("first");
  elf.add("second");
  const std::string good = elf.image(1);
  const std::size_t table = elf.header.e_shoff + sizeof(Elf64_Shdr);
  const auto with = [&](std::size_t at, auto value) {
    std::string image = good;
    put_field(image, at, value);
    return symbols_in(image);
  };
  const std::size_t count_at = offsetof(Elf64_Ehdr, e_shnum);
  EXPECT_THAT(with(count_at, std::uint16_t{1}), IsEmpty()) << "the table is no section then";
  EXPECT_THAT(with(count_at, std::uint16_t{2}), ElementsAre("first 1", "second 1"));
  EXPECT_THAT(with(count_at, std::uint16_t{65535}), ElementsAre("first 1", "second 1"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_shoff), good.size()), IsEmpty());
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_shoff), ~std::uint64_t{0}), IsEmpty());
  EXPECT_THAT(with(table + offsetof(Elf64_Shdr, sh_type), std::uint32_t{SHT_SYMTAB}), IsEmpty());
  EXPECT_THAT(with(table + offsetof(Elf64_Shdr, sh_link), std::uint32_t{3}), IsEmpty());
  EXPECT_THAT(with(table + offsetof(Elf64_Shdr, sh_link), ~std::uint32_t{0}), IsEmpty());
  const std::size_t size_at = table + offsetof(Elf64_Shdr, sh_size);
  EXPECT_THAT(with(size_at, std::uint64_t{0}), IsEmpty());
  EXPECT_THAT(with(size_at, std::uint64_t{23}), IsEmpty());
  EXPECT_THAT(with(size_at, std::uint64_t{24}), ElementsAre("first 1"));
  EXPECT_THAT(with(size_at, std::uint64_t{47}), ElementsAre("first 1"));
  EXPECT_THAT(with(size_at, ~std::uint64_t{0}), IsEmpty());
  EXPECT_THAT(with(table + offsetof(Elf64_Shdr, sh_offset), good.size()), IsEmpty());
  const std::size_t texts = table + sizeof(Elf64_Shdr);
  EXPECT_THAT(with(texts + offsetof(Elf64_Shdr, sh_size), std::uint64_t{7}),
              ElementsAre("first 1"));
  EXPECT_THAT(with(texts + offsetof(Elf64_Shdr, sh_offset), good.size()), IsEmpty());
}

}  // namespace
}  // namespace warpsafe
