// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A kernel receives the arguments of its launch unchanged.

#include "launch_fixture.hpp"
#include <warpsafe/args/align.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace warpsafe::core_test {

/// A vector of another library, opened to kernels below.
template <class T>
struct ForeignVector {
  T* first;
  std::size_t length;
};
/// Those whose traits, or which themselves, know the number of elements.
template <class T>
struct CountedVector : ForeignVector<T> {
  using value_type = T;
  [[nodiscard]] long size() const { return -5; }  // the traits' number is the one that counts
};
template <class T>
struct SizedVector : ForeignVector<T> {
  [[nodiscard]] long size() const { return static_cast<long>(this->length); }
};
/// Frees its memory in its destructor, as at::Tensor does.
struct ForeignOwner {
  std::shared_ptr<int> memory;
  [[nodiscard]] ForeignOwner contiguous() const { return *this; }
};
struct OwnerInOrder : ForeignOwner {
  [[nodiscard]] OwnerInOrder contiguous() const { return *this; }
};

}  // namespace warpsafe::core_test

namespace warpsafe {
template <>
struct device_pointer_traits<core_test::ForeignOwner> {
  static int* get(const core_test::ForeignOwner& owner) noexcept { return owner.memory.get(); }
};
template <>
struct device_pointer_traits<core_test::OwnerInOrder> {
  static constexpr bool may_be_temporary = true;
  static int* get(const core_test::OwnerInOrder& owner) noexcept { return owner.memory.get(); }
};
template <class T>
struct device_pointer_traits<core_test::ForeignVector<T>> {
  static T* get(const core_test::ForeignVector<T>& vector) noexcept { return vector.first; }
};
template <class T>
struct device_pointer_traits<core_test::CountedVector<T>> {
  static T* get(const core_test::CountedVector<T>& vector) noexcept { return vector.first; }
  static std::size_t count(const core_test::CountedVector<T>& vector) noexcept {
    return vector.length;
  }
};
template <class T>
struct device_pointer_traits<core_test::SizedVector<T>> {
  static T* get(const core_test::SizedVector<T>& vector) noexcept { return vector.first; }
};
}  // namespace warpsafe

