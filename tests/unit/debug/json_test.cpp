// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/debug/run/detail/json.hpp>

#include <gtest/gtest.h>

#include <clocale>
#include <cstdint>
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

TEST(JsonObject, ADecimalPointIsAPointInEveryLocale) {
  EXPECT_EQ(JsonObject().add("us", 12.3456).text(), "{\"us\":12.346}");
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no German locale";
  EXPECT_EQ(JsonObject().add("us", 0.5).text(), "{\"us\":0.500}");
  std::setlocale(LC_NUMERIC, before.c_str());
}

}  // namespace
}  // namespace warpsafe::debug
