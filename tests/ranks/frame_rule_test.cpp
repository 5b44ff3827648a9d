// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "tools/ranks/record/frame_rule.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace warpsafe::ranks {
namespace {

using Bytes = std::vector<unsigned char>;
using Cfa = FrameRule::Cfa;
using Saved = FrameRule::Saved;

template <class T>
void put(Bytes& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}
Bytes operator+(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// What g++ writes for all functions of a file: version 1, addresses from their place in 4 bytes,
/// the CFA is rsp+8, and the return address is before it.
const Bytes common{1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1};

/// An object with one function of `size` bytes, whose frames `program` describes.
class Object {
 public:
  explicit Object(const Bytes& program, const Bytes& cie = common, std::uint32_t size = 0x100000) {
    put(bytes_, std::uint32_t{0x3b031b01});  // version, and the three encodings
    put(bytes_, std::int32_t{0});
    put(bytes_, std::uint32_t{1});
    const std::size_t row = bytes_.size();
    put(bytes_, std::int32_t{function});
    put(bytes_, std::int32_t{0});
    const std::size_t common_at = bytes_.size();
    put(bytes_, static_cast<std::uint32_t>(4 + cie.size()));
    put(bytes_, std::uint32_t{0});
    bytes_ = bytes_ + cie;
    const auto entry = static_cast<std::int32_t>(bytes_.size());
    std::memcpy(bytes_.data() + row + 4, &entry, sizeof entry);
    put(bytes_, static_cast<std::uint32_t>(4 + 4 + 4 + 1 + program.size()));
    put(bytes_, static_cast<std::uint32_t>(bytes_.size() - common_at));
    put(bytes_, function - static_cast<std::int32_t>(bytes_.size()));
    put(bytes_, size);
    bytes_.push_back(0);
    bytes_ = bytes_ + program;
  }
  /// The rule for a call that ends so many bytes behind the beginning of the function.
  [[nodiscard]] FrameRule at(std::uint32_t offset) const {
    return FrameRule::of(bytes_.data() + function + offset, bytes_.data());
  }

 private:
  static constexpr std::int32_t function = 0x10000;
  Bytes bytes_;
};

void expect(const FrameRule& rule, Cfa cfa, int offset = 0, Saved saved = Saved::kept,
            int saved_offset = 0) {
  EXPECT_EQ(static_cast<int>(rule.cfa), static_cast<int>(cfa));
  if (cfa == Cfa::unknown || cfa == Cfa::outermost) return;
  EXPECT_EQ(rule.cfa_offset, offset);
  EXPECT_EQ(static_cast<int>(rule.saved), static_cast<int>(saved));
  if (saved == Saved::kept) return;
  EXPECT_EQ(rule.saved_offset, saved_offset);
}

TEST(FrameRule, OnlyTheFunctionHasARule) {
  const Object object({}, common, 0x80);
  expect(object.at(1), Cfa::from_stack_pointer, 8);
  // A call may be the last instruction.
  expect(object.at(0x80), Cfa::from_stack_pointer, 8);
  expect(object.at(0x81), Cfa::unknown);
  expect(object.at(0), Cfa::unknown);
  expect(FrameRule::of(&object, nullptr), Cfa::unknown);
}

TEST(FrameRule, OfAFunctionWithAFramePointer) {
  // push rbp; mov rbp, rsp; ... leave
  const Object object({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x50, 0x0c, 7, 8, 0xc6});
  expect(object.at(1), Cfa::from_stack_pointer, 8);
  expect(object.at(2), Cfa::from_stack_pointer, 16, Saved::at_cfa, -16);
  expect(object.at(5), Cfa::from_frame_pointer, 16, Saved::at_cfa, -16);
  expect(object.at(0x54), Cfa::from_frame_pointer, 16, Saved::at_cfa, -16);
  expect(object.at(0x55), Cfa::from_stack_pointer, 8);
}

TEST(FrameRule, OfAFunctionThatReturnsInTheMiddle) {
  // The frame is remembered before the first return, and restored behind it.
  const Object object(
      {0x03, 0, 1, 0x0e, 64, 0x86, 3, 0x0a, 0x42, 0x0e, 8, 0xc6, 0x04, 1, 0, 1, 0, 0x0b});
  expect(object.at(0x101), Cfa::from_stack_pointer, 64, Saved::at_cfa, -24);
  expect(object.at(0x103), Cfa::from_stack_pointer, 8);
  expect(object.at(0x10103), Cfa::from_stack_pointer, 8);
  expect(object.at(0x10104), Cfa::from_stack_pointer, 64, Saved::at_cfa, -24);
}

TEST(FrameRule, OfARealignedFrame) {
  // The CFA is the word at rbp-8, and the caller's rbp is where rbp points.
  const Bytes realigned{0x10, 6, 2, 0x76, 0, 0x0f, 3, 0x76, 0x78, 0x06};
  expect(Object(realigned).at(1), Cfa::at_frame_pointer, -8, Saved::at_frame_pointer, 0);
  // Not a word; another register; more than one addition.
  expect(Object({0x0f, 2, 0x76, 0x78}).at(1), Cfa::unknown);
  expect(Object({0x0f, 3, 0x77, 0x78, 0x06}).at(1), Cfa::unknown);
  expect(Object({0x0f, 4, 0x76, 0x78, 0x06, 0x06}).at(1), Cfa::unknown);
  expect(Object({0x10, 6, 3, 0x76, 0, 0x06}).at(1), Cfa::unknown);
  expect(Object({0x0f, 9, 0x76, 0x78, 0x06}).at(1), Cfa::unknown);
  // A simple rule follows.
  expect(Object(realigned + Bytes{0x0c, 7, 24, 0x08, 6}).at(1), Cfa::from_stack_pointer, 24);
}

TEST(FrameRule, OfRareInstructions) {
  expect(Object({0x0c, 3, 8}).at(1), Cfa::unknown);  // rbx
  expect(Object({0x12, 6, 0x7e}).at(1), Cfa::from_frame_pointer, 16);
  expect(Object({0x13, 0x7d}).at(1), Cfa::from_stack_pointer, 24);
  expect(Object({0x11, 6, 4}).at(1), Cfa::from_stack_pointer, 8, Saved::at_cfa, -32);
  expect(Object({0x05, 6, 4, 0x06, 6}).at(1), Cfa::from_stack_pointer, 8);
  expect(Object({0x2e, 16, 0x0e, 0x80, 0x80, 4}).at(1), Cfa::from_stack_pointer, 65536);
  expect(Object({0x07, 16}).at(1), Cfa::outermost);
  expect(Object({0x07, 6}).at(1), Cfa::unknown);
  expect(Object({0x09, 6, 3}).at(1), Cfa::unknown);
  expect(Object({0x09, 3, 6}).at(1), Cfa::from_stack_pointer, 8);
  expect(Object({0x14, 7, 1}).at(1), Cfa::unknown);  // rsp is not the CFA
  expect(Object({0x16, 6, 2, 0x76, 0}).at(1), Cfa::unknown);
  expect(Object({0x10, 16, 2, 0x76, 0}).at(1), Cfa::unknown);
  expect(Object({0x90, 2}).at(1), Cfa::unknown);  // another place of the return address
  expect(Object({0x0b}).at(1), Cfa::unknown);
  expect(Object({0x2d}).at(1), Cfa::unknown);
  expect(Object({0x0e}).at(1), Cfa::unknown);  // ends in the middle
}

TEST(FrameRule, OfWhatTheFunctionsHaveInCommon) {
  const Bytes rest{0x0c, 7, 8, 0x90, 1};
  const Object with_handlers(
      {}, Bytes{1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 7, 0x9b, 1, 2, 3, 4, 0x1b, 0x1b} + rest);
  expect(with_handlers.at(1), Cfa::from_stack_pointer, 8);
  const Object version_3({}, Bytes{3, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b} + rest);
  expect(version_3.at(1), Cfa::from_stack_pointer, 8);
  const Object of_a_signal({}, Bytes{1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0x1b} + rest);
  expect(of_a_signal.at(1), Cfa::unknown);
  const Object of_later({}, Bytes{4, 'z', 'R', 0, 8, 0, 1, 0x78, 16, 1, 0x1b} + rest);
  expect(of_later.at(1), Cfa::unknown);
  const Object from_another_place({}, Bytes{1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x3b} + rest);
  expect(from_another_place.at(1), Cfa::unknown);
}

}  // namespace
}  // namespace warpsafe::ranks
