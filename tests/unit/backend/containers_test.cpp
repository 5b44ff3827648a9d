// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The pointers and containers of the host backend.

#include <warpsafe/backend/host/detail/containers.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace warpsafe::host_test::containers {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

int alive = 0;
/// A number that is counted while it exists. `Base`: Counted, or nothing.
struct Nothing {};
template <class Base = Nothing>
struct Number : Base {
  Number() noexcept { ++alive; }
  explicit Number(int its_value) noexcept : value(its_value) { ++alive; }
  Number(const Number& other) noexcept : Base(other), value(other.value) { ++alive; }
  Number(Number&& other) noexcept : value(std::exchange(other.value, -1)) { ++alive; }
  Number& operator=(const Number&) noexcept = default;
  Number& operator=(Number&& other) noexcept {
    value = std::exchange(other.value, -1);
    return *this;
  }
  ~Number() { --alive; }
  friend bool operator==(const Number& a, const Number& b) noexcept { return a.value == b.value; }
  int value = 0;
};
using Numbers = host::Array<Number<>>;

[[nodiscard]] Numbers numbers(std::initializer_list<int> values) {
  Numbers made;
  for (const int value : values) made.push_back(Number<>(value));
  return made;
}
[[nodiscard]] std::vector<int> values_of(const Numbers& given) {
  std::vector<int> found;
  for (const Number<>& one : given) found.push_back(one.value);
  return found;
}

struct HostContainers : ::testing::Test {
  HostContainers() { alive = 0; }
  ~HostContainers() override { EXPECT_EQ(alive, 0) << "each object ends once"; }
};

TEST_F(HostContainers, AnOwnedObjectEndsWithItsPointer) {
  host::Owned<Number<>> none;
  EXPECT_TRUE(none == nullptr);
  host::Owned<Number<>> first = host::make_owned<Number<>>(1);
  host::Owned<Number<>> second = host::make_owned<Number<>>(2);
  EXPECT_EQ(alive, 2);
  none = std::move(first);
  EXPECT_EQ(none->value, 1);
  { const host::Owned<Number<>> taken = std::move(none); }
  EXPECT_EQ(alive, 1);
  EXPECT_EQ((*second).value, 2);
}
TEST_F(HostContainers, ASharedObjectEndsWithTheLastOfItsPointers) {
  using Held = Number<host::Counted>;
  host::Shared<Held> first = host::make_shared<Held>(1);
  EXPECT_EQ(first->holders(), 1U);
  {
    const host::Shared<Held> second = first;
    const host::Shared<const Held> third = first;
    EXPECT_EQ(first->holders(), 3U);
    EXPECT_TRUE(second == first);
    host::Shared<Held> moved = std::move(first);
    EXPECT_EQ(moved->holders(), 3U) << "a move counts nothing";
    EXPECT_TRUE(first == nullptr);  // NOLINT(bugprone-use-after-move): what is tested
    first = moved;
  }
  EXPECT_EQ(first->holders(), 1U);
  EXPECT_EQ(alive, 1);
  first = host::make_shared<Held>(2);
  EXPECT_EQ(alive, 1) << "the old one has ended";
  EXPECT_EQ(first->value, 2);
  first = nullptr;
  EXPECT_EQ(alive, 0);
}

