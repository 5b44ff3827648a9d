// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "../code/message_pack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

using amd_code::Packed;

struct Bytes {
  std::vector<unsigned char> all;
  Packed parse() const { return Packed::parse(all.data(), all.size()); }
};

TEST(MessagePack, ReadsIntegersOfEveryWidth) {
  EXPECT_EQ((Bytes{{0x7f}}.parse().number), 127);
  EXPECT_EQ((Bytes{{0xe0}}.parse().number), -32);
  EXPECT_EQ((Bytes{{0xc3}}.parse().number), 1);
  EXPECT_EQ((Bytes{{0xc2}}.parse().number), 0);
  EXPECT_EQ((Bytes{{0xcc, 0xff}}.parse().number), 255);
  EXPECT_EQ((Bytes{{0xcd, 1, 0}}.parse().number), 256);
  EXPECT_EQ((Bytes{{0xce, 0, 1, 0, 0}}.parse().number), 65536);
  EXPECT_EQ((Bytes{{0xcf, 0, 0, 0, 1, 0, 0, 0, 0}}.parse().number), std::int64_t{1} << 32);
  EXPECT_EQ((Bytes{{0xd0, 0xff}}.parse().number), -1);
  EXPECT_EQ((Bytes{{0xd1, 0xff, 0xfe}}.parse().number), -2);
  EXPECT_EQ((Bytes{{0xd2, 0xff, 0xff, 0xff, 0xfd}}.parse().number), -3);
  EXPECT_EQ((Bytes{{0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfc}}.parse().number), -4);
}

TEST(MessagePack, ReadsStringsAndCollections) {
  const Bytes text{{0xd9, 3, 'a', 'b', 'c'}};
  EXPECT_EQ(text.parse().text, "abc");
  const Bytes list{{0x92, 1, 0xa1, 'x'}};
  ASSERT_EQ(list.parse().items.size(), 2u);
  EXPECT_EQ(list.parse().items[1].text, "x");
  const Bytes wide_list{{0xdc, 0, 1, 5}};
  ASSERT_EQ(wide_list.parse().items.size(), 1u);
  const Bytes map{{0xde, 0, 2, 0xa1, 'a', 1, 0xa1, 'b', 2}};
  const Packed parsed = map.parse();
  ASSERT_NE(parsed.find("b"), nullptr);
  EXPECT_EQ(parsed.find("b")->number, 2);
  EXPECT_EQ(parsed.find("c"), nullptr);
  EXPECT_EQ(list.parse().find("x"), nullptr);
}

TEST(MessagePack, StopsAtTheEndOfWhatThereIs) {
  EXPECT_EQ((Bytes{{0xcd, 1}}.parse().number), 0);
  const Bytes cut{{0xa5, 'a', 'b'}};
  EXPECT_EQ(cut.parse().text, "ab");
  const Bytes endless{{0xdd, 0xff, 0xff, 0xff, 0xff, 1}};
  EXPECT_EQ(endless.parse().items.size(), 1u);
  const Bytes unknown{{0x93, 0xca, 0, 0}};  // a float, which the metadata has none of
  EXPECT_EQ(unknown.parse().items.size(), 1u);
  EXPECT_TRUE((Bytes{}.parse().items.empty()));
}

}  // namespace
