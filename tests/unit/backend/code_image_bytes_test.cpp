// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The bytes of device code and the header of ELF files: each field at its limits, files cut short
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

}  // namespace
}  // namespace warpsafe