TEST_F(HostContainers, AnArrayOfBytesGrowsByZeros) {
  host::Array<unsigned char> bytes(3, 7);
  bytes.resize(5);
  EXPECT_THAT(bytes, ElementsAre(7, 7, 7, 0, 0));
  bytes.resize(2);
  EXPECT_THAT(bytes, ElementsAre(7, 7));
  bytes.resize(4);
  EXPECT_THAT(bytes, ElementsAre(7, 7, 0, 0)) << "not what was there";
  bytes.resize(4);
  EXPECT_THAT(bytes, ElementsAre(7, 7, 0, 0));
  bytes.resize(100);
  EXPECT_EQ(bytes.size(), 100U);
  EXPECT_EQ(bytes.back(), 0);
  bytes.resize(0);
  EXPECT_TRUE(bytes.empty());
}
TEST_F(HostContainers, AnArrayOfObjectsGrowsByNewOnesAndEndsThoseThatGo) {
  Numbers some = numbers({5, 6});
  some.resize(4);
  EXPECT_THAT(values_of(some), ElementsAre(5, 6, 0, 0));
  EXPECT_EQ(alive, 4);
  some.resize(1);
  EXPECT_THAT(values_of(some), ElementsAre(5));
  EXPECT_EQ(alive, 1);
  some.resize(1);
  EXPECT_EQ(alive, 1);
  some.clear();
  EXPECT_EQ(alive, 0);
}
TEST_F(HostContainers, ElementsComeAndGoAnywhere) {
  Numbers some = numbers({1, 2, 3, 4, 5});
  some.insert(0, Number<>(0));
  some.insert(3, Number<>(9));
  some.insert(7, Number<>(8));
  EXPECT_THAT(values_of(some), ElementsAre(0, 1, 2, 9, 3, 4, 5, 8));
  some.erase(3);
  some.erase(0, 2);
  EXPECT_THAT(values_of(some), ElementsAre(2, 3, 4, 5, 8));
  some.erase(2, 3);
  EXPECT_THAT(values_of(some), ElementsAre(2, 3));
  some.erase(0, 0);
  EXPECT_EQ(alive, 2);
  some.erase_if([](const Number<>& one) { return one.value == 2; });
  EXPECT_THAT(values_of(some), ElementsAre(3));
  EXPECT_EQ(some.front().value, 3);
  EXPECT_EQ(std::as_const(some).back().value, 3);
  some.append(some.begin(), some.begin());
  EXPECT_THAT(values_of(some), ElementsAre(3));
  some.erase_if([](const Number<>&) { return true; });
  EXPECT_THAT(values_of(some), IsEmpty());
}
TEST_F(HostContainers, CopiesAreEqualAndMovesTakeTheElements) {
  const Numbers some = numbers({1, 2, 3});
  Numbers copy = some;
  EXPECT_TRUE(copy == some);
  EXPECT_EQ(alive, 6);
  for (const auto& other : {numbers({1, 2}), numbers({1, 2, 4}), numbers({0, 2, 3}), numbers({})}) {
    EXPECT_FALSE(copy == other);
    EXPECT_FALSE(other == copy);
  }
  Numbers moved = std::move(copy);
  EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_TRUE(moved == some);
  moved = numbers({7});
  EXPECT_EQ(alive, 4);
  EXPECT_TRUE(Numbers() == numbers({}));
  const host::Array<int> plain = {1, 2, 3};
  const host::Array<int> part(plain.begin() + 1, plain.end());
  EXPECT_THAT(part, ElementsAre(2, 3));
  EXPECT_EQ(part.data(), part.begin());
  EXPECT_THAT(host::Array<int>(4, 9), Each(9));
}
TEST_F(HostContainers, RoomIsReservedOnce) {
  host::Array<int> some;
  some.reserve(10);
  const int* const place = some.data();
  for (int i = 0; i < 10; ++i) some.push_back(i);
  some.reserve(10);
  some.reserve(3);
  EXPECT_EQ(some.data(), place);
  EXPECT_EQ(some.capacity(), 10U);
}
TEST_F(HostContainers, TheFirstElementThatHoldsIsFoundInAnyOrderedArray) {
  for (std::size_t size = 0; size < 20; ++size) {
    host::Array<std::size_t> some;
    for (std::size_t i = 0; i < size; ++i) some.push_back(i);
    for (std::size_t first = 0; first <= size; ++first) {
      EXPECT_EQ(some.first_where([&](std::size_t one) { return one >= first; }), first) << size;
    }
  }
}
// Elements that have gone leave room, which the queue closes up now and then.
TEST_F(HostContainers, AQueueKeepsTheOrderHoweverManyComeAndGo) {
  host::Queue<Number<>> queue;
  std::deque<int> model;
  int next = 0;
  for (int round = 0; round < 200; ++round) {
    const int in = round * 7 % 5;
    const int out = round * 11 % 6;
    for (int i = 0; i < in; ++i) {
      queue.push_back(Number<>(++next));
      model.push_back(next);
    }
    if (round % 13 == 0 && !model.empty()) {
      queue.pop_back();
      model.pop_back();
    }
    for (int i = 0; i < out && !model.empty(); ++i) {
      EXPECT_EQ(queue.front().value, model.front());
      queue.pop_front();
      model.pop_front();
    }
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_EQ(queue.empty(), model.empty());
    std::vector<int> found;
    for (const Number<>& one : queue) found.push_back(one.value);
    ASSERT_THAT(found, ElementsAreArray(model));
    for (std::size_t i = 0; i < model.size(); ++i) ASSERT_EQ(queue[i].value, model[i]);
    ASSERT_LE(alive, static_cast<int>(2 * model.size() + 1)) << "what has gone takes no more room";
  }
}

}  // namespace
}  // namespace warpsafe::host_test::containers
