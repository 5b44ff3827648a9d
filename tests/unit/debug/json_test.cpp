// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/debug/run/detail/json.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace warpsafe::debug {
namespace {

std::string quoted(const std::string& text) { return JsonObject().add("t", text).text(); }

TEST(JsonObject, HasItsFieldsInTheirOrder) {
  const std::uint32_t axes[3] = {28, 1, 4294967295U};
  EXPECT_EQ(JsonObject().text(), "{}");
  EXPECT_EQ(JsonObject()
                .add("kernel", "axpy")
                .add("grid", axes)
                .add("bytes", std::uint64_t{18446744073709551615U})
                .add("device", -1)
                .add("lost", false)
                .add("inner", JsonObject().add("a", 1U))
                .text(),
            "{\"kernel\":\"axpy\",\"grid\":[28,1,4294967295],\"bytes\":18446744073709551615,"
            "\"device\":-1,\"lost\":false,\"inner\":{\"a\":1}}");
}

TEST(JsonObject, AnAddressIsAText) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): printed, never followed
  const auto* const address = reinterpret_cast<const void*>(std::uintptr_t{0x55d0c8});
  EXPECT_EQ(JsonObject().add("stream", address).text(), "{\"stream\":\"0x55d0c8\"}");
  EXPECT_EQ(JsonObject().add("stream", static_cast<const void*>(nullptr)).text(),
            "{\"stream\":\"0x0\"}");
}

TEST(JsonObject, TextIsEscaped) {
  EXPECT_EQ(quoted("scale<\"a\\b\">"), "{\"t\":\"scale<\\\"a\\\\b\\\">\"}");
  EXPECT_EQ(quoted(std::string("a\nb\t\0\x7f", 6)), "{\"t\":\"a\\u000ab\\u0009\\u0000\\u007f\"}");
  EXPECT_EQ(JsonObject().add("a\"b", 1U).text(), "{\"a\\\"b\":1}");
  EXPECT_EQ(JsonObject().add("none", Name{nullptr, 0}).text(), "{\"none\":\"\"}");
}

TEST(JsonObject, Utf8StaysAndWhatIsNoneIsReplaced) {
  const std::string good = "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(quoted(good), "{\"t\":\"" + good + "\"}");
  EXPECT_EQ(quoted("a\xff"
                   "b"),
            "{\"t\":\"a\\ufffdb\"}");
  EXPECT_EQ(quoted("\xe2\x82"), "{\"t\":\"\\ufffd\\ufffd\"}") << "cut off";
  EXPECT_EQ(quoted("\xc0\xaf"), "{\"t\":\"\\ufffd\\ufffd\"}") << "overlong";
  EXPECT_EQ(quoted("\xed\xa0\x80"), "{\"t\":\"\\ufffd\\ufffd\\ufffd\"}") << "half of a pair";
  EXPECT_EQ(quoted("\xf4\x90\x80\x80"), "{\"t\":\"\\ufffd\\ufffd\\ufffd\\ufffd\"}") << "beyond";
}

/// Whether `bytes` is one character of UTF-8, by the bits of its code point.
bool is_character(const std::string& bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xc0 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf8 ? 4
                                          : 0;
  if (size != bytes.size()) return false;
  std::uint32_t point = size == 1 ? first : first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte < 0x80 || byte >= 0xc0) return false;
    point = point << 6 | (byte & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return point >= least[size] && point < 0x110000 && (point < 0xd800 || point >= 0xe000);
}
/// The characters of `bytes` as they are, and U+FFFD for each other byte.
std::string as_characters(const std::string& bytes) {
  std::string found;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t size = 4;
    while (size > 0 && !is_character(bytes.substr(at, size))) --size;
    found += size > 0 ? bytes.substr(at, size) : "\\ufffd";
    at += size > 0 ? size : 1;
  }
  return found;
}
TEST(JsonObject, EveryFirstAndSecondByteOfACharacterIsJudgedByItsCodePoint) {
  for (int first = 0x80; first < 0x100; ++first) {
    for (const int second : {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0}) {
      for (const std::size_t size : {1U, 2U, 3U, 4U}) {
        std::string bytes(size, '\x81');
        bytes[0] = static_cast<char>(first);
        if (size > 1) bytes[1] = static_cast<char>(second == 0x7f ? 'x' : second);
        ASSERT_EQ(JsonObject().add("t", bytes).text(), "{\"t\":\"" + as_characters(bytes) + "\"}")
            << first << ' ' << second << ' ' << size;
      }
    }
  }
}

TEST(JsonObject, ReadsNothingBehindATextThatIsCutOff) {
  EXPECT_EQ(JsonObject().add("t", Name{"\xc3\xa9", 1}).text(), R"({"t":"\ufffd"})");
  EXPECT_EQ(JsonObject().add("t", Name{"\xe2\x82\xac", 2}).text(), R"({"t":"\ufffd\ufffd"})");
}

// The decimal point of Persian and Pashto is neither a comma nor a point.
TEST(JsonObject, ADecimalPointIsAPointInEveryLocale) {
  EXPECT_EQ(JsonObject().add("us", 12.3456).text(), "{\"us\":12.346}");
  const std::string folder =
      ::testing::TempDir() + "json_test_locale." + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/source") << "LC_NUMERIC\ndecimal_point \"<U066B>\"\nthousands_sep \"\"\n"
                                       "grouping -1\nEND LC_NUMERIC\n";
  // It warns of the other categories, and its status says so.
  const std::string make = "cd '" + folder + "' && localedef -c --no-archive -i source -f UTF-8 " +
                           "./xx_XX.UTF-8 >/dev/null 2>&1";
  static_cast<void>(std::system(make.c_str()) + 1);
  ::setenv("LOCPATH", folder.c_str(), 1);
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  const bool is_set = std::setlocale(LC_NUMERIC, "xx_XX.UTF-8") != nullptr;
  char printed[16];
  std::snprintf(printed, sizeof printed, "%.1f", 0.5);
  const std::string text = JsonObject().add("us", 0.5).add("ms", -1234567.0625).text();
  std::setlocale(LC_NUMERIC, before.c_str());
  ::unsetenv("LOCPATH");
  std::filesystem::remove_all(folder);
  if (!is_set) GTEST_SKIP() << "this system makes no locales";
  EXPECT_STREQ(printed, "0\u066b5");
  EXPECT_EQ(text, "{\"us\":0.500,\"ms\":-1234567.062}");
}

TEST(JsonObject, WritesAnyNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(JsonObject().add("a", infinity).add("b", -infinity).add("c", std::nan("")).text(),
            R"({"a":null,"b":null,"c":null})");
  const std::string most = JsonObject().add("a", -std::numeric_limits<double>::max()).text();
  EXPECT_EQ(most.size(), std::string("{\"a\":-.000}").size() + 309);
  EXPECT_EQ(most.substr(0, 9), "{\"a\":-179");
}

}  // namespace
}  // namespace warpsafe::debug
