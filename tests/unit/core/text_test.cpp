// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/core/detail/text.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

namespace warpsafe::detail {
namespace {

template <class... Parts>
std::string written(const Parts&... parts) {
  char buffer[128];
  TextBuffer out(buffer, sizeof buffer);
  (out << ... << parts);
  EXPECT_EQ(out.size(), std::string(buffer).size());
  return buffer;
}

TEST(TextBuffer, WritesTextLettersAndNames) {
  EXPECT_EQ(written(""), "");
  EXPECT_EQ(written("grid", '=', Name{"axpy!", 4}), "grid=axpy");
}

TEST(TextBuffer, WritesEveryNumber) {
  EXPECT_EQ(written(std::uint32_t{0}), "0");
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::numeric_limits<std::uint32_t>::max()), "4294967295");
  EXPECT_EQ(written(std::numeric_limits<std::int32_t>::min()), "-2147483648");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(written(std::int64_t{-7}, ' ', std::int32_t{7}), "-7 7");
}

TEST(TextBuffer, WritesAddressesAndAxes) {
  EXPECT_EQ(written(reinterpret_cast<const void*>(std::uintptr_t{0x55d0c8})), "0x55d0c8");
  const void* const none = nullptr;
  EXPECT_EQ(written(none), "0x0");
  const std::uint32_t axes[3] = {2800, 1, 4294967295};
  EXPECT_EQ(written(axes), "(2800,1,4294967295)");
}

TEST(TextBuffer, EscapesControlCharactersExceptEndsOfLinesAndTabs) {
  EXPECT_EQ(written("a\nb\tc"), "a\nb\tc");
  EXPECT_EQ(written("\x1b[2J", '\r', Name{"\0\x7f", 2}), "\\x1b[2J\\x0d\\x00\\x7f");
  EXPECT_EQ(written("\xc2\x9b", "31m"), "\\x9b31m") << "C1 in UTF-8";
  EXPECT_EQ(written("\xc2\xa0\xc3\x9b\xe2\x82\xac"), "\xc2\xa0\xc3\x9b\xe2\x82\xac")
      << "other letters of UTF-8";
}

TEST(TextBuffer, DropsWhatDoesNotFitAndStaysTerminated) {
  for (std::size_t capacity = 1; capacity <= 8; ++capacity) {
    char buffer[9];
    for (char& letter : buffer) letter = '#';
    TextBuffer out(buffer, capacity);
    out << "12" << std::uint32_t{34} << "567";
    EXPECT_EQ(std::string(buffer), std::string("1234567").substr(0, capacity - 1));
    EXPECT_EQ(out.size(), capacity - 1);
    EXPECT_EQ(buffer[capacity], '#') << "nothing is written beyond the capacity";
  }
}

TEST(TextBuffer, EscapesEachControlCharacterOfUtf8AndNoOtherByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const char letter = static_cast<char>(byte);
    const bool low = byte < 0x20 && letter != '\n' && letter != '\t';
    const bool high = byte >= 0x80 && byte < 0xa0;
    EXPECT_EQ(TextBuffer::is_control('a', letter), low || byte == 0x7f) << byte;
    EXPECT_EQ(TextBuffer::is_control('\xc2', letter), low || byte == 0x7f || high) << byte;
    EXPECT_FALSE(TextBuffer::is_control('\xc3', letter) && byte > 0x7f) << byte;
    // The text holds neither the character nor the byte that began it.
    char expected[8];
    std::snprintf(expected, sizeof expected, "\\x%02x", byte);
    const std::string shown = high                  ? expected
                              : low || byte == 0x7f ? '\xc2' + std::string(expected)
                                                    : std::string{'\xc2', letter};
    EXPECT_EQ(written('\xc2', letter), shown) << byte;
  }
}

TEST(TextBuffer, OneLineHasNoEndOfLine) {
  char buffer[64];
  TextBuffer out(buffer, sizeof buffer);
  out.one_line(Name::of("a\nb\tc\x80\r\xc2\x85"));
  EXPECT_STREQ(buffer, "a\\x0ab\\x09c\x80\\x0d\\x85");
}

}  // namespace
}  // namespace warpsafe::detail