namespace warpsafe::core_test {
namespace {

struct Arguments : LaunchTest {
  const decltype(LaunchConfig{grid<1>, block<1>}) once{grid<1>, block<1>};
};

template <class T>
WARPSAFE_KERNEL void store(T value, T* out) {
  *out = value;
}

template <class T>
struct ArgumentOf : Arguments {};
using Numbers = ::testing::Types<bool, char, signed char, unsigned char, short, unsigned short, int,
                                 unsigned, long, unsigned long, long long, unsigned long long,
                                 float, double, long double>;
TYPED_TEST_SUITE(ArgumentOf, Numbers);

TYPED_TEST(ArgumentOf, ArrivesWithItsExtremeValues) {
  using T = TypeParam;
  T* const out = this->template device_array<T>(1);
  for (const T value : {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T{1}}) {
    const auto launched = launch(this->stream, this->once, kernel<store<T>>, value, trust(out));
    ASSERT_TRUE(launched.has_value()) << message(launched.error());
    this->wait();
    EXPECT_EQ(*out, value);
  }
}

template <class P, class A>
void expect_widened(Arguments&, const Stream& stream, P* out, A given) {
  const auto launched =
      launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<store<P>>, given, trust(out));
  ASSERT_TRUE(launched.has_value()) << message(launched.error());
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(*out, static_cast<P>(given));
  EXPECT_EQ(*out < P{}, given < A{}) << "its sign stays";
}

TEST_F(Arguments, WidenWithoutLoss) {
  expect_widened<std::int64_t>(*this, stream, device_array<std::int64_t>(1), std::int8_t{-100});
  expect_widened<std::int64_t>(*this, stream, device_array<std::int64_t>(1), -2147483647 - 1);
  expect_widened<std::int64_t>(*this, stream, device_array<std::int64_t>(1), 4294967295U);
  expect_widened<std::uint64_t>(*this, stream, device_array<std::uint64_t>(1), 5);
  expect_widened<unsigned>(*this, stream, device_array<unsigned>(1), 0);
  expect_widened<double>(*this, stream, device_array<double>(1), 0.1F);
  expect_widened<double>(*this, stream, device_array<double>(1), -2147483647);
  expect_widened<float>(*this, stream, device_array<float>(1), std::int16_t{-32768});
  expect_widened<int>(*this, stream, device_array<int>(1), 'x');
  expect_widened<int>(*this, stream, device_array<int>(1), true);
}

struct Plain {
  std::int8_t small;
  double wide;
  std::array<int, 5> several;
  friend bool operator==(const Plain&, const Plain&) = default;
};
struct alignas(16) Aligned {
  std::int32_t number;
};
enum class Mode : std::uint8_t { slow = 1, fast = 200 };

struct Received {
  std::int8_t i8;
  std::uint64_t u64;
  float f;
  std::int16_t i16;
  double d;
  bool b;
  Plain plain;
  std::uint32_t u32;
  std::int32_t aligned;
  bool well_aligned;
  Mode mode;
  char letter;
};

WARPSAFE_KERNEL void receive(std::int8_t i8, std::uint64_t u64, float f, std::int16_t i16, double d,
                             bool b, Plain plain, std::uint32_t u32, Aligned aligned, Mode mode,
                             char letter, Received* out) {
  const bool well_aligned = reinterpret_cast<std::uintptr_t>(&aligned) % alignof(Aligned) == 0;
  *out = {i8, u64, f, i16, d, b, plain, u32, aligned.number, well_aligned, mode, letter};
}

TEST_F(Arguments, OfEveryWidthBesideEachOtherStayApart) {
  Received* const out = device_array<Received>(1);
  const Plain plain{-7, 2.5, {1, -2, 3, -4, 5}};
  ASSERT_TRUE(launch(stream, once, kernel<receive>, std::int8_t{-128},
                     std::numeric_limits<std::uint64_t>::max(), 0.1F, std::int16_t{-32768}, 1e300,
                     true, plain, 4294967295U, Aligned{-9}, Mode::fast, 'x', trust(out))
                  .has_value());
  wait();
  EXPECT_EQ(out->i8, -128);
  EXPECT_EQ(out->u64, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(out->f, 0.1F);
  EXPECT_EQ(out->i16, -32768);
  EXPECT_EQ(out->d, 1e300);
  EXPECT_TRUE(out->b);
  EXPECT_EQ(out->plain, plain);
  EXPECT_EQ(out->u32, 4294967295U);
  EXPECT_EQ(out->aligned, -9);
  EXPECT_TRUE(out->well_aligned);
  EXPECT_EQ(out->mode, Mode::fast);
  EXPECT_EQ(out->letter, 'x');
}

TEST_F(Arguments, AreCopiedAtTheLaunch) {
  int* const out = device_array<int>(1);
  {
    int value = 5;
    ASSERT_TRUE(launch(stream, once, kernel<store<int>>, value, trust(out)).has_value());
    value = 6;
  }
  wait();
  EXPECT_EQ(*out, 5);
}

// Pointers.

struct Seen {
  const void* a;
  const void* b;
  const void* c;
  std::size_t size;
};
WARPSAFE_KERNEL void see(const float* a, float* b, const float* c, Seen* out) {
  *out = {a, b, c, 0};
}
WARPSAFE_KERNEL void see_typed(device_ptr<const float> a, device_ptr<float> b,
                               DeviceSpan<const float> c, Seen* out) {
  *out = {a.get(), b.get(), c.pointer().get(), c.size()};
}

TEST_F(Arguments, PointersComeFromWhateverKnowsDeviceMemory) {
  float* const memory = device_array<float>(8);
  Seen* const out = device_array<Seen>(1);
  const auto pointer = detail::DeviceAccess::pointer(memory);
  const DeviceSpan<float> span(pointer + 2, 4);
  const ForeignVector<float> foreign{memory + 5, 3};
  ASSERT_TRUE(launch(stream, once, kernel<see>, pointer, span, foreign, trust(out)).has_value());
  wait();
  EXPECT_EQ(out->a, memory);
  EXPECT_EQ(out->b, memory + 2);
  EXPECT_EQ(out->c, memory + 5);
  ASSERT_TRUE(launch(stream, once, kernel<see>, foreign, trust(memory + 1), pointer, trust(out))
                  .has_value());
  wait();
  EXPECT_EQ(out->a, memory + 5);
  EXPECT_EQ(out->b, memory + 1);
  EXPECT_EQ(out->c, memory);
}

TEST_F(Arguments, ASpanComesFromAContainerThatKnowsItsSize) {
  float* const memory = device_array<float>(8);
  Seen* const out = device_array<Seen>(1);
  const auto start = detail::DeviceAccess::pointer(memory);
  const auto expect = [&]<CheckLevel Level>(const auto& container, std::size_t size) {
    ASSERT_TRUE(launch<Level>(stream, once, kernel<see_typed>, start, start, container, trust(out))
                    .has_value());
    wait();
    EXPECT_EQ(out->c, memory + 5);
    EXPECT_EQ(out->size, size);
  };
  const CountedVector<float> counted{{memory + 5, 3}};
  const CountedVector<const float> constant{{memory + 5, 3}};
  const SizedVector<float> sized{{memory + 5, 2}};
  const SizedVector<float> negative{{memory + 5, ~std::size_t{0}}};
  expect.operator()<CheckLevel::full>(counted, 3);
  expect.operator()<CheckLevel::full>(constant, 3);
  expect.operator()<CheckLevel::full>(sized, 2);
  expect.operator()<CheckLevel::full>(negative, 0);
  expect.operator()<CheckLevel::off>(counted, 3);
  expect.operator()<CheckLevel::off>(sized, 2);
}

TEST_F(Arguments, NullPointersAreSaidByName) {
  Seen* const out = device_array<Seen>(1);
  *out = {out, out, out, 1};
  ASSERT_TRUE(launch(stream, once, kernel<see>, nullptr, device_ptr<float>{},
                     trust(static_cast<const float*>(nullptr)), trust(out))
                  .has_value());
  wait();
  EXPECT_EQ(out->a, nullptr);
  EXPECT_EQ(out->b, nullptr);
  EXPECT_EQ(out->c, nullptr);
}

TEST_F(Arguments, TypedPointersAndSpansGoByValue) {
  float* const memory = device_array<float>(8);
  Seen* const out = device_array<Seen>(1);
  const auto pointer = detail::DeviceAccess::pointer(memory);
  const DeviceSpan<float> span(pointer, 8);
  ASSERT_TRUE(
      launch(stream, once, kernel<see_typed>, pointer, pointer + 1, span.subspan(3, 5), trust(out))
          .has_value());
  wait();
  EXPECT_EQ(out->a, memory);
  EXPECT_EQ(out->b, memory + 1);
  EXPECT_EQ(out->c, memory + 3);
  EXPECT_EQ(out->size, 5U);
}

WARPSAFE_KERNEL void sum(DeviceSpan<const float> in, float* out) {
  *out = 0;
  for (size_type i = 0; i < in.size(); ++i) *out += in[i];
}

TEST_F(Arguments, ASpanIsIndexedInTheKernel) {
  float* const memory = device_array<float>(4);
  for (int i = 0; i < 4; ++i) memory[i] = static_cast<float>(i + 1);
  float* const out = device_array<float>(1);
  const DeviceSpan<const float> span(detail::DeviceAccess::pointer(memory), 4);
  ASSERT_TRUE(launch(stream, once, kernel<sum>, span, trust(out)).has_value());
  wait();
  EXPECT_EQ(*out, 10.0F);
}

TEST_F(Arguments, ATrustedSpanIsASpanInTheKernel) {
  float* const memory = device_array<float>(4);
  for (int i = 0; i < 4; ++i) memory[i] = static_cast<float>(i + 1);
  float* const out = device_array<float>(1);
  ASSERT_TRUE(launch(stream, once, kernel<sum>, trust(memory, 3), trust(out)).has_value());
  wait();
  EXPECT_EQ(*out, 6.0F);
  ASSERT_TRUE(launch<CheckLevel::off>(stream, once, kernel<sum>, trust(memory, -3), trust(out))
                  .has_value());
  wait();
  EXPECT_EQ(*out, 0.0F) << "no element, rather than 2^64 - 3";
}

TEST_F(Arguments, ATrustedSpanIsLookedAt) {
  float* const memory = device_array<float>(4);
  float* const out = device_array<float>(1);
  const auto negative = launch(stream, once, kernel<sum>, trust(memory, -3), trust(out));
  ASSERT_FALSE(negative.has_value());
  EXPECT_EQ(negative.error().code, Errc::argument_negative);
  EXPECT_EQ(negative.error().value, 3U);
  EXPECT_EQ(negative.error().argument(), 1U) << "the first argument";
  const float on_host[4] = {};
  const auto host = launch(stream, once, kernel<sum>, trust(on_host, 4), trust(out));
  ASSERT_FALSE(host.has_value());
  EXPECT_EQ(host.error().code, Errc::argument_host_pointer);
}

WARPSAFE_KERNEL void large(std::array<char, 4000> bytes, char* out) { *out = bytes[3999]; }

TEST_F(Arguments, MayTakeUpToTheRuntimesLimit) {
  char* const out = device_array<char>(1);
  std::array<char, 4000> bytes{};
  bytes[3999] = 'z';
  ASSERT_TRUE(launch(stream, once, kernel<large>, bytes, trust(out)).has_value());
  wait();
  EXPECT_EQ(*out, 'z');
}

// Types that may be passed.

using detail::keeps_value;
static_assert(keeps_value<std::int64_t, int>() && !keeps_value<int, std::int64_t>());
static_assert(keeps_value<unsigned, int>(), "0 and an int count are fine: their sign is checked");
static_assert(!keeps_value<int, unsigned>() && keeps_value<std::int64_t, unsigned>());
static_assert(!keeps_value<unsigned, std::int64_t>() && !keeps_value<std::uint8_t, int>());
static_assert(keeps_value<double, float>() && !keeps_value<float, double>());
static_assert(keeps_value<double, int>() && !keeps_value<float, int>());
static_assert(!keeps_value<double, std::int64_t>(), "53 bits do not hold 63");
static_assert(!keeps_value<int, float>() && !keeps_value<bool, int>());
static_assert(keeps_value<int, bool>() && keeps_value<int, char>());

using detail::parameter_bytes;
static_assert(parameter_bytes<>() == 0);
static_assert(parameter_bytes<char, double, char>() == 17, "each at its own alignment");
static_assert(parameter_bytes<double, char, char>() == 10);

// What frees its memory too early: f04 in tests/misuse/compile.
static_assert(detail::FreesTooEarly<ForeignOwner> && detail::FreesTooEarly<const ForeignOwner>);
static_assert(!detail::FreesTooEarly<ForeignOwner&> && !detail::FreesTooEarly<const ForeignOwner&>);
static_assert(!detail::FreesTooEarly<OwnerInOrder>);
static_assert(!detail::FreesTooEarly<ForeignVector<int>>, "has no destructor");
static_assert(!detail::FreesTooEarly<DeviceView<int>> && !detail::FreesTooEarly<trusted_ptr<int>> &&
              !detail::FreesTooEarly<int> && !detail::FreesTooEarly<std::string>);

struct Packed {
  unsigned long value : 40;
};

TEST_F(Arguments, OwnersOfOtherLibrariesAreTaken) {
  int* const out = device_array<int>(1);
  OwnerInOrder owner;
  owner.memory = {out, [](int*) {}};
  const auto run = [&](const auto& launched) {
    EXPECT_TRUE(launched.has_value());
    wait();
    return *out;
  };
  EXPECT_EQ(run(launch(stream, once, kernel<store<int>>, 3, owner)), 3);
  const ForeignOwner constant = owner;
  EXPECT_EQ(run(launch(stream, once, kernel<store<int>>, 4, constant)), 4);
  EXPECT_EQ(run(launch(stream, once, kernel<store<int>>, 5, owner.contiguous())), 5);
  EXPECT_EQ(run(launch(stream, once, kernel<store<int>>, 6, ForeignVector<int>{out, 1})), 6);
  auto* const numbers = device_array<unsigned long>(1);
  const Packed packed{7};
  ASSERT_TRUE(
      launch(stream, once, kernel<store<unsigned long>>, packed.value, trust(numbers)).has_value());
  wait();
  EXPECT_EQ(*numbers, 7U);
}

WARPSAFE_KERNEL void take_aligned(aligned_ptr<int, 16>) {}
WARPSAFE_KERNEL void take_all(int*, const int*, DeviceSpan<int>, device_ptr<int>, std::size_t) {}

TEST_F(Arguments, AViewWithoutElementsIsNotForAPointer) {
  auto some = DeviceBuffer<int>::create(stream, 4).value();
  auto none = DeviceBuffer<int>::create(stream, 0).value();
  const auto run = [&](const auto& a, const auto& b, const auto& c, const auto& d) {
    return launch(stream, once, kernel<take_all>, a, b, c, d, std::size_t{4});
  };
  const auto all = some.view();
  const auto refused = [&](const auto& outcome) {
    const LaunchError error = error_in(outcome);
    EXPECT_EQ(error.code, Errc::argument_empty);
    return error.argument();
  };
  EXPECT_EQ(refused(run(none.view(), all, all, all)), 1U);
  EXPECT_EQ(refused(run(all, none.view(), all, all)), 2U);
  EXPECT_EQ(refused(run(all, all, all, none.view())), 4U);
  EXPECT_EQ(refused(run(all, all.subspan(4).value(), all, all)), 2U) << "it has an address";
  EXPECT_EQ(refused(run(DeviceView<int>(), all, all, all)), 1U);
  EXPECT_EQ(refused(run(all, none.view().span(), all, all)), 2U);
  EXPECT_EQ(refused(run(trust(all.pointer().get(), 0), all, all, all)), 1U);
  EXPECT_EQ(refused(launch(stream, once, kernel<take_aligned>, align<16>(none.view()).value())),
            1U);

  EXPECT_TRUE(run(all, all, none.view(), all).has_value()) << "a span knows its size";
  EXPECT_TRUE(run(all.span(), trust(all.pointer().get(), 4), trust(all.pointer().get(), 0), all)
                  .has_value());
  EXPECT_TRUE(launch(stream, once, kernel<take_aligned>, align<16>(all).value()).has_value());
  EXPECT_TRUE(run(nullptr, nullptr, all, nullptr).has_value()) << "on purpose";
  EXPECT_TRUE(launch<CheckLevel::off>(stream, once, kernel<take_all>, none.view(), all, all, all,
                                      std::size_t{4})
                  .has_value());
  EXPECT_TRUE(launch(stream, SafeGrid<>::cover_or_empty(none.size(), block<32>), kernel<take_all>,
                     none.view(), all, all, all, std::size_t{0})
                  .has_value())
      << "an empty grid";
  wait();
}

}  // namespace
}  // namespace warpsafe::core_test
